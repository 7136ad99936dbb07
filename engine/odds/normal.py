"""The normal distribution, once: how many standard deviations a percentile lies from the middle."""

from __future__ import annotations

import math
from statistics import NormalDist

P90 = NormalDist().inv_cdf(0.9)
"""From the middle to P90, and to P10 on the other side: half of an 80 % band."""
_ALMOST = 1.0 - 1e-6
"""Nothing that is uncertain is surer than that."""


def upto(probability: float) -> float:
    """From the middle to that percentile, in standard deviations; infinite for a certainty."""
    return NormalDist().inv_cdf(probability) if probability < _ALMOST else math.inf
