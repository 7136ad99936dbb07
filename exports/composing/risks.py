"""Risks and sensitivities, and the operational approach."""

from __future__ import annotations

from charts.chart import Chart
from engine.answer import CostInput, CostModel, Driver, Option
from engine.inputs.currency import in_unit, is_dollars
from engine.inputs.finding import Ref
from engine.inputs.spec import Operations
from exports.composing.certainty import certainty_table
from exports.composing.context import Context, figure, text_cell
from exports.composing.drivers import driver_text
from exports.composing.gate import gate_blocks
from exports.composing.hazards import flip_text, near_flips, weaknesses
from exports.composing.risk_rows import risk_table
from exports.composing.words import named, told, voice
from exports.document import Block, Bullets, Callout, Cell, Column, Paragraph, Section, Table
from exports.numbers import chance, input_band, input_value, plural, unit_of
from exports.text import SENTENCE_LIMIT, clean_text
from exports.wording import label, tr
from planner.asked.besides import RULES
from planner.charting.money import tornado
from planner.money import Ends, ends

MOST_DRIVERS = 12
MOST_ENDS = 6
"""Inputs in the table of what they are together; the workbook has all."""


def risks(context: Context, best: Option) -> Section:
    """The chapter."""
    blocks: list[Block] = [Paragraph(text=_lead(context, best), role="lead")]
    chart = figure(drivers_chart(context, best))
    certain = certainty_table(context)
    if certain:
        blocks.append(certain)
    blocks += gate_blocks(context)
    if chart:
        blocks += [chart, _drivers_table(context)]
    blocks += filter(None, [_ends_table(context, best)])
    sections = (_flips(context), _warnings(context, best))
    return Section(
        id="risks", title=tr("Risks and sensitivities"), blocks=tuple(blocks), sections=tuple(s for s in sections if s)
    )


def drivers_chart(context: Context, best: Option, most: int = 8) -> Chart | None:
    """How far each input moves the total, an instance called one; None without inputs that move it."""
    return tornado(context.answer.drivers, best.cost.total, voice(), most)


def _lead(context: Context, best: Option) -> str:
    text, first = _chances(context, best), context.answer.drivers[:1]
    if not first:
        return text
    return f"{text} {tr('The input that matters most is {driver}.', driver=driver_text(first[0], context))}"


def _chances(context: Context, best: Option) -> str:
    """How likely deadline and budget hold, where there are any."""
    limits = context.spec.constraints
    time = chance(best.probability_in_time) if best.probability_in_time is not None and context.deadline_days else ""
    money = chance(best.probability_in_budget) if best.probability_in_budget is not None and limits.budget_usd else ""
    if time and money:
        return tr(
            "The deadline holds with a probability of {time} and the budget with {money}.", time=time, money=money
        )
    if time:
        return tr("The deadline holds with a probability of {chance}.", chance=time)
    if money:
        return tr("The budget holds with a probability of {chance}.", chance=money)
    return tr("Every number in this plan carries an 80% band: in eight of ten cases the outcome should lie inside.")


def _drivers_table(context: Context) -> Table:
    money = context.money
    rows = context.answer.drivers[:MOST_DRIVERS]
    hidden = len(context.answer.drivers) - len(rows)
    return Table(
        id="drivers",
        caption=tr("How far the total moves when one input moves over its range"),
        columns=(
            Column(title=tr("Input"), share=2.2),
            Column(title=tr("Range"), share=1.2),
            Column(title=tr("Unit"), share=0.8),
            Column(title=tr("Low end, {code}", code=money.code), align="right"),
            Column(title=tr("High end, {code}", code=money.code), align="right"),
        ),
        rows=tuple(_driver_row(context, row) for row in rows),
        note=tr("{inputs} with less effect in the workbook.", inputs=plural(hidden, "further input")) if hidden else "",
    )


def _driver_row(context: Context, row: Driver) -> tuple[Cell, ...]:
    def change(amount: float) -> Cell:
        text = context.money.bare(amount)
        return Cell(text=f"+{text}" if amount > 0 and text != "0" else text, value=amount)

    ends = input_band(row.low_value, row.high_value, row.unit)
    return (
        text_cell(label(row.label)),
        text_cell(ends),
        text_cell(unit_of(row.unit)),
        change(row.low_change),
        change(row.high_change),
    )


