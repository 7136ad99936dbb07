"""What each figure of the recommended option rests on: a table, and below it the measurements that come nearest."""

from __future__ import annotations

from engine.answer import Basis, Option
from engine.inputs.finding import Ref
from exports.composing.context import text_cell
from exports.composing.words import named, told
from exports.document import Block, Bullets, Cell, Column, Paragraph, Section, Table
from exports.text import upper_first
from exports.wording import tr

_LONGEST = 400


def basis(best: Option | None) -> Section | None:
    """The section; None where nothing is recommended, and in plans made before it was kept."""
    if best is None or not best.basis:
        return None
    table = Table(
        id="basis",
        caption=tr("What each figure rests on"),
        columns=(
            Column(title=tr("Figure"), share=0.8),
            Column(title=tr("Known how"), share=1.1),
            Column(title=tr("From"), share=3.0),
        ),
        rows=tuple(_row(one) for one in best.basis),
    )
    return Section(id="basis", title=tr("What each figure rests on"), blocks=(table, *_nearest(best)))


def _row(one: Basis) -> tuple[Cell, ...]:
    return (
        text_cell(upper_first(named(Ref("word", f"basis.{one.of}"))), "strong"),
        text_cell(upper_first(named(Ref("word", f"level.{one.level}")))),
        Cell(text=told(one.told, _LONGEST)),
    )


def _nearest(best: Option) -> tuple[Block, ...]:
    rows = tuple(told(row, _LONGEST) for one in best.basis for row in one.rows)
    if not rows:
        return ()
    return Paragraph(text=tr("The published measurements that come nearest to the speed:")), Bullets(items=rows)
