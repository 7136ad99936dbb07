"""Where a number comes from: the ids of its reasons as label, value and source, and a cost line's formula in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from catalog import tables
from catalog.days import dated
from engine.answer import CostInput, CostModel, Option, without_rate
from engine.inputs.currency import in_unit, is_dollars
from engine.inputs.hardware import Fact, Offer
from engine.kinds.training.work import BATCH_FACTOR, BATCH_POWER
from engine.money.expressions import Expression
from planner.frozen.snapshot import Plan, plain
from planner.presenters.currency import Currency
from planner.presenters.words import percent, place, span
from planner.request.quantities import rounded, write_quantity
from planner.telling import sourced, told


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
    rows: tuple[str, ...] = ()
    """Measurements that come nearest to it."""


@dataclass(frozen=True, kw_only=True)
class CostRow:
    """One line of the cost table."""

    name: str
    label: str
    amount: str
    share: str
    kind: str
    how: How


Facts = Mapping[str, Sequence[Fact]]
"""The catalog's facts by what they are about: `accelerator.h100-sxm5` → all of them."""

_PHYSICS = (
    "memory_bytes",
    "memory_bandwidth",
    "scaleup_bandwidth",
    "scaleup_domain",
    "nic_bandwidth",
    "pcie_bandwidth",
)
_LAW = "training.batch.law"
_USUAL = re.compile(r"training\.batch\.samples:(\d+)")
_MEASURED = re.compile(r"measured\.(?:layout:(?P<own>\d+)|hardware:(?P<near>\d+):(?P<shift>-?[\d.]+))")
_DEVICE = re.compile(r"(?:device|accelerator)[.:](?P<slug>[a-z0-9-]+)")


class Trail:
    """Resolves ids of facts, assumptions, cost inputs and fields of the request for one plan."""

    def __init__(self, plan: Plan, option: Option | None, money: Currency, facts: Facts | None = None) -> None:
        self._assumptions = {item.id: item for item in plan.recommendation.assumptions}
        self._inputs = {item.name: item for item in option.cost.model.inputs} if option else {}
        self._spec = plain(plan.spec)
        self._part = plan.spec.workload
        self._option = option
        self._money = money
        self._facts = facts or {}
        self._release = dated(f"catalog of {plan.recommendation.catalog_date}")

    def __call__(self, ids: Iterable[str]) -> tuple[Source, ...]:
        """Sources of all ids, in order and without repeats."""
        return tuple(dict.fromkeys(source for ident in dict.fromkeys(ids) for source in self._all(ident)))

    def _all(self, ident: str) -> tuple[Source, ...]:
        device = _DEVICE.fullmatch(ident)
        return self._device(device["slug"]) if device else (self._one(ident),)

    def _device(self, slug: str) -> tuple[Source, ...]:
        """The rates and sizes that times follow from, each with its own source."""
        precision = self._option.precision if self._option else ""
        wanted = (f"dense_flops.{precision}", *_PHYSICS)
        known = {
            fact.id.removeprefix(f"accelerator.{slug}."): fact for fact in self._facts.get(f"accelerator.{slug}", ())
        }
        found = tuple(
            Source(
                tables.label_of(name),
                f"{fact.value} {fact.unit}".strip(),
                ", ".join(part for part in (fact.source, dated(fact.date)) if part),
            )
            for name in wanted
            if (fact := known.get(name))
        )
        return _once(found) or (Source(slug, "", self._release),)

    def _one(self, ident: str) -> Source:
        if ident in self._assumptions:
            item = self._assumptions[ident]
            value = f"{rounded(item.value)} {item.unit} ({span(item.low, item.high)})".replace("  ", " ")
            return Source(told(item.told), value, sourced(item.source))
        if ident == _LAW:
            law = f"{BATCH_FACTOR} × FLOPs^{BATCH_POWER}, a power of two, at least 100 steps"
            return Source("Global batch", law, "DeepSeek LLM, arXiv 2401.02954, eq. 4")
        if usual := _USUAL.fullmatch(ident):
            return Source("Global batch", f"{int(usual[1]):,} samples as usual, at least 100 steps", "assumed")
        if measured := _MEASURED.fullmatch(ident):
            return _measured(measured)
        if ident in self._inputs:
            return input_source(self._inputs[ident], self._money)
        name = ident.removeprefix("input:")
        asked = next(
            (found for path in (name, f"{self._part}.{name}") if (found := _at(self._spec, path)) is not None), None
        )
        if asked is not None:
            return Source(name.rpartition(".")[2].replace("_", " "), _asked(asked), "your request")
        offer = self._option.offer if self._option else None
        if self._option and offer and ident == offer.id:
            price = price_words(offer, self._money)
            return Source(
                f"{place(self._option)}, instance {offer.instance}",
                price,
                f"{sourced(offer.source)}, {dated(offer.price_date)}",
            )
        return Source(ident.replace("_", " "), "", self._release)


