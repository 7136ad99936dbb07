"""How sure an option is of its limits, and how sure it has to be: the one rule for every kind of work."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Chance
from engine.inputs.assumptions import Assumptions

LEAST_SURE = 0.5
"""Below it a plan is more likely to fail than not, and nobody may ask for it."""
_EXACT = 1.0 - 1e-9
"""The same sums in another order."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """How sure a plan must be: of all its limits together, and of its memory alone."""

    all: float
    fits: float


def asked_of(assume: Assumptions) -> Asked:
    """What the request asks for."""
    return Asked(all=assume["select.confidence"], fits=assume["select.fits"])


def is_sure(chance: Chance, asked: Asked) -> bool:
    """Does it keep all limits together, and fit, as surely as is asked?"""
    return enough(chance.all, asked.all) and enough(chance.memory, asked.fits)


def enough(probability: float | None, asked: float) -> bool:
    """Is that limit kept as surely as is asked? One that is not set always is."""
    return probability is None or probability >= asked * _EXACT
