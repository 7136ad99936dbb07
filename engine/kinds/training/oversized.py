"""What a batch beyond the critical one costs: the stated tokens are run, but learn as much as fewer of them would."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from engine.answer import Estimate
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.kinds.training.critical import LEVEL, POWER, critical_of
from engine.kinds.training.work import TrainingWork, usual_batch


def wasted_share(work: TrainingWork, batch: float, assume: Assumptions) -> Estimate | None:
    """Share of the tokens that a batch [token] beyond the critical one adds nothing by, against the usual batch of such a run; None at
    or below the critical batch. The band adds the effect of each coefficient of the law at its ends in squares."""
    if work.critical is None or batch <= work.critical.tokens(work.total):
        return None
    expected = math.log(_grown(work, batch, assume))
    below = above = 0.0
    for name in (LEVEL, POWER):
        for end in assume.ends(name):
            change = math.log(_grown(work, batch, end)) - expected
            below, above = below + min(change, 0.0) ** 2, above + max(change, 0.0) ** 2
    low, high = expected - math.sqrt(below), expected + math.sqrt(above)
    return Estimate(
        low=-math.expm1(-max(low, 0.0)),
        expected=-math.expm1(-expected),
        high=-math.expm1(-high),
        unit="share",
        because=(LEVEL, POWER),
    )


def _grown(work: TrainingWork, batch: float, assume: Assumptions) -> float:
    """Tokens to the same loss over those with the usual batch, or with the critical one where that is smaller."""
    law = critical_of(assume)
    usual = min(usual_batch(work.arch, work.total), law.tokens(work.total))
    return float(law.grown(np.array([batch]), usual, work.total)[0])


def oversized(work: TrainingWork, assume: Assumptions, *, usd: float) -> Iterator[Finding]:
    """That the batch that was asked for is beyond the critical one, with what that is worth of work that costs so much [USD]. What a
    layout rounds it up by is in the steps already."""
    batch = float(work.global_batch * work.sequence)
    wasted = wasted_share(work, batch, assume)
    if wasted is None or work.critical is None:
        return
    yield finding(
        "warning.critical_batch",
        batch=batch,
        total=work.total,
        critical=_two_digits(work.critical.tokens(work.total)),
        fewer=_two_digits(work.total * wasted.expected),
        least=Quantity(wasted.low, "share"),
        most=Quantity(wasted.high, "share"),
        cost=Sum(usd * wasted.expected),
    )


def _two_digits(value: float) -> float:
    """More of them no law of this kind knows."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(value / step) * step
