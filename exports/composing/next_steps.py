"""What happens after the meeting: each step with who takes it, for how much and until when, as far as the plan knows."""

from __future__ import annotations

from engine.answer import Gate, Option
from exports.composing.ask import machines
from exports.composing.chart_slides import state_notes
from exports.composing.context import Context, option_name, seller
from exports.composing.gate import WHOLE
from exports.composing.words import told
from exports.document import Bullets, Decision, Slide
from exports.numbers import long_date
from exports.wording import tr
from planner.asked.approval import kept_free

_MOST_ASKED = 1
"""Of what is to be asked for, as many as a slide has room for beside the other steps; the report has them all."""
_SAID = ("obtain.quote", "obtain.server_quote", "obtain.reserve", "obtain.order", "obtain.order.late")
"""What the steps below say already in their own words."""


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
    if context.answer.gate and context.answer.gate.pays:
        return (*_measured_first(context, context.answer.gate), *_sourcing(context, best, begin))
    return (
        _approver(context, begin),
        *_asked(context),
        *_sourcing(context, best, begin),
        tr("Engineering: load-test one replica, and plan again with what was measured.")
        if best.serving
        else tr("Engineering: measure one step on the real servers, and plan again with what was measured."),
    )


def _measured_first(context: Context, gate: Gate) -> tuple[str, ...]:
    """The first of two stages, and what decides about the second, in whose steps what is planned is got."""
    fee = context.money.amount(gate.fee)
    return (
        tr("Approver: approve {fee} now to measure first, or all of it as page 1 asks.", fee=fee),
        tr(
            "Engineering: time {steps} steps on the planned accelerators, and plan again with what was measured.",
            steps=gate.steps,
        )
        if gate.steps
        else tr("Engineering: load-test one replica, and plan again with what was measured."),
        *(tr("Approver: at the gate, {then}.", then=_inside(told(one.told, WHOLE))) for one in gate.ordered),
    )


def _asked(context: Context) -> tuple[str, ...]:
    """The first thing to ask for, with its day: a limit to be raised, a block to be booked, servers to be ordered."""
    steps = tuple(step for step in context.answer.obtaining if step.code not in _SAID)
    return tuple(tr("Purchasing: {step}", step=told(step, 170)) for step in steps[:_MOST_ASKED])


def _inside(text: str) -> str:
    """The first outcome inside a sentence."""
    return text[:1].lower() + text[1:]


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
    if terms == "lease" or terms.startswith("commit"):
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
