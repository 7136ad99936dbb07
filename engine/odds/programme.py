"""What whole published programmes took beyond their planned steps: restarts, ramp, evaluation, idle, slower stacks.

A run on one node loses little; from 64 accelerators on the whole of it is expected. Fine-tuning is short and watched: nothing is
added to it but its evaluation, which the programmes hold already.
"""

from __future__ import annotations

import math

from engine.answer import Estimate
from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.inputs.origin import origin

EVALUATION = "training.evaluation_share"
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
            source=origin("training.beyond_steps.language"),
        ),
        Assumption(
            id="training.beyond_steps.other",
            value=1.6,
            low=1.0,
            high=2.6,
            limits=Limits(1, 100),
            unit="1",
            source=origin("training.beyond_steps.other"),
        ),
        Assumption(
            id="training.beyond_steps.measured",
            value=1.14,
            low=1.01,
            high=1.5,
            limits=Limits(1, 100),
            unit="1",
            source=origin("training.beyond_steps.measured"),
        ),
        Assumption(
            id=EVALUATION,
            value=0.03,
            low=0.0,
            high=0.1,
            limits=Limits(0, 10),
            unit="share",
            source=origin(EVALUATION),
        ),
    )
}
_ONE_NODE, _WHOLE = 8.0, 64.0
_METHODS = ("pretrain", "continue")


def beyond_steps(
    arch: Architecture, method: str, count: float, assume: Assumptions, *, measured: bool = False
) -> Estimate | None:
    """Hours that such a run takes more than those of its steps, failures and saving, as a share of these; None where nothing is added.

    `measured`: the step time is known from own measurements.
    """
    grown = _grown(count) if method in _METHODS else 0.0
    if grown <= 0.0:
        return None
    key = level_key(arch, measured=measured)
    low, expected, high = (level**grown - 1.0 for level in _levels(assume, key))
    return Estimate(low=low, expected=expected, high=high, unit="share", because=(key,)) if expected > 0.0 else None


def level_key(arch: Architecture, *, measured: bool) -> str:
    """The assumption that says how much it is."""
    if measured:
        return "training.beyond_steps.measured"
    return f"training.beyond_steps.{'language' if reads_text(arch) else 'other'}"


def reads_text(arch: Architecture) -> bool:
    """Is it a model of language, decoder or encoder?"""
    return arch.kind == "transformer" and arch.modality == "text"


def evaluation_share(method: str, count: float, assume: Assumptions) -> Estimate | None:
    """Hours of evaluation over those of steps, failures and saving, where whole programmes do not hold them already: of all
    fine-tuning, and of pre-training by what its size leaves of that."""
    item = assume.get(EVALUATION)
    left = 1.0 - (_grown(count) if method in _METHODS else 0.0)
    if item.value * left <= 0.0:
        return None
    low, expected, high = (value * left for value in (item.low, item.value, item.high))
    return Estimate(low=low, expected=expected, high=high, unit="share", because=(EVALUATION,))


def _levels(assume: Assumptions, key: str) -> tuple[float, float, float]:
    """Low, central and high hours over those of the steps from 64 accelerators on: never below 1, in order."""
    known = assume.get(key)
    expected = max(known.value, 1.0)
    return min(max(known.low, 1.0), expected), expected, max(known.high, expected)


def _grown(count: float) -> float:
    """Share of the whole effect at that size: none on one node, all of it from 64 accelerators on."""
    return min(math.log(max(count, _ONE_NODE) / _ONE_NODE) / math.log(_WHOLE / _ONE_NODE), 1.0)
