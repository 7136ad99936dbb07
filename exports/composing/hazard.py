"""One thing that could go wrong with a plan, and what an input of its cost model is worth."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import CostInput, Option
from exports.cost_values import values_of
from exports.wording import mark, tr

HAZARD_LABELS = {
    "weakness": mark("to be checked"),
    "signed": mark("who carries the rest"),
    "software": mark("another vendor's software"),
    "capacity": mark("no capacity"),
    "price": mark("price"),
    "pace": mark("slower than computed"),
    "failures": mark("interruptions"),
    "mornings": mark("capacity lost each morning"),
    "load": mark("more load or a failure"),
    "replica": mark("a lost replica"),
    "choice": mark("another option wins"),
}


@dataclass(frozen=True, kw_only=True)
class Hazard:
    """One thing that could go wrong: what kind, what it would mean, and what it would cost."""

    kind: str
    text: str
    cost: float
    """How much it could add to the cost, in the currency of the plan: for the order only."""

    @property
    def label(self) -> str:
        """Its kind in words, as a sentence continues."""
        return tr(HAZARD_LABELS[self.kind])


def added(best: Option, item: CostInput, value: float) -> float:
    """Change of the total when that input takes that value, in the currency of the plan."""
    return together(best, {item.name: value})


def together(best: Option, values: dict[str, float]) -> float:
    """The same when those inputs take those values at once."""
    model = best.cost.model
    return values_of(model, values)[model.total] - values_of(model, {})[model.total]
