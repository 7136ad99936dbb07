"""What the whole procedure errs by on a source that it never saw: everything that is chosen is chosen inside the fold.

For each source left out, the others decide which coefficients may move (`VARIANTS`, by leaving each of them out in turn), then
refine those, then set the spreads of the bands on their own left-out errors (`spreads`). Releases of one publisher are one source.
A coefficient that the source left out alone called for is not there (`WITHOUT`).
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
WITHOUT: Mapping[str, Mapping[str, float | str]] = {
    "vinjn/nanotron-ultrascale-playbook": {"tensor_wait": 0.0, "pipeline_wait": 0.0},
    "InternLM/InternEvo": {"owner_call": 0.0},
    "VIA-Research/vTrain": {"host_layer_2022": "host_layer.documented"},
    "AI-Hypercomputer/tpu-recipes": {"grouped_xla": 1.0},
    "bigscience-workshop/bigscience": {"attention_misaligned": 1.0},
    "mindspore-lab/mindformers": {"gemm_best.ascend": "gemm_best.other"},
}
"""Coefficients that a source alone called for, and what they are where it is left out: no wait, no factor, or the value of what is not
told apart then."""
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
        own = WITHOUT.get(str(source), {})
        unseen = without(prior, own)
        whole = problem_of(rows, unseen, [name for name in free if name not in own]) if own else problem
        may = {key: [name for name in names if name not in own] for key, names in variants.items()}
        found = {key: inner(whole, sources, names, out=out) for key, names in may.items()}
        variant = min(found, key=lambda key: score(found[key][~out], sources[~out]))
        assume = unseen.override(fit(rows, unseen, free=may[variant], keep=~out))
        errors[out] = np.log(predict(rows, assume).total[out]) - measured[out]
        folds.append(Fold(source=str(source), variant=variant, others=found[variant]))
    return Nested(errors=errors, sources=tuple(sources.tolist()), folds=tuple(folds))


def without(prior: Assumptions, own: Mapping[str, float | str]) -> Assumptions:
    """The prior with those values, or the values of those other coefficients, in the place of its own."""
    return prior.override(
        {f"training.{key}": prior[f"training.{of}"] if isinstance(of, str) else of for key, of in own.items()}
    )


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
