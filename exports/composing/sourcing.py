"""How the hardware is had: what stands behind each price, and what to ask the sellers for, by when."""

from __future__ import annotations

from engine.answer import Backing, Certified, PriceStanding
from exports.composing.ask import backing
from exports.composing.context import Context, number_cell, text_cell
from exports.composing.words import told
from exports.document import Block, Bullets, Cell, Column, Paragraph, Section, Table, Tone
from exports.text import CELL_LIMIT, SENTENCE_LIMIT, upper_first
from exports.wording import label, mark, tr

_STANDING: dict[PriceStanding, tuple[str, Tone]] = {
    "quoted": (mark("Quoted and valid"), "good"),
    "public": (mark("Public list price"), "plain"),
    "indicative": (mark("Indication"), "warning"),
}


def sourcing(context: Context) -> Section | None:
    """The chapter; None in plans made before that was kept, and where nothing is rented or bought and nothing paid."""
    parts, steps = context.answer.backing, asked_for(context)
    if not parts and not steps:
        return None
    blocks: list[Block] = [Paragraph(text=backing(context), role="lead")] if parts else []
    if parts:
        blocks.append(_table(context, parts))
    if certified := context.answer.certificates:
        blocks.append(_certificates(context, certified))
    if steps:
        blocks += [Paragraph(text=tr("What to ask for, and by when:")), Bullets(items=steps, ordered=True)]
    return Section(id="sourcing", title=tr("Prices and capacity"), blocks=tuple(blocks))


def _certificates(context: Context, certified: tuple[Certified, ...]) -> Table:
    """Which certificate rests on whose statement; of own rooms, that nobody's covers them."""
    return Table(
        id="certificates",
        caption=tr("Certificates that were asked for, and the statements they rest on"),
        columns=(
            Column(title=tr("Certificate"), share=1.0),
            Column(title=tr("Provider"), share=1.0),
            Column(title=tr("What is covered"), share=2.0),
            Column(title=tr("Source"), share=2.2),
            Column(title=tr("Date"), share=0.8),
        ),
        rows=tuple(_certified(one) for one in certified),
    )


def _certified(one: Certified) -> tuple[Cell, ...]:
    by = {
        "own_site": tr("Own rooms: no provider’s certificate speaks of them, the team’s own has to"),
        "request": tr("Shown to the team, as the request says"),
    }
    return (
        text_cell(one.name),
        text_cell(one.seller or tr("own site")),
        text_cell(by.get(one.by, one.scope)),
        text_cell(one.source),
        text_cell(one.date),
    )


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
        text_cell(label(part.label, 80)),
        number_cell(part.amount, context.money.bare(part.amount)),
        Cell(text=tr(words), tone=tone),
        Cell(text=upper_first(told(part.told, CELL_LIMIT))),
    )
