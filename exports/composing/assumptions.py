"""What a plan assumes: of some four hundred coefficients those that its own numbers name, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Protocol

from engine.answer import Estimate, Part
from engine.inputs.finding import Finding
from engine.inputs.origin import Origin
from exports.composing.context import Context, text_cell
from exports.document import Cell, Column, Paragraph, Section, Table
from exports.numbers import input_band, input_value, plural, unit_of
from exports.text import percents, upper_first
from exports.wording import label, sourced, tr

MOST_ASSUMPTIONS = 30
"""Rows in Word and PDF; the workbook lists all."""

_MEANING = "assumption."
"""What the code of what an assumption means begins with."""


class Ranged(Protocol):
    """A value with the ends between which it may lie: an assumption, or an input of the cost model."""

    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def unit(self) -> str: ...
    @property
    def source(self) -> Origin: ...


class Known(Ranged, Protocol):
    """An assumption as a plan holds it."""

    @property
    def id(self) -> str: ...
    @property
    def told(self) -> Finding: ...


def range_of(item: Ranged, scale: float = 1.0, unit: str = "") -> str:
    """Between which values it may lie, in units of `scale`; “fixed” where it has no range."""
    if item.low == item.high:
        return tr("fixed")
    return input_band(item.low / scale, item.high / scale, unit or item.unit)


def assumptions(context: Context) -> Section | None:
    """The section with the assumptions that matter here; None without any."""
    every = context.answer.assumptions
    if not every:
        return None
    rows = leading(context)[:MOST_ASSUMPTIONS]
    hidden = len(every) - len(rows)
    if not rows:
        words = tr(
            "The workbook lists {assumptions}, each with its range and source.",
            assumptions=plural(hidden, "assumption"),
        )
        return Section(id="assumptions", title=tr("Assumptions"), blocks=(Paragraph(text=words),))
    table = Table(
        id="assumptions",
        caption=tr("Assumptions on which the numbers of this plan rest most"),
        columns=(
            Column(title=tr("Assumption"), share=2.4),
            Column(title=tr("Value"), align="right", share=0.8),
            Column(title=tr("Range"), align="right", share=1.0),
            Column(title=tr("Unit"), share=0.7),
            Column(title=tr("Source"), share=2.0),
        ),
        rows=tuple(_row(item) for item in rows),
        note=tr("The workbook lists {assumptions}.", assumptions=plural(hidden, "further assumption"))
        if hidden
        else "",
    )
    return Section(id="assumptions", title=tr("Assumptions"), blocks=(table,))


def _row(item: Known) -> tuple[Cell, ...]:
    scale, unit = _scale(item)
    return (
        text_cell(upper_first(label(item.told))),
        Cell(text=input_value(item.value / scale, unit), value=item.value),
        text_cell(range_of(item, scale, unit)),
        text_cell(unit_of(unit)),
        Cell(text=percents(sourced(item.source, 300))),
    )


def _scale(item: Ranged) -> tuple[float, str]:
    """Bytes in the size that reads best: “15 TB”, “12 GB/s”."""
    if item.unit in {"byte", "byte/s"}:
        for size, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
            if item.value >= size:
                return size, item.unit.replace("byte", name)
    return 1.0, item.unit


def leading(context: Context) -> tuple[Known, ...]:
    """What the request changed, then what the estimates and cost inputs name of the recommended option, or of what comes
    nearest in a refusal; nothing where nothing could be computed."""
    every = context.answer.assumptions
    option = next(iter(context.options), None)
    named = {*context.spec.assumptions, *_because(option)}
    for item in option.cost.model.inputs if option else ():
        named |= set(_resting_on(item.source))
    found = [item for item in every if item.id in named]
    changed = [item for item in found if item.id in context.spec.assumptions]
    return tuple(dict.fromkeys([*changed, *found]))


def _resting_on(source: object) -> Iterator[str]:
    """The ids of the assumptions that a source names."""
    if isinstance(source, tuple):
        for item in source:
            yield from _resting_on(item)
    elif isinstance(source, Finding):
        if source.code.startswith(_MEANING):
            yield source.code.removeprefix(_MEANING)
        yield from _resting_on(tuple(source.values.values()))


def _because(value: object) -> Iterator[str]:
    """The ids of assumptions that the estimates in that part of a result name."""
    if isinstance(value, tuple):
        for item in value:
            yield from _because(item)
    elif isinstance(value, Estimate | Part):
        yield from value.because
    elif is_dataclass(value):
        for field in fields(value):
            yield from _because(getattr(value, field.name))
