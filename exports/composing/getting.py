"""How the hardware of a plan is had after the meeting: what is asked before somebody decides, by when to decide, and what is paid then.

Only what its terms allow is asked for: nobody keeps spot instances free, and a lease knows no quota.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from math import floor

from engine.answer import Option
from engine.inputs.finding import Finding
from exports.composing.ask import machines
from exports.composing.context import Context, option_name, seller
from exports.composing.words import told
from exports.numbers import long_date
from exports.text import lower_first
from exports.wording import mark, tr
from planner.asked.approval import kept_free
from planner.asked.signs import in_writing, to_confirm
from planner.asked.spans import tested_days

_MOST_ASKED = 1
"""Of what is to be asked for, as many as a slide has room for beside the other steps; the report has them all."""
_SAID = (
    "obtain.quote",
    "obtain.quote.alone",
    "obtain.lease",
    "obtain.server_quote",
    "obtain.reserve",
    "obtain.order",
    "obtain.order.late",
    "obtain.order.unset",
    "obtain.block",
)
"""What the steps below say already in their own words."""
_NAMED_FIRST = ("obtain.least", "obtain.block.long", "obtain.block.large")
"""What begins with the name of a seller."""
_BEGINS = mark("the first day of the plan")


@dataclass(frozen=True, kw_only=True)
class Getting:
    """The steps around a decision."""

    before: tuple[str, ...] = ()
    """What needs no approval, in the order of its days."""
    after: tuple[str, ...]
    """What signs, pays, or keeps money free."""
    decide: date
    """The last day to decide."""
    why: str = _BEGINS
    """What that day is."""


def getting(context: Context, best: Option) -> Getting:
    """What is done to have the hardware."""
    if best.kind == "owned":
        return Getting(
            after=(
                tr(
                    "Operations: keep {option} free from {date}.",
                    option=option_name(best),
                    date=long_date(context.start),
                ),
                tr("Finance: confirm the rates for energy and staff."),
            ),
            decide=context.start,
        )
    if best.kind == "on_prem":
        return _bought(context, best)
    terms = best.offer.option if best.offer else ""
    if terms == "lease" or terms.startswith("commit"):
        return _signed(context, best)
    if terms == "capacity_block":
        return _block(context, best)
    return _by_the_hour(context, best, spot=terms == "spot")


def confirmed(context: Context, best: Option) -> str:
    """What must have happened to an old price before somebody decides by it, in proportion to the sum."""
    if in_writing(context.plan, best):
        return tr("the seller has confirmed the price")
    return tr("the price has been read again")


def _asked(context: Context) -> tuple[str, ...]:
    """The first thing to ask for, with its day: a limit to be raised, a block to be found, an agreed price to be made sure of."""
    steps = tuple(step for step in context.answer.obtaining if step.code not in _SAID)
    return tuple(tr("Purchasing: {step}", step=_inside(step)) for step in steps[:_MOST_ASKED])


def _inside(step: Finding) -> str:
    """As it goes on after who does it; what begins with a seller's name keeps its capital."""
    text = told(step, 170)
    return text if step.code in _NAMED_FIRST else lower_first(text)


def _by_the_hour(context: Context, best: Option, *, spot: bool) -> Getting:
    """Nothing is signed: the price is made sure of beforehand, and the money kept free."""
    what = {"option": option_name(best), "seller": seller(best), "date": _begin(context)}
    amount = context.money.amount(kept_free(context.plan, best))
    if spot:
        again = to_confirm(context.plan, best)
        return Getting(
            before=(
                *_asked(context),
                *((tr("Purchasing: read the spot price {seller} again.", **what),) if again else ()),
            ),
            after=(
                tr("Engineering: start {option} {seller} {date}; the provider promises no capacity.", **what),
                tr(
                    "Finance: keep {amount} free {date}, and the price of the next option beside it.",
                    amount=amount,
                    **what,
                ),
            ),
            decide=context.start,
        )
    ask = (
        mark("Purchasing: {by}ask whether {option} can be had {seller} {date}, and confirm the price in writing.")
        if in_writing(context.plan, best)
        else mark("Purchasing: {by}look up whether {option} can be had {seller} {date}, and read the list price again.")
    )
    return Getting(
        before=(*_asked(context), tr(ask, by=_by(context), **what)),
        after=(tr("Finance: keep {amount} free {date} for the time of the plan.", amount=amount, **what),),
        decide=context.start,
    )


