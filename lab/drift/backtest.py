"""The back-test: fitted on what had happened by a day, judged on what happened after it.

An origin is the begin of a quarter; the moves that begin in it are judged by the fit of moves that had ended by then. Moves of
one price never overlap, so no part of the history judges twice.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import NormalDist
from typing import Final

from engine.money.cost import COST_ASSUMPTIONS
from engine.money.drift import Motion, width_of
from lab.drift.model import Fit, fitted
from lab.drift.moves import SAME, Move

SPREAD: Final[Mapping[Motion, str]] = {
    "large": "cost.spread_on_demand",
    "list": "cost.spread_on_demand",
    "spot": "cost.spread_spot",
    "committed": "cost.spread_committed",
    "block": "cost.spread_capacity_block",
}
"""What the price of one day differs by: the whole band before time was counted, and the baseline that it is judged beside."""
_LEAST = 10
"""Moves that must have ended before anything is fitted on them."""
_LOW, _HIGH = 0.1, 0.9
"""The central 80 % of a forecast."""
_DRAWS = 2000
_SEED = 20261125


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One move and what the fit of its origin said of it: half the 80 % band, and the drift, as logarithms."""

    move: Move
    half: float
    drift: float
    constant: float
    """Half of the band that knows no age."""
    stays: float
    """How likely the price does not move at all."""
    moved: float
    """σ of its move where it does, as a logarithm."""

    @property
    def central(self) -> float:
        """How much of the move lies in the central 80 % of what was foretold (0–1): a price that stays, or wanders normally.

        One value of a forecast can hold more than four fifths of it, and then every band around it does. What does not move is thus
        counted by the part of its probability that lies between the forecast's P10 and P90 (randomised PIT: Czado, Gneiting and Held,
        Biometrics 65, 2009, doi 10.1111/j.1541-0420.2009.01191.x).
        """
        goes = 1.0 - self.stays
        if abs(self.move.log) < SAME:
            return (min(_HIGH, 1.0 - goes / 2.0) - max(_LOW, goes / 2.0)) / self.stays
        below = goes * NormalDist().cdf(self.move.log / self.moved) + (self.stays if self.move.log > 0.0 else 0.0)
        return float(_LOW <= below <= _HIGH)


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the bands of one motion held."""

    motion: str
    moves: int
    origins: int
    unmoved: float
    coverage: float
    interval: tuple[float, float]
    """95 % of the coverage, drawn over pairs of provider and origin."""
    central: float
    """Share of the moves in the central 80 % of forecasts in which a price may stay (`Judged.central`)."""
    central_interval: tuple[float, float]
    above: float
    """Share of the moves that went beyond the band upwards."""
    below: float
    half: float
    """Half the band at its middle, as a logarithm."""
    constant: float
    """Coverage of the band that knows no age."""
    error: float
    """Mean error of the price as it was read, as a logarithm."""
    error_with_drift: float
    """The same where the measured drift is carried on."""

    @property
    def holds(self) -> bool:
        """Does the interval contain 80 %?"""
        return self.interval[0] <= 0.8 <= self.interval[1]

    @property
    def central_holds(self) -> bool:
        """The same for forecasts in which a price may stay."""
        return self.central_interval[0] <= 0.8 <= self.central_interval[1]


def judged(moves: Sequence[Move], motion: Motion) -> list[Judged]:
    """Every move of that motion that begins when enough had ended to be fitted."""
    own = [move for move in moves if move.motion == motion]
    fits: dict[date, Fit | None] = {}
    found = []
    for move in own:
        origin = date(move.begin.year, move.season[1] * 3 + 1, 1)
        if origin not in fits:
            past = [one for one in own if one.end <= origin]
            fits[origin] = fitted(past) if len(past) >= _LEAST else None
        fit = fits[origin]
        if fit is not None:
            found.append(_judged(move, fit, motion))
    return found


def _judged(move: Move, fit: Fit, motion: Motion) -> Judged:
    spread = COST_ASSUMPTIONS[SPREAD[motion]].value
    half = width_of(spread, years=move.years, market=fit.market[0], own=fit.own[0], drift_sigma=fit.drift_sigma)
    return Judged(
        move=move,
        half=half,
        drift=fit.drift * move.years,
        constant=math.log1p(spread),
        stays=(fit.unmoved * fit.moves + 1.0) / (fit.moves + 2.0),
        moved=max(fit.moved * math.sqrt(move.years), SAME),
    )


def verdict(motion: str, found: Sequence[Judged]) -> Verdict | None:
    """What those bands held; None where nothing could be judged."""
    if not found:
        return None
    logs = [abs(one.move.log) for one in found]
    return Verdict(
        motion=motion,
        moves=len(found),
        origins=len({one.move.season for one in found}),
        unmoved=_share(found, lambda one: abs(one.move.log) < SAME),
        coverage=_share(found, _within),
        interval=_interval(found, _within),
        central=math.fsum(one.central for one in found) / len(found),
        central_interval=_interval(found, lambda one: one.central),
        above=_share(found, lambda one: one.move.log > one.half),
        below=_share(found, lambda one: one.move.log < -one.half),
        half=sorted(one.half for one in found)[len(found) // 2],
        constant=_share(found, lambda one: abs(one.move.log) <= one.constant),
        error=math.fsum(logs) / len(logs),
        error_with_drift=math.fsum(abs(one.move.log - one.drift) for one in found) / len(found),
    )


def _within(one: Judged) -> bool:
    return abs(one.move.log) <= one.half


def _share(found: Sequence[Judged], test: Callable[[Judged], bool]) -> float:
    return sum(map(test, found)) / len(found)


def _interval(found: Sequence[Judged], inside: Callable[[Judged], float]) -> tuple[float, float]:
    """A provider changes many prices on one day, so its moves of one origin are drawn together."""
    groups: dict[tuple[str, tuple[int, int]], list[float]] = defaultdict(list)
    for one in found:
        groups[one.move.provider, one.move.season].append(inside(one))
    draw = random.Random(_SEED)  # noqa: S311 — a bootstrap, no secret
    keys, drawn = list(groups), []
    for _ in range(_DRAWS):
        taken = [held for key in draw.choices(keys, k=len(keys)) for held in groups[key]]
        drawn.append(sum(taken) / len(taken))
    drawn.sort()
    return drawn[_DRAWS * 25 // 1000], drawn[_DRAWS * 975 // 1000 - 1]
