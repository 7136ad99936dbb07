"""What a run of that size takes over its steps, failures and saving, for one candidate and for many at once."""

from __future__ import annotations

import numpy as np

from engine.choice.select import Floats
from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.money.added import Added, over_of
from engine.odds.normal import P90
from engine.odds.programme import beyond_steps, evaluation_share
from engine.reliability.corruption import corrupted_share


def added_of(
    arch: Architecture, method: str, count: float, assume: Assumptions, *, measured: bool = False
) -> tuple[Added, ...]:
    """Each cause that adds something. `measured`: the step time is known from own measurements."""
    shares = {
        "beyond": beyond_steps(arch, method, count, assume, measured=measured),
        "corrupted": corrupted_share(count, assume),
        "evaluation": evaluation_share(method, count, assume),
    }
    return tuple(Added(cause=cause, share=share) for cause, share in shares.items() if share is not None)


def over_of_counts(
    arch: Architecture, method: str, counts: Floats, assume: Assumptions, *, measured: Floats
) -> tuple[Floats, Floats]:
    """Hours with all of it over those without, of many sizes at once, and the standard deviation of its logarithm upwards.

    `measured`: 1 where the step time is known from own measurements, else 0.
    """
    sizes, index = np.unique(np.stack([counts, (measured > 0).astype(float)]), axis=1, return_inverse=True)
    found = [over_of(added_of(arch, method, float(size), assume, measured=bool(known))) for size, known in sizes.T]
    over = np.array([one.expected for one in found], dtype=float)
    wide = np.log(np.array([one.high for one in found], dtype=float) / over) / P90
    place = index.reshape(-1)
    return over[place], wide[place]
