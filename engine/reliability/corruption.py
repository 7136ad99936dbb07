"""Silent corruption: an accelerator computes wrong and reports nothing, and what was trained until that is noticed is thrown away.

What a run loses is rate × accelerators × the time until it is noticed. The interruption itself is among the failures of the job.
"""

from __future__ import annotations

import math

from engine.answer import Estimate
from engine.inputs.assumptions import Assumptions

RATE, DELAY = "reliability.corruption_mtbf_h", "reliability.corruption_delay_h"
LEAST = 5e-4
"""Share of the time below which it is no line of its own: some four hundred accelerators."""


def corrupted_share(devices: float, assume: Assumptions) -> Estimate | None:
    """Time that so many accelerators lose to it over the time of their steps, failures and saving; None where that is next to
    nothing. The band adds the effects of rate and delay in squares of the logarithm."""
    rate, delay = assume.get(RATE), assume.get(DELAY)
    expected = devices / rate.value * delay.value
    if expected < LEAST:
        return None
    down = math.hypot(_apart(rate.high, rate.value), _apart(delay.value, delay.low))
    up = math.hypot(_apart(rate.value, rate.low), _apart(delay.high, delay.value))
    return Estimate(
        low=expected * math.exp(-down),
        expected=expected,
        high=expected * math.exp(up),
        unit="share",
        because=(RATE, DELAY),
    )


def _apart(above: float, below: float) -> float:
    return math.log(above / below) if below > 0 else 0.0
