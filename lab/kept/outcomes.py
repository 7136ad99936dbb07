"""What comes of one option in draws of its own: time, money and memory, apart from the engine's 2,000 draws.

Inputs of the cost model are drawn here anew, each over its range (P10, value, P90) with numbers of this module, and so is the peak of
memory. A run takes as long as its cost model says in that very draw: what slows it down also makes it dearer. The engine takes its days as
log-normal with the spreads added in squares, and lays them beside the money by rank; that is what is checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.answer import NEEDED, Chance, CostInput, Option
from engine.inputs.kind import PerKind
from engine.money.arrays import over_arrays
from engine.money.cash import LEAD_HOURS
from engine.money.delivery import waits_for_servers
from engine.money.rented import most_of
from engine.odds.normal import P90, upto
from lab.validation.fit import Floats
from planner.asked.spans import wait_days

STEPS = ("run_hours", "accelerator_hours")
"""Inputs whose range is that of a step."""
_TIMES = ("wall_hours", "batch_hours", "accelerator_hours")
"""Lines or inputs that say how long the work takes, the first that there is."""
Held = np.ndarray[Any, np.dtype[np.bool_]]
Drawer = Callable[[np.random.Generator, int], Floats]
"""Draws so many errors of a step in multiples of its spread: positive where it takes longer than was predicted."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """All draws of one option."""

    days: Floats | None
    """From the start to the end; None for a service, which goes on."""
    cash: Floats
    """What the budget must hold, in the currency of the plan."""
    besides: np.ndarray[Any, np.dtype[np.bool_]]
    """Does what is limited by nothing of time and money hold: memory of a run; load and promise of a service?"""


def normal(random: np.random.Generator, many: int) -> Floats:
    """As the bands say it."""
    return random.standard_normal(many)


def outcome(option: Option, random: np.random.Generator, *, draws: int, step: Drawer = normal) -> Outcome:
    """So many draws of that option. `step`: errors of its step, for others than normal ones."""
    stack = step(random, draws)
    spread = _step_spread(option)
    values = {item.name: _input(item, random, draws, stack, spread) for item in option.cost.model.inputs}
    for line in option.cost.model.lines:
        values[line.name] = over_arrays(line.expression)(values)
    cash = values.get(NEEDED, values[option.cost.model.total])
    return Outcome(
        days=_DAYS[option.work](option, values, draws),
        cash=np.broadcast_to(np.asarray(cash, dtype=float), (draws,)),
        besides=_besides(option, random, stack, draws),
    )


def keeps(found: Outcome, *, deadline_days: float, budget: float) -> float:
    """The share of draws that keep those limits, 0 = none, and all else."""
    good = found.besides.copy()
    if deadline_days and found.days is not None:
        good &= found.days <= deadline_days
    if budget:
        good &= found.cash <= budget
    return float(np.mean(good))


def _step_spread(option: Option) -> float:
    """Standard deviation of the log of a step; 0 where the cost model itself has the range of the time, or there is no step."""
    step = option.step_time_s
    return math.log(step.high / step.expected) / P90 if step else 0.0


def _input(item: CostInput, random: np.random.Generator, draws: int, stack: Floats, spread: float) -> Any:
    """Draws of one input: log-normal halves about its value where it is above zero; what follows a step follows `stack`."""
    if item.name in STEPS and spread > 0:
        return item.value * np.exp(spread * stack)
    if item.low == item.high:
        return item.value
    timed = item.name in (*STEPS, "batch_hours")
    z = stack if timed else random.standard_normal(draws)
    if item.low > 0:
        sides = math.log(item.value / item.low), math.log(item.high / item.value)
        drawn = item.value * np.exp(z / P90 * np.where(z < 0, *sides))
    else:
        drawn = np.maximum(item.value + z / P90 * np.where(z < 0, item.value - item.low, item.high - item.value), 0.0)
    return np.clip(drawn, 1e-6, most_of(item)) if item.unit == "share" else drawn


def _days(option: Option, values: Mapping[str, Any], draws: int) -> Floats | None:
    """Days until it is done: the wait as its delivery was drawn, the rest as the hours of the cost model."""
    central = {line.name: line.amount for line in option.cost.model.lines}
    central |= {item.name: item.value for item in option.cost.model.inputs}
    name = next((name for name in _TIMES if name in central), None)
    if name is None:
        return None
    wait = wait_days(option)
    waited = values[LEAD_HOURS] / 24.0 if waits_for_servers(option.cost.model) else 0.0
    hours = np.broadcast_to(np.asarray(values[name], dtype=float), (draws,))
    return np.asarray(waited + (option.days.expected - wait) * hours / central[name], dtype=np.float64)


def _besides(
    option: Option, random: np.random.Generator, stack: Floats, draws: int
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    odds = option.chance
    if odds is None:
        return np.ones(draws, dtype=bool)
    return _HELD[option.work](option, odds, random, stack)


def _fits(option: Option, _odds: Chance, random: np.random.Generator, stack: Floats) -> Held:
    memory = option.memory.total_gb
    peak = memory.expected * np.exp(math.log(memory.high / memory.expected) / P90 * random.standard_normal(len(stack)))
    return np.asarray(peak <= option.memory.capacity_gb)


def _answers(_option: Option, odds: Chance, _random: np.random.Generator, stack: Floats) -> Held:
    """One stack serves and answers: what is slower than thought serves less and answers later, in the same draw."""
    least = min(upto(one) for one in (odds.capacity, odds.promise, 1.0) if one is not None)
    return np.asarray(stack <= least)


_DAYS: PerKind[Callable[[Option, Mapping[str, Any], int], Floats | None]] = {
    "run": _days,
    "service": lambda _option, _values, _draws: None,
    "batch": _days,
}
_HELD: PerKind[Callable[[Option, Chance, np.random.Generator, Floats], Held]] = {
    "run": _fits,
    "service": _answers,
    "batch": _answers,
}
