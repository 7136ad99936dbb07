"""What changed since the last version: the request, the prices, the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import chain
from typing import Any

from engine.answer import Option
from engine.inputs.spec import Spec
from exports.composing.context import Context, Release, currency_of, option_name, seller, terms, text_cell, where
from exports.composing.kinds import PRINTED
from exports.document import MAX_TABLE_ROWS, Block, Cell, Column, Paragraph, Section, Table
from exports.numbers import long_date, percent, plural, significant
from exports.text import clean_text
from exports.wording import both, mark, noun, tr
from planner.frozen.snapshot import Plan, plain
from planner.money import carried
from planner.request.fields import form_for
from planner.request.quantities import write_quantity

Row = tuple[str, str, str]
"""What it is, what it was, what it is now."""
_UNSET = mark("not set")


@dataclass(frozen=True, kw_only=True)
class Earlier:
    """What is compared of the version before: small, where a plan with all its alternatives is large."""

    plan: Plan
    """Its alternatives are not read."""
    prices: Mapping[str, float]
    """What an hour of each offer cost that it compared, by the offer's id [USD]."""


def earlier(plan: Plan, alternatives: Iterable[Option]) -> Earlier:
    """That plan as the version before; its alternatives are gone through once and not kept."""
    best = plan.recommendation.recommended
    options = chain((best,) if best else (), alternatives)
    return Earlier(plan=plan, prices={option.offer.id: option.offer.usd_per_hour for option in options if option.offer})


def since(context: Context, previous: Earlier | None) -> Section | None:
    """The chapter of differences; nothing without an earlier version."""
    if previous is None:
        return None
    before = Context(plan=previous.plan, release=Release(), money=currency_of(previous.plan))
    inputs, prices, results = _inputs(before, context), _prices(previous.prices, context), _results(before, context)
    tables = [
        _table("changed-inputs", tr("Inputs that changed"), tr("Input"), inputs),
        _table("changed-prices", tr("Prices that changed"), tr("Price of one instance-hour"), prices),
        _table("changed-results", tr("Results that changed"), tr("Result"), results),
    ]
    blocks: list[Block] = [Paragraph(text=_lead(before, context, inputs, prices), role="lead")]
    blocks += [table for table in tables if table]
    return Section(id="changes", title=tr("Changes since the last version"), blocks=tuple(blocks))


def _lead(before: Context, now: Context, inputs: list[Row], prices: list[Row]) -> str:
    """How the cost moved, and what moved it."""
    counts = [plural(len(rows), word) for rows, word in ((inputs, noun("input")), (prices, noun("price"))) if rows]
    cause = tr("{what} changed", what=both(counts)) if counts else tr("no input and no price changed")
    if before.answer.catalog_release != now.answer.catalog_release:
        cause += (
            tr(", and the catalog is a newer one")
            if before.catalog_day < now.catalog_day
            else tr(", and the catalog is another one")
        )
    if before.answer.engine_version != now.answer.engine_version:
        cause += tr(", and the engine is another version")
    return tr(
        "Compared with plan {plan}, {cause}. {moved}",
        plan=before.plan.short_hash,
        cause=cause,
        moved=_cost_words(before, now),
    )


def _cost_words(before: Context, now: Context) -> str:
    first, second = before.best, now.best
    if first is None or second is None:
        words = (tr("Nothing was feasible before; now something is."), tr("Nothing is feasible any more."))
        return words[0] if second else words[1] if first else tr("Nothing is feasible, as before.")
    rate = carried(before.plan, now.plan)
    old, new = first.cost.total.expected * rate, second.cost.total.expected
    return f"{_moved(old, new, now)}{_exchange(before, now, rate)}"


def _moved(old: float, new: float, now: Context) -> str:
    if round(old) == round(new):
        return tr("The expected cost stays at {new}.", new=now.money.amount(new))
    share = f" ({percent(abs(new - old) / old)})" if old else ""
    ends = {"old": now.money.amount(old), "new": now.money.amount(new), "share": share}
    if new > old:
        return tr("The expected cost rises from {old} to {new}{share}.", **ends)
    return tr("The expected cost falls from {old} to {new}{share}.", **ends)


