"""The four large numbers at the top of page 1."""

from __future__ import annotations

from exports.composing.context import Context, option_name, replicas, servers
from exports.document import KeyFigure, KeyFigures
from exports.numbers import NBSP, band, chance, day_band, days, significant
from planner.engine.result import Option, ServingResult


def figures(context: Context, best: Option) -> KeyFigures:
    """Cost, time or latency, capacity, and how sure."""
    money, total = context.money, best.cost.total
    cost = KeyFigure(label="Cost", value=money.amount(total.expected), detail=f"80% band {money.range(total)}")
    rest = _service(context, best, best.serving) if best.serving else _run(context, best)
    return KeyFigures(items=(cost, *rest))


def _service(context: Context, best: Option, serving: ServingResult) -> tuple[KeyFigure, ...]:
    value, prices = serving.ttft_ms.p95, (serving.usd_per_million_output, serving.usd_per_million_input)
    outgoing, incoming = (context.money.price(price.expected) for price in prices)
    return (
        KeyFigure(
            label="First token, p95",
            value=f"{significant(value.expected)}{NBSP}ms",
            detail=f"80% band {band(value.low, value.high)}{NBSP}ms",
        ),
        KeyFigure(label="Capacity", value=option_name(best), detail=replicas(best)),
        KeyFigure(label="Per million output tokens", value=outgoing, detail=f"input {incoming}"),
    )


def _run(context: Context, best: Option) -> tuple[KeyFigure, ...]:
    span = KeyFigure(
        label="Time", value=days(best.days.expected), detail=f"80% band {day_band(best.days.low, best.days.high)}"
    )
    capacity = KeyFigure(label="Capacity", value=option_name(best), detail=servers(best))
    limit = context.spec.constraints.deadline_days
    if best.probability_in_time is not None and limit:
        sure = KeyFigure(
            label="Chance to be in time", value=chance(best.probability_in_time), detail=f"deadline {days(limit)}"
        )
    else:
        share = f"80% band {best.mfu.low:.0%}–{best.mfu.high:.0%}"
        sure = KeyFigure(label="Model FLOP utilisation", value=f"{best.mfu.expected:.0%}", detail=share)
    return span, capacity, sure
