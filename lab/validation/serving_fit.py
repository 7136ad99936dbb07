"""Fits the coefficients of the serving step model to measured rows, shrunk to their hand-set values.

Run `python -m lab.validation.serving_fit` to write `engine/physics/token/fitted.py` anew; `--left-out` prints the
errors on groups (accelerator × model × engine) that a fit has not seen. Robust least squares on logarithms
(Gauss–Newton, each coefficient with a prior of stated width); what queues is corrected by simulation between steps.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.token.coefficients import PRIORS
from lab.validation.rows import read_csv
from lab.validation.serving import excluded, lines_of
from lab.validation.serving_predict import closed_form, simulated
from lab.validation.serving_rows import Case, cases, measured

Numbers = NDArray[np.float64]
ROWS = sorted((Path(__file__).resolve().parents[1] / "data" / "measured").glob("serving*.csv"))
TARGET = Path(__file__).resolve().parents[2] / "engine" / "physics" / "token" / "fitted.py"
# start of the coefficient's name: width of its prior (logarithm); the first that fits wins
_WIDTHS: tuple[tuple[str, float], ...] = (
    ("layer_us", 0.5),
    ("step_ms", 0.5),
    ("sequence_us", 1.0),
    ("kernel_share", 0.12),
    ("platform_attention", 0.5),
    ("platform_", 0.2),
    ("compute_share", 0.2),
    ("bandwidth_share", 0.1),
    ("kv_bandwidth_share", 0.2),
    ("attention_share", 0.3),
    ("vector_share", 0.4),
    ("ridge_norm", 0.1),
    ("moe_compute", 0.4),
    ("moe_bandwidth", 0.15),
    ("moe_native", 0.2),
    ("moe_unpacked", 0.2),
    ("moe_layer_us", 0.7),
    ("moe_width", 0.6),
    ("moe_passes", 0.5),
    ("mla_prefill", 0.4),
    ("expert_imbalance", 0.2),
    ("allreduce", 0.4),
    ("link_share", 0.2),
    ("scaling_us", 0.7),
    ("pcie_link_share", 0.4),
    ("hop_us", 0.5),
    ("local_hop_ms", 0.5),
    ("kv_share", 0.02),
    ("workspace_gb", 0.4),
    ("saturation_share", 0.05),
    ("local_share", 0.15),
)
_CEILINGS = {
    "serving.kv_share": 0.95,
    "serving.moe_bandwidth": 1.0,
    "serving.saturation_share": 1.0,
}
_METRICS = {
    "static": ("output_tokens_per_s_per_gpu",),
    "saturated": ("output_tokens_per_s_per_gpu",),
    "closed": ("tpot_ms",),
    "local": ("tpot_ms", "ttft_ms"),
    "first": ("ttft_ms",),
}
_STEPS = 7
_SIMULATE_AT = (1, 3)
_NOISE = 0.2
_ROBUST = 0.15
FOLDS = 5


@dataclass(frozen=True)
class Left:
    """One figure predicted by a fit that has not seen its group."""

    id: str
    error: float
    inside: bool
    """Does the 80 % band hold the measured value?"""


@dataclass(frozen=True)
class Target:
    """One measured figure: its case, its metric, its logarithm, its weight."""

    case: int
    metric: str
    log: float
    weight: float


def width(name: str) -> float | None:
    """Width of a coefficient's prior; None when it is not fitted."""
    short = name.removeprefix("serving.")
    return next((value for start, value in _WIDTHS if short.startswith(start)), None)


NAMES = tuple(name for name in PRIORS if width(name) is not None)


def targets(found: Sequence[Case]) -> list[Target]:
    """What is fitted: rows that count, groups with many rows weighted down."""
    chosen = []
    for number, case in enumerate(found):
        metrics = ("tpot_ms", "ttft_ms") if case.engine == "neuron" else _METRICS.get(case.kind, ())
        metrics = () if case.pools else metrics
        chosen += [
            (number, metric)
            for metric in metrics
            if not case.apart and measured(case.row, metric) and not excluded(case.row, metric)
        ]
    sizes = Counter((found[number].group, found[number].kind) for number, _ in chosen)
    return [
        Target(
            case=number,
            metric=metric,
            log=float(np.log(measured(found[number].row, metric) or 1.0)),
            weight=1.5 * sizes[(found[number].group, found[number].kind)] ** -0.35,
        )
        for number, metric in chosen
    ]


def assumptions(logs: Numbers) -> Assumptions:
    """The hand-set coefficients with those values (logarithms, in order of NAMES)."""
    return Assumptions(PRIORS).override({name: float(np.exp(log)) for name, log in zip(NAMES, logs, strict=True)})


def residuals(logs: Numbers, found: Sequence[Case], wanted: Sequence[Target], correction: Numbers) -> Numbers:
    """ln(predicted ÷ measured) in closed form, corrected for what simulation adds."""
    predicted = closed_form(found, assumptions(logs))
    values = [np.log(max(predicted[one.case][one.metric], 1e-9)) - one.log for one in wanted]
    return np.array(values) + correction


