"""The latencies that a service has: to the first token and per further token, or to a whole answer."""

from __future__ import annotations

from engine.answer import Percentiles, ServingResult
from exports.composing.context import Context
from exports.composing.things import whole_answers
from exports.wording import tr


def latencies(context: Context, serving: ServingResult) -> tuple[tuple[str, str, Percentiles, float], ...]:
    """Name, label, distribution and promise [ms] of each latency of the service; of a batch none is promised."""
    asked = context.spec.serving if context.promised else None
    first, each = (asked.ttft_p95_ms, asked.tpot_p95_ms) if asked else (0.0, 0.0)
    if whole_answers(context):
        return (("ttft", tr("Time to the answer"), serving.ttft_ms, first),)
    return (
        ("ttft", tr("Time to first token"), serving.ttft_ms, first),
        ("tpot", tr("Time per further token"), serving.tpot_ms, each),
    )
