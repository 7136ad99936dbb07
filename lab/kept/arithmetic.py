"""Kept as often as was asked: recommendations of requests drawn at random, each in 100,000 draws that the engine has not seen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.inputs.hardware import Market
from engine.inputs.spec import Spec, SpecError
from lab.gallery.drawn import drawn
from lab.kept.outcomes import Drawer, keeps, normal, outcome
from lab.kinds import JUDGED
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.promises import asked_confidence

DRAWS = 100_000
TIGHT = ", tight"
"""What is put behind the name of a request whose limits are set to be only just kept."""
SLACK = 0.01
"""By so much a frequency may lie below what was asked."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """One recommendation."""

    name: str
    asked: float
    stated: float
    """The chance that the plan states for all its limits."""
    kept: float
    """How often they held."""
    at_risk: bool
    """Does the plan itself say that a promise is kept less surely than was asked?"""

    @property
    def tight(self) -> bool:
        """Are its limits such that it only just keeps them?"""
        return self.name.endswith(TIGHT)

    @property
    def short(self) -> bool:
        """Is it kept less often than was asked, by more than the slack and what so many draws may miss?"""
        return not self.at_risk and self.kept < self.asked - SLACK


def plans(market: Market, numbers: range) -> Iterator[tuple[str, Plan]]:
    """Plans of those drawn requests that have an answer, as they are and with limits that they only just keep."""
    for request in drawn(market, numbers):
        try:
            plan = estimate(request.spec, market)
        except SpecError:
            continue
        if plan.recommendation.recommended is None:
            continue
        yield request.name, plan
        again = estimate(tightened(plan, np.random.default_rng(list(request.name.encode()))), market)
        if again.recommendation.recommended is not None:
            yield f"{request.name}{TIGHT}", again


def tightened(plan: Plan, random: np.random.Generator) -> Spec:
    """The same request with a confidence of its own, and limits that its answer only just keeps so surely: the days and the money of
    that row of its certainty, with a little room where both are limits of one run."""
    rows = [row for row in plan.recommendation.certainty if row.cost is not None]
    row = rows[int(random.integers(len(rows)))]
    assert row.cost is not None
    often = JUDGED[plan.spec.kind].both
    both = random.random() < often
    room = 1.03 if both else 1.0
    limits = plan.spec.constraints
    if row.days is not None and often:
        limits = replace(limits, deadline_days=row.days * room)
    if both or row.days is None:
        held = (row.authorised or row.cost) / plan.recommendation.currency.of(1.0)
        limits = replace(limits, budget_usd=held * room)
    confidence = replace(plan.spec.confidence, all=row.confidence)
    return replace(plan.spec, constraints=limits, confidence=confidence)


def kept_of(name: str, plan: Plan, *, draws: int = DRAWS, step: Drawer = normal) -> Kept:
    """How often that recommendation keeps its limits."""
    best = plan.recommendation.recommended
    assert best is not None
    assert best.chance is not None
    random = np.random.default_rng([20261125, sum(name.encode())])
    found = outcome(best, random, draws=draws, step=step)
    limits = plan.spec.constraints
    due = plan.spec.due_days
    budget = plan.recommendation.currency.of(limits.budget_usd)
    return Kept(
        name=name,
        asked=asked_confidence(plan.spec),
        stated=best.chance.all,
        kept=keeps(found, deadline_days=due, budget=budget),
        at_risk=any(one.code == "warning.at_risk" for one in best.warnings),
    )


def figures(found: Sequence[Kept]) -> dict[str, float | int | list[str]]:
    """How many are short of what was asked, and how far stated and drawn chances lie apart."""
    apart = [one.kept - one.stated for one in found]
    return {
        "requests": len(found),
        "short": [one.name for one in found if one.short],
        "largest_shortfall": round(
            max((one.asked - one.kept for one in found if not one.at_risk), default=-math.inf), 4
        ),
        "median_difference": round(float(np.median(apart)), 4),
        "largest_difference": round(max((abs(one) for one in apart), default=0.0), 4),
    }
