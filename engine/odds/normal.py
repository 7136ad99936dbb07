"""The normal distribution, once: how many standard deviations a percentile lies from the middle."""

from __future__ import annotations

from statistics import NormalDist

from engine.inputs.assumptions import Assumptions

P90 = NormalDist().inv_cdf(0.9)
"""From the middle to P90, and to P10 on the other side: half of an 80 % band."""


def confident(assume: Assumptions) -> float:
    """From the middle to where the confidence lies that a recommendation needs."""
    return NormalDist().inv_cdf(assume["select.confidence"])
