"""The sentences that argue for a training option."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answer import Option, Point
from engine.choice.patience import longest_run
from engine.choice.unpriced import refusal
from engine.context import Context
from engine.inputs.names import days_words, source_words
from engine.money.signed import signed_words

SIXTEEN_BIT = ("bf16", "fp16")


def headline(context: Context, best: Option | None, *, any_option: bool) -> str:
    """One sentence: what, how long, how much; or that nothing does it, `any_option` at least beyond the limits."""
    if best is not None:
        return (
            f"{best.count} × {best.accelerator_name} ({source_words(best)}) finishes in "
            f"{days_words(best.days.expected)} for about {context.currency.about(best.cost.total.expected)}"
            f"{signed_words(best.cost.signed, context.currency)}."
        )
    limits = context.spec.constraints
    if not any_option:
        return refusal(context) or "Nothing in the catalog can run this within the limits you set."
    wishes = []
    if limits.deadline_days:
        wishes.append(f"in {limits.deadline_days:g} days")
    if limits.budget_usd:
        wishes.append(f"for {context.currency.whole(limits.budget_usd)}")
    longest = f"with runs of at most {longest_run(context):,.0f} days"
    return f"No option does this {' and '.join(wishes) or longest}."


def reasons_of(
    context: Context, best: Option, others: Sequence[Option], points: Sequence[Point] = ()
) -> tuple[str, ...]:
    """Why this option: against its rivals, its limits, larger clusters, its memory and its speed."""
    found = [
        _rank(context, best, others),
        _limit(context, best),
        _larger(context, best, others, points),
        _memory(best),
        _speed(best),
        _sixteen_bit(best, others),
    ]
    return tuple(text for text in found if text)


def _rank(context: Context, best: Option, others: Sequence[Option]) -> str:
    """Against the best option on another accelerator."""
    rivals = [o for o in others if o.accelerator != best.accelerator and o.keeps_limits]
    rivals = [o for o in rivals if (o.precision in SIXTEEN_BIT) == (best.precision in SIXTEEN_BIT)]
    if not rivals:
        return "No other accelerator that you allow does it within the limits."
    rival = min(rivals, key=lambda option: option.cost.total.expected)
    saved = 1.0 - best.cost.total.expected / rival.cost.total.expected
    name = f"the next best accelerator, {rival.count} × {rival.accelerator_name} ({source_words(rival)})"
    if saved >= 0.01:
        return f"It costs {saved:.0%} less than {name}."
    if saved <= -0.005:
        words = {"time": "faster", "balanced": "better on cost times days", "carbon": "lower in emissions"}
        better = words.get(context.spec.objective)
        if better is None:
            why = "It needs fewer accelerators than" if best.count < rival.count else "It was preferred to"
            return f"{why} {name}, for {max(-saved, 0.01):.0%} more."
        return f"It is {better} than {name}, and costs {-saved:.0%} more."
    return f"It costs about the same as {name}."


def _limit(context: Context, best: Option) -> str:
    limits = context.spec.constraints
    if limits.deadline_days and best.probability_in_time is not None:
        kept = f"It keeps the deadline of {limits.deadline_days:g} days with {_chance(best.probability_in_time)} probability"
        if best.probability_of_both is None or best.probability_in_budget is None:
            return f"{kept}."
        return (
            f"{kept}, the budget with {_chance(best.probability_in_budget)}, and both with "
            f"{_chance(best.probability_of_both)}."
        )
    return ""


def _larger(context: Context, best: Option, others: Sequence[Option], points: Sequence[Point]) -> str:
    """What more accelerators would bring at about the same cost: the reason is that fewer are easier to get, and of those
    that would be bought or committed to, that less is signed."""
    signed = {option.id: option.cost.signed for option in others}
    low, high = best.cost.total.expected * 0.97, best.cost.total.expected * 1.03
    faster = [p for p in points if p.feasible and p.on_frontier and p.pace < best.days.expected / 1.5]
    faster = [p for p in faster if low <= p.cost <= high]
    if not faster or context.spec.objective != "cost":
        return ""
    point = min(faster, key=lambda item: item.cost)
    whole = signed_words(signed[point.option_id], context.currency) if point.option_id in signed else ""
    return (
        f"It is the smallest cluster at about this cost: {point.label} would finish in {days_words(point.pace)} for "
        f"{context.currency.about(point.cost)}{whole or ', if a provider has that many free at once'}."
    )


def _chance(probability: float) -> str:
    """A probability that never claims certainty."""
    if probability > 0.99:
        return "over 99%"
    return "under 1%" if probability < 0.01 else f"{probability:.0%}"


def _memory(best: Option) -> str:
    used, room = best.memory.total_gb.expected, best.memory.capacity_gb
    return f"Memory holds: {used:.1f} of {room:.1f} GB on the fullest accelerator."


def _speed(best: Option) -> str:
    return f"It runs at {best.mfu.expected:.0%} model FLOPs utilisation. The largest part of a step goes into {best.binding.lower()}."


def _sixteen_bit(best: Option, others: Sequence[Option]) -> str:
    """What an eight-bit format would save, when that needs a decision."""
    lower = [o for o in others if o.precision not in ("bf16", "fp16", "fp32", "tf32")]
    if best.precision not in SIXTEEN_BIT or not lower:
        return ""
    rival = min(lower, key=lambda option: option.cost.total.expected)
    saved = 1.0 - rival.cost.total.expected / best.cost.total.expected
    if saved < 0.03:
        return ""
    name = f"{rival.count} × {rival.accelerator_name}"
    return (
        f"{rival.precision.upper()} matrix products on {name} would save {saved:.0%}; "
        "that is a decision about training quality, so it is offered, not assumed."
    )
