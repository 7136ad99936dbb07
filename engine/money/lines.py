"""A cost model as data: named inputs, and lines that are expressions over inputs and earlier lines.

Lines that are money are rounded to the smallest unit of their currency and totals add rounded lines, here and in the
workbook alike. A line whose schedule is not `none` is a leaf: the leaves add up to the total. The cash flow is what is paid
for them (`CostLine.paid`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from engine.answer import CostInput, CostLine, CostModel
from engine.inputs.assumptions import Assumptions
from engine.inputs.currency import digits_of
from engine.inputs.finding import Finding, Typed, finding
from engine.inputs.origin import Origin
from engine.money.expressions import Expression, rounded_to

Kind = Literal["quantity", "opex", "capex", "total"]
Schedule = Literal[
    "run", "upfront", "monthly", "instalments", "term", "held", "used", "end", "settled", "until", "after", "none"
]


class CostError(ValueError):
    """A cost cannot be computed from those numbers; the message names the line or input, and `told` says so to readers where a
    value of theirs can be the cause."""

    def __init__(self, message: str, told: Finding | None = None) -> None:
        super().__init__(message)
        self.told = told


@lru_cache(maxsize=2048)
def parsed(text: str) -> Expression:
    """That formula, parsed once."""
    return Expression(text)


def given(
    name: str,
    value: float,
    unit: str,
    source: Origin,
    *,
    told: Finding | None = None,
    low: float | None = None,
    high: float | None = None,
    date: str = "",
) -> CostInput:
    """One input; without a range it is certain. `told`: what it is called where its name does not say it. CostError names one that
    is not a finite number."""
    if not math.isfinite(value):
        raise CostError(f"“{name}” must be a finite number, not {value}.")
    return CostInput(
        name=name,
        told=told,
        value=float(value),
        unit=unit,
        low=float(value if low is None else min(low, value)),
        high=float(value if high is None else max(high, value)),
        source=source,
        date=date,
    )


def check_positive(**values: float) -> None:
    """CostError names the first value that is not a finite number above zero."""
    for name, value in values.items():
        if not (math.isfinite(value) and value > 0):
            raise CostError(f"“{name}” must be a finite number above zero to have a cost, not {value}.")


def assumed(key: str, assume: Assumptions) -> CostInput:
    """The assumption of that id as an input by the end of its id, with its range and source; a switch or a set price has no range."""
    item = assume.get(key)
    _, _, name = key.partition(".")
    if item.low == item.high:
        return given(name, item.value, item.unit, item.source)
    return given(name, item.value, item.unit, item.source, low=item.low, high=item.high)


def quantity(name: str, expression: str, unit: str, *, told: Finding | None = None) -> CostLine:
    """A line that is not money; `told` as above."""
    return CostLine(
        name=name, told=told, expression=expression, amount=0.0, unit=unit, kind="quantity", schedule="none"
    )


def dollars(
    name: str, expression: str, *, kind: Kind = "opex", schedule: Schedule = "none", told: Finding | None = None
) -> CostLine:
    """A line in US dollars; with a schedule it is a leaf of the total. `told` as above."""
    return CostLine(name=name, told=told, expression=expression, amount=0.0, unit="USD", kind=kind, schedule=schedule)


def sum_of_leaves(name: str, lines: Iterable[CostLine], *, told: Finding | None = None) -> CostLine:
    """The total of all leaves among those lines."""
    leaves = [line.name for line in lines if line.schedule != "none"]
    return dollars(name, " + ".join(leaves), kind="total", told=told)


def settled(inputs: Iterable[CostInput], lines: Iterable[CostLine], *, total: str = "total") -> CostModel:
    """The model with every amount computed, without cash flow. CostError when names clash or a line has no value."""
    model = CostModel(inputs=tuple(inputs), lines=tuple(lines), total=total, cash=())
    names = [item.name for item in model.inputs] + [line.name for line in model.lines]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise CostError(f"The cost model uses {', '.join(twice)} twice.")
    values = evaluate(model, {})
    return replace(model, lines=tuple(replace(line, amount=values[line.name]) for line in model.lines))


def evaluate(model: CostModel, changes: Mapping[str, float]) -> dict[str, float]:
    """Every input and line by name, with those inputs changed.

    CostError names an unknown input or a line without a value.
    """
    values = {item.name: item.value for item in model.inputs}
    unknown = sorted(set(changes) - set(values))
    if unknown:
        raise CostError(f"The cost model has no input “{unknown[0]}”.")
    values.update({name: float(value) for name, value in changes.items()})
    for line in model.lines:
        values[line.name] = _amount(line, values)
    return values


def _amount(line: CostLine, values: Mapping[str, float]) -> float:
    amount = parsed(line.expression).evaluate(values)
    if not math.isfinite(amount):
        raise no_value(line, "line.no_value")
    digits = digits_of(line.unit)
    return amount if digits is None else rounded_to(amount, digits)


def amount_of(model: CostModel, name: str) -> float:
    """The amount of that line. KeyError when the model has none of that name."""
    for line in model.lines:
        if line.name == name:
            return line.amount
    raise KeyError(name)


def no_value(line: CostLine, code: str) -> CostError:
    """That this line comes to nothing, and which inputs and lines it follows from."""
    names = parsed(line.expression).names
    told = finding(code, line=line.label, names=tuple(Typed(name) for name in names))
    return CostError(f"“{line.name}” has no value: check {', '.join(names)}.", told)


def total_of(model: CostModel) -> float:
    """What everything costs, in the currency of the model."""
    return amount_of(model, model.total)
