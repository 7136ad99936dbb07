"""What else was possible: the nearest option in price and why it was not chosen, and owning instead of renting."""

from __future__ import annotations

from engine.answer import Option, Point, TooLong
from engine.inputs.finding import Finding, Ref, Sum, Value
from exports.composing.context import Context, option_name, region, seller, terms
from exports.composing.kinds import PRINTED
from exports.composing.signed import signs_more, whole_signed
from exports.composing.words import told, written
from exports.numbers import chance, days, percent, significant, whole
from exports.text import SENTENCE_LIMIT, clean_text
from exports.wording import mark, tr
from planner.promises import asked_confidence

SIXTEEN_BIT = ("bf16", "fp16")
"""Precisions that a training needs no decision for."""
_UNSEEN = 1e-3
"""Share of the cost below which nobody would call an option cheaper."""
_MANY = 2.0
"""Times a limit from which the factor says more than the difference."""
ONE_RUN = "select.patience"
"""Assumption on the length of one run; the other is on all of them together."""


def cheaper_rejected(context: Context, best: Option) -> Option | None:
    """Of the options that cost less than the recommended one, the cheapest that keeps all limits, else the one that misses
    them by least: one that misses a deadline by years says nothing."""
    most = best.cost.ranked_by
    cheaper = [option for option in context.answer.alternatives if option.cost.ranked_by < most]
    return min(cheaper, key=lambda option: (_excess(context, option), option.cost.ranked_by), default=None)


def _excess(context: Context, option: Option) -> float:
    """How many times the limit that it misses most the option needs; 1 where it keeps all of them."""
    shares = [1.0]
    if not option.meets_deadline:
        timed = context.deadline_days and context.timed
        shares.append(option.days.high / context.deadline_days if timed else _latency_excess(context, option))
    if not option.meets_budget and context.budget:
        shares.append(option.cost.cash_needed / context.budget)
    if option.too_long:
        shares.append(option.too_long.days / option.too_long.most)
    return max(shares)


def _latency_excess(context: Context, option: Option) -> float:
    asked, found = context.spec.serving, option.serving
    if asked is None or found is None:
        return 1.0
    rows = ((found.ttft_ms, asked.ttft_p95_ms), (found.tpot_ms, asked.tpot_p95_ms))
    return max((row.p95.expected / limit for row, limit in rows if limit), default=1.0)


def rejected_label(context: Context, best: Option) -> str:
    return tr("Why not cheaper") if cheaper_rejected(context, best) else tr("Next best option")


def rejected(context: Context, best: Option) -> str:
    """Which option comes nearest, and why it was not chosen."""
    money, others, sure = context.money, context.answer.alternatives, percent(asked_confidence(context.spec))
    other = cheaper_rejected(context, best)
    if other:
        saved = money.rounded(best.cost.ranked_by - other.cost.ranked_by)
        why_not = _why_not(context, other, best)
        return tr(
            "{option}: {saved} cheaper in present value at {sure} confidence, but {why_not}.",
            option=_named(context, other),
            saved=saved,
            sure=sure,
            why_not=why_not,
        )
    # One that breaks a limit is no way out: only where there is none that keeps them is it named, with its limit.
    near = min(others, key=lambda option: (not option.keeps_limits, option.cost.ranked_by), default=None)
    if near is None:
        if context.answer.rejected:
            return tr("No other option does this work with what the request allows.")
        return tr("No other option was found, and none was left out.")
    more = money.rounded(near.cost.ranked_by - best.cost.ranked_by)
    if not near.keeps_limits:
        why_not = _why_not(context, near, best)
        return tr(
            "{option}: {more} more in present value at {sure} confidence, and {why_not}.",
            option=_named(context, near),
            more=more,
            sure=sure,
            why_not=why_not,
        )
    pace = _pace(context, near, best)
    text = tr(
        "{option}: {more} more in present value at {sure} confidence{pace}{signs}.",
        option=_named(context, near),
        more=more,
        sure=sure,
        pace=pace,
        signs=signs_more(context, best, near),
    )
    return f"{text} {_nothing_cheaper(context, best)}"


