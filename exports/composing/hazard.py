"""One thing that could go wrong with a plan: how likely, how much money is at stake, who owns it; and what an input is worth."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Literal

from engine.answer import CostInput, Option
from exports.cost_values import values_of
from exports.wording import mark, tr

Owner = Literal["finance", "engineering", "purchasing", "plan"]
"""Who watches a risk and acts on it; “plan” is whoever owns the plan, by name where that is known."""

HAZARD_LABELS = {
    "weakness": mark("to be checked"),
    "signed": mark("who carries the rest"),
    "software": mark("another vendor's software"),
    "capacity": mark("no capacity"),
    "price": mark("price"),
    "delivery": mark("delivered late"),
    "block": mark("the block ends first"),
    "pace": mark("slower than computed"),
    "failures": mark("interruptions"),
    "mornings": mark("capacity lost each morning"),
    "host": mark("a host is down"),
    "load": mark("more load or a failure"),
    "promise": mark("the promised latency"),
    "replica": mark("a lost replica"),
    "choice": mark("another option wins"),
}
OWNERS: dict[str, Owner] = {
    "weakness": "plan",
    "signed": "finance",
    "software": "engineering",
    "capacity": "purchasing",
    "price": "purchasing",
    "delivery": "purchasing",
    "block": "purchasing",
    "pace": "engineering",
    "failures": "engineering",
    "mornings": "purchasing",
    "host": "engineering",
    "load": "plan",
    "promise": "engineering",
    "replica": "engineering",
    "choice": "plan",
    "input": "finance",
    "input_price": "purchasing",
    "input_work": "engineering",
}
"""By kind: who states the load owns it, who asks sellers owns price and capacity, who runs the work its pace and failures; rates that
nobody sells are finance's."""
BREAKS = ("host", "promise")
"""Kinds that interrupt the service or break its promise."""
TAIL = 0.1
"""Chance that an input lies at or beyond its unfavourable end: the ends of a range are its P10 and P90 (`engine/money/draws`)."""


@dataclass(frozen=True, kw_only=True)
class Hazard:
    """One thing that could go wrong: what kind, and what it would mean."""

    kind: str
    text: str
    stake: float | None = None
    """What it could add to the cost, in the currency of the plan; None where the plan does not know."""
    chance: float | None = None
    """How likely it comes to that, by the plan's own draws and assumptions; None where nobody knows."""
    name: str = ""
    """What it is called where its kind says too little: the input of the cost model that moves."""

    @property
    def label(self) -> str:
        """Its kind in words, as a sentence continues."""
        return self.name or tr(HAZARD_LABELS[self.kind])

    @property
    def owner(self) -> Owner:
        """Who watches it."""
        return OWNERS[self.kind]

    @property
    def breaks(self) -> bool:
        """Is it likelier than the tail of an input to break the service? What an hour without it costs its users no plan knows, so that
        it cannot be weighed against money, and must not fall behind a dearer gateway either."""
        return self.kind in BREAKS and self.stake is None and (self.chance or 0.0) >= TAIL

    @property
    def weight(self) -> float | None:
        """Chance times money, in the currency of the plan; None where one of them is not known."""
        return None if self.chance is None or self.stake is None else self.chance * self.stake


def ranked(found: list[Hazard]) -> tuple[Hazard, ...]:
    """What breaks the service first, the likeliest first; then by chance times money, the largest first; then those of unknown price, the
    likeliest first; last those whose chance nobody knows, by the money at stake. Equal ones stay in their order."""
    return tuple(sorted(found, key=_place))


def _place(row: Hazard) -> tuple[int, float]:
    if row.breaks:
        return 0, -(row.chance or 0.0)
    if row.weight is not None:
        return 1, -row.weight
    return (2, -row.chance) if row.chance is not None else (3, -(row.stake or 0.0))


def at_least_once(per_year: float, years: float) -> float:
    """Chance that what happens so often in a year, at random, happens within so many years."""
    return 1.0 - exp(-per_year * years)


def added(best: Option, item: CostInput, value: float) -> float:
    """Change of the total when that input takes that value, in the currency of the plan."""
    return together(best, {item.name: value})


def together(best: Option, values: dict[str, float]) -> float:
    """The same when those inputs take those values at once."""
    model = best.cost.model
    return values_of(model, values)[model.total] - values_of(model, {})[model.total]
