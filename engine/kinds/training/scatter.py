"""What a sum that moves by steps comes to at a chance: no formula of spreads holds, so that it is made for a few dozen likely cases."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from engine.answer import Estimate
from engine.choice.select import Floats
from engine.odds.normal import P90, upto

POINTS = 64
"""Times and uses at which what is paid in steps is billed: a step is then met within one part of a hundred."""
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_NARROW = 0.005
"""Least spread of a price: bills of a certain one lie at steps."""
_FAR = 6.0
"""Standard deviations beyond which nothing is."""
_HALVINGS = 12
"""Of a span of a factor of some ten: what is left of it is a thousandth."""


@cache
def deviations() -> Floats:
    """So many times two standard normal numbers that fill the plane evenly: strata of the one, each with that of the other to which the
    golden ratio leads (a Kronecker lattice)."""
    place = np.arange(POINTS)
    shares = ((place + 0.5) / POINTS, (place * _GOLDEN + 0.5 / POINTS) % 1.0)
    return np.array([[upto(float(one)) for one in some] for some in shares], dtype=float)


def within(logs: Floats, sigma: Floats, level: float) -> Floats:
    """The logarithm within which so many cases stay, of each row of equally likely ones that scatter by its `sigma`: found by halving."""
    spread = np.maximum(sigma, _NARROW)
    low, high = logs.min(axis=1) - 4.0 * spread, logs.max(axis=1) + 4.0 * spread
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        more = _below((middle[:, None] - logs) / spread[:, None]).mean(axis=1) < level
        low, high = np.where(more, middle, low), np.where(more, high, middle)
    found: Floats = high
    return found


def _below(away: Floats) -> Floats:
    """Share of a normal distribution below so many standard deviations, within 0.0002 (Bowling et al. 2009, JIEM 2(1):114)."""
    near = np.clip(away, -_FAR, _FAR)
    share: Floats = 1.0 / (1.0 + np.exp(-near * (1.5976 + 0.07056 * near**2)))
    return share


def used(use: Estimate, away: Floats) -> Floats:
    """That share at so many standard deviations from its central value, as the exact sums draw it."""
    down, up = (
        math.log(high / low) / P90 if low > 0 else 0.0
        for low, high in ((use.low, use.expected), (use.expected, use.high))
    )
    share: Floats = np.minimum(use.expected * np.exp(away * np.where(away < 0, down, up)), 1.0)
    return share
