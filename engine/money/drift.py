"""What a price that was read on one day is by another: what is expected, and an 80 % band that widens with the time between.

ln(price then / price read) wanders: variance (market² + own²) · years, where `market` is what the prices of one market do together
and `own` what a seller does with one price alone, and a drift that is none unless somebody says otherwise. The years run from the
day of the price to the day of the request and on to the start; what is paid by the hour wanders on while the work runs, and the mean
of a wandering price over that time has a third of its variance. `manage.py price_drift` fits and judges all of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final, Literal, get_args

from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.inputs.finding import Ref
from engine.inputs.freshness import days_old
from engine.inputs.hardware import PROVIDER_TIERS, Market, Offer, System
from engine.inputs.origin import Origin, origin, quoted, told_by
from engine.odds.normal import P90

Motion = Literal["large", "list", "spot", "committed", "block"]
"""How a price moves: a large cloud's on-demand list, every other list, spot, a large cloud's commitments, capacity blocks."""
MOTIONS: Final = get_args(Motion)
_LARGE: Final = PROVIDER_TIERS[0]
"""Tier of providers whose lists stand for years."""
DAYS_PER_YEAR: Final = 365.25
_FLOATING: Final = ("on_demand", "spot")
"""Options whose price may change while the work runs; the others are fixed when they are signed."""
_SPREAD: Final[Mapping[str, str]] = {
    "spot": "cost.spread_spot",
    "capacity_block": "cost.spread_capacity_block",
    "on_demand": "cost.spread_on_demand",
}
_FARTHEST_YEARS: Final = 5.0
"""No history reaches further; a band that grew on would say more than was ever seen."""
_UNDATED: Final = "price.undated_days"
_SERVER: Final = "price.own_server"
_WIDEST: Final = 0.9
"""Half of the widest range of a server's price, as a share of its middle: no price falls to nothing."""
_FITTED: Final[Mapping[Motion, tuple[tuple[float, float, float], tuple[float, float, float], float]]] = {
    "large": ((0.05, 0.0, 0.08), (0.12, 0.003, 0.15), 0.02),
    "list": ((0.19, 0.17, 0.24), (0.31, 0.25, 0.33), 0.08),
    "spot": ((0.19, 0.09, 0.34), (0.25, 0.12, 0.36), 0.07),
    "committed": ((0.0, 0.0, 0.11), (0.11, 0.0, 0.14), 0.10),
    "block": ((0.16, 0.08, 0.32), (0.17, 0.08, 0.34), 0.09),
}
"""Of each motion σ of the market and of the seller alone with P10 and P90, and σ of the drift."""


def motion_of(option: str, tier: str) -> Motion:
    """How the price of that option moves at a provider of that tier; one whose tier is unknown counts as a smaller one."""
    if option == "spot":
        return "spot"
    if option == "capacity_block":
        return "block"
    if tier != _LARGE:
        return "list"
    return "large" if option == "on_demand" else "committed"


def _entries() -> Iterator[Assumption]:
    for motion, (market, own, drift) in _FITTED.items():
        seen = Ref("word", f"seen.{motion}")
        for name, ends in (("market", market), ("own", own)):
            yield Assumption(
                id=f"price.{name}_{motion}",
                value=ends[0], low=ends[1], high=ends[2], limits=Limits(0, 3), unit="share/√year",
                source=origin("releases", seen=seen),
            )  # fmt: skip
        yield Assumption(
            id=f"price.drift_{motion}",
            value=0.0, low=-P90 * drift, high=P90 * drift, limits=Limits(-1, 1), unit="share/year",
            source=origin("no_trend", seen=seen),
        )  # fmt: skip
    yield Assumption(
        id=_SERVER, value=0.1, low=0.08, high=0.11, limits=Limits(0, 3), unit="share/√year",
        source=origin(_SERVER),
    )  # fmt: skip
    yield Assumption(
        id=_UNDATED, value=365.0, low=180.0, high=730.0, limits=Limits(0, 3650), unit="day",
        source=origin(_UNDATED),
    )  # fmt: skip


DRIFT_ASSUMPTIONS: Final[dict[str, Assumption]] = {item.id: item for item in _entries()}


@dataclass(frozen=True, kw_only=True)
class Band:
    """A price then: 80 % that it lies between `low` and `high` [USD]."""

    low: float
    expected: float
    high: float


def band_of(offer: Offer, assume: Assumptions, *, start: date, days: float = 0.0) -> Band:
    """The price of an instance-hour of that offer in work that starts on that day and takes so many days.

    The offer's own price is the expected one; of spot the band reaches at least up to what nine tenths of the provider's zones ask.
    """
    half = _half(offer, offer.option, assume, start=start, days=days)
    price = offer.usd_per_hour
    return Band(low=price / half, expected=price, high=max(price * half, offer.dear_usd_per_hour))


