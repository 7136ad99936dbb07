"""The options as rows of one table and, pinned, side by side: each with why it is not the recommended one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TypedDict

from django.http import QueryDict

from catalog.days import plain_date
from engine.answer import Option
from engine.inputs.spec import Spec
from planner.presenters.badge import Badge, badge_of
from planner.presenters.currency import Currency
from planner.presenters.degrees import QUERY
from planner.presenters.kinds import PAGED
from planner.presenters.signed import signed_as
from planner.presenters.words import anchor, days, days_span, hardware, layout, pace_words, percent, place
from planner.price_age import price_age
from planner.promises import asked_confidence
from planner.request.quantities import compact, rounded, show_quantity
from planner.telling import bound_by, named

MOST_PINS = 4
COLUMNS = {
    "from": "From",
    "speed": "Time",
    "cost": "Total cost",
    "limits": "Limits",
    "layout": "Layout",
    "bound": "Bound by",
}
"""Columns that a reader may leave out, in their order; what an option is and what is done with it always stand."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One option of the table; `sort` holds the plain numbers that the columns are sorted by."""

    id: str
    anchor: str
    chosen: bool
    hardware: str
    place: str
    price: str
    stale: bool
    layout: str
    speed: str
    speed_range: str
    cost: str
    cost_range: str
    sure: str
    """What it costs at most, as surely as is asked, by which options are ranked; empty in plans that do not say."""
    signed: str
    """What is signed as a whole, where the cost is a share of it."""
    badge: Badge
    binding: str
    difference: str
    sort_cost: float
    sort_speed: float
    pinned: bool


def hidden_in(query: QueryDict) -> list[str]:
    """Ids of the options that an address hides: those put aside and not taken back."""
    back = query.getlist("show")
    return [ident for ident in query.getlist("hide") if ident not in back]


def left_out_in(query: QueryDict) -> frozenset[str]:
    """The columns that an address leaves out."""
    return frozenset(query.getlist("without")) & COLUMNS.keys()


class Table(TypedDict):
    """What an address asks of the table and the slider: the named arguments of `present` that it settles."""

    pins: list[str]
    hidden: list[str]
    without: frozenset[str]
    every: bool
    sure: str


def table_in(query: QueryDict) -> Table:
    """What that address asks of the table, the same on every page that shows one."""
    return Table(
        pins=query.getlist("pin"),
        hidden=hidden_in(query),
        without=left_out_in(query),
        every="all" in query,
        sure=query.get(QUERY, ""),
    )


def option_rows(
    best: Option | None, others: Sequence[Option], *, spec: Spec, pins: Iterable[str], as_of: date, money: Currency
) -> list[Row]:
    """The recommended option first, then the others in the engine's order."""
    wanted = set(pins)
    shown = ([best] if best else []) + list(others)
    return [
        _row(option, best, spec, option.id in wanted, as_of, money, where)
        for option, where in zip(shown, places(shown), strict=True)
    ]


def places(options: Sequence[Option]) -> list[str]:
    """Where each comes from; the size of an instance too where rows would read the same without it."""
    found = [place(option) for option in options]
    rows = [(hardware(option), words) for option, words in zip(options, found, strict=True)]
    return [
        f"{words}, {option.offer.devices} an instance" if option.offer and rows.count(row) > 1 else words
        for option, words, row in zip(options, found, rows, strict=True)
    ]


def _row(
    option: Option, best: Option | None, spec: Spec, pinned: bool, as_of: date, money: Currency, where: str
) -> Row:
    price, stale = price_age(option, as_of)
    speed, band = PAGED[option.work].speed(option)
    return Row(
        id=option.id,
        anchor=anchor(option.id),
        chosen=option is best,
        hardware=hardware(option),
        place=where,
        price=price,
        stale=stale,
        layout=f"{layout(option.parallelism)}, {option.precision.upper()}",
        speed=speed,
        speed_range=band,
        cost=money.amount(option.cost.total.expected),
        cost_range=money.range(option.cost.total),
        sure=_sure(option, spec, money),
        signed=signed_as(option.cost.signed, money),
        badge=badge_of(option, spec),
        binding=named(bound_by(option)),
        difference="" if option is best or best is None else _difference(option, best),
        sort_cost=option.cost.total.expected,
        sort_speed=PAGED[option.work].sort_speed(option),
        pinned=pinned,
    )


def _sure(option: Option, spec: Spec, money: Currency) -> str:
    most = option.cost.at_confidence
    return f"{percent(asked_confidence(spec))} sure: {money.amount(most)}" if most else ""


def _difference(option: Option, best: Option) -> str:
    """One sentence: how it compares with the recommended option."""
    parts = (_dearer(option.cost.ranked_by, best.cost.ranked_by), PAGED[option.work].later(option, best))
    return ", ".join(part for part in parts if part)


