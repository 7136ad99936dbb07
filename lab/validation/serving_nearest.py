"""Writes the measured rows that a serving plan shows beside its estimate: `python -m lab.validation.serving_nearest`.

Certain rows only, one (the fastest) for each accelerator, model, engine, precision, number of accelerators and lengths.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence

from engine.kinds.service.measured import FILE
from lab.validation.rows import read_csv
from lab.validation.serving import excluded
from lab.validation.serving_fit import ROWS
from lab.validation.serving_rows import Case, cases, measured

_METRIC = "output_tokens_per_s_per_gpu"
_KINDS = frozenset({"saturated", "static", "closed", "local"})


def table(found: Sequence[Case]) -> list[dict[str, str]]:
    """Lines of the file, in order of accelerator, model and the rest of the key."""
    best: dict[tuple[str, ...], tuple[float, Case]] = {}
    for case in found:
        value = measured(case.row, _METRIC)
        if value is None or case.apart or case.kind not in _KINDS or excluded(case.row, _METRIC):
            continue
        own = (case.device.slug, case.shape.slug, case.engine, case.precision)
        key = (*own, str(case.devices), f"{case.inputs:g}", f"{case.outputs:g}")
        if key not in best or value > best[key][0]:
            best[key] = (value, case)
    names = ("accelerator", "model", "engine", "precision", "devices", "input_tokens", "output_tokens")
    return [
        {"id": case.id, **dict(zip(names, key, strict=True)), **_figures(case, value)}
        for key, (value, case) in sorted(best.items())
    ]


def _figures(case: Case, value: float) -> dict[str, str]:
    active = case.shape.total - case.shape.expert * (1 - case.shape.top_k / case.shape.experts)
    return {"active": f"{active:.4g}", "value": f"{value:.5g}", "source": case.source}


def main() -> None:
    """Write the file anew from the project's measured rows."""
    from planner.market import market_from_files  # a tool: the rest of the module needs no catalog

    lines = table(cases(read_csv(ROWS), market_from_files().devices)[0])
    with FILE.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


if __name__ == "__main__":
    main()
