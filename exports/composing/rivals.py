"""What else was possible: the nearest option in price and why it was not chosen, and owning instead of renting."""

from __future__ import annotations

from engine.answer import Option, TooLong
from exports.composing.context import Context, option_name, seller, terms
from exports.composing.signed import whole_signed
from exports.composing.words import engine_text
from exports.numbers import days, percent, whole
from exports.text import SENTENCE_LIMIT, clean_text
from exports.wording import mark, tr

SIXTEEN_BIT = ("bf16", "fp16")
"""Precisions that a training needs no decision for."""
ONE_RUN = "select.patience"
"""Assumption on the length of one run; the other is on all of them together."""


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
            "{option} {seller}: {more} more{pace}. No cheaper option keeps all limits.",
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
    """The limit, the rule or the rank that keeps a cheaper option from being recommended."""
    timed = context.batch or not other.serving
    if not other.meets_deadline and context.deadline_days and timed:
        return tr("it misses the deadline by {days}", days=days(max(0.0, other.days.expected - context.deadline_days)))
    if not other.meets_deadline:
        return tr("it does not keep the promised latency")
    if not other.meets_budget:
        return _over_budget(context, other)
    if other.too_long:
        return too_long(other.too_long)
    if other.precision != best.precision and other.precision not in SIXTEEN_BIT:
        return tr(
            "it computes in {precision}, which is a decision about quality that the request leaves open",
            precision=other.precision.upper(),
        )
    if context.spec.objective != "cost":
        return _ranked(context, other, best)
    return _nearly_equal(other, best)


def _ranked(context: Context, other: Option, best: Option) -> str:
    """What the plan is ranked by, if not by cost, and how the cheaper option does there."""
    wished = {
        "time": mark("the plan is ranked by time"),
        "balanced": mark("the plan is ranked by cost times days"),
        "carbon": mark("the plan is ranked by emissions"),
    }[context.spec.objective]
    gap = other.days.expected - best.days.expected
    if gap > 0.001 * best.days.expected:
        return tr("it takes {longer} longer, and {ranked}", longer=days(gap), ranked=tr(wished))
    return tr(wished)


def _nearly_equal(other: Option, best: Option) -> str:
    """Costs that differ by no more than price lists do: what decides then."""
    if other.count > best.count:
        return tr(
            "it needs {more} accelerators more, and costs so near each other count as equal",
            more=whole(other.count - best.count),
        )
    return tr("its cost counts as equal, and its rank is lower for the rest of the plan")


def too_long(found: TooLong) -> str:
    """How long its runs take, how long they may, and by which assumption, which a plan can change."""
    one = mark("a single run takes {days} and may last at most {most} (assumption {name})")
    every = mark("its runs take {days} together and may take at most {most} (assumption {name})")
    words = one if found.assumption == ONE_RUN else every
    return tr(words, days=days(found.days), most=days(found.most), name=found.assumption)


def _over_budget(context: Context, other: Option) -> str:
    """By how much, and what of it counts."""
    money, needed = context.money, other.cost.cash_needed
    over = needed - context.budget
    if over <= 0:  # a plan of an engine that held the pessimistic end against the budget
        return tr("it does not keep the budget")
    if other.cost.signed.rest:
        return tr(
            "with {whole}, the budget is exceeded by {over}",
            whole=whole_signed(context, other),
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


def break_even(context: Context, best: Option) -> str:
    """When owning would cost less, what renting would cost where owning is recommended, or why the question does not arise."""
    even = best.cost.break_even
    if even and even.sentence:
        return engine_text(even.sentence, SENTENCE_LIMIT)
    if best.kind != "cloud":
        return _renting(context, best)
    if context.spec.horizon_months:
        return tr("Buying was not compared: the catalog has no server with this accelerator to buy.")
    return tr("Buying was not compared: the request states no demand beyond this work.")


def _renting(context: Context, best: Option) -> str:
    """What the same work costs rented, where it is recommended on hardware that is bought or owned."""
    opening = "" if best.kind == "on_prem" else tr("The hardware is already owned.")
    rented = sorted(
        (option for option in context.answer.alternatives if option.kind == "cloud"),
        key=lambda o: o.cost.total.expected,
    )
    same = [option for option in rented if option.accelerator == best.accelerator]
    if not rented:
        return f"{opening} {tr('No option to rent is known that does this work.')}".strip()
    text = f"{opening} {_rent_of(context, (same or rented)[0], best)}".strip()
    if not same:
        name = clean_text(best.accelerator_name, 40)
        text += " " + tr("No price to rent {accelerator} is known.", accelerator=name)
    return text


def _rent_of(context: Context, other: Option, best: Option) -> str:
    gap = other.cost.total.expected - best.cost.total.expected
    amount = context.money.rounded(abs(gap))
    share = percent(abs(gap) / best.cost.total.expected) if best.cost.total.expected else ""
    values = {
        "option": option_name(other),
        "seller": seller(other),
        "terms": terms(other),
        "amount": amount,
        "share": share,
    }
    if gap < 0:
        why = _why_not(context, other, best)
        return tr("Rented, {option} {seller}, {terms}, costs {amount} ({share}) less, but {why}.", why=why, **values)
    return tr("Rented, {option} {seller}, {terms}, costs {amount} ({share}) more.", **values)
