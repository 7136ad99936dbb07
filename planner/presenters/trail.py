"""Where a number comes from: the ids of its reasons as label, value and source, and a cost line's formula in words."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planner.engine.expressions import Expression
from planner.engine.result import CostModel, Option
from planner.presenters.words import span, usd
from planner.quantities import rounded
from planner.snapshot import Plan, plain


@dataclass(frozen=True)
class Source:
    """One thing that a number follows from."""

    label: str
    value: str
    source: str


@dataclass(frozen=True, kw_only=True)
class How:
    """The explanation behind a number: a sentence or formula, and what went in."""

    words: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CostRow:
    """One line of the cost table."""

    label: str
    amount: str
    share: str
    kind: str
    how: How


class Trail:
    """Resolves ids of facts, assumptions, cost inputs and fields of the request for one plan."""

    def __init__(self, plan: Plan, option: Option | None) -> None:
        self._assumptions = {item.id: item for item in plan.recommendation.assumptions}
        self._inputs = {item.name: item for item in option.cost.model.inputs} if option else {}
        self._spec = plain(plan.spec)
        self._offer = option.offer if option else None

    def __call__(self, ids: Iterable[str]) -> tuple[Source, ...]:
        """A source for each id, in order and without repeats."""
        return tuple(self._one(ident) for ident in dict.fromkeys(ids))

    def _one(self, ident: str) -> Source:
        if ident in self._assumptions:
            item = self._assumptions[ident]
            value = f"{rounded(item.value)} {item.unit} ({span(item.low, item.high)})".replace("  ", " ")
            return Source(item.meaning or ident, value, item.source)
        if ident in self._inputs:
            return input_source(self._inputs[ident].name, self._inputs)
        asked = _at(self._spec, ident)
        if asked is not None:
            return Source(ident.rpartition(".")[2].replace("_", " "), str(asked), "your request")
        if self._offer and ident == self._offer.id:
            price = f"{usd(self._offer.usd_per_hour)} per instance-hour"
            return Source(ident, price, f"{self._offer.source}, {self._offer.price_date}")
        return Source(ident, "", "catalog")


def input_source(name: str, inputs: Mapping[str, object]) -> Source:
    """Label, value and source of a cost input."""
    item = inputs[name]
    value = f"{rounded(getattr(item, 'value', 0.0), 4)} {getattr(item, 'unit', '')}".strip()
    dated = ", ".join(part for part in (getattr(item, "source", ""), getattr(item, "date", "")) if part)
    return Source(getattr(item, "label", name), value, dated)


def cost_rows(model: CostModel) -> list[CostRow]:
    """The lines of the cost model with their formulas in words and the inputs that each uses."""
    total = next((line.amount for line in model.lines if line.name == model.total), 0.0)
    labels = {item.name: item.label.lower() for item in model.inputs}
    labels |= {line.name: line.label.lower() for line in model.lines}
    inputs = {item.name: item for item in model.inputs}
    amounts = {line.name: line for line in model.lines}
    rows = []
    for line in model.lines:
        names = names_in(line.expression)
        sources = [input_source(name, inputs) for name in names if name in inputs]
        sources += [
            Source(amounts[name].label, _amount(amounts[name].amount, amounts[name].unit), "line above")
            for name in names
            if name in amounts
        ]
        is_part = line.kind in ("opex", "capex") and total > 0
        rows.append(
            CostRow(
                label=line.label,
                amount=_amount(line.amount, line.unit),
                share=f"{line.amount / total:.1%}".replace("%", " %") if is_part else "",
                kind="total" if line.name == model.total else "line",
                how=How(words=in_words(line.expression, labels), sources=tuple(sources)),
            )
        )
    return rows


def in_words(expression: str, labels: Mapping[str, str]) -> str:
    """A cost line's formula with names as labels; the text itself when it is not in the grammar."""
    try:
        return Expression(expression).words(lambda name: labels.get(name, name))
    except ValueError:
        return expression


def names_in(expression: str) -> tuple[str, ...]:
    """The names that a formula uses, in reading order; none when it cannot be read."""
    try:
        found = set(Expression(expression).names)
        order = [node for node in ast.walk(ast.parse(expression)) if isinstance(node, ast.Name)]
    except (ValueError, SyntaxError):
        return ()
    order.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in order if node.id in found))


def _amount(value: float, unit: str) -> str:
    return usd(value) if unit == "USD" else f"{rounded(value, 4)} {unit}".strip()


def _at(data: object, path: str) -> object:
    """The value at a dotted path of the request, None when there is none."""
    for part in path.removeprefix("spec.").split("."):
        if not isinstance(data, dict) or part not in data:
            return None
        data = data[part]
    return None if isinstance(data, dict | list) else data
