"""Several plans' costs in the same draws: what they have in common errs in all of them at once, and the rest in each for itself.

A plan's total keeps its own P10 and P90. How far it errs with others follows from what moves it: the square of each input's swing
is its share of the variance, and inputs of one family (rented hours of an accelerator, its servers, the model of time, one
assumption) are one factor in every plan. That is a Gaussian copula with common factors; of one plan nothing else is known but its band.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.answer import Driver
from engine.context import SEED
from engine.money.draws import DRAWS, Array, normals
from engine.odds.normal import P90

_RENTED = ("price_per_instance_hour", "second_price_per_instance_hour", "on_demand_price", "bridge_usd_per_hour")
_BOUGHT = ("price_per_server",)
_TIME = ("run_hours", "accelerator_hours", "goodput", "beyond_share")


@dataclass(frozen=True, kw_only=True)
class Uncertain:
    """An amount with its P10 and P90, and which shares of its variance it has in common with others, by factor; the rest is its own."""

    name: str
    low: float
    expected: float
    high: float
    shares: Mapping[str, float] = field(default_factory=dict)


def shares_of(drivers: Iterable[Driver], *, accelerator: str, work: str, assumed: Collection[str]) -> dict[str, float]:
    """The shares of a total's variance by the factor that moves it, together at most 1.

    `assumed`: names of inputs that are an assumption, the same in every plan. What is neither price, time nor assumption is the plan's own.
    """
    found: dict[str, float] = {}
    whole = 0.0
    for one in drivers:
        part = (one.high_change - one.low_change) ** 2
        whole += part
        factor = _factor(one.name, accelerator=accelerator, work=work, assumed=assumed)
        if factor:
            found[factor] = found.get(factor, 0.0) + part
    return {factor: part / whole for factor, part in found.items()} if whole else {}


def _factor(name: str, *, accelerator: str, work: str, assumed: Collection[str]) -> str:
    if name in _RENTED:
        return f"rented {accelerator}"
    if name in _BOUGHT:
        return f"bought {accelerator}"
    if name in _TIME:
        return f"time of {work}"
    return f"assumed {name}" if name in assumed else ""


def ratios(amounts: Sequence[Uncertain]) -> Array:
    """How many times its expected amount each comes to in each draw (amounts × draws): 1 in the middle, its own P10 and P90."""
    found = np.ones((len(amounts), DRAWS))
    for index, one in enumerate(amounts):
        if not one.expected:
            continue
        z = sum((np.sqrt(share) * normals(factor, SEED) for factor, share in one.shares.items()), start=np.zeros(DRAWS))
        own = max(1.0 - sum(one.shares.values()), 0.0)
        z = z + np.sqrt(own) * normals(f"own {one.name}", SEED)
        down, up = (one.expected - one.low) / P90, (one.high - one.expected) / P90
        found[index] = 1.0 + np.where(z < 0, z * down, z * up) / one.expected
    return found


def ends_of(weights: Array, drawn: Array) -> tuple[Array, Array]:
    """P10 and P90 of sums: each row of `weights` says how much of each amount it holds."""
    low, high = np.percentile(weights @ drawn, (10.0, 90.0), axis=1)
    return low, high