def _nothing_cheaper(context: Context, best: Option) -> str:
    """Whether another number of accelerators costs less: the alternatives hold one number of each, the chart has all. What needs another
    vendor's software first costs more than its sum says."""
    able = [point for point in context.answer.frontier if point.feasible and (best.porting or not point.ported)]
    kept = [point for point in able if point.option_id != best.id]
    least, most = min(kept, key=_most, default=None), best.cost.ranked_by
    saved = context.money.rounded(most - _most(least)) if least else ""
    if least is None or most - _most(least) < _UNSEEN * most:
        return tr("No option is cheaper at that confidence.")
    if context.spec.objective == "cost" and most <= _most(least) * (1 + near_equal(context)):
        text = mark("{option} costs {saved} less, which counts as equal: fewer accelerators are easier to get.")
        return tr(text, option=told(least.label), saved=saved)
    return tr("{option} costs {saved} less.", option=told(least.label), saved=saved)


def _most(point: Point) -> float:
    """What it costs at most, as surely as is asked; in older plans what is expected."""
    return point.ranked_by


def near_equal(context: Context) -> float:
    """The difference in cost below which two count as equal, so that the smaller may lead."""
    known = (item.value for item in context.answer.assumptions if item.id == "select.near_equal")
    return next(known, 0.0)


def _named(context: Context, option: Option) -> str:
    """“32 × H100 SXM at Lambda”, with terms, instance or place where nothing else tells it from another option."""
    called = f"{option_name(option)} {seller(option)}"
    alike = [other for other in context.options if f"{option_name(other)} {seller(other)}" == called]
    for apart in (terms, _size, _region):
        if option.offer and len({apart(other) for other in alike}) > 1:
            called = f"{called}, {apart(option)}"
            alike = [other for other in alike if apart(other) == apart(option)]
    return called


def _size(option: Option) -> str:
    return tr("{count} per instance", count=whole(option.offer.devices)) if option.offer else ""


def _region(option: Option) -> str:
    return region(option.offer.region) if option.offer else ""


def _why_not(context: Context, other: Option, best: Option) -> str:
    """The limit, the rule or the rank that keeps a cheaper option from being recommended."""
    if not other.meets_deadline and context.deadline_days:
        return _late(context, other)
    if not other.meets_deadline:
        return tr("it does not keep the promised latency")
    if not other.meets_budget:
        return _over_budget(context, other)
    if other.too_long:
        return too_long(other.too_long)
    if not other.sure and other.chance:
        return tr(
            "it keeps its limits with a chance of {chance}, and {asked} is asked",
            chance=chance(other.chance.all, down=True),
            asked=percent(asked_confidence(context.spec)),
        )
    moving = next((one.values.get("porting") for one in best.reasons if one.code == "reason.porting"), None)
    if other.porting and not best.porting and isinstance(moving, Sum):
        return tr(
            "bringing the work to its software takes {porting} of people's time at least, which counts in the ranking and in no sum",
            porting=context.money.rounded(moving.amount),
        )
    if other.precision != best.precision and other.precision not in SIXTEEN_BIT:
        return tr(
            "it computes in {precision}, which is a decision about quality that the request leaves open",
            precision=other.precision.upper(),
        )
    if context.spec.objective != "cost":
        return _ranked(context, other, best)
    return _nearly_equal(other, best)


def _late(context: Context, other: Option) -> str:
    """By how much it misses the deadline; by how many times where that is the clearer number."""
    limit, found = context.deadline_days, other.days.expected
    if found <= limit:
        return tr("it may take {days}, and the deadline is {limit}", days=days(other.days.high), limit=days(limit))
    if found <= _MANY * limit:
        return tr("it misses the deadline by {days}", days=days(found - limit))
    return tr("it takes {days}, {times} times the deadline", days=days(found), times=significant(found / limit, 2))


def _ranked(context: Context, other: Option, best: Option) -> str:
    """What the plan is ranked by, if not by cost, and how the cheaper option does there."""
    wished = {
        "time": mark("the plan is ranked by time"),
        "balanced": mark("the plan is ranked by cost times days"),
        "carbon": mark("the plan is ranked by emissions"),
    }[context.spec.objective]
    if context.spec.objective == "carbon" and other.energy.kg_co2e is None:
        return tr("nobody says what its electricity emits, and {ranked}", ranked=tr(wished))
    gap = other.days.expected - best.days.expected
    if gap > 0.001 * best.days.expected:
        return tr("it takes {longer} longer, and {ranked}", longer=days(gap), ranked=tr(wished))
    return tr(wished)