def simulation_adds(logs: Numbers, found: Sequence[Case], wanted: Sequence[Target]) -> Numbers:
    """ln(simulated ÷ closed form) of each target that queues."""
    assume = assumptions(logs)
    closed = closed_form(found, assume)
    added = np.zeros(len(wanted))
    for place, one in enumerate(wanted):
        if found[one.case].kind in ("saturated", "closed"):
            added[place] = np.log(simulated(found[one.case], assume)[one.metric] / closed[one.case][one.metric])
    return added


def fit(found: Sequence[Case]) -> Numbers:
    """Logarithms of the coefficients, in order of NAMES."""
    wanted = targets(found)
    prior = np.log([PRIORS[name].value for name in NAMES])
    widths = np.array([width(name) or 1.0 for name in NAMES])
    weights = np.array([one.weight for one in wanted])
    logs, correction = prior.copy(), np.zeros(len(wanted))
    for step in range(_STEPS):
        if step in _SIMULATE_AT:
            correction = simulation_adds(logs, found, wanted)
        now = residuals(logs, found, wanted, correction)
        slopes = _slopes(logs, found, wanted, correction, now)
        trust = weights**2 / np.sqrt(1 + (now / _ROBUST) ** 2) / _NOISE**2
        curvature = (slopes * trust[:, None]).T @ slopes + np.diag(1 / widths**2)
        gradient = slopes.T @ (trust * now) + (logs - prior) / widths**2
        move = np.linalg.solve(curvature + 0.02 * np.diag(np.diag(curvature)), gradient)
        logs = _capped(logs - np.clip(move, -0.4, 0.4))
    return logs


def _slopes(
    logs: Numbers, found: Sequence[Case], wanted: Sequence[Target], correction: Numbers, now: Numbers
) -> Numbers:
    """Change of each residual with each coefficient, by small differences."""
    columns = []
    for place in range(len(logs)):
        moved = logs.copy()
        moved[place] += 0.02
        columns.append((residuals(moved, found, wanted, correction) - now) / 0.02)
    return np.stack(columns, axis=1)


def _capped(logs: Numbers) -> Numbers:
    ceilings = np.array([np.log(_CEILINGS.get(name, np.inf)) for name in NAMES])
    capped: Numbers = np.minimum(logs, ceilings)
    return capped


def left_out(found: Sequence[Case]) -> dict[str, list[Left]]:
    """Relative errors and coverage by metric and kind, each group predicted by a fit that has not seen it."""
    groups = sorted({case.group for case in found})
    np.random.default_rng(3).shuffle(groups)
    fold = {group: number % FOLDS for number, group in enumerate(groups)}
    errors: dict[str, list[Left]] = defaultdict(list)
    for number in range(FOLDS):
        assume = assumptions(fit([case for case in found if fold[case.group] != number]))
        unseen = [case for case in found if fold[case.group] == number]
        for case, line in lines_of(unseen, assume):
            if line.error is None:
                continue
            metric = line.part.removeprefix("serving.")
            one = Left(id=line.id, error=line.error, inside=bool(line.low <= line.measured <= line.high))  # type: ignore[operator]
            if not line.apart:
                errors[metric].append(one)
                errors[f"{metric} {case.kind}"].append(one)
                errors[f"{metric} {case.kind} {'mixture' if case.shape.moe else 'dense'}"].append(one)
            if case.kind == "promise" and metric.startswith("output"):
                errors["mlperf_rate"].append(one)
    return errors


def text_of(values: Mapping[str, float]) -> str:
    """The module that holds the fitted values; one that stayed within 1 % of its prior is left out."""
    moved = {name: value for name, value in sorted(values.items()) if abs(value / PRIORS[name].value - 1) > 0.01}
    head = TARGET.read_text(encoding="utf-8").split("FITTED")[0]
    lines = "".join(f'    "{name}": {value:.3g},\n' for name, value in moved.items())
    return f"{head}FITTED: dict[str, float] = {{\n{lines}}}\n"


def main(arguments: Sequence[str]) -> None:
    """Fit and write, or print what the fit does on groups that it has not seen."""
    from planner.market import market_from_files  # the fit is a tool: the rest of the module needs no catalog

    found, _ = cases(read_csv(ROWS), market_from_files().devices)
    if "--left-out" in arguments:
        for name, errors in sorted(left_out(found).items()):
            size = np.abs([one.error for one in errors])
            covered = np.mean([one.inside for one in errors])
            sys.stdout.write(
                f"{name}: n {len(size)}, median {np.median(size):.1%}, p90 {np.quantile(size, 0.9):.1%}, "
                f"covered {covered:.0%}\n"
            )
        return
    values = dict(zip(NAMES, np.exp(fit(found)).tolist(), strict=True))
    TARGET.write_text(text_of(values), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
