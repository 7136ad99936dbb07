"""Which numbers of a request a page may move in a series, and how what is typed for them is read."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from annotated_types import Le

from engine.inputs.quantity import Q
from engine.inputs.spec import Spec
from planner.frozen.snapshot import plain
from planner.presenters.words import percent
from planner.request.amounts import Rates, currency_in, is_amount, parse_amount
from planner.request.quantities import QuantityError, parse_quantity, show_quantity, whole_units

_PATHS: Final = (
    "training.tokens", "training.samples", "training.epochs", "training.runs", "training.sequence_length",
    "training.global_batch_tokens", "serving.requests_per_s", "serving.input_tokens", "serving.output_tokens",
    "serving.ttft_p95_ms", "serving.tpot_p95_ms", "serving.prefix_hit_share", "serving.spare_replicas",
    "constraints.deadline_days", "constraints.budget_usd", "constraints.max_accelerators", "confidence.all",
    "horizon_months", "utilisation",
)  # fmt: skip
AXES: Final = 3
"""Fields that one series moves on a page; a file for the command line may name more."""
VALUES: Final = 40
"""Values of one field on a page."""


@dataclass(frozen=True, kw_only=True)
class Movable:
    """One number of the request."""

    path: str
    label: str
    unit: str
    whole: bool
    share: bool
    """Is it a part of a whole, or a chance?"""


@dataclass(frozen=True, kw_only=True)
class Typed:
    """What stands in one row of the form."""

    path: str = ""
    values: str = ""


def movable(spec: Spec) -> tuple[Movable, ...]:
    """The numbers that this request has a place for, in the order of the form."""
    asked = plain(spec)
    return tuple(_field(path) for path in _PATHS if _has_place(asked, path))


def _has_place(asked: Mapping[str, Any], path: str) -> bool:
    part, dot, _ = path.rpartition(".")
    return not dot or bool(asked.get(part))


def axes_of(rows: Sequence[Typed], fields: Sequence[Movable], *, code: str, rates: Rates) -> dict[str, list[float]]:
    """Path → values, from the rows that name a field. A bare amount is in the currency of that code. ValueError with one
    sentence that says which row is wrong and what to write."""
    known = {field.path: field for field in fields}
    axes: dict[str, list[float]] = {}
    for number, row in enumerate(rows, start=1):
        if not row.path and not row.values.strip():
            continue
        if row.path not in known:
            raise ValueError(f"Row {number}: choose the field that “{row.values.strip()[:40]}” belongs to.")
        if row.path in axes:
            raise ValueError(
                f"Row {number}: “{known[row.path].label}” stands in a row above; put all its values there."
            )
        axes[row.path] = _values(row.values, known[row.path], code=code, rates=rates)
    if not axes:
        raise ValueError("Choose at least one field and write the values to try, such as “10; 20; 30”.")
    return axes


def _values(text: str, field: Movable, *, code: str, rates: Rates) -> list[float]:
    words = [word.strip() for word in text.replace("\n", ";").split(";") if word.strip()]
    if not 0 < len(words) <= VALUES:
        raise ValueError(
            f"“{field.label}” needs 1 to {VALUES} values with a semicolon between them; there are {len(words)}."
        )
    try:
        values = [_value(word, field, code=code, rates=rates) for word in words]
    except QuantityError as error:
        raise ValueError(f"{field.label}: {error}") from error
    if len(set(values)) < len(values):
        raise ValueError(f"“{field.label}” names one value twice: leave one of them out.")
    return values


def _value(word: str, field: Movable, *, code: str, rates: Rates) -> float:
    if is_amount(field.path):
        named = word if currency_in(word) else f"{word} {code}"
        return parse_amount(named, field.unit, rates)
    value = parse_quantity(word, field.unit)
    if field.whole and value != int(value):
        raise QuantityError(f"“{word}” must be a whole number.")
    return int(value) if field.whole else value


def label_of(path: str) -> str:
    """What a field is called; of one that no page offers its path."""
    return _field(path).label if path in _PATHS else path


def value_of(path: str, value: object) -> str:
    """A value of that field as it is read."""
    if path not in _PATHS or isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if _field(path).share:
        return percent(value)
    unit = _field(path).unit
    return f"USD {whole_units(value)}" if unit == "USD" else show_quantity(value, unit, digits=6)


@cache
def _field(path: str) -> Movable:
    """What the request itself says of the number at that path."""
    kind: Any = Spec
    *folders, leaf = path.split(".")
    for folder in folders:
        kind = _bare(typing.get_type_hints(kind)[folder])
    hint = typing.get_type_hints(kind, include_extras=True)[leaf]
    note = next(item for item in hint.__metadata__ if isinstance(item, Q))
    limits = [item.le for item in hint.__metadata__ if isinstance(item, Le)]
    share = not note.unit and limits != [] and float(str(limits[-1])) <= 1
    return Movable(path=path, label=note.label, unit=note.unit, whole=typing.get_args(hint)[0] is int, share=share)


def _bare(hint: Any) -> Any:
    """The class of a field that may also be empty."""
    return next((kind for kind in typing.get_args(hint) if kind is not type(None)), hint)
