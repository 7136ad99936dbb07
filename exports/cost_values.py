"""The cost model evaluated from its own expressions, as the workbook computes it: money rounded line by line to the smallest unit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from engine.answer import RATE, CostLine, CostModel
from engine.inputs.currency import digits_of
from engine.money.expressions import Expression, rounded_to
from exports.wording import label, tr, unit_words

DISCOUNT, CAPITAL, EXCHANGE = "discount_rate", "wacc", RATE
"""The workbook's own rate; the model's, which the engine discounts with; the rate at which prices in US dollars become amounts
of the plan."""


def values_of(model: CostModel, changes: Mapping[str, float]) -> dict[str, float]:
    """Every input and line by name, with those inputs changed."""
    values = {item.name: item.value for item in model.inputs} | dict(changes)
    for line in model.lines:
        value = parsed(line.expression).evaluate(values)
        digits = digits_of(line.unit)
        values[line.name] = value if digits is None else rounded_to(value, digits)
    return values


def leaves(model: CostModel) -> tuple[CostLine, ...]:
    """The lines that add up to the total: those with a schedule."""
    return tuple(line for line in model.lines if line.schedule != "none" and line.kind in {"opex", "capex"})


def labels_of(model: CostModel) -> dict[str, str]:
    """What a formula in words calls each input and line: no two alike, and in quotes where a comma is in the name.

    “Instances” is both how many there are and what they cost: “Instances (number) × Price of one instance-hour”.
    """
    rows = [(item.name, label(item.label, 120), item.unit, False) for item in model.inputs]
    rows += [(line.name, label(line.label, 120), line.unit, line.schedule == "none") for line in model.lines]
    alike, twins = Counter(row[1] for row in rows), Counter(row[1:3] for row in rows)
    return {
        name: _quoted(
            called if alike[called] == 1 else _told_apart(called, unit, whole=whole, twins=twins[called, unit] > 1)
        )
        for name, called, unit, whole in rows
    }


def _told_apart(called: str, unit: str, *, whole: bool, twins: bool) -> str:
    """The label with its unit; of two amounts in one unit, the whole of a purchase and the share that the plan pays."""
    if twins:
        return tr("{label} (whole)", label=called) if whole else tr("{label} (share)", label=called)
    return tr("{label} ({unit})", label=called, unit=unit_words(unit) or tr("number"))


def _quoted(called: str) -> str:
    return f"“{called}”" if "," in called else called


def inert(model: CostModel) -> tuple[str, ...]:
    """Inputs whose change by a tenth (to 1 from 0) moves no line."""
    base = values_of(model, {})
    found = []
    for item in model.inputs:
        moved = values_of(model, {item.name: item.value * 1.1 if item.value else 1.0})
        if all(moved[line.name] == base[line.name] for line in model.lines):
            found.append(item.name)
    return tuple(found)


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression:
    """That formula, parsed once."""
    return Expression(text)