def log_sigma_of(offer: Offer, assume: Assumptions, *, start: date, days: float = 0.0) -> float:
    """Standard deviation of the log of that price in work that starts on that day and takes so many days, upwards."""
    band = band_of(offer, assume, start=start, days=days)
    return math.log(band.high / band.expected) / P90 if band.expected > 0 else 0.0


def fallback_band(offer: Offer, usd_per_hour: float, assume: Assumptions, *, start: date, days: float = 0.0) -> Band:
    """The same of what a spot instance costs on demand."""
    half = _half(offer, "on_demand", assume, start=start, days=days)
    return Band(low=usd_per_hour / half, expected=usd_per_hour, high=usd_per_hour * half)


def _half(offer: Offer, option: str, assume: Assumptions, *, start: date, days: float) -> float:
    """Times the price that the upper end of its band is."""
    running = min(days / DAYS_PER_YEAR / 3.0, _FARTHEST_YEARS) if option in _FLOATING else 0.0
    years = 0.0 if is_agreed(offer) else years_until(offer, start, assume) + running
    return _times(option, motion_of(option, offer.tier), years, assume)


@lru_cache(maxsize=4096)
def _times(option: str, motion: Motion, years: float, assume: Assumptions) -> float:
    """Once for all offers that are alike in this: thousands of pairs are ranked by it."""
    drift = assume.get(f"price.drift_{motion}")
    return math.exp(
        width_of(
            assume[_SPREAD.get(option, "cost.spread_committed")],
            years=years,
            market=assume[f"price.market_{motion}"],
            own=assume[f"price.own_{motion}"],
            drift_sigma=(drift.high - drift.low) / 2.0 / P90,
        )
    )


def width_of(spread: float, *, years: float, market: float, own: float, drift_sigma: float) -> float:
    """Half of the 80 % band of ln(price) after so many years: what a price differs by on its own day, and what time adds."""
    wandered = (market**2 + own**2) * years + (drift_sigma * years) ** 2
    return math.hypot(math.log1p(spread), P90 * math.sqrt(wandered))


def years_until(offer: Offer, day: date, assume: Assumptions) -> float:
    """From the day of its price to that day [year], as far as the history that was measured reaches."""
    age = days_old(offer.price_date, day)
    return min((assume[_UNDATED] if age is None else age) / DAYS_PER_YEAR, _FARTHEST_YEARS)


def server_by(system: System, day: date, assume: Assumptions) -> System:
    """That server with the range of its price as wide as it is on that day, around the same middle: what sellers differ by and what
    time has added, in squares. What a seller has offered the team, or the team entered itself, stands."""
    middle = (system.price_low_usd + system.price_high_usd) / 2.0
    if system.quoted or system.own or middle <= 0:
        return system
    age = days_old(system.price_date, day)
    years = min((assume[_UNDATED] if age is None else age) / DAYS_PER_YEAR, _FARTHEST_YEARS)
    wandered = math.expm1(P90 * assume[_SERVER] * math.sqrt(years))
    wide = min(math.hypot(system.price_high_usd / middle - 1.0, wandered), _WIDEST)
    half = float(round(middle * wide, -1))
    return replace(system, price_low_usd=middle - half, price_high_usd=middle + half)


def is_agreed(offer: Offer) -> bool:
    """Has the team agreed that price? Then it stands."""
    return told_by(offer.source, "agreed", "agreed.instead")


def expected_by(market: Market, day: date, assume: Assumptions) -> Market:
    """The market with the prices that are expected on that day; the same market where no trend is expected."""
    trends = {motion: assume[f"price.drift_{motion}"] for motion in MOTIONS}
    if not any(trends.values()):
        return market
    return replace(market, offers=tuple(_expected(offer, day, trends, assume) for offer in market.offers))


def _expected(offer: Offer, day: date, trends: Mapping[str, float], assume: Assumptions) -> Offer:
    """The offer at the price that is expected of it, and of its on-demand twin, on that day."""
    years, motion = years_until(offer, day, assume), motion_of(offer.option, offer.tier)
    moved = 1.0 if is_agreed(offer) else math.exp(trends[motion] * years)
    twin = math.exp(trends[motion_of("on_demand", offer.tier)] * years)
    if moved == 1.0 and twin == 1.0:
        return offer
    return replace(
        offer,
        usd_per_hour=offer.usd_per_hour * moved,
        dear_usd_per_hour=offer.dear_usd_per_hour * moved,
        on_demand_usd_per_hour=offer.on_demand_usd_per_hour * twin,
        source=offer.source if moved == 1.0 else _moved(offer, day, assume.get(f"price.drift_{motion}")),
        native_amount=offer.native_amount if moved == 1.0 else "",
        native_currency=offer.native_currency if moved == 1.0 else "USD",
    )


def _moved(offer: Offer, day: date, drift: Assumption) -> Origin:
    """Whose price it was, and by which assumption it is told for another day."""
    return origin("moved_to", listed=quoted(offer.source), day=day, which=drift.told)
