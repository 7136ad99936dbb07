"""What whole published programmes took beyond their planned steps: restarts, ramp, evaluation, idle, slower stacks.

A run on one node loses little; from 64 accelerators on the whole of it is expected. Fine-tuning is short and watched: nothing is
added to it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.answer import Estimate
from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.odds.normal import P90

Floats = NDArray[np.float64]

_RUNS = "whole published programmes over the plan of their steps, each organisation once"
PROGRAMME_ASSUMPTIONS = {
    item.id: item
    for item in (
        Assumption(
            id="training.beyond_steps.language",
            value=1.31,
            low=1.0,
            high=2.1,
            limits=Limits(1, 100),
            unit="1",
            meaning="hours of a pre-training on text on 64 accelerators or more over those of its steps, failures and saving",
            source=f"{_RUNS}: seven organisations of 2021 to 2024, 1.07 to 3.4, median 1.29 with today's step times (docs/serving.md)",
        ),
        Assumption(
            id="training.beyond_steps.other",
            value=1.6,
            low=1.0,
            high=2.6,
            limits=Limits(1, 100),
            unit="1",
            meaning="hours of a pre-training on anything but text on 64 accelerators or more over those of its steps, failures and saving",
            source=f"{_RUNS}: two organisations, both contrastive on pictures and text; assumed for all else",
        ),
        Assumption(
            id="training.beyond_steps.measured",
            value=1.14,
            low=1.01,
            high=1.5,
            limits=Limits(1, 100),
            unit="1",
            meaning="hours of a pre-training on 64 accelerators or more over those of its steps, failures and saving, own step times known",
            source="elapsed time of nine published programmes over their own measured steps, 1.01 to 1.7 (docs/serving.md)",
        ),
    )
}
_ONE_NODE, _WHOLE = 8.0, 64.0
_METHODS = ("pretrain", "continue")


def beyond_steps(
    arch: Architecture, method: str, count: float, assume: Assumptions, *, measured: bool = False
) -> Estimate | None:
    """Hours of such a run over those of its steps, failures and saving; None where nothing is added.

    `measured`: the step time is known from own measurements.
    """
    grown = float(_grown(np.array([count]))[0]) if method in _METHODS else 0.0
    if grown <= 0.0:
        return None
    key = level_key(arch, measured=measured)
    low, expected, high = (level**grown for level in _levels(assume, key))
    return Estimate(low=low, expected=expected, high=high, unit="", because=(key,)) if expected > 1.0 else None


def level_key(arch: Architecture, *, measured: bool) -> str:
    """The assumption that says how much it is."""
    if measured:
        return "training.beyond_steps.measured"
    return f"training.beyond_steps.{'language' if reads_text(arch) else 'other'}"


def reads_text(arch: Architecture) -> bool:
    """Is it a model of language, decoder or encoder?"""
    return arch.kind == "transformer" and arch.modality == "text"


def beyond_of_counts(
    arch: Architecture, method: str, counts: Floats, assume: Assumptions, *, measured: Floats
) -> tuple[Floats, Floats]:
    """`beyond_steps` of many sizes at once: its central value, and the standard deviation of its logarithm upwards.

    `measured`: 1 where the step time is known from own measurements, else 0.
    """
    if method not in _METHODS:
        return np.ones_like(counts), np.zeros_like(counts)
    level, wide = np.empty_like(counts), np.empty_like(counts)
    for flag in (False, True):
        _, expected, high = _levels(assume, level_key(arch, measured=flag))
        there = (measured > 0) == flag
        level[there] = math.log(expected)
        wide[there] = math.log(high / expected) / P90 if expected > 1.0 else 0.0
    grown = _grown(counts)
    return np.exp(grown * level), grown * wide


def _levels(assume: Assumptions, key: str) -> tuple[float, float, float]:
    """Low, central and high hours over those of the steps from 64 accelerators on: never below 1, in order."""
    known = assume.get(key)
    expected = max(known.value, 1.0)
    return min(max(known.low, 1.0), expected), expected, max(known.high, expected)


def _grown(counts: Floats) -> Floats:
    """Share of the whole effect at each size: none on one node, all of it from 64 accelerators on."""
    grown: Floats = np.log(np.maximum(counts, _ONE_NODE) / _ONE_NODE) / math.log(_WHOLE / _ONE_NODE)
    return np.minimum(grown, 1.0)
