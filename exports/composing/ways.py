"""The ways to save a run: side by side in the reports and the workbook, in one line on a slide."""

from __future__ import annotations

from engine.answer import Option
from engine.inputs.finding import Ref
from exports.composing.context import Context, number_cell, text_cell
from exports.composing.words import named
from exports.document import Cell, Column, SavingWay, Table
from exports.numbers import Currency, percent, plural, seconds
from exports.text import upper_first
from exports.wording import mark, tr
from planner.ways import WayLoss, ways_of

_SHORT = {
    "waiting": mark("if training waits for storage"),
    "background": mark("in the background"),
    "two_level": mark("with a copy in another node's memory"),
}
"""By key, where a sentence goes on."""


def ways_table(context: Context, best: Option) -> tuple[Table, ...]:
    """The same run saved in each way, the planned one marked; nothing where there is one only."""
    losses = ways_of(best)
    if not losses:
        return ()
    columns = (
        Column(title=tr("Way"), share=2.4),
        Column(title=tr("Save every"), align="right", share=1.5),
        Column(title=tr("Time lost"), align="right", share=0.8),
        Column(title=tr("Accelerator-hours lost"), align="right", share=1.1),
        Column(title=tr("Cost of them, {code}", code=context.money.code), align="right", share=1.0),
    )
    priced = losses[0].cost is not None
    note = tr("Of one run.")
    if priced:
        note += " " + tr("The cost is what this option pays for the hours that are lost.")
    return (
        Table(
            id="ways",
            caption=tr("Ways to save, each at its best interval"),
            columns=columns if priced else columns[:-1],
            rows=tuple(_row(loss, context.money) for loss in losses),
            highlight=next((index for index, loss in enumerate(losses) if loss.way.chosen), None),
            note=note,
        ),
    )


def _row(loss: WayLoss, money: Currency) -> tuple[Cell, ...]:
    every = tr("{time}, {steps}", time=seconds(loss.way.interval_s), steps=plural(loss.steps, "step"))
    cells = (
        text_cell(_name(loss), "strong" if loss.way.chosen else "plain"),
        text_cell(every),
        number_cell(loss.way.lost_share, percent(loss.way.lost_share)),
        number_cell(loss.accelerator_hours),
    )
    return cells if loss.cost is None else (*cells, number_cell(loss.cost, money.bare(loss.cost)))


def saving_ways(best: Option) -> tuple[SavingWay, ...]:
    """The same for the workbook, as numbers."""
    return tuple(
        SavingWay(
            name=_name(loss),
            interval_s=loss.way.interval_s,
            steps=loss.steps,
            lost_share=loss.way.lost_share,
            accelerator_hours=loss.accelerator_hours,
            cost=loss.cost,
        )
        for loss in ways_of(best)
    )


def _name(loss: WayLoss) -> str:
    """The way in words; that of the plan says so."""
    name = upper_first(named(Ref("word", f"way.{loss.way.key}")))
    return tr("{way} (as planned)", way=name) if loss.way.chosen else name


def ways_line(best: Option) -> str:
    """“Time lost: 4.7% if training waits for storage, as planned; 1.2% in the background”; empty where there is one only."""
    parts = []
    for loss in ways_of(best):
        way = tr(_SHORT[loss.way.key])
        text = tr("{share} {way}", share=percent(loss.way.lost_share), way=way)
        parts.append(tr("{way}, as planned", way=text) if loss.way.chosen else text)
    return tr("Time lost: {ways}", ways="; ".join(parts)) if parts else ""