def _dearer(cost: float, base: float) -> str:
    """How an amount compares with another: “12% dearer”, “2.3 × the cost”, “same cost”."""
    ratio = cost / base if base else 1.0
    if abs(ratio - 1) < 0.005:
        return "same cost"
    if ratio >= 2:
        return f"{rounded(ratio, 2)} × the cost"
    return f"{abs(ratio - 1) * 100:.0f}% {'dearer' if ratio > 1 else 'cheaper'}"


def comparison(options: Sequence[Option], money: Currency, spec: Spec) -> list[tuple[str, list[str]]]:
    """Rows of a side-by-side table: a label and one text for each option."""
    rows: list[tuple[str, list[str]]] = [
        ("From", places(options)),
        (
            "Total cost",
            [f"{money.amount(item.cost.total.expected)} ({money.range(item.cost.total)})" for item in options],
        ),
        *_sure_row(options, money, spec),
        *_signed_row(options, money),
        ("Limits", [badge_of(item, spec).words for item in options]),
        *_finish_row(options),
        ("Price per accelerator-hour", [money.amount(item.cost.price_per_accelerator_hour) for item in options]),
    ]
    rows += _serving_rows(options, money) if any(item.serving for item in options) else _training_rows(options)
    rows += [
        ("Layout", [layout(item.parallelism) for item in options]),
        ("Precision", [item.precision.upper() for item in options]),
        ("Memory", [f"{rounded(i.memory.total_gb.expected)} of {rounded(i.memory.capacity_gb)} GB" for i in options]),
        ("Bound by", [named(bound_by(item)) for item in options]),
        ("Energy", [f"{compact(item.energy.kwh.expected)} kWh" for item in options]),
        ("Carbon", [_carbon(item) for item in options]),
    ]
    return rows


def _sure_row(options: Sequence[Option], money: Currency, spec: Spec) -> list[tuple[str, list[str]]]:
    """What each costs at most, as surely as is asked, and what of that is worth on the day of the request what it causes: what they are
    ranked by."""
    sure = percent(asked_confidence(spec))
    rows = (
        (f"With {sure} confidence at most", [item.cost.at_confidence for item in options]),
        (f"In present value, with {sure} confidence at most", [item.cost.npv_at_confidence for item in options]),
    )
    return [(label, [money.amount(most) for most in sums]) for label, sums in rows if all(sums)]


def _signed_row(options: Sequence[Option], money: Currency) -> list[tuple[str, list[str]]]:
    """What each obliges to as a whole; no row where nothing is signed."""
    cells = [signed_as(item.cost.signed, money) for item in options]
    return [("To be signed", [cell or "nothing" for cell in cells])] if any(cells) else []


def _finish_row(options: Sequence[Option]) -> list[tuple[str, list[str]]]:
    """The day on which each is done; no row where nothing ends."""
    cells = [plain_date(item.finish) if item.finish else "" for item in options]
    return [("Done by", cells)] if any(cells) else []


def _training_rows(options: Sequence[Option]) -> list[tuple[str, list[str]]]:
    return [
        ("Time to finish", [f"{days(i.days.expected)} ({days_span(i.days)})" for i in options]),
        ("Throughput", [pace_words(item.tokens_per_s) for item in options]),
        ("Model FLOPs utilisation", [percent(item.mfu.expected) for item in options]),
        (
            "Time kept through failures",
            [percent(item.checkpoint.goodput.expected) if item.checkpoint else "not known" for item in options],
        ),
    ]


def _serving_rows(options: Sequence[Option], money: Currency) -> list[tuple[str, list[str]]]:
    results, counts = [item.serving for item in options], options[0].counts
    first = [show_quantity(i.ttft_ms.p95.expected, "ms") if i else "none" for i in results]
    each = [show_quantity(i.tpot_ms.p95.expected, "ms") if i else "none" for i in results]
    price = [money.amount(i.price_per_million_output.expected) if i else "none" for i in results]
    rows = [("Replicas", [str(item.replicas) if item else "none" for item in results])]
    if all(option.ends for option in options):
        rows.append(("Time to finish", [f"{days(i.days.expected)} ({days_span(i.days)})" for i in options]))
        return [*rows, ("Per million output tokens" if counts == "token" else f"Per million {counts}s", price)]
    if counts == "token":
        rows += [("Time to first token, p95", first), ("Time per output token, p95", each)]
        return [*rows, ("Per million output tokens", price)]
    return [*rows, ("Time to the answer, p95", first), (f"Per million {counts}s", price)]


def _carbon(option: Option) -> str:
    value = option.energy.kg_co2e
    return f"{compact(value.expected)} kg CO₂e" if value else "not known for this place"
