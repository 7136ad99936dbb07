"""How likely a limit holds: the one rule for deadlines and for promised latencies."""

from __future__ import annotations

import math
from typing import Protocol

from engine.answer import Estimate, Percentiles, ServingResult
from engine.inputs.spec import Serving
from engine.odds.normal import P90, upto


def chance_within(limit: float, expected: float, high: float) -> float:
    """Probability that a log-normal quantity of that median and that P90 stays within the limit, all in one unit."""
    sigma = max(math.log(high / expected) / P90, 1e-6)
    return 0.5 * math.erfc(-math.log(limit / expected) / sigma / math.sqrt(2.0))


def within_surely(expected: float, high: float, sure: float) -> float:
    """The limit within which such a quantity stays with that probability; infinite for a certainty."""
    return expected * math.exp(upto(sure) * math.log(high / expected) / P90) if expected > 0 else expected


def promise_chance(result: ServingResult, asked: Serving | None) -> float | None:
    """Probability that the promised latencies [ms at p95] are kept: of two promises the less likely one; None without any."""
    return promise_of(result.ttft_ms, result.tpot_ms, asked)


class Promised(Protocol):
    """Latencies that are promised at p95 [ms]; 0 = none."""

    @property
    def ttft_p95_ms(self) -> float: ...
    @property
    def tpot_p95_ms(self) -> float: ...


def promise_of(ttft: Percentiles, tpot: Percentiles, asked: Promised | None) -> float | None:
    """The same of those latencies."""
    if asked is None:
        return None
    promised = ((ttft.p95, asked.ttft_p95_ms), (tpot.p95, asked.tpot_p95_ms))
    return min((_kept(value, limit) for value, limit in promised if limit > 0), default=None)


def _kept(value: Estimate, limit: float) -> float:
    return chance_within(limit, value.expected, max(value.high, value.expected)) if value.expected > 0 else 1.0
