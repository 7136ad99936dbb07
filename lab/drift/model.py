"""The fit: a price wanders from the day it was read, by what its market does and by what its seller does with it alone.

ln(price then / price read) is taken as normal around nothing, of variance σ² · years: a random walk without a drift of its own. σ is
that of which the 80 % band holds 80 % of the moves. Where more than four fifths of the prices did not move at all no width does
that, and σ is the root of the mean square instead: prices that rarely move, then move far. Moves that begin in one quarter of a year
have the market in common; what pairs of them agree in is the market's part of σ², the rest the seller's own.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.odds.normal import P90
from lab.drift.moves import SAME, Move

_COVER = 0.8
_DRAWS = 400
_SEED = 20261125
_SEASONS = 3
"""Quarters from which the spread of a figure can be told; from fewer it is taken as half to double."""
_PRIOR_DRIFT = 0.10
"""How far a year's drift is believed to lie from none before anything is measured [1/year]."""


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How prices of one motion move [1/√year], each figure with its P10 and P90 over the quarters that were seen."""

    moves: int
    seasons: int
    unmoved: float
    """Share of the moves that are none."""
    moved: float
    """Root of the mean square of those that are one [1/√year]."""
    market: tuple[float, float, float]
    """σ of what the market does: value, P10, P90."""
    own: tuple[float, float, float]
    """σ of what the seller does with that price alone: value, P10, P90."""
    drift: float
    """What a year's drift is believed to be after the moves were seen, from none before [1/year]."""
    drift_sigma: float

    @property
    def sigma(self) -> float:
        """σ of both together."""
        return math.hypot(self.market[0], self.own[0])


def fitted(moves: Sequence[Move]) -> Fit:
    """The fit of moves of one motion. ValueError without any."""
    if not moves:
        raise ValueError("There are no moves to fit.")
    seasons = list(_by_season(moves).values())
    drawn = list(_drawn(seasons))
    market, own = (_with_ends(value, sorted(pair[at] for pair in drawn)) for at, value in enumerate(_split(moves)))
    drift, drift_sigma = _drift(seasons, market[0])
    return Fit(
        moves=len(moves),
        seasons=len(seasons),
        unmoved=sum(abs(move.log) < SAME for move in moves) / len(moves),
        moved=math.sqrt(_mean_square([move for move in moves if abs(move.log) >= SAME] or moves)),
        market=market,
        own=own,
        drift=drift,
        drift_sigma=drift_sigma,
    )


def _drawn(seasons: Sequence[Sequence[Move]]) -> Iterator[tuple[float, float]]:
    """Both σ of quarters drawn with replacement; of too few quarters nothing."""
    draw = random.Random(_SEED)  # noqa: S311 — a bootstrap, no secret
    for _ in range(_DRAWS if len(seasons) >= _SEASONS else 0):
        yield _split([one for season in draw.choices(seasons, k=len(seasons)) for one in season])


def _by_season(moves: Iterable[Move]) -> dict[tuple[int, int], list[Move]]:
    found: dict[tuple[int, int], list[Move]] = defaultdict(list)
    for move in moves:
        found[move.season].append(move)
    return found


def _split(moves: Sequence[Move]) -> tuple[float, float]:
    """σ of the market and of the seller alone."""
    sigma, square = _sigma(moves), _mean_square(moves)
    share = min(max(_alike(moves) / square, 0.0), 1.0) if square else 0.0
    return sigma * math.sqrt(share), sigma * math.sqrt(1.0 - share)


def _sigma(moves: Sequence[Move]) -> float:
    rates = sorted(abs(_rate(move)) for move in moves)
    if sum(abs(move.log) < SAME for move in moves) >= _COVER * len(moves):
        return math.sqrt(_mean_square(moves))
    return rates[min(math.ceil(_COVER * len(rates)), len(rates)) - 1] / P90


def _rate(move: Move) -> float:
    return move.log / math.sqrt(move.years)


def _mean_square(moves: Sequence[Move]) -> float:
    return math.fsum(_rate(move) ** 2 for move in moves) / len(moves)


def _alike(moves: Sequence[Move]) -> float:
    """The mean product of two moves of one quarter: what they have in common, squared."""
    products, pairs = 0.0, 0
    for season in _by_season(moves).values():
        rates = [_rate(move) for move in season]
        products += sum(rates) ** 2 - math.fsum(rate**2 for rate in rates)
        pairs += len(rates) * (len(rates) - 1)
    return products / pairs if pairs else 0.0


def _with_ends(value: float, drawn: list[float]) -> tuple[float, float, float]:
    low, high = (drawn[len(drawn) // 10], drawn[-len(drawn) // 10]) if drawn else (value / 2.0, value * 2.0)
    return value, min(low, value), max(high, value)


def _drift(seasons: Sequence[Sequence[Move]], market: float) -> tuple[float, float]:
    """The year's drift and its σ: the mean move of each quarter, with what a wandering market hides of it, beside the prior."""
    years = math.fsum(math.fsum(move.years for move in season) / len(season) for season in seasons)
    moved = math.fsum(math.fsum(move.log for move in season) / len(season) for season in seasons)
    error = market**2 / years
    known = _PRIOR_DRIFT**2
    if not error:
        return 0.0, _PRIOR_DRIFT
    return moved / years * known / (known + error), math.sqrt(known * error / (known + error))
