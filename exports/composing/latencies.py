"""The latencies that a service has: to the first token and per further token, or to a whole answer."""

from __future__ import annotations

from engine.answer import Option, Percentiles
from exports.composing.context import Context
from exports.composing.things import whole_answers
from exports.wording import tr
from planner.asked.kinds import WORK


def latencies(context: Context, option: Option) -> tuple[tuple[str, str, Percentiles, float], ...]:
    """Name, label, distribution and promise [ms] of each latency of the option; of a batch none is promised, and a run has none."""
    work, first = WORK[context.kind], tr("Time to the answer") if whole_answers(context) else tr("Time to first token")
    labels, promised = {"ttft": first, "tpot": tr("Time per further token")}, dict(work.promised(context.spec))
    return tuple((name, labels[name], row, promised.get(name, 0.0)) for name, row in work.latencies(option).items())
