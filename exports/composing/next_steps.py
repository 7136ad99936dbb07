"""What happens after the meeting: each step with who takes it, for how much and until when, as far as the plan knows."""

from __future__ import annotations

from engine.answer import Gate, Option
from exports.composing.chart_slides import state_notes
from exports.composing.context import Context
from exports.composing.gate import WHOLE
from exports.composing.getting import Getting, confirmed, getting
from exports.composing.kinds import PRINTED
from exports.composing.words import told
from exports.document import Bullets, Decision, Fact, Slide
from exports.numbers import long_date
from exports.wording import tr
from planner.asked.signs import to_confirm, valid_until

_NONE_FIRST = ("gate.air_gapped", "gate.no_hardware")
"""Gates that say that nothing can be measured before the hardware is there."""


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


def next_fact(context: Context, best: Option) -> Fact:
    """The row of page 1: who does what first, by when."""
    gate, way = context.answer.gate, getting(context, best)
    if gate and gate.pays:
        steps = (*_measured_first(context, gate)[:1], *way.before[-1:])
    else:
        steps = (*way.before[:1], _approver(context, way), *way.after[: 0 if way.before else 1])
    return Fact(key="next", label=tr("Next step"), text=" ".join(steps))


def _changes(context: Context, decision: Decision) -> tuple[str, ...]:
    """The changes that would give a plan, each with its price; without any, what to look at."""
    ways = tuple(told(item.told, 190) for item in context.answer.nearest[:4])
    missed = next((fact.text for fact in decision.facts if fact.key == "missed"), "")
    return (
        *(ways or ((missed,) if missed else ())),
        requester(context),
    )


def requester(context: Context) -> str:
    """What is to be done about a request that nothing keeps, by when: the day on which its work was to begin, where that was set."""
    if not context.spec.start:
        return tr("Requester: decide which of the limits may change, and plan again.")
    return tr(
        "Requester: decide by {date}, the first day of the work, which of the limits may change, and plan again.",
        date=long_date(context.start),
    )


def _steps(context: Context, best: Option) -> tuple[str, ...]:
    """Ask, decide, get the hardware, prove the speed: each after what it needs."""
    way, gate = getting(context, best), context.answer.gate
    if gate and gate.pays:
        return (*_measured_first(context, gate), *way.before[-1:], *way.after)
    return (*way.before, _approver(context, way), *way.after, _measured_then(context, best))


def _measured_then(context: Context, best: Option) -> str:
    """The measurement that checks the plan; where nothing can be had for it beforehand, once the hardware is there."""
    gate, printed = context.answer.gate, PRINTED[best.work]
    if gate is not None and gate.told[0].code in _NONE_FIRST:
        return tr(printed.test_there)
    return tr(printed.test)


def _measured_first(context: Context, gate: Gate) -> tuple[str, ...]:
    """The first of two stages, and what decides about the second, in whose steps what is planned is got."""
    fee = context.money.amount(gate.fee)
    return (
        tr("Approver: approve {fee} now to measure first, or all of it at once.", fee=fee),
        tr(
            "Engineering: time {steps} steps on the planned accelerators, and plan again with what was measured.",
            steps=gate.steps,
        )
        if gate.steps
        else tr("Engineering: load-test one replica, and plan again with what was measured."),
        *(tr("Approver: at the gate, {then}.", then=_inside(told(one.told, WHOLE))) for one in gate.ordered),
    )


def _inside(text: str) -> str:
    """The first outcome inside a sentence."""
    return text[:1].lower() + text[1:]


def _approver(context: Context, way: Getting) -> str:
    """By when to decide: before anything is paid, and while its prices hold. Where no start was set the plan begins on the day of the
    request, before which nobody reads it."""
    holds, day = valid_until(context.plan), way.decide
    if context.best and to_confirm(context.plan, context.best):
        words = {"confirmed": confirmed(context, context.best)}
        if not context.spec.start:
            return tr("Approver: approve or return this version once {confirmed}, and set a start.", **words)
        return tr(
            "Approver: approve or return this version once {confirmed}, by {date}, {why}.",
            date=long_date(day),
            why=tr(way.why),
            **words,
        )
    if context.spec.start and (holds is None or holds >= day):
        return tr("Approver: approve or return this version by {date}, {why}.", date=long_date(day), why=tr(way.why))
    if context.spec.start:
        return tr(
            "Approver: approve or return this version by {date}, until which its prices hold; work begins on {begin}.",
            date=long_date(holds or day),
            begin=long_date(context.start),
        )
    if holds is None:
        return tr(
            "Approver: approve or return this version, and set a start; until then every day of waiting moves the dates."
        )
    return tr(
        "Approver: approve or return this version by {date}, until which its prices hold, and set a start; until then every day of "
        "waiting moves the dates.",
        date=long_date(holds),
    )
