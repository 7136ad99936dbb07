"""The key figures of an option: which there are of each kind of work, and in which order.

The one choice of them, for pages and documents: each tells a figure in its own form, and documents have room for four.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from engine.answer import Estimate, Money, Option
from engine.inputs.kind import PerKind
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK, served

Key = Literal["cost", "time", "ttft", "hardware", "in_time", "tpot", "promise", "mfu", "price"]
Value = Estimate | Money | float

KEYS: Final[PerKind[tuple[Key, ...]]] = {
    "run": ("cost", "time", "hardware", "in_time", "mfu"),
    "service": ("cost", "ttft", "hardware", "tpot", "promise", "price"),
    "batch": ("cost", "time", "hardware", "in_time", "price"),
}
"""What is asked first of each kind of work, most important first."""
_DECIDING: Final[tuple[Key, ...]] = ("in_time", "promise", "mfu", "price")
"""What is told last where there is room for four: how sure it is, else how well the hardware is used."""


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """One of them."""

    key: Key
    value: Value
    """In the unit of the engine: money of the plan, days, ms, a share; of the hardware the number of accelerators."""
    limit: float = 0.0
    """What the request sets to it, in the same unit; 0 = nothing."""


def key_figures(option: Option, spec: Spec) -> tuple[KeyFigure, ...]:
    """Those that the option has, most important first."""
    return tuple(_found(option, spec))


def first_four(option: Option, spec: Spec) -> tuple[KeyFigure, ...]:
    """Cost, time or latency, capacity, and of what decides the first that there is."""
    found = key_figures(option, spec)
    deciding = next((one for one in found[3:] if one.key in _DECIDING), None)
    return (*found[:3], deciding) if deciding else found[:3]


def _found(option: Option, spec: Spec) -> Iterator[KeyFigure]:
    for key in KEYS[spec.kind]:
        value, limit = _VALUES[key](option, spec)
        if value is not None:
            yield KeyFigure(key=key, value=value, limit=limit)


_Read = Callable[[Option, Spec], tuple[Value | None, float]]


def _in_time(option: Option, spec: Spec) -> tuple[Value | None, float]:
    return (option.probability_in_time if spec.due_days else None), spec.due_days


def _ttft(option: Option, spec: Spec) -> tuple[Value | None, float]:
    return _latency("ttft", option, spec)


def _tpot(option: Option, spec: Spec) -> tuple[Value | None, float]:
    return _latency("tpot", option, spec)


def _latency(name: str, option: Option, spec: Spec) -> tuple[Value | None, float]:
    work = WORK[spec.kind]
    found = work.latencies(option).get(name)
    return (found.p95 if found else None), dict(work.promised(spec)).get(name, 0.0)


def _price(option: Option, _spec: Spec) -> tuple[Value | None, float]:
    return served(option).price_per_million_output, 0.0


_VALUES: Final[Mapping[Key, _Read]] = {
    "cost": lambda option, _spec: (option.cost.total, 0.0),
    "time": lambda option, spec: (option.days, spec.due_days),
    "ttft": _ttft,
    "hardware": lambda option, _spec: (float(option.count), 0.0),
    "in_time": _in_time,
    "tpot": _tpot,
    "promise": lambda option, spec: (WORK[spec.kind].promise(option, spec), 0.0),
    "mfu": lambda option, _spec: (option.mfu, 0.0),
    "price": _price,
}
