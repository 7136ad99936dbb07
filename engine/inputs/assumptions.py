"""Every coefficient that is not a law of physics or a catalog fact: value, range, source; the voice says what each means.

A module registers its own group here by name; nothing else in the engine holds an unexplained number. `override`
returns a copy with the values a user set, so that each change is visible in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

from engine.inputs.finding import Finding, Typed, finding
from engine.inputs.origin import SET_IN_PLAN, Origin, origin, quoted


@dataclass(frozen=True)
class Limits:
    """What a request may set, in the assumption's own unit, both ends included: beyond them a value means nothing, or the
    formulas have no answer."""

    least: float
    most: float
    whole: bool = False

    def admit(self, value: float) -> bool:
        """Is that value allowed? What is no number is not."""
        return self.least <= value <= self.most and not (self.whole and value != int(value))

    def nearest(self, value: float) -> float:
        """The value itself where it is within, else the end beyond which it lies."""
        return min(max(value, self.least), self.most)


SWITCH = Limits(0, 1, whole=True)
"""Off or on."""


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """One coefficient: id `group.name`, central value, plausible range (P10, P90), unit, source."""

    lasting: ClassVar[bool] = True
    """The defaults hold it: see `engine.inputs.known.weight_of`."""

    id: str
    value: float
    low: float
    high: float
    unit: str
    source: Origin
    editable: bool = True
    """May a team change it in a plan?"""
    limits: Limits | None = None
    """What a team may set it to; None in plans from before limits were stated."""
    meaning: str = ""
    """What it stands for in the words of their day, in plans from before that was a code; empty in plans of today."""

    @property
    def told(self) -> Finding:
        """What it stands for."""
        return finding("told", text=Typed(self.meaning)) if self.meaning else finding(f"assumption.{self.id}")

    def at(self, value: float, source: Origin) -> Assumption:
        """The same with that central value: the range keeps its relative width, within the limits."""
        ends = [end * value / self.value for end in (self.low, self.high)] if self.value else [self.low, self.high]
        if self.low == self.high:
            ends = [value, value]
        if self.limits and self.limits.admit(value):
            ends = [self.limits.nearest(end) for end in ends]
        return replace(self, value=value, low=min(ends[0], value), high=max(ends[1], value), source=source)


def resting_on(*items: Assumption) -> Finding:
    """The ground of an input that is that assumption, or that several of them add up to."""
    each = tuple(origin("assumed", which=item.told, source=quoted(item.source)) for item in items)
    return each[0] if len(each) == 1 else origin("assumed.several", each=each)


class Entry(Protocol):
    """Makes an assumption of one group; its ground is that of its own name, unless several share one."""

    def __call__(
        self, name: str, value: float, low: float, high: float, limits: Limits, unit: str, source: Finding | None = None
    ) -> Assumption: ...


def entries_in(group: str) -> Entry:
    """What makes the assumptions of that group."""

    def entry(
        name: str, value: float, low: float, high: float, limits: Limits, unit: str, source: Finding | None = None
    ) -> Assumption:
        ident = f"{group}.{name}"
        return Assumption(
            id=ident, value=value, low=low, high=high, limits=limits, unit=unit, source=source or origin(ident)
        )

    return entry


class Assumptions:
    """An immutable set of assumptions, read by id: `assume["reliability.mtbf_h"]` is the central value."""

    def __init__(self, items: Mapping[str, Assumption], *, lasting: bool = False) -> None:
        """`lasting`: somebody holds them for good: see `engine.inputs.known.weight_of`."""
        self._items = dict(items)
        self.lasting = lasting
        self._ends: dict[str, tuple[Assumptions, Assumptions]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Assumptions) and other._items == self._items

    def __hash__(self) -> int:
        """Over every field of every entry."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(frozenset(self._items.values()))

    def __getitem__(self, key: str) -> float:
        return self._items[key].value

    def get(self, key: str) -> Assumption:
        """The whole entry with range and source. KeyError when there is none of that id."""
        return self._items[key]

    def all(self) -> tuple[Assumption, ...]:
        """All entries in order of id."""
        return tuple(self._items[key] for key in sorted(self._items))

    def override(self, values: Mapping[str, float], *, source: Origin = SET_IN_PLAN) -> Assumptions:
        """A copy with those central values; the range keeps its relative width. KeyError names an unknown id."""
        if not values:
            return self
        items = dict(self._items)
        for key, value in values.items():
            items[key] = items[key].at(value, source)
        return Assumptions(items)

    def ends(self, key: str) -> tuple[Assumptions, Assumptions]:
        """The set with that entry at the low and at the high end of its range. KeyError when there is none of that id."""
        if key not in self._ends:
            item = self._items[key]
            self._ends[key] = (self.override({key: item.low}), self.override({key: item.high}))
        return self._ends[key]
