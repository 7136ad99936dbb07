"""The price of certainty as a short table of a document."""

from __future__ import annotations

from engine.answer import Certainty
from exports.composing.context import Context, text_cell
from exports.composing.words import told
from exports.document import Cell, Column, Table
from exports.numbers import days, percent
from exports.text import upper_first
from exports.wording import tr


def certainty_table(context: Context) -> Table | None:
    """What each degree of confidence costs, and what buys the step; None in plans from before it was kept."""
    rows = tuple(one for one in context.answer.certainty if not one.between)
    if not rows:
        return None
    ends = any(one.days is not None for one in rows)
    time = (Column(title=tr("Done within"), share=1.0, align="right"),) if ends else ()
    return Table(
        id="certainty",
        caption=tr("What more certainty costs, and what buys it"),
        columns=(
            Column(title=tr("This sure"), share=1.3),
            Column(title=tr("Costs at most, {code}", code=context.money.code), share=1.2, align="right"),
            *time,
            Column(title=tr("What buys the step"), share=3.5),
        ),
        rows=tuple(_row(context, one, ends=ends) for one in rows),
        highlight=next((at for at, one in enumerate(rows) if one.asked), None),
        note=tr("Each row is what it takes to be that sure. Rows beyond 90% are extrapolated."),
    )


def _row(context: Context, one: Certainty, *, ends: bool) -> tuple[Cell, ...]:
    level = percent(one.confidence)
    name = tr("{level}, as asked", level=level) if one.asked else level
    if one.extrapolated:
        name = tr("{level}, extrapolated", level=name)
    cost = Cell(text="–") if one.cost is None else Cell(text=context.money.bare(one.cost), value=one.cost)
    time = Cell(text="–") if one.days is None else Cell(text=days(one.days), value=one.days)
    change = text_cell(upper_first("; ".join(told(item) for item in one.change)) or "–")
    return (Cell(text=name), cost, *((time,) if ends else ()), change)
