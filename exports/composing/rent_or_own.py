"""The ways of having accelerators side by side: one row for each, and below them what follows."""

from __future__ import annotations

from engine.inputs.finding import Finding
from exports.composing.context import Context, number_cell, option_name, seller, text_cell
from exports.composing.words import named, told
from exports.document import Cell, Column, Table
from exports.having import TITLES
from exports.numbers import chance, long_date, percent
from exports.text import upper_first
from exports.wording import tr
from planner.rent_or_own import Considered, Way, called, comparison, even_use_of, payback_of

NONE = "–"


def side_by_side(context: Context) -> tuple[Table, ...]:
    """All ways that the plan knows; nothing where there is one only."""
    found = comparison(context.plan)
    if found is None:
        return ()
    money, against = context.money, found.against
    note = tr(
        "Signed and paid are whole; present values, on {day} at {rate} a year, are of the part that this work carries. Payback, rate of "
        "return and break-even are held against {other}.",
        day=long_date(found.as_of),
        rate=percent(found.rate),
        other=named(called(against)),
    )
    columns = (
        Column(title=tr("Way"), share=2.4),
        Column(title=tr("Signed"), align="right", share=1.0),
        Column(title=tr("Paid"), align="right", share=1.0),
        Column(title=tr("Present value"), align="right", share=1.0),
        Column(title=tr("Saved against the plan"), align="right", share=1.0),
        Column(title=tr("Payback"), align="right", share=0.9),
        Column(title=tr("Rate of return"), align="right", share=0.8),
        Column(title=tr("Break-even use"), align="right", share=0.8),
        Column(title=tr("Keeps all limits"), align="right", share=0.8),
    )
    return (
        Table(
            id="rent-or-own",
            caption=tr("Ways of having the hardware side by side, {code}", code=money.code),
            columns=columns,
            rows=tuple(_row(context, one, against) for one in found.ways),
            highlight=next((index for index, one in enumerate(found.ways) if one.chosen), None),
            note=" ".join((*(told(item) for item in found.told), note)),
        ),
    )


def _row(context: Context, one: Considered, against: Way) -> tuple[Cell, ...]:
    money = context.money
    name = tr(TITLES[one.way])
    if one.option is not None:
        named_so = option_name(one.option) + (f" {seller(one.option)}" if one.option.offer else "")
        name = f"{name}: {named_so}"
    return (
        text_cell(upper_first(name), "strong" if one.chosen else "plain"),
        *(number_cell(value, money.bare(value)) for value in (one.committed, one.cash, one.npv)),
        text_cell(NONE) if one.chosen else number_cell(one.saved, money.bare(one.saved)),
        _said(payback_of(one, against), one.payback),
        text_cell(NONE) if one.irr is None else number_cell(one.irr, percent(one.irr)),
        _said(even_use_of(one), one.even_use),
        text_cell(NONE) if one.chance is None else number_cell(one.chance, chance(one.chance, down=True)),
    )


def _said(found: Finding | None, value: float | None) -> Cell:
    """What is found, with the number that it speaks of where it is one."""
    if found is None:
        return text_cell(NONE)
    if value is None or found.code == "ways.never":
        return text_cell(told(found))
    return number_cell(value, told(found))
