"""Risks and sensitivities, and the operational approach."""

from __future__ import annotations

from exports.composing.context import Context, figure, framework, text_cell
from exports.composing.decision import driver_text
from exports.composing.hazards import HAZARD_LABELS, Hazard, flip_text, hazards
from exports.composing.words import engine_text
from exports.document import Block, Bullets, Callout, Cell, Column, Paragraph, Section, Table
from exports.numbers import band, chance, plural
from exports.text import clean_text
from planner.chart_builders import tornado
from planner.engine.result import Driver, Option

MOST_DRIVERS = 12


def risks(context: Context, best: Option) -> Section:
    """The chapter."""
    blocks: list[Block] = [Paragraph(text=_lead(context, best), role="lead")]
    chart = figure(tornado(context.answer.drivers, best.cost.total.expected), context.money)
    if chart:
        blocks += [chart, _drivers_table(context)]
    sections = (_flips(context), _warnings(context, best))
    return Section(
        id="risks", title="Risks and sensitivities", blocks=tuple(blocks), sections=tuple(s for s in sections if s)
    )


def _lead(context: Context, best: Option) -> str:
    parts = []
    if best.probability_in_time is not None and context.spec.constraints.deadline_days:
        parts.append(f"The deadline holds with a probability of {chance(best.probability_in_time)}")
    if best.probability_in_budget is not None and context.spec.constraints.budget_usd:
        start = "the budget" if parts else "The budget"
        parts.append(
            f"{start} with {chance(best.probability_in_budget)}"
            if parts
            else f"{start} holds with a probability of {chance(best.probability_in_budget)}"
        )
    text = (
        " and ".join(parts) + "."
        if parts
        else "Every number in this plan carries an 80% band: in eight of ten cases the outcome should lie inside."
    )
    first = context.answer.drivers[:1]
    return f"{text} The input that matters most: {driver_text(first[0], context)}." if first else text


def _drivers_table(context: Context) -> Table:
    money = context.money
    rows = context.answer.drivers[:MOST_DRIVERS]
    hidden = len(context.answer.drivers) - len(rows)
    return Table(
        id="drivers",
        caption="How far the total moves when one input moves over its range",
        columns=(
            Column(title="Input", share=2.2),
            Column(title="Range", share=1.2),
            Column(title="Unit", share=0.8),
            Column(title=f"Low end, {money.code}", align="right"),
            Column(title=f"High end, {money.code}", align="right"),
        ),
        rows=tuple(_driver_row(context, row) for row in rows),
        note=f"{plural(hidden, 'further input')} with less effect in the workbook." if hidden else "",
    )


def _driver_row(context: Context, row: Driver) -> tuple[Cell, ...]:
    def change(usd: float) -> Cell:
        return Cell(text=("+" if usd > 0 else "") + context.money.bare(usd), value=usd)

    ends = band(row.low_value, row.high_value)
    return (text_cell(row.label), text_cell(ends), text_cell(row.unit), change(row.low_usd), change(row.high_usd))


def _flips(context: Context) -> Section | None:
    if not context.answer.flips:
        return None
    items = tuple(f"{flip_text(flip)}." for flip in context.answer.flips[:8])
    lead = Paragraph(text="The recommendation changes when one of these thresholds is crossed:")
    return Section(id="flips", title="What would change the recommendation", blocks=(lead, Bullets(items=items)))


def _warnings(context: Context, best: Option) -> Section | None:
    """Weaknesses that the engine names, then what each hazard would mean in the plan's own numbers."""
    texts = tuple(dict.fromkeys(engine_text(text, 300) for text in (*best.warnings, *context.answer.warnings)))[:10]
    blocks: list[Block] = [Callout(title="Known weakness", text=text, tone="warning") for text in texts[:1]]
    if texts[1:]:
        blocks.append(Bullets(items=texts[1:]))
    rows = [row for row in hazards(context, best) if row.kind not in {"weakness", "choice"}]
    if rows:
        blocks.append(_hazards_table(rows))
    return Section(id="warnings", title="What could go wrong", blocks=tuple(blocks)) if blocks else None


def _hazards_table(rows: list[Hazard]) -> Table:
    return Table(
        id="hazards",
        caption="What could go wrong, and what it would mean; the costliest first",
        columns=(Column(title="Hazard", share=1.0), Column(title="What it would mean", share=4.0)),
        rows=tuple(
            (Cell(text=HAZARD_LABELS[row.kind].removeprefix("Risk: ").capitalize(), tone="strong"), Cell(text=row.text))
            for row in rows
        ),
    )


def operations(context: Context) -> Section | None:
    """How the work will be run: each choice with the rule behind it; None without advice."""
    advice = context.answer.advice
    if not advice:
        return None
    asked = context.spec.operations
    who = {"team": "the team itself", "platform": "the platform group", "vendor": "the vendor"}[asked.operator]
    call = "somebody is on call" if asked.on_call else "nobody is on call"
    rules = (
        f" These rules apply: {', '.join(clean_text(rule, 40) for rule in asked.security)}." if asked.security else ""
    )
    lead = f"The work is operated by {who}; {call}.{rules} Each choice below follows from a rule that can be looked up."
    table = Table(
        id="operations",
        caption="Operational choices, with reason and rule",
        columns=(
            Column(title="Topic", share=0.9),
            Column(title="Choice", share=1.7),
            Column(title="Reason", share=2.8),
            Column(title="Rule", share=1.1),
        ),
        rows=tuple(
            (
                text_cell(item.topic, "strong"),
                Cell(text=engine_text(framework(item.choice) if item.topic == "Framework" else item.choice, 300)),
                Cell(text=engine_text(item.reason, 500)),
                text_cell(item.rule, "muted"),
            )
            for item in advice[:40]
        ),
    )
    return Section(id="operations", title="Operations", blocks=(Paragraph(text=lead, role="lead"), table))
