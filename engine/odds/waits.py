"""Work that waits for servers: how long the wait is and when the work ends, both uncertain and neither knowing of the other.

A delivery time has P10, median and P90 as every assumption, and is drawn as the inputs of a cost are: log-normal on either side of
its median. What of it lies before the start is no wait. Nothing ties how late a maker delivers to how fast a step is, so the
chances of both are folded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.answer import Estimate
from engine.odds.chances import chance_within, within_surely
from engine.odds.normal import P90, upto

_STRATA = 60
"""Equally likely delivery times over which a chance is the mean."""
_HALVINGS = 26
_FAR = 3.0
"""Standard deviations beyond which nothing of a wait is reckoned with."""


@dataclass(frozen=True, kw_only=True)
class Wait:
    """Days from the start of the work until its accelerators are there; P10, median and P90 of the delivery [day]."""

    low: float
    expected: float
    high: float
    ahead: float = 0.0
    """Days of the delivery that lie before the start."""
    because: tuple[str, ...] = ()
    """Ids of the assumptions that it follows from."""

    @property
    def days(self) -> float:
        """The wait that is expected."""
        return self.at(0.0)

    @property
    def certain(self) -> bool:
        """Whether it is as long as expected, whatever happens."""
        return self.at(_FAR) - self.at(-_FAR) <= 0.0

    def at(self, deviations: float) -> float:
        """The wait so many standard deviations from its middle; 0 where the servers are there by the start."""
        if self.expected <= 0.0:
            return 0.0
        end = self.high if deviations >= 0 else self.low
        spread = math.log(end / self.expected) / P90 if end > 0 else 0.0
        return max(self.expected * math.exp(abs(deviations) * spread) - self.ahead, 0.0)


NO_WAIT = Wait(low=0.0, expected=0.0, high=0.0)


def sure_wait(days: float) -> Wait:
    """A wait that is known to the day."""
    return Wait(low=days, expected=days, high=days)


def late_sigma(wait: Wait) -> float:
    """Standard deviation upwards [day], where only a rough sum is needed."""
    return (wait.at(P90) - wait.days) / P90


def chance_in_time(wait: Wait, work: Estimate, limit: float) -> float:
    """Probability that work of that many days ends within the limit [day] after such a wait."""
    return _kept([wait.days] if wait.certain else _equally_likely(wait), work, limit)


def ended_surely(wait: Wait, work: Estimate, sure: float) -> float:
    """Days within which wait and work are over with that probability; infinite for a certainty."""
    if wait.certain:
        return wait.days + within_surely(work.expected, work.high, sure)
    far = wait.at(upto(sure)) + within_surely(work.expected, work.high, sure)
    if math.isinf(far) or sure <= 0.0:
        return far
    # The sum of both at that probability is too much above the median and too little below it.
    low, high, waits = 0.0, max(far, wait.days + work.expected) * 1.5, _equally_likely(wait)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if _kept(waits, work, middle) >= sure else (middle, high)
    return high


def ended(wait: Wait, work: Estimate) -> Estimate:
    """Days until both are over: the medians added up, the spreads upwards folded, those downwards added in squares."""
    expected = wait.days + work.expected
    early = math.hypot(wait.days - wait.at(-P90), work.expected - work.low)
    late = wait.days + work.high if wait.certain else ended_surely(wait, work, 0.9)
    return Estimate(
        low=expected - early,
        expected=expected,
        high=max(late, expected),
        unit=work.unit,
        because=(*work.because, *wait.because),
    )


def _kept(waits: Sequence[float], work: Estimate, limit: float) -> float:
    return sum(_within(limit - one, work) for one in waits) / len(waits)


def _within(limit: float, work: Estimate) -> float:
    if limit <= 0.0:
        return 0.0
    return chance_within(limit, work.expected, max(work.high, work.expected)) if work.expected > 0 else 1.0


def _equally_likely(wait: Wait) -> list[float]:
    return [wait.at(deviations) for deviations in _middles()]


@lru_cache(maxsize=1)
def _middles() -> tuple[float, ...]:
    return tuple(upto((place + 0.5) / _STRATA) for place in range(_STRATA))