def _begin(context: Context) -> str:
    """When work begins, after a verb: no day where none was set."""
    return (
        tr("from {date}", date=long_date(context.start)) if context.spec.start else tr("from the first day of the work")
    )


def _signed(context: Context, best: Option) -> Getting:
    """A term that is signed: price and term in writing first."""
    what = {"option": option_name(best), "seller": seller(best), "amount": context.money.amount(best.cost.signed.total)}
    return Getting(
        before=(
            *_asked(context),
            tr(
                "Purchasing: {by}have price and term of {option} {seller} confirmed in writing.",
                by=_by(context),
                **what,
            ),
        ),
        after=(
            tr("Purchasing: sign for {option} {seller}: {amount} in all.", **what),
            tr("Finance: book the whole term, used or not."),
        ),
        decide=context.start,
    )


def _block(context: Context, best: Option) -> Getting:
    """A block: its quota first, then the decision, and paid on the first day on which it can be booked."""
    what = {"option": option_name(best), "seller": seller(best), "amount": context.money.amount(best.cost.signed.total)}
    what["date"] = _begin(context)
    first = _day(_step(context, "obtain.block"), "by")
    confirm = tr("Purchasing: {by}have the price of the block confirmed {seller}.", by=_by(context), **what)
    before = (*_asked(context), *((confirm,) if to_confirm(context.plan, best) else ()))
    if first is None or not context.spec.start:
        text = tr("Purchasing: book {option} {seller} {date}, and pay {amount} ahead.", **what)
        return Getting(before=before, after=(text,), decide=context.start)
    text = tr(
        "Purchasing: book {option} {seller} {date}, on {first} or as soon after it as a block is free, and pay {amount} ahead.",
        first=long_date(first),
        **what,
    )
    return Getting(before=before, after=(text,), decide=first, why=mark("the first day for the booking"))


def _bought(context: Context, best: Option) -> Getting:
    """The quote, the order and the money, each by its day where the plan has one: lead times are not kept in older plans."""
    words = {"amount": context.money.amount(best.cost.signed.total), "machines": machines(context, best)}
    order = _step(context, "obtain.order")
    ordered, works = _day(order, "by"), _day(order, "arrive")
    arrive = works - timedelta(days=floor(tested_days(best))) if works else None
    asked = _day(_step(context, "obtain.server_quote"), "by")
    quote = tr("Purchasing: get a written quote for {machines}.", **words)
    if asked:
        quote = tr("Purchasing: ask by {asked} for a written quote for {machines}.", asked=long_date(asked), **words)
    if order is None or order.code != "obtain.order" or ordered is None:
        text = tr("Purchasing: order at once, {amount} in all; every day until then moves the dates.", **words)
        return Getting(before=(quote,), after=(text, _paid(best, arrive, words)), decide=context.start)
    text = tr("Purchasing: order {machines} by {ordered}: {amount} in all.", ordered=long_date(ordered), **words)
    return Getting(
        before=(quote,) if asked else (),
        after=(text, _paid(best, arrive, words)),
        decide=ordered,
        why=mark("the last day for the order"),
    )


def _paid(best: Option, arrive: date | None, words: dict[str, str]) -> str:
    """The money for what was bought, and who carries what this work does not."""
    if best.cost.signed.rest:
        return tr("Finance: name the other work that will carry the rest of the purchase.")
    if arrive:
        return tr(
            "Finance: have {amount} ready by {arrive}, when the servers arrive.", arrive=long_date(arrive), **words
        )
    return tr("Finance: have {amount} ready when the servers are delivered.", **words)


def _step(context: Context, code: str) -> Finding | None:
    """What is asked for of that kind, or of one that says more of the same."""
    return next((one for one in context.answer.obtaining if one.code == code or one.code.startswith(f"{code}.")), None)


def _day(step: Finding | None, name: str) -> date | None:
    found = step.values.get(name) if step else None
    return found if isinstance(found, date) else None


def _by(context: Context) -> str:
    """“by 12 January 2027 ”: the earliest day by which the seller has to be asked; nothing where that is the day of the request, where
    no start was set, and where the plan keeps none."""
    steps = [
        step for step in context.answer.obtaining if step.code in _SAID and not step.code.startswith("obtain.block")
    ]
    first = min((day for step in steps if (day := _day(step, "by"))), default=None)
    return tr("by {date} ", date=long_date(first)) if first and context.spec.start and first > context.issued else ""
