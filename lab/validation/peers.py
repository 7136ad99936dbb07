"""Other ways to estimate the same rows: one computed in each run, tools as they were measured once, with where and when."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.physics.chip import peak, sixteen_bit_peak
from lab.validation import peer_llm_analysis
from lab.validation.nested import publisher
from lab.validation.rows import Run

Errors = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """What another way to estimate errs by: fractions, and where the figures come from."""

    tool: str
    rows: int
    median_ape: float
    p90_ape: float
    source: str


FILE = Path(__file__).resolve().parents[1] / "data" / "peers.json"
_ONCE = "stratified sample of the first wave that all three can express, run once when it was collected; not run again"
TOOLS: tuple[Peer, ...] = (
    Peer(tool="calculon", rows=38, median_ape=0.09, p90_ape=0.33, source=_ONCE),
    Peer(
        tool="SimuMax with this project's network figures", rows=38, median_ape=0.235, p90_ape=0.68, source=_ONCE
    ),
    Peer(
        tool="calculon, rows of the second wave that it can express",
        rows=105,
        median_ape=0.236,
        p90_ape=0.699,
        source="at first contact, 2026-11-22; this project then: 30.4 % and 74.9 % on the same rows",
    ),
)  # fmt: skip
"""Tools that are not installed here, so no run computes them anew."""


def peers(runs: Sequence[Run], installed: Sequence[Peer] = ()) -> list[Peer]:
    """One utilisation for each accelerator, precision and kind of model, computed on `runs`; what was `installed`; other tools."""
    if not runs:
        return [*installed, *TOOLS]
    return [
        _peer(
            "one utilisation for each accelerator, precision and kind of model, sources left out", one_utilisation(runs)
        ),
        _peer("the same, fitted on the rows it predicts", one_utilisation(runs, left_out=False)),
        *installed,
        *TOOLS,
    ]


def side_by_side(runs: Sequence[Run], ours: Mapping[str, float], python: str, *, day: date) -> list[Peer]:
    """llm-analysis, and this project with sources left out (`ours`: row → signed error), on the same rows in one run."""
    some = [run for run in peer_llm_analysis.expressible(runs) if run.id in ours]
    steps = peer_llm_analysis.steps(some, python)
    told = np.isfinite(steps[:, 0])
    theirs = steps[told] / np.array([[run.measured] for run in some])[told] - 1.0
    best = int(np.argmin(np.median(np.abs(theirs), axis=0)))
    mine = np.array([ours[run.id] for run, known in zip(some, told, strict=True) if known])
    source = f"computed side by side on the rows that llm-analysis 0.2.2 can express, {day.isoformat()}"
    efficiency = peer_llm_analysis.EFFICIENCIES[best]
    return [
        _peer("this project, sources left out, on the rows of the next two lines", mine, source),
        _peer(f"llm-analysis at its documented efficiency of {peer_llm_analysis.DOCUMENTED}", theirs[:, 0], source),
        _peer(f"llm-analysis at {efficiency}, which suits these very rows best", theirs[:, best], source),
    ]


def last(file: Path = FILE) -> list[Peer]:
    """What the last run with that tool found."""
    return [Peer(**one) for one in json.loads(file.read_text(encoding="utf-8"))] if file.exists() else []


def keep(found: Sequence[Peer], file: Path = FILE) -> None:
    """Leaves it for runs without that tool."""
    file.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n", encoding="utf-8")


def one_utilisation(runs: Sequence[Run], *, left_out: bool = True) -> Errors:
    """Signed relative errors of step times at the median utilisation of the other publishers' rows of the same accelerator,
    precision and kind of model; where there are none, of the same precision and kind, else of all rows."""
    reached = np.array([_operations(run) / (_peak(run) * run.count * run.measured) for run in runs])
    sources = np.array([publisher(run.source) for run in runs])
    levels = [np.array([hash(level(run)) for run in runs]) for level in _LEVELS]
    errors = np.zeros(len(runs))
    for place in range(len(runs)):
        others = sources != sources[place] if left_out else np.ones(len(runs), dtype=bool)
        alike = next((mask for level in levels if (mask := others & (level == level[place])).any()), others)
        errors[place] = reached[place] / float(np.median(reached[alike])) - 1.0
    return errors


def _kind(run: Run) -> str:
    return "mixture" if run.arch.moe else "dense"


_LEVELS: tuple[Callable[[Run], Hashable], ...] = (
    lambda run: (run.cluster.device.slug, run.precision, _kind(run)),
    lambda run: (run.precision, _kind(run)),
)


def _operations(run: Run) -> float:
    """Operations of one step: 6 for each active parameter and token, and 6·L·s·q of causal attention (Narayanan et al. 2021); what
    is recomputed counts again, which makes this estimate better than without (37 % off instead of 39 %)."""
    arch = run.arch
    attention = 6.0 * arch.layers * run.sequence * arch.q_width
    passes = 1.0 + run.recompute / 3.0  # one of three parts is the forward pass
    return passes * (6.0 * arch.active_parameters + attention) * run.global_batch * run.sequence


def _peak(run: Run) -> float:
    return peak(run.cluster.device, run.precision) or sixteen_bit_peak(run.cluster.device)


def _peer(tool: str, errors: Errors, source: str = "computed in this run") -> Peer:
    size = np.abs(errors)
    return Peer(
        tool=tool,
        rows=len(errors),
        median_ape=round(float(np.median(size)), 4),
        p90_ape=round(float(np.quantile(size, 0.9)), 4),
        source=source,
    )
