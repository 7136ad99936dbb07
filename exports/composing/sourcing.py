"""How the hardware is had: what stands behind each price, and what to ask the sellers for, by when."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Backing, PriceStanding
from exports.composing.ask import backing, backing_in_short
from exports.composing.context import Context, number_cell, text_cell
from exports.composing.words import told
from exports.document import Block, Bullets, Cell, Column, Fact, Paragraph, Section, Table, Tone
from exports.text import CELL_LIMIT, SENTENCE_LIMIT, clean_text, upper_first
from exports.wording import mark, tr

_STANDING: dict[PriceStanding, tuple[str, Tone]] = {
    "quoted": (mark("Quoted and valid"), "good"),
    "public": (mark("Public list price"), "plain"),
    "indicative": (mark("Indication"), "warning"),
}


def rests_beside(context: Context, cost: Fact) -> Fact:
    """The row of the cost on page 1, which has no room for another row, with what its prices rest on."""
    text = backing_in_short(context)
    return replace(cost, text=f"{cost.text} {text}") if text else cost


def sourcing(context: Context) -> Section | None:
    """The chapter; None in plans made before that was kept, and where nothing is rented or bought and nothing paid."""
    parts, steps = context.answer.backing, asked_for(context)
    if not parts and not steps:
        return None
    blocks: list[Block] = [Paragraph(text=backing(context), role="lead")] if parts else []
    if parts:
        blocks.append(_table(context, parts))
    if steps:
        blocks += [Paragraph(text=tr("What to ask for, and by when:")), Bullets(items=steps, ordered=True)]
    return Section(id="sourcing", title=tr("Prices and capacity"), blocks=tuple(blocks))


def asked_for(context: Context) -> tuple[str, ...]:
    """What to ask the sellers for, the earliest first."""
    return tuple(told(step, SENTENCE_LIMIT) for step in context.answer.obtaining)


def _table(context: Context, parts: tuple[Backing, ...]) -> Table:
    return Table(
        id="backing",
        caption=tr("What stands behind each price"),
        columns=(
            Column(title=tr("Part"), share=1.6),
            Column(title=tr("Paid, {code}", code=context.money.code), align="right", share=0.9),
            Column(title=tr("Price"), share=1.1),
            Column(title=tr("Why"), share=2.6),
        ),
        rows=tuple(_row(context, part) for part in parts),
    )


def _row(context: Context, part: Backing) -> tuple[Cell, ...]:
    words, tone = _STANDING[part.standing]
    return (
        text_cell(clean_text(part.label, 80)),
        number_cell(part.amount, context.money.bare(part.amount)),
        Cell(text=tr(words), tone=tone),
        Cell(text=upper_first(told(part.told, CELL_LIMIT))),
    )
