"""How much of an estimate is sent when nobody asks for more: some forty kilobytes instead of several hundred.

The recommended option comes whole, without the single rows behind its figures and without the standby patterns that
were not taken. Of the others comes what one compares by, of the cost–time chart its front, of assumptions those that
are not the usual ones, of a long ledger its sums by year or by line, of a cost no months, of certainty the rows of
tables, of prices no single rows, of ways of having accelerators none, and of advice, of what moves the total and of
reasons for leaving something out the first few. `expand` names what is wanted whole; a field is left out, and never has
two meanings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Final

from engine.answer import Option, Point
from engine.defaults import ASKED
from engine.inputs.assumptions import Assumption
from engine.inputs.origin import SET_IN_PLAN
from engine.inputs.spec import Spec
from planner.frozen.snapshot import plain

PARTS: Final = (
    "advice", "alternatives", "assumptions", "certainty", "drivers", "evidence", "frontier", "ledger", "rejected", "ways",
)  # fmt: skip
"""What `expand` may name, besides `all`."""
EVERYTHING: Final = frozenset(PARTS)
ALL: Final = "all"
MOST_POINTS: Final = 3
"""Points of the front that come when nobody asks for the chart."""
MOST_ALTERNATIVES: Final = 2
"""Alternatives that come when nobody asks for all, the best first."""
MOST_REJECTED: Final = 1
"""Reasons for leaving candidates out that come when nobody asks for all, the most frequent first."""
MOST_ADVICE: Final = 2
"""Pieces of advice that come when nobody asks for all, in the order of the answer."""
MOST_DRIVERS: Final = 3
"""Inputs that move the total most which come when nobody asks for all."""
COMPARED: Final = (
    "id", "kind", "accelerator", "accelerator_name", "count", "parallelism", "precision", "days", "finish",
    "meets_deadline", "meets_budget", "probability_in_time", "probability_in_budget", "probability_of_both", "chance",
    "sure",
)  # fmt: skip
"""Fields of an alternative that always come, besides its total and where it is rented."""
OFFERED: Final = ("provider", "instance", "region", "option")
"""What of an offer always comes."""


def parts_named(text: str) -> frozenset[str]:
    """The parts that a comma-separated list names; ValueError names the first that is none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in (*PARTS, ALL):
            raise ValueError(name)
    return EVERYTHING if ALL in names else frozenset(names)


def shortened(option: Option, cost: dict[str, Any]) -> dict[str, Any]:
    """What one compares an option by, under the names of the whole; `cost` as the body says it."""
    held = {item.name for item in fields(option)}
    body: dict[str, Any] = {name: plain(getattr(option, name)) for name in COMPARED if name in held}
    offer = option.offer
    body["on_prem"], body["sure"] = option.on_prem or None, option.kept
    body["days"] = {end: body["days"][end] for end in ("low", "expected", "high", "unit")}
    body["offer"] = {name: getattr(offer, name) for name in OFFERED} if offer else None
    return body | {"cost": cost}


def front_of(points: Sequence[Point]) -> list[Point]:
    """The front of the cost–time chart, of many points some that are spread over it, both ends among them."""
    front = [point for point in points if point.on_frontier]
    if len(front) <= MOST_POINTS:
        return front
    return [front[round(place * (len(front) - 1) / (MOST_POINTS - 1))] for place in range(MOST_POINTS)]


def is_changed(item: Assumption, spec: Spec) -> bool:
    """Does this plan rest on another value than plans usually do?"""
    return item.source in (SET_IN_PLAN, ASKED) or item.id in spec.assumptions
