"""What happens after the meeting: each step with who takes it, for how much and until when, as far as the plan knows."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.ask import machines
from exports.composing.chart_slides import state_notes
from exports.composing.context import Context, option_name, seller
from exports.composing.words import told
from exports.document import Bullets, Decision, Slide
from exports.numbers import long_date
from exports.wording import tr
from planner.asked.approval import kept_free


def next_steps(context: Context, decision: Decision) -> Slide:
    """The last slide."""
    best = context.best
    items = _changes(context, decision) if best is None else _steps(context, best)
    return Slide(
        id="next",
        headline=tr("Next: change the request and plan again") if best is None else tr("Next steps"),
        layout="one",
        blocks=(Bullets(items=items, ordered=True),),
        notes=state_notes(context),
    )


def _changes(context: Context, decision: Decision) -> tuple[str, ...]:
    """The changes that would give a plan, each with its price; without any, what to look at."""
    ways = tuple(told(item.told, 190) for item in context.answer.nearest[:4])
    missed = next((fact.text for fact in decision.facts if fact.key == "missed"), "")
    return (
        *(ways or ((missed,) if missed else ())),
        tr("Requester: decide which of the limits may change, and plan again."),
    )


def _steps(context: Context, best: Option) -> tuple[str, ...]:
    """Decide, get the hardware, prove the speed, begin."""
    begin = long_date(context.start)
    return (
        _approver(context, begin),
        *_sourcing(context, best, begin),
        tr("Engineering: load-test one replica, and plan again with what was measured.")
        if best.serving
        else tr("Engineering: measure one step on the real servers, and plan again with what was measured."),
    )


def _approver(context: Context, begin: str) -> str:
    """By when to decide. Where no start was set the plan begins on the day of the request, before which nobody reads it."""
    if context.spec.start:
        return tr("Approver: approve or return this version by {date}, the first day of the plan.", date=begin)
    return tr(
        "Approver: approve or return this version, and set a start; until then every day of waiting moves the dates."
    )


def _sourcing(context: Context, best: Option, begin: str) -> tuple[str, ...]:
    """What is done to have the hardware: only what its terms allow."""
    what = {"option": option_name(best), "seller": seller(best), "date": begin}
    if best.kind == "owned":
        return (
            tr("Operations: keep {option} free from {date}.", **what),
            tr("Finance: confirm the rates for energy and staff."),
        )
    if best.kind == "on_prem":
        order = context.money.amount(best.cost.signed.total)
        return (
            tr(
                "Purchasing: get a written quote for {machines}; the order is {amount} in all.",
                amount=order,
                machines=machines(context, best),
            ),
            tr("Finance: name the other work that will carry the rest of the purchase.")
            if best.cost.signed.rest
            else tr("Finance: have {amount} ready when the servers are delivered.", amount=order),
        )
    free = context.money.amount(kept_free(context.plan, best))
    terms = best.offer.option if best.offer else ""
    if terms == "spot":
        return (
            tr("Engineering: start {option} {seller} on {date}; the provider keeps none free.", **what),
            tr("Finance: keep {amount} free, and the price of the next option beside it.", amount=free),
        )
    if terms.startswith("commit"):
        return (
            tr(
                "Purchasing: confirm price and term in writing, and sign for {option} {seller}: {amount} in all.",
                amount=context.money.amount(best.cost.signed.total),
                **what,
            ),
            tr("Finance: book the whole term, used or not."),
        )
    if terms == "capacity_block":
        return (
            tr(
                "Purchasing: book the dates of {option} {seller} from {date}, and pay {amount} ahead.",
                amount=context.money.amount(best.cost.signed.total),
                **what,
            ),
        )
    return (
        tr("Purchasing: ask whether {option} are free {seller} on {date}, and confirm the price in writing.", **what),
        tr("Finance: keep {amount} free for the time of the plan.", amount=free),
    )
