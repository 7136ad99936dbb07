"""Writing refined values into the engine's table of coefficients; every other cell keeps its bytes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path


def write_coefficients(path: Path, values: Mapping[str, float]) -> None:
    """Set the values of the named coefficients, to four digits; a value beyond its range moves the end of the range."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        value = values.get(f"training.{row['name']}")
        if value is None:
            continue
        row["value"] = f"{value:.4g}"
        row["low"], row["high"] = (
            f"{min(float(row['low']), value):.4g}",
            f"{max(float(row['high']), value):.4g}",
        )
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue(), encoding="utf-8")
