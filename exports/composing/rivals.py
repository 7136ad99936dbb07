"""What else was possible: the nearest option in price and why it was not chosen, and owning instead of renting."""

from __future__ import annotations

from exports.composing.context import Context, option_name, seller
from exports.composing.words import engine_text
from exports.numbers import days
from exports.wording import tr
from planner.engine.result import Option


def cheaper_rejected(context: Context, best: Option) -> Option | None:
    """The cheapest alternative that costs less than the recommended option."""
    cheaper = [
        option for option in context.answer.alternatives if option.cost.total.expected < best.cost.total.expected
    ]
    return min(cheaper, key=lambda option: option.cost.total.expected, default=None)


def rejected_label(context: Context, best: Option) -> str:
    return tr("Cheapest rejected option") if cheaper_rejected(context, best) else tr("Next best option")


def rejected(context: Context, best: Option) -> str:
    """Which option comes nearest in price, and why it was not chosen."""
    money = context.money
    other = cheaper_rejected(context, best)
    if other:
        saved = money.rounded(best.cost.total.expected - other.cost.total.expected)
        return tr(
            "{option} {seller}: {saved} cheaper, but {why_not}.",
            option=option_name(other),
            seller=seller(other),
            saved=saved,
            why_not=_why_not(context, other, best),
        )
    rest = sorted(context.answer.alternatives, key=lambda option: option.cost.total.expected)
    if rest:
        more = money.rounded(rest[0].cost.total.expected - best.cost.total.expected)
        pace = _pace(context, rest[0], best)
        return tr(
            "{option} {seller}: {more} more{pace}. Nothing cheaper keeps the limits.",
            option=option_name(rest[0]),
            seller=seller(rest[0]),
            more=more,
            pace=pace,
        )
    if context.answer.rejected:
        item = context.answer.rejected[0]
        return tr(
            "None within the limits. Nearest: {nearest}.",
            nearest=engine_text(item.nearest or item.reason, 160).rstrip("."),
        )
    return tr("No other option was found, and none was left out.")


def _why_not(context: Context, other: Option, best: Option) -> str:
    timed = context.batch or not other.serving
    if not other.meets_deadline and context.deadline_days and timed:
        return tr("it misses the deadline by {days}", days=days(max(0.0, other.days.expected - context.deadline_days)))
    if not other.meets_deadline:
        return tr("it does not keep the promised latency")
    if not other.meets_budget:
        return _over_budget(context, other)
    if timed and other.days.expected > best.days.expected * 1.001:
        longer = days(other.days.expected - best.days.expected)
        return tr(
            "it takes {longer} longer, and the plan is ranked by {objective}",
            longer=longer,
            objective=context.spec.objective,
        )
    return (
        engine_text(other.reasons[0], 160).rstrip(".")
        if other.reasons
        else tr("it ranks lower by {objective}", objective=context.spec.objective)
    )


def _over_budget(context: Context, other: Option) -> str:
    """By how much, and what of it counts."""
    money, total, purchase = context.money, other.cost.total.expected, other.cost.model.purchase_usd
    over = max(total, purchase) - context.spec.constraints.budget_usd
    if over <= 0:  # a plan of an engine that held the pessimistic end against the budget
        return tr("it does not keep the budget")
    if purchase > total:
        return tr(
            "its whole purchase of {purchase} exceeds the budget by {over}",
            purchase=money.amount(purchase),
            over=money.rounded(over),
        )
    return tr("it exceeds the budget by {over}", over=money.rounded(over))


def _pace(context: Context, other: Option, best: Option) -> str:
    if context.serving and not context.batch:
        return ""
    gap = other.days.expected - best.days.expected
    if abs(gap) < 0.02 * best.days.expected:
        return " " + tr("at the same pace")
    span = days(abs(gap))
    return tr(", {days} slower", days=span) if gap > 0 else tr(", {days} faster", days=span)


def break_even(best: Option, horizon: float) -> str:
    """When owning would cost less, or why the question does not arise."""
    even = best.cost.break_even
    if even and even.sentence:
        return engine_text(even.sentence, 300)
    if best.kind == "owned":
        return tr("The hardware is already owned: there is nothing to break even.")
    if best.kind == "on_prem":
        return tr("Owning is the recommendation; renting the same hardware was not on offer.")
    if horizon:
        return tr("Buying was not compared: the catalog has no server with this accelerator to buy.")
    return tr("Buying was not compared: the request states no demand beyond this work.")