def _ends_table(context: Context, best: Option) -> Table | None:
    """What inputs are together where the total is its P10 and its P90; None where fewer than two differ from the plan, or none reach it."""
    found, model = ends(context.plan), best.cost.model
    if found is None:
        return None
    moved = [item for item in model.inputs if item.name in found.low or item.name in found.high]
    moved.sort(
        key=lambda item: -abs(found.high.get(item.name, item.value) - found.low.get(item.name, item.value)) / item.high
    )
    if len(moved) < 2:
        return None
    money, total = context.money, best.cost.total
    rows = [_end_row(item, found, model) for item in moved[:MOST_ENDS]]
    sums = (
        text_cell(tr("Total cost")),
        text_cell(money.code),
        *(Cell(text=money.bare(end), value=end, tone="strong") for end in (total.low, total.expected, total.high)),
    )
    return Table(
        id="ends",
        caption=tr("Inputs that together make the total its P10 and its P90"),
        columns=(
            Column(title=tr("Input"), share=2.2),
            Column(title=tr("Unit"), share=0.8),
            Column(title=tr("At P10"), align="right"),
            Column(title=tr("In the plan"), align="right"),
            Column(title=tr("At P90"), align="right"),
        ),
        rows=(*rows, sums),
        total=True,
        note=tr(
            "Their mean where the total is so low or so high, not the ends of their own ranges; all others stay as in the plan."
        ),
    )


def _end_row(item: CostInput, found: Ends, model: CostModel) -> tuple[Cell, ...]:
    scale = model.per_usd if is_dollars(item.unit) else 1.0
    unit = in_unit(item.unit, model.currency)
    ends_ = (found.low.get(item.name, item.value), item.value, found.high.get(item.name, item.value))
    cells = (Cell(text=input_value(value * scale, unit, computed=True), value=value * scale) for value in ends_)
    return text_cell(label(item.label)), text_cell(unit_of(unit)), *cells


def _flips(context: Context) -> Section | None:
    items = tuple(f"{flip_text(flip, context)}." for flip in near_flips(context)[:8])
    if not items:
        return None
    lead = Paragraph(text=tr("The recommendation changes when one of these thresholds is crossed:"))
    return Section(id="flips", title=tr("What would change the recommendation"), blocks=(lead, Bullets(items=items)))


def _warnings(context: Context, best: Option) -> Section | None:
    """Weaknesses that the engine names, then each risk with its chance, its money and its owner."""
    texts = weaknesses(context, best, SENTENCE_LIMIT)[:10]
    blocks: list[Block] = [Callout(title=tr("To be checked"), text=text, tone="warning") for text in texts[:1]]
    if texts[1:]:
        blocks.append(Bullets(items=texts[1:]))
    table = risk_table(context, best)
    if table:
        blocks.append(table)
    return Section(id="warnings", title=tr("What could go wrong"), blocks=tuple(blocks)) if blocks else None


def _on_call(asked: Operations) -> str:
    """Who answers when, as far as the request says."""
    if asked.hours == "office":
        return tr("somebody answers in office hours, and the cost holds it")
    if asked.hours == "24x7":
        return tr("somebody answers around the clock, and the cost holds it")
    if asked.on_call:
        return tr("somebody is on call, as the request says, which the cost does not hold")
    return tr("the request names nobody on call")


def operations(context: Context) -> Section | None:
    """How the work will be run: each choice with the rule behind it; None without advice."""
    advice = context.answer.advice
    if not advice:
        return None
    asked = context.spec.operations
    who = {"team": tr("the team itself"), "platform": tr("the platform group"), "vendor": tr("the vendor")}[
        asked.operator
    ]
    call = _on_call(asked)
    rules = (
        " "
        + tr(
            "These rules apply: {rules}.",
            rules=", ".join(clean_text(RULES.get(rule, rule), 40) for rule in asked.security),
        )
        if asked.security
        else ""
    )
    lead = tr(
        "The work is operated by {who}; {call}.{rules} Each choice below names the rule that it follows from.",
        who=who,
        call=call,
        rules=rules,
    )
    table = Table(
        id="operations",
        caption=tr("Operational choices, with reason and rule"),
        columns=(
            Column(title=tr("Topic"), share=0.8),
            Column(title=tr("Choice"), share=1.6),
            Column(title=tr("Reason"), share=3.6),
            Column(title=tr("Rule"), share=1.0),
        ),
        rows=tuple(
            (
                text_cell(named(Ref("topic", item.topic)), "strong"),
                Cell(text=told(item.choice, 300)),
                Cell(text=told(item.reason, 900)),
                text_cell(item.rule, "muted"),
            )
            for item in advice[:40]
        ),
    )
    return Section(id="operations", title=tr("Operations"), blocks=(Paragraph(text=lead, role="lead"), table))