def _nearly_equal(other: Option, best: Option) -> str:
    """Costs that differ by no more than price lists do: what decides then, in the plan's own words where it has some."""
    nearly = next((found for found in best.reasons if found.code == "reason.near_equal"), None)
    if nearly and _is(nearly.values["rival"], other):
        why = written(nearly.values["why"], SENTENCE_LIMIT)
        return tr("costs so near each other count as equal: {why}", why=why)
    if other.count > best.count:
        return tr(
            "it needs {more} accelerators more, and costs so near each other count as equal",
            more=whole(other.count - best.count),
        )
    return tr("costs so near each other count as equal")


def _is(rival: Value, option: Option) -> bool:
    """Is it that hardware which the finding speaks of?"""
    values = rival.values if isinstance(rival, Finding) else {}
    device = values.get("accelerator")
    return (values.get("count"), device.id if isinstance(device, Ref) else "") == (option.count, option.accelerator)


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
    return PRINTED[context.kind].pace(other, best)


def break_even(context: Context, best: Option) -> str:
    """When owning would cost less, what renting would cost where owning is recommended, or why the question does not arise."""
    even = best.cost.break_even
    own = _not_the_own(context, best) if best.kind != "owned" and context.spec.owned else ""
    if even and even.told:
        return f"{own} {told(even.told)}{_drawn(context, best)}".strip()
    if own:
        return own
    if best.kind != "cloud":
        return _renting(context, best)
    if best.cost.on_prem:
        return tr("Buying was not compared by the hour: what is rented costs next to nothing.")
    return tr("Buying was not compared: the catalog has no server with this accelerator to buy.")


def _drawn(context: Context, best: Option) -> str:
    """Why renting may cost less in all where it costs more by the hour: a commitment that is paid anyway pays a part of it."""
    if not best.cost.signed.drawn:
        return ""
    return " " + tr(
        "Of renting the sum is new money alone: another {drawn} draw a commitment that is paid anyway, and the price by the hour holds "
        "both.",
        drawn=context.money.amount(best.cost.signed.drawn),
    )


def _not_the_own(context: Context, best: Option) -> str:
    """Why the hardware that the team owns is not what is recommended: its first question."""
    owned = [option for option in context.answer.alternatives if option.kind == "owned"]
    if not owned:
        return tr("What the team owns does not do this work alone within the limits.")
    own = min(owned, key=lambda option: option.cost.ranked_by)
    if own is cheaper_rejected(context, best):
        return ""  # said already
    amount = context.money.amount(own.cost.total.expected)
    values = {"option": option_name(own), "amount": amount}
    if own.keeps_limits and own.cost.ranked_by >= best.cost.ranked_by:
        return tr(
            "The work would cost {amount} on the {option} that the team owns: more than as recommended.", **values
        )
    why = _why_not(context, own, best)
    return tr("The work would cost {amount} on the {option} that the team owns, but {why}.", why=why, **values)


def _renting(context: Context, best: Option) -> str:
    """What the same work costs rented, where it is recommended on hardware that is bought or owned."""
    opening = "" if best.kind == "on_prem" else tr("The hardware is already owned.")
    rented = sorted(
        (option for option in context.answer.alternatives if option.kind == "cloud"),
        key=lambda option: option.cost.ranked_by,
    )
    same = [option for option in rented if option.accelerator == best.accelerator]
    if not rented and context.spec.air_gapped:
        return tr("Air-gapped work is not rented: only hardware of one's own was compared.")
    if not rented:
        return f"{opening} {tr('No option to rent is known that does this work.')}".strip()
    text = f"{opening} {_rent_of(context, (same or rented)[0], best)}".strip()
    if not same:
        name = clean_text(best.accelerator_name, 40)
        text += " " + tr("No price to rent {accelerator} is known.", accelerator=name)
    return text


def _rent_of(context: Context, other: Option, best: Option) -> str:
    base = best.cost.ranked_by
    gap = other.cost.ranked_by - base
    amount = context.money.rounded(abs(gap))
    share = percent(abs(gap) / base) if base else ""
    name = f"{option_name(other)} {seller(other)}, {terms(other)}"
    values = {"option": name, "amount": amount, "share": share}
    if gap < 0:
        why = _why_not(context, other, best)
        return tr("Rented, {option}, costs {amount} ({share}) less in present value, but {why}.", why=why, **values)
    return tr("Rented, {option}, costs {amount} ({share}) more in present value.", **values)
