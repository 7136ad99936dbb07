"""Two sets of inputs that a plan may say of its cost “it may go like this”: the ones with which its total is its P10, and its P90.

Every input at the end of its own range costs far more than the P90, since not all turn out badly at once. So each end is the mean of the
inputs in the draws whose total lies around the quantile, on the scale on which they are drawn, and moved along that direction until
the total is the quantile itself. What such draws do not differ in stays as in the plan. It follows from the cost model that is frozen,
as the ledger does, so no plan holds it and none is hashed with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.answer import CostInput, CostModel, Money
from engine.context import SEED
from engine.inputs.currency import DIGITS
from engine.money.draws import DRAWS, at_normal, evaluated, normals
from engine.money.lines import evaluate

_AROUND = 0.05
"""Share of the draws to either side of the quantile whose mean is taken."""
_TELLING = 2.5
"""Standard errors by which their mean must differ from the plan: of inputs that the total does not follow, one in eighty does."""
_FURTHEST = 6.0
"""Times that mean, beyond which no end is looked for."""
_TURNS = 60
_KEPT_DIGITS = 12
"""Of an input, as plans keep their numbers: the total is that of the values as they are printed."""


@dataclass(frozen=True, kw_only=True)
class Ends:
    """Values of the inputs that differ from the plan, by name, at its P10 and its P90."""

    low: Mapping[str, float]
    high: Mapping[str, float]


def ends_of(model: CostModel, band: Money) -> Ends | None:
    """The two sets of inputs with which the model's total is the low and the high of that band, to the smallest unit that its lines are
    rounded to; None where its inputs do not reach it, since something else is uncertain too."""
    uncertain = [item for item in model.inputs if item.low < item.high]
    drawn = {item.name: normals(item.name, SEED) for item in uncertain}
    values = {
        item.name: at_normal(item, drawn[item.name]) if item.name in drawn else item.value for item in model.inputs
    }
    total = evaluated(model, dict(values), {model.total})[model.total]
    order = np.argsort(np.broadcast_to(np.asarray(total, dtype=np.float64), (DRAWS,)), kind="stable")
    found = []
    for share, target in ((0.1, band.low), (0.9, band.high)):
        near = order[round((share - _AROUND) * DRAWS) : round((share + _AROUND) * DRAWS)]
        end = _reached(model, uncertain, {name: _telling(z[near]) for name, z in drawn.items()}, target)
        if end is None:
            return None
        found.append(end)
    return Ends(low=found[0], high=found[1])


def _telling(near: NDArray[np.float64]) -> float:
    """The mean of those draws of an input; 0 where draws that have nothing to do with the total could have it as well."""
    mean = float(np.mean(near))
    return mean if abs(mean) * math.sqrt(len(near)) >= _TELLING else 0.0


def _reached(
    model: CostModel, uncertain: list[CostInput], towards: Mapping[str, float], target: float
) -> dict[str, float] | None:
    """The inputs as far in that direction as the total is the target: halved again and again."""
    central = next(line.amount for line in model.lines if line.name == model.total)
    if target == central:
        return {}
    unit = 0.5 * 10.0 ** -DIGITS[model.currency]

    def at(times: float) -> tuple[dict[str, float], float]:
        moved = {
            item.name: kept(float(at_normal(item, times * towards[item.name])))
            for item in uncertain
            if towards[item.name]
        }
        return moved, evaluate(model, moved)[model.total]

    if (at(_FURTHEST)[1] - target) * (target - central) < 0:
        return None
    near, far = 0.0, _FURTHEST
    for _ in range(_TURNS):
        middle = (near + far) / 2.0
        inputs, total = at(middle)
        if abs(total - target) < unit:
            return inputs
        near, far = (middle, far) if (total - target) * (target - central) < 0 else (near, middle)
    return at(far)[0]


def kept(value: float) -> float:
    """That number as a plan keeps it."""
    return round(value, _KEPT_DIGITS - 1 - math.floor(math.log10(abs(value)))) if value else 0.0