_STEPS = {
    "list": "{price} listed",
    "agreed": "{price} agreed",
    "discount": "less {share} agreed = {price}",
    "commitment": "less {share} for the spend commitment = {price}",
}


def price_words(offer: Offer, money: Currency) -> str:
    """The price of an instance-hour, and in order what led to it from the listed one."""
    paid = f"{money.amount(money.of(offer.usd_per_hour))} per instance-hour"
    steps = [
        _STEPS[one.step].format(price=f"{money.of(one.usd_per_hour):,.2f}", share=f"{one.share * 100:g}%")
        for one in offer.steps
    ]
    return f"{paid}: {', '.join(steps)}" if steps else paid


def _measured(found: re.Match[str]) -> Source:
    """What own measurements did to the estimate."""
    if found["own"]:
        return Source(
            "Own step times of this very layout", f"{found['own']}, they are the estimate", "your measurements"
        )
    moved = f"{found['near']}, they change the estimate by {float(found['shift']):+.1%}"
    return Source("Own step times on this hardware", moved, "your measurements")


def _asked(value: object) -> str:
    """A value of the request as it would be typed."""
    return write_quantity(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _once(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The same rows, a source that several neighbours share written under the last of them."""
    following = [*(item.source for item in sources[1:]), ""]
    return tuple(
        Source(item.label, item.value, "" if item.source == after else item.source)
        for item, after in zip(sources, following, strict=False)
    )


def input_source(item: CostInput, money: Currency) -> Source:
    """Label, value and source of a cost input; a price in the currency of the lines that it goes into."""
    if is_dollars(item.unit):
        value = f"{rounded(money.of(item.value), 4)} {in_unit(item.unit, money.code)}"
    elif item.unit == "share":
        value = percent(item.value)
    else:
        value = f"{rounded(item.value, 4)} {item.unit}".strip()
    return Source(told(item.label), value, ", ".join(part for part in (sourced(item.source), dated(item.date)) if part))


def cost_rows(model: CostModel, money: Currency) -> list[CostRow]:
    """The lines of the cost model with their formulas in words and the inputs that each uses."""
    total = next((line.amount for line in model.lines if line.name == model.total), 0.0)
    called = {item.name: told(item.label) for item in model.inputs}
    called |= {line.name: told(line.label) for line in model.lines}
    labels = {name: text.lower() for name, text in called.items()}
    inputs = {item.name: item for item in model.inputs}
    amounts = {line.name: line for line in model.lines}
    rows = []
    for line in model.lines:
        expression = without_rate(line.expression)  # its prices are told at that rate
        names = names_in(expression)
        sources = [input_source(inputs[name], money) for name in names if name in inputs]
        sources += [
            Source(called[name], _amount(amounts[name].amount, amounts[name].unit, money), "line above")
            for name in names
            if name in amounts
        ]
        is_part = line.kind in ("opex", "capex") and total > 0
        rows.append(
            CostRow(
                name=line.name,
                label=called[line.name],
                amount=_amount(line.amount, line.unit, money),
                share=f"{line.amount / total:.1%}" if is_part else "",
                kind="total" if line.name == model.total else "line",
                how=How(words=in_words(expression, labels), sources=tuple(sources)),
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


def _amount(value: float, unit: str, money: Currency) -> str:
    if unit == money.code:
        return money.amount(value)
    return f"{rounded(value, 4)} {unit}{'s' if unit == 'month' and value != 1 else ''}".strip()


def _at(data: object, path: str) -> object:
    """The value at a dotted path of the request, None when there is none."""
    for part in path.removeprefix("spec.").split("."):
        if not isinstance(data, dict) or part not in data:
            return None
        data = data[part]
    return None if isinstance(data, dict | list) else data
