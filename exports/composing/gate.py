"""What is measured before the money: a row of page 1 and the first of the next steps where it pays, and a table among the risks."""

from __future__ import annotations

from engine.answer import Gate, Outcome
from engine.inputs.finding import Finding
from exports.composing.context import Context, text_cell
from exports.composing.words import told
from exports.document import Block, Cell, Column, Fact, Paragraph, Table
from exports.numbers import chance, percent, significant
from exports.text import upper_first
from exports.wording import tr

_MOST = 3
"""Results that page 1 has room for."""
WHOLE = 1200
"""Letters that a gate may take to be told: a result that is left out would be an order that nobody gives."""


def gate_fact(context: Context) -> tuple[Fact, ...]:
    """What is approved now and what follows from it; none where measuring first does not pay."""
    gate = context.answer.gate
    if gate is None or not gate.pays:
        return ()
    then = told(gate.then, WHOLE) if len(gate.outcomes) <= _MOST else _between(context, gate)
    text = f"{told(gate.told[0], WHOLE)} {then}"
    return (Fact(key="gate", label=tr("Two stages"), text=text, tone="strong"),)


def _between(context: Context, gate: Gate) -> str:
    """What many results release at least and at most: page 1 has no room for each."""
    sums = [0.0 if _anew(one) else one.authorised for one in gate.outcomes]
    if not min(sums):
        return tr(
            "By what is measured, up to {most} is authorised then, or nothing: each of the {count} results stands under Risks.",
            most=context.money.amount(max(sums)),
            count=len(sums),
        )
    return tr(
        "By what is measured, {least} to {most} is authorised then: each of the {count} results stands under Risks.",
        least=context.money.amount(min(sums)),
        most=context.money.amount(max(sums)),
        count=len(sums),
    )


def gate_blocks(context: Context) -> tuple[Block, ...]:
    """The same with how likely each result is and what that is worth; else why nothing is measured first."""
    gate = context.answer.gate
    if gate is None:
        return ()
    if not gate.pays:
        return (Paragraph(text=" ".join(told(one, WHOLE) for one in gate.told)),)
    table = Table(
        id="gate",
        caption=tr("What is measured first decides"),
        columns=(
            Column(title=tr("What is measured"), share=4.0),
            Column(title=tr("How likely"), share=0.8, align="right"),
            Column(title=tr("To authorise then, {code}", code=context.money.code), share=1.2, align="right"),
        ),
        rows=tuple(_row(context, one) for one in gate.ordered),
        note=f"{told(gate.told[-1], WHOLE)}{_why_so_much(context, gate)}",
    )
    return (Paragraph(text=told(gate.told[0], WHOLE)), table)


def _anew(one: Outcome) -> bool:
    """Does that result release nothing, since what it would take binds far more than the plan?"""
    what = one.told.values.get("what")
    return isinstance(what, Finding) and what.code == "gate.take.signed"


def _why_so_much(context: Context, gate: Gate) -> str:
    """How the rate of a load test that releases what is planned comes about: of a service it is more than its part of the peak."""
    best, asked = context.answer.recommended, context.spec.serving
    result = best.serving if best else None
    each = asked.requests_per_s / result.replicas if asked and asked.promised and result else 0.0
    least = next((one.low for one in gate.outcomes if best and one.option_id == best.id), None)
    if result is None or not each or least is None or least <= each:
        return ""
    told_ = tr(
        "At the stated peak each of {replicas} replicas is asked for {each} a second; the rate that is to be measured is {more} higher, "
        "since the peak and a measurement are known only so well. A test finds the rate at which the promise just holds; the plan gives a "
        "replica less, so that it holds as surely as planned.",
        replicas=result.replicas,
        each=significant(each),
        more=percent(least / each - 1.0),
    )
    return f" {told_}"


def _row(context: Context, one: Outcome) -> tuple[Cell, ...]:
    sum_ = (
        Cell(text=context.money.bare(one.authorised), value=one.authorised)
        if one.option_id and not _anew(one)
        else Cell(text="–")
    )
    return (text_cell(upper_first(told(one.told))), Cell(text=chance(one.chance), value=one.chance), sum_)