def _exchange(before: Context, now: Context, rate: float) -> str:
    """At which rates the earlier cost stands beside the newer one, where they are in two currencies."""
    if before.money.code == now.money.code:
        return ""
    dates = sorted({context.answer.currency.date for context in (before, now)} - {""})
    told = tr(
        "The earlier plan is in {old}: 1 {old} = {rate} {new}",
        old=before.money.code,
        rate=significant(rate, 5),
        new=now.money.code,
    )
    if not dates:
        return f" {told}."
    return f" {told}, {tr('rate of {days}', days=both([long_date(date.fromisoformat(day)) for day in dates]))}."


def _inputs(before: Context, now: Context) -> list[Row]:
    old, new = dict(_flat(plain(before.spec))), dict(_flat(plain(now.spec)))
    return [
        (_label(path), old.get(path, tr(_UNSET)), new.get(path, tr(_UNSET)))
        for path in dict.fromkeys((*new, *old))
        if old.get(path) != new.get(path)
    ]


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field of a request by dotted path, as text; what is not set is left out."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flat(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        for index, item in enumerate(value, 1):
            yield from _flat(item, f"{path}.{index}")
    elif isinstance(value, list):
        yield path, clean_text(", ".join(str(item) for item in value), 120) or tr(_UNSET)
    elif isinstance(value, bool):
        yield path, tr("yes") if value else tr("no")
    elif isinstance(value, int | float):
        yield path, write_quantity(value)
    elif value is not None:
        yield path, clean_text(value, 120)


@cache
def _labels() -> dict[str, str]:
    return {
        path: f"{field.label}, {field.unit}" if field.unit and not _named(field.unit, field.label) else field.label
        for path, field in form_for(Spec).items()
    }


def _named(unit: str, label: str) -> bool:
    """Whether the label says already what is counted: “Training tokens”."""
    stem = unit.rstrip("s")
    return len(stem) > 2 and any(word.startswith(stem) for word in label.lower().split())


def _label(path: str) -> str:
    """The form's own name of a field; words of its path where the form repeats it."""
    return clean_text(_labels().get(path) or path.replace(".", ", ").replace("_", " ").capitalize(), 80)


def _prices(old: Mapping[str, float], now: Context) -> list[Row]:
    """Offers that both versions compared, at another price."""
    rows: dict[str, Row] = {}
    for option in now.options:
        offer = option.offer
        if offer and offer.id in old and old[offer.id] != offer.usd_per_hour:
            before, after = (now.money.price(now.money.of(usd)) for usd in (old[offer.id], offer.usd_per_hour))
            rows[offer.id] = (f"{where(option)}, {terms(option)}", before, after)
    return list(rows.values())


def _results(before: Context, now: Context) -> list[Row]:
    old, new = dict(_answers(before)), dict(_answers(now))
    keys = dict.fromkeys((*new, *old))
    return [(key, old.get(key, "none"), new.get(key, "none")) for key in keys if old.get(key) != new.get(key)]


def _answers(context: Context) -> Iterator[tuple[str, str]]:
    best = context.best
    if best is None:
        yield tr("Recommendation"), tr("nothing is feasible")
        return
    yield tr("Recommendation"), f"{option_name(best)} {seller(best)}"
    yield tr("Expected cost"), context.money.amount(best.cost.total.expected)
    yield tr("Cost, 80% band"), context.money.range(best.cost.total)
    yield tr("Price per accelerator-hour"), context.money.price(best.cost.price_per_accelerator_hour)
    yield from PRINTED[context.kind].result(best)


def _table(name: str, caption: str, what: str, rows: list[Row]) -> Table | None:
    if not rows:
        return None
    hidden = len(rows) - MAX_TABLE_ROWS
    return Table(
        id=name,
        caption=caption,
        columns=(
            Column(title=what, share=2.2),
            Column(title=tr("Before"), align="right", share=1.4),
            Column(title=tr("Now"), align="right", share=1.4),
        ),
        rows=tuple(
            (text_cell(a), Cell(text=clean_text(b, 160)), Cell(text=clean_text(c, 160))) for a, b, c in rows[:50]
        ),
        note=tr("{changes} of this kind.", changes=plural(hidden, "further change")) if hidden > 0 else "",
    )
