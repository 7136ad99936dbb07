"""What the whole procedure errs by on a source that it never saw: everything that is chosen is chosen inside the fold.

For each source left out, the others decide which coefficients may move (`VARIANTS`, by leaving each of them out in turn), then
refine those, then set the spreads of the bands on their own left-out errors (`spreads`). Releases of one publisher are one source.
Inside a fold the formulas are taken as linear in the logs of the coefficients; the refined values are predicted exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from lab.validation.fit import Floats, Problem, fit, linear, problem_of
from lab.validation.table import Table, predict

STACKS = ("stack.documented", "stack.own")
KERNELS = (
    "gemm_sustained",
    "gemm_best.ampere",
    "gemm_best.blackwell",
    "gemm_best.blackwell-ultra",
    "gemm_fp8",
    "gemm_mxfp8",
    "attention_share",
    "attention_unfused_bytes",
    "tp_exposed_overlap",
    "tp_exposed_plain",
    "grouped_xla",
    "host_layer_2022",
    "class.maxtext",
)
EXCHANGE = (
    "host_layer.documented",
    "host_layer.own",
    "host_call",
    "nic_share",
    "dp_hidden",
    "fsdp_hidden",
    "tensor_wait",
    "pipeline_wait",
)
VARIANTS: Mapping[str, tuple[str, ...]] = {
    "nothing": (),
    "stacks": STACKS,
    "stacks and levels": (*STACKS, "gemm_sustained", "class.maxtext", "attention_share"),
    "stacks and kernels": (*STACKS, *KERNELS),
    "stacks, kernels and exchange": (*STACKS, *KERNELS, *EXCHANGE),
}
"""Which coefficients move, by a name for people."""
SAME = {"NVIDIA/NeMo": "NVIDIA-NeMo/Megatron-Bridge"}
"""Publications that moved: their old name and the one that counts."""


@dataclass(frozen=True, kw_only=True)
class Fold:
    """One source left out."""

    source: str
    variant: str
    """Which coefficients the other sources let move."""
    others: Floats
    """Log errors of all rows of the others, each source predicted without itself and without this one; NaN for its own."""


@dataclass(frozen=True, kw_only=True)
class Nested:
    """Log errors of every row with its source left out of everything, and the folds."""

    errors: Floats
    sources: tuple[str, ...]
    folds: tuple[Fold, ...]


def publisher(source: str) -> str:
    """The publisher of a source: releases of one repository are one."""
    plain = re.sub(r"[_-]v?\d+(\.\d+)*$", "", source)
    return SAME.get(plain, plain)


def nested(
    rows: Table,
    prior: Assumptions,
    *,
    variants: Mapping[str, Sequence[str]] = VARIANTS,
    told: Callable[[int, int], None] | None = None,
) -> Nested:
    """Every source left out once. `told`: how many are done, of how many."""
    sources = np.array([publisher(run.source) for run in rows.runs])
    measured = np.log([run.measured for run in rows.runs])
    free = sorted({name for names in variants.values() for name in names})
    problem = problem_of(rows, prior, free)
    errors, folds = np.zeros(len(sources)), []
    for number, source in enumerate(every := np.unique(sources)):
        if told:
            told(number + 1, len(every))
        out = sources == source
        found = {name: inner(problem, sources, names, out=out) for name, names in variants.items()}
        variant = min(found, key=lambda name: score(found[name][~out], sources[~out]))
        assume = prior.override(fit(rows, prior, free=variants[variant], keep=~out))
        errors[out] = np.log(predict(rows, assume).total[out]) - measured[out]
        folds.append(Fold(source=str(source), variant=variant, others=found[variant]))
    return Nested(errors=errors, sources=tuple(sources.tolist()), folds=tuple(folds))


def inner(
    problem: Problem, sources: NDArray[np.str_], free: Sequence[str], *, out: NDArray[np.bool_] | None = None
) -> Floats:
    """Log errors of each source predicted from the others; NaN where a row is left out altogether."""
    gone = np.zeros(len(sources), dtype=bool) if out is None else out
    errors = np.full(len(sources), np.nan)
    for source in np.unique(sources[~gone]):
        own = sources == source
        errors[own] = linear(problem, free, keep=~own & ~gone)[own]
    return errors


def score(errors: Floats, sources: NDArray[np.str_]) -> float:
    """What a choice is judged by: the mean over sources of their median error and a quarter of their 90th percentile."""
    each = [np.abs(errors[sources == source]) for source in np.unique(sources)]
    return float(np.mean([np.median(one) + 0.25 * np.quantile(one, 0.9) for one in each]))
