"""Rows that may judge but may not be passed on: figures alone are kept, with the day on which they were computed.

`validate --withheld CSV` computes them; a run without those rows keeps what the last run with them wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from lab.validation import training
from lab.validation.report import figures

NAMES = {"lambdal/deeplearning-benchmark": "Lambda's benchmark of twenty cards (software of 2020 to 2023)"}
"""Publishers whose tables have no licence that lets them be passed on, by what people call them."""


def judged(
    paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions, *, day: date
) -> list[dict[str, Any]]:
    """Figures of each withheld publisher among the rows of those files, on that day."""
    found = training.report(paths, devices, assume).lines if paths else ()
    blocks = []
    for source, name in NAMES.items():
        lines = [line for line in found if line.source == source]
        counted = [line for line in lines if line.error is not None and not line.apart]
        if counted:
            blocks.append({"source": name, "rows": len(lines), **figures(counted), "day": day.isoformat()})
    return blocks


def last(data: Path) -> list[dict[str, Any]]:
    """What the data of the page holds from the last run that had the rows; nothing without such data."""
    try:
        body = json.loads(data.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    kept: list[dict[str, Any]] = body.get("withheld", []) if isinstance(body, dict) else []
    return kept


def sentences(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the accuracy page says of them."""
    return [
        f"Rows of {one['source']} may judge but not be passed on, so no table here has them. Of its {one['rows']} rows "
        f"{one['predicted']} count: error {one['median_ape']:.1%} in the median, {one['p90_ape']:.1%} at the 90th percentile, "
        f"bias {one['bias']:+.1%}; bands cover {one['band80_coverage']:.0%} ({one['day']})."
        for one in blocks
    ]
