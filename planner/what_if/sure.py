"""How sure a what-if is: what its moved cost model costs at most, when it is done, and how likely all limits hold, at one confidence.

The same draws as in the plan (`engine.money.draws`), on the moved model; the days keep the width of their band. Fitting into memory, load
and promises are those of the plan: a what-if moves cost and time, not the layout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from engine.answer import Chance, CostModel, Option
from engine.choice.certain import SUPPORTED
from engine.context import SEED
from engine.inputs.spec import Spec
from engine.money.draws import draw, kept_with, probability, probability_of_both
from engine.odds.normal import P90
from engine.odds.waits import chance_in_time, ended_surely
from planner.asked.spans import wait_of, work_days


@dataclass(frozen=True, kw_only=True)
class Sure:
    """One confidence and what it comes to."""

    confidence: float
    cost: float
    """What it costs at most with that confidence, in the plan's currency."""
    days: float | None
    """Days in which it is done with it; None for what has no end, or none that moves."""
    chance: float | None
    """How likely all limits hold together; None in plans from before that was kept."""
    extrapolated: bool


def sure_at(
    option: Option, spec: Spec, model: CostModel, days: float | None, confidence: float, *, budget: float
) -> Sure:
    """`model` and `days`: the option's, moved; `budget` in the plan's currency, 0 = none."""
    step = option.step_time_s
    width = math.log(step.high / step.expected) / P90 if step else 0.0
    drawn = draw(model, log_sigma_time=width, seed=SEED)
    wait, work = wait_of(option), work_days(option)
    spread = math.log(work.high / work.expected) / P90 if work.expected > 0 else 0.0
    left = None if days is None else max(days - wait.days, 1e-9)
    moved = None if left is None else replace(work, expected=left, high=left * math.exp(P90 * spread))
    in_time = option.probability_in_time
    if in_time is not None and moved is not None:
        in_time = chance_in_time(wait, moved, spec.due_days)
    both = probability_of_both(drawn, in_time, budget)
    within = probability(drawn.cash, budget)
    stated = next((value for value in (both, in_time, within) if value is not None), 1.0)
    return Sure(
        confidence=confidence,
        cost=kept_with(drawn.total, confidence),
        days=None if moved is None else ended_surely(wait, moved, confidence),
        chance=None if option.chance is None else stated * _besides(option.chance),
        extrapolated=confidence > SUPPORTED + 1e-9,
    )


def _besides(found: Chance) -> float:
    """How likely what a what-if does not move holds: memory of a run; load and promise of a service, in the same draws."""
    served = min((value for value in (found.capacity, found.promise) if value is not None), default=1.0)
    return served * (1.0 if found.memory is None else found.memory)
