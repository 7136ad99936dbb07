"""Every coefficient that is not a law of physics or a catalog fact: value, range, meaning, source.

A module registers its own group here by name; nothing else in the engine holds an unexplained number. `override`
returns a copy with the values a user set, so that each change is visible in the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

SET_IN_PLAN = "set in this plan"
"""Source of a value that the request itself sets."""


@dataclass(frozen=True, kw_only=True)
class Assumption:
    """One coefficient: id `group.name`, central value, plausible range (P10, P90), unit, meaning, source."""

    id: str
    value: float
    low: float
    high: float
    unit: str
    meaning: str
    source: str
    editable: bool = True
    """May a team change it in a plan?"""


class Assumptions:
    """An immutable set of assumptions, read by id: `assume["reliability.mtbf_h"]` is the central value."""

    def __init__(self, items: Mapping[str, Assumption]) -> None:
        self._items = dict(items)
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
        """The whole entry with range, meaning and source. KeyError when there is none of that id."""
        return self._items[key]

    def all(self) -> tuple[Assumption, ...]:
        """All entries in order of id."""
        return tuple(self._items[key] for key in sorted(self._items))

    def override(self, values: Mapping[str, float], *, source: str = SET_IN_PLAN) -> Assumptions:
        """A copy with those central values; the range keeps its relative width. KeyError names an unknown id."""
        if not values:
            return self
        items = dict(self._items)
        for key, value in values.items():
            old = items[key]
            scale = value / old.value if old.value else 1.0
            items[key] = replace(old, value=value, low=old.low * scale, high=old.high * scale, source=source)
        return Assumptions(items)

    def ends(self, key: str) -> tuple[Assumptions, Assumptions]:
        """The set with that entry at the low and at the high end of its range. KeyError when there is none of that id."""
        if key not in self._ends:
            item = self._items[key]
            self._ends[key] = (self.override({key: item.low}), self.override({key: item.high}))
        return self._ends[key]
