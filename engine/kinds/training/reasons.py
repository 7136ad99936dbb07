"""What speaks for a training option, and the head of the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answer import Chance, Option, Point, saved
from engine.choice.balanced import balanced_beside
from engine.choice.beside import nearest_of
from engine.choice.kept import kept_limits
from engine.choice.nearly import nearly_beside
from engine.choice.patience import longest_run
from engine.choice.sure import asked_of, enough
from engine.choice.surer import surer_beside
from engine.choice.unpriced import refusal
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, finding
from engine.inputs.named import cluster, hardware_of
from engine.money.signed import signed_beside

SIXTEEN_BIT = ("bf16", "fp16")
_FULL = ("bf16", "fp16", "fp32", "tf32")
_WORTH_SAYING = 0.03
"""Share of the cost from which a saving is worth a decision."""


def headline(context: Context, best: Option | None, tried: Sequence[Chance]) -> Finding:
    """What, how long, how much; or that none of those `tried` does it, as surely as is asked."""
    if best is not None:
        return finding(
            "headline.training",
            hardware=hardware_of(best),
            time=Quantity(best.days.expected, "day"),
            cost=Sum(best.cost.total.expected),
            signed=signed_beside(best.cost.signed),
        )
    limits = context.spec.constraints
    if not tried:
        return refusal(context) or finding("refusal.nothing")
    fits, asked = max(one.memory or 0.0 for one in tried), asked_of(context.assume)
    if not enough(fits, asked.fits):
        return finding("refusal.memory", chance=Quantity(fits, "chance"), asked=Quantity(asked.fits, "chance"))
    sure = {"chance": Quantity(asked.all, "chance")}
    deadline, budget = Quantity(limits.deadline_days, "day"), Sum(limits.budget_usd)
    if limits.deadline_days and limits.budget_usd:
        return finding("refusal.both", deadline=deadline, budget=budget, **sure)
    if limits.deadline_days:
        return finding("refusal.deadline", deadline=deadline, **sure)
    if limits.budget_usd:
        return finding("refusal.budget", budget=budget, **sure)
    return finding("refusal.length", days=round(longest_run(context)))


def reasons_of(
    context: Context, best: Option, others: Sequence[Option], points: Sequence[Point] = ()
) -> tuple[Finding, ...]:
    """Why this option: against its rivals, its limits, larger clusters, its memory and its speed."""
    return (
        *_rank(context, best, others),
        *(surer_beside(context, best, _alike(best, others)) if context.spec.objective == "cost" else ()),
        *_limit(context, best),
        *_larger(context, best, others, points),
        *balanced_beside(context, best, points),
        _memory(best),
        finding("reason.mfu", mfu=Quantity(best.mfu.expected, "share")),
        finding("reason.bound", part=Ref("word", f"time.{best.binding}")),
        *_sixteen_bit(best, others),
    )


def _rank(context: Context, best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """Against the best option on another accelerator, and against one that costs as little."""
    able = [one for one in _alike(best, others) if one.keeps_limits]
    rivals = [one for one in able if one.accelerator != best.accelerator]
    if rivals:
        yield from nearest_of(context, best, rivals, able)
    else:
        yield finding("reason.no_rival")
        yield from nearly_beside(context, best, able) if context.spec.objective == "cost" else ()


def _alike(best: Option, others: Sequence[Option]) -> list[Option]:
    """Those whose precision needs a decision if that of the choice does."""
    return [one for one in others if (one.precision in SIXTEEN_BIT) == (best.precision in SIXTEEN_BIT)]


def _limit(context: Context, best: Option) -> Iterator[Finding]:
    days = context.spec.constraints.deadline_days
    if days and best.probability_in_time is not None:
        yield kept_limits(best, Quantity(days, "day"), best.probability_in_time)


def _larger(context: Context, best: Option, others: Sequence[Option], points: Sequence[Point]) -> Iterator[Finding]:
    """What more accelerators would bring at about the same cost: the reason is that fewer are easier to get, and of those
    that would be bought or committed to, that less is signed. What runs on software that the team would first have to move to is no
    more of the same."""
    signed = {option.id: option.cost.signed for option in others}
    low, high = best.cost.ranked_by * 0.97, best.cost.ranked_by * 1.03
    faster = [p for p in points if p.feasible and p.on_frontier and p.pace < best.days.expected / 1.5]
    faster = [p for p in faster if low <= p.ranked_by <= high and (best.porting or not p.ported)]
    if not faster or context.spec.objective != "cost":
        return
    point = min(faster, key=lambda item: item.ranked_by)
    held = signed.get(point.option_id)
    obliged = held is not None and held.what != "none"
    yield finding(
        "reason.smallest.signed" if obliged else "reason.smallest",
        rival=point.label,
        time=Quantity(point.pace, "day"),
        cost=Sum(point.at_confidence),
        **({"signed": signed_beside(held)} if held is not None and obliged else {}),
    )


def _memory(best: Option) -> Finding:
    used, room = best.memory.total_gb.expected, best.memory.capacity_gb
    return finding("reason.memory", used=Quantity(used * 1e9, "byte"), room=Quantity(room * 1e9, "byte"))


def _sixteen_bit(best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """What an eight-bit format would save, when that needs a decision."""
    lower = [o for o in others if o.precision not in _FULL]
    if best.precision not in SIXTEEN_BIT or not lower:
        return
    rival = min(lower, key=lambda option: option.cost.ranked_by)
    share = saved(rival.cost.ranked_by, best.cost.ranked_by)
    if share >= _WORTH_SAYING:
        yield finding(
            "reason.eight_bit",
            precision=Ref("precision", rival.precision),
            rival=cluster(rival.count, Ref("accelerator", rival.accelerator, rival.accelerator_name)),
            saved=Quantity(share, "share"),
        )
