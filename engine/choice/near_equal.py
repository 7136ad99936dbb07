"""Which of several options leads whose costs are so near each other that they count as equal: the one rule for every kind of work.

Price lists do not say how much capacity is free, and fewer accelerators are easier to get, so a smaller cluster may lead a cheaper
one. That is a reason only where nothing better is given up for it: what another option beats in cost and in time, and what is
neither less to sign nor surer for it, never leads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from engine.answer import Option
from engine.inputs.kind import PerKind

ALIKE = 0.05
"""Chances that differ by no more are no reason: all that are compared are as sure as was asked, and no step of the table of certainty
lies between them."""
_SAME = 1.0 + 1e-9
"""The same sums in another order."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What of an option decides between it and one that costs nearly the same."""

    cost: float
    """What the cash that it causes is worth at most, as surely as is asked [USD]."""
    count: int
    """Accelerators."""
    pace: float
    """Days to the end; of a service, which has none, milliseconds to the first token."""
    signed: float = 0.0
    """All that cannot be given back once it is ordered [USD]."""
    paid: float = 0.0
    """What is paid for it at most, as surely, whenever that is [USD]; 0 where that is not known."""
    chance: float = 1.0
    """Of keeping all limits; one of replicas, which are as many as the asked chance takes."""


def _first_answer(option: Option) -> float:
    assert option.serving is not None  # a service answers
    return option.serving.ttft_ms.p95.expected


_PACE: Final[PerKind[Callable[[Option], float]]] = {
    "run": lambda option: option.days.expected,
    "service": _first_answer,
    "batch": lambda option: option.days.expected,
}
_ONE: Final[PerKind[bool]] = {"run": True, "service": False, "batch": False}
"""Is its chance that of this very number of accelerators? Replicas are as many as the asked chance takes."""
UNITS: Final[PerKind[tuple[str, str]]] = {
    "run": ("day", "near.sooner"),
    "service": ("ms", "near.quicker"),
    "batch": ("day", "near.sooner"),
}
"""Of the pace, and what it is called to be ahead in it."""


def entry_of(option: Option) -> Entry:
    """The same of an option that is described."""
    return Entry(
        cost=option.cost.ranked_by,
        count=option.count,
        pace=_PACE[option.work](option),
        signed=option.cost.signed.total,
        paid=option.cost.at_confidence,
        chance=option.chance.all if option.chance and _ONE[option.work] else 1.0,
    )


def outdone(one: Entry, other: Entry, near: float) -> bool:
    """Is the first of them slower, and neither less to sign nor surer? Differences of days and of sums that are no more than `near`,
    as a share, count as none."""
    return (
        one.pace > other.pace * (1.0 + near)
        and one.signed * (1.0 + near) >= other.signed
        and one.chance <= other.chance + ALIKE
    )


def beaten(one: Entry, other: Entry, near: float) -> bool:
    """Is it outdone by another that costs no more, or counts as equal and is only dearer because it is paid sooner?"""
    no_more = other.cost <= one.cost * _SAME
    sooner = 0.0 < other.paid <= one.paid * _SAME and other.cost <= one.cost * (1.0 + near)
    return (no_more or sooner) and outdone(one, other, near)


def room(one: Entry, other: Entry, near: float) -> float:
    """By which share the first may be dearer than the other and lead it all the same: `near` where it is smaller, less where the other
    leads it so; and where the other is only cheaper because it is paid later."""
    if 0.0 < one.paid <= other.paid * _SAME and outdone(other, one, near):
        return near
    if one.count < other.count:
        return 0.0 if outdone(one, other, near) else near
    if one.count > other.count:
        return 0.0 if outdone(other, one, near) else 1.0 / (1.0 + near) - 1.0
    return 0.0


def equal_to_least(entries: Sequence[Entry], near: float) -> list[int]:
    """Places of those whose cost counts as the least."""
    least = min((one.cost for one in entries), default=0.0)
    # What a commitment pays that would else be lost may make the least a little less than nothing.
    return [place for place, one in enumerate(entries) if one.cost <= least + abs(least) * near]


def leading(entries: Sequence[Entry], near: float, among: Iterable[int] | None = None) -> int:
    """Place of the one that leads: of those that cost nearly the least and are not `beaten`, the one with fewest accelerators, then the
    cheapest. `among`: places of those that count as equal, where more than their cost decides that; `entries` may not be empty."""
    equal = list(equal_to_least(entries, near) if among is None else among)
    able = [place for place in equal if not any(beaten(entries[place], entries[other], near) for other in equal)]
    return min(able, key=lambda place: (entries[place].count, entries[place].cost, place))


Choice = TypeVar("Choice")


def leader_first(options: Sequence[Choice], entry: Callable[[Choice], Entry], near: float) -> list[Choice]:
    """Those options with the one that leads first, the others as they come."""
    if not options:
        return []
    place = leading([entry(one) for one in options], near)
    return [options[place], *options[:place], *options[place + 1 :]]
