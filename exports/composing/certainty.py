"""The price of certainty as a short table of a document."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from engine.answer import Certainty, Chance, Option
from exports.composing.context import Context, text_cell
from exports.composing.words import told
from exports.document import Cell, Column, Fact, Table
from exports.numbers import chance, days, percent
from exports.text import CELL_LIMIT, upper_first
from exports.wording import mark, tr
from planner.promises import asked_confidence

_LESS, _MORE = 0.6, 0.95
"""What page 1 tells beside what was asked for: who could live with less, and who wants more."""
_LIMITS: Final = {
    "deadline": mark("the deadline"),
    "budget": mark("the budget"),
    "promise": mark("the promised latency"),
    "memory": mark("fitting into memory"),
    "capacity": mark("the peak load"),
}
_ALONE: Final = {
    "deadline": mark("{chance} that the deadline holds, the only limit; asked: {asked}."),
    "budget": mark("{chance} that the budget holds, the only limit; asked: {asked}."),
    "promise": mark("{chance} that the promised latency is kept, the only limit; asked: {asked}."),
    "memory": mark("{chance} that it fits into memory, which alone could fail; asked: {asked}."),
    "capacity": mark("{chance} that the peak load is carried, the only limit; asked: {asked}."),
}


def certainty_fact(context: Context, best: Option) -> tuple[Fact, ...]:
    """How surely all limits hold, which fails first, and what less and more certainty cost; none in plans from before it was kept."""
    found, asked = best.chance, asked_confidence(context.spec)
    if found is None:
        return ()
    rows = {one.confidence: one for one in context.answer.certainty}
    others = [_other(context, rows[level], best) for level in (_LESS, _MORE) if level in rows and level != asked]
    text = upper_first(" ".join((_holds(found, asked), *others)))
    return (Fact(key="certainty", label=tr("How sure"), text=text, tone="plain" if found.all >= asked else "warning"),)


def _holds(found: Chance, asked: float) -> str:
    """“97% that all limits hold, asked 80%; the deadline fails first (98%).”"""
    alone = {one.name: getattr(found, one.name) for one in fields(found) if one.name in _LIMITS}
    known = {name: value for name, value in alone.items() if value is not None}
    words = {"chance": chance(found.all), "asked": percent(asked)}
    if not known:
        return tr("No limit is set that could fail; its cost is told at {asked}.", **words)
    weakest = min(known, key=lambda name: known[name])
    if len(known) == 1:
        return tr(_ALONE[weakest], **words)
    limit, alone_chance = tr(_LIMITS[weakest]), chance(known[weakest])
    return tr(
        "{chance} that all limits hold, asked: {asked}; {limit} fails first (holds {alone}).",
        limit=limit, alone=alone_chance, **words,
    )  # fmt: skip


def _other(context: Context, one: Certainty, best: Option) -> str:
    """“At 60%: at most USD 41,000, 12 days, on 8 × H100 …”; what it runs on is not said again where it is the same."""
    words = {"level": percent(one.confidence)}
    if one.cost is None:
        return tr("At {level}: nothing in the catalog is so sure.", **words)
    words["cost"] = context.money.amount(one.cost)
    parts = [tr("at most {cost}", **words)]
    if one.days is not None:
        parts.append(tr("done within {days}", days=days(one.days)))
    if one.option_id == best.id:
        parts.append(tr("same hardware"))
    elif one.hardware is not None:
        parts.append(told(one.hardware, CELL_LIMIT))
    text = tr("At {level}: {parts}.", parts=", ".join(parts), **words)
    return text if not one.extrapolated else tr("At {level}, extrapolated: {parts}.", parts=", ".join(parts), **words)


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
