"""A series as its page shows it: the bar, what each plan came to, and the same as a table to take away."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from planner.models import PlanVersion
from planner.presenters.currency import Currency
from planner.series.fields import label_of, value_of
from planner.series.work import Row
from planner.tables import Series

_ANSWERED = ("feasible", "cost", "at_confidence", "currency", "hardware", "error")
"""Of a row what the file has of every series."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One plan of a series."""

    number: int
    """Its place in the series, from 1."""
    values: tuple[str, ...]
    """What was moved; of a re-pricing the plan's name."""
    address: str = ""
    """Id of the version that was asked again."""
    hardware: str = ""
    cost: str = ""
    sure: str = ""
    """What suffices as surely as it asks."""
    change: str = ""
    note: str = ""
    """Why there is no cost."""


def heads_of(series: Series) -> list[str]:
    """What the first columns are called."""
    if series.version_id is None:
        return ["Plan"]
    return [label_of(path) for path in paths_of(series.items)]


def paths_of(items: Sequence[Mapping[str, Any]]) -> list[str]:
    """Dotted paths of the fields that any of the changes moves, in their order."""
    return list(dict.fromkeys(path for item in items for path, _ in _leaves(item)))


def ordered(rows: Sequence[Row | None]) -> list[int]:
    """Places of the plans that are answered, cheapest first, then those that keep no limit or could not be asked."""
    answered = [(number, row) for number, row in enumerate(rows) if row is not None]
    return [number for number, _ in sorted(answered, key=_order)]


def lines_of(series: Series, rows: Sequence[Row | None], places: Iterable[int], names: Mapping[str, str]) -> list[Line]:
    """The plans at those places, which are answered. `names`: version → name."""
    paths = paths_of(series.items) if series.version_id else []
    return [_line(number, rows[number] or {}, series.items[number], paths, names) for number in places]


def table_of(series: Series, rows: Sequence[Row | None], names: Mapping[str, str]) -> Iterator[list[Any]]:
    """Head and rows of the file: numbers as numbers, in the order of the series; a plan without an answer has empty cells."""
    paths = paths_of(series.items) if series.version_id else []
    yield [*(paths or ["plan", "version", "cost_before"]), *_ANSWERED]
    for item, found in zip(series.items, rows, strict=True):
        row = found or {}
        first = [_at(item, path) for path in paths] if paths else [names.get(item, ""), item, row.get("cost_before")]
        yield [*first, *(row.get(key, "") for key in _ANSWERED)]


def names_of(series: Series) -> dict[str, str]:
    """What the plans of a re-pricing are called, by version."""
    if series.version_id is not None:
        return {}
    rows = PlanVersion.objects.filter(workload__team=series.team, public_id__in=series.items)
    return dict(rows.values_list("public_id", "workload__name"))


def _line(number: int, row: Row, item: Any, paths: Sequence[str], names: Mapping[str, str]) -> Line:
    values = tuple(value_of(path, _at(item, path)) for path in paths) if paths else (names.get(item, item),)
    money = Currency(code=row.get("currency", "USD"))
    cost, before = row.get("cost"), row.get("cost_before")
    return Line(
        number=number + 1,
        values=values,
        address="" if paths else item,
        hardware=row.get("hardware", ""),
        cost=money.amount(float(cost)) if cost else "",
        sure=money.amount(float(row["at_confidence"])) if row.get("at_confidence") else "",
        change=money.change(float(cost), float(before)) if cost and before else "",
        note=_why_not(row),
    )


def _why_not(row: Row) -> str:
    if "error" in row:
        return str(row["error"])
    return "" if row["feasible"] else "Nothing keeps these limits."


def _order(numbered: tuple[int, Row]) -> tuple[bool, Decimal, int]:
    number, row = numbered
    keeps = bool(row.get("feasible")) and row.get("cost") is not None
    return not keeps, Decimal(row["cost"]) if keeps else Decimal(0), number


def _leaves(patch: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in patch.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def _at(item: Mapping[str, Any], path: str) -> Any:
    return dict(_leaves(item)).get(path, "")
