"""How a service stands by while hosts and sites fail: a normal day, the worst one, and every pattern with its price."""

from __future__ import annotations

from engine.answer import Option, PatternCost, ServingResult, Standing
from engine.inputs.finding import Quantity, Ref
from engine.inputs.spec import Operations
from exports.composing.context import Context, text_cell
from exports.composing.words import named, told, voice
from exports.document import Block, Cell, Column, Fact, Paragraph, Section, Table, Tone
from exports.numbers import whole
from exports.text import upper_first
from exports.wording import tr
from planner.standing import StandingRow, keeping_sentence, standing_rows, standing_sentence
from voice.speech import write

SPARED = "reason.spared"


def standing_fact(best: Option) -> tuple[Fact, ...]:
    """For page 1: how it stands by, where that is not as it is by itself, not enough, or more than the asked availability takes."""
    standing = best.standing
    if standing is None:
        return ()
    if standing.holds and standing.pattern == Operations().pattern:
        spared = next((one for one in best.reasons if one.code.startswith(SPARED)), None)
        return (Fact(key="standing", label=tr("Availability"), text=told(spared, 300)),) if spared else ()
    ways = [told(one, 250) for one in best.warnings if one.code.startswith("warning.unavailable.")]
    text = " ".join([told(standing_sentence(standing), 300), *ways])
    tone: Tone = "plain" if standing.holds else "warning"
    return (Fact(key="standing", label=tr("Availability"), text=text, tone=tone),)


def standing_section(context: Context, serving: ServingResult) -> tuple[Section, ...]:
    """The section; nothing for a batch, and in plans from before it was kept."""
    standing = serving.standing
    if standing is None:
        return ()
    said = (standing_sentence(standing), keeping_sentence(standing, context.money.code))
    text = " ".join(told(one) for one in said if one)
    blocks: list[Block] = [Paragraph(text=text), _days(standing)]
    if standing.patterns:
        blocks.append(_patterns(context, standing))
    return (Section(id="standing", title=tr("A normal day and the worst"), blocks=tuple(blocks)),)


def _days(standing: Standing) -> Table:
    return Table(
        id="standing",
        caption=tr("What is served while something is down"),
        columns=(
            Column(title=tr("Day"), share=1.3),
            Column(title=tr("How often"), share=1.4),
            Column(title=tr("Served of the peak"), share=1.9),
            Column(title=tr("All of it again"), share=1.8),
        ),
        rows=tuple(_day(row) for row in standing_rows(standing)),
        note=tr(
            "How often and how long are assumptions (“standby”), each with its range and source. Each replica counts up to the load at "
            "which it is planned; availability counts a time in which replicas of the peak are missing."
        ),
    )


def _day(row: StandingRow) -> tuple[Cell, ...]:
    return tuple(text_cell(upper_first(told(part))) for part in (row.case, row.often, row.served, row.until))


def _patterns(context: Context, standing: Standing) -> Table:
    return Table(
        id="patterns",
        caption=tr("Patterns on the same hardware"),
        columns=(
            Column(title=tr("Stands by"), share=2.6),
            Column(title=tr("Accelerators"), share=0.9, align="right"),
            Column(title=tr("All of the load is served"), share=1.1, align="right"),
            Column(title=tr("Cost, {code}", code=context.money.code), share=1.1, align="right"),
        ),
        rows=tuple(_pattern(context, one) for one in standing.patterns),
        highlight=next((at for at, one in enumerate(standing.patterns) if one.chosen), None),
        note=tr(
            "Two sites are priced with the cheapest other place in the same country, else in the same part of the world, else "
            "anywhere; a dash: no other place was found that has as many of the accelerator on these terms and within these limits."
        ),
    )


def _pattern(context: Context, one: PatternCost) -> tuple[Cell, ...]:
    name = upper_first(named(Ref("word", f"pattern.{one.pattern}")))
    cost = one.pattern_cost
    return (
        text_cell(tr("{name}, as planned", name=name) if one.chosen else name),
        Cell(text=whole(one.accelerators), value=float(one.accelerators)),
        Cell(
            text=write(Quantity(one.availability, "availability"), voice()),
            value=one.availability,
            tone="plain" if one.holds or cost is None else "warning",
        ),
        Cell(text="–") if cost is None else Cell(text=context.money.bare(cost), value=cost),
    )
