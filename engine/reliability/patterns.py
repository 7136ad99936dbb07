"""The patterns in which operators let replicas stand by, how available each keeps a service, and how much of it that takes.

A service is available while all of its load is served, less would be a promise that nobody can hold anybody to. Hosts fail each
by itself (`standing`); outages of a site take all its hosts, those of a provider all sites. They come independently of each other,
so shares of time multiply. `lab/standby.py` draws the same failures one after the other and compares.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from engine.reliability.outages import NO_OUTAGES, Outages
from engine.reliability.standing import spares_beside, spares_for, standing_share

SECOND_SITE = ("active-active", "recovery-full", "recovery-half")
"""Patterns that stand on two sites."""
PATTERNS = ("n", "n+1", "spares", "n+n", "recovery-half", "recovery-full", "active-active")
"""All of them, as they are told: from the least to the most that stands."""
_LADDER = ("spares", "recovery-half", "active-active")
"""What `auto` tries, the least first."""
_AGAIN = {"n+n": 1.0, "active-active": 1.0, "recovery-full": 1.0, "recovery-half": 0.5}
"""Share of the needed replicas that stands once more."""
_MARGIN = 0.05
"""Of what may be missing, what hosts are left at least where sites take nearly all of it: the rest would cost without end."""
_SURER = (0.0, 0.99, 0.999, 0.9999)
"""Shares of an outage for which the hosts of a second site are enough, as far as it takes."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """What a host of the service holds, and how often it is away."""

    per_host: int
    """Replicas on one host."""
    down: float
    """Share of time that it has failed."""
    planned: float = 0.0
    """Share of time that it is in maintenance."""


@dataclass(frozen=True, kw_only=True)
class Standby:
    """Which replicas stand beside those that the load needs, whatever it needs at that hour."""

    pattern: str = "n"
    first_spare: int = 0
    """Spare replicas at the first site."""
    second_spare: int = 0
    """Replicas at the second site beyond those that the pattern has stand there again."""

    @property
    def apart(self) -> bool:
        """Are there two sites?"""
        return self.pattern in SECOND_SITE

    def first(self, needed: int) -> int:
        """Replicas at the first site."""
        return needed + self.first_spare + (0 if self.apart else self._again(needed))

    def second(self, needed: int) -> int:
        """Replicas at the second site."""
        return self._again(needed) + self.second_spare if self.apart else 0

    def total(self, needed: int) -> int:
        """All replicas."""
        return self.first(needed) + self.second(needed)

    def _again(self, needed: int) -> int:
        return math.ceil(_AGAIN.get(self.pattern, 0.0) * needed)


NO_STANDBY = Standby()


def again(pattern: str) -> float:
    """Share of the needed replicas that stands once more in that pattern."""
    return _AGAIN.get(pattern, 0.0)


@lru_cache(maxsize=65_536)
def standby_for(
    needed: int, *, pattern: str, host: Host, availability: float, least: int, most: int, outages: Outages
) -> Standby:
    """The least of that pattern that keeps `needed` answering for that share of time, as far as it can; where so much is not to be
    had, more than `most`. `least`: spare replicas that are asked for anyway."""
    if pattern in ("n", "n+n"):
        return Standby(pattern=pattern)
    if pattern == "n+1":
        spare = spares_beside(needed, per_host=host.per_host, lost=1, least=1, most=most)
        return Standby(pattern=pattern, first_spare=spare)
    if pattern == "active-active":
        target = _of_hosts(pattern, needed, host, availability, outages)
        spare = _spares(needed, host, target, 0, most) if target > _holds(needed, needed, host) else 0
        return Standby(pattern=pattern, first_spare=spare, second_spare=spare)
    second = _second_spare(pattern, needed, host, availability, outages, most)
    target = _of_hosts(pattern, needed, host, availability, outages, second)
    return Standby(pattern=pattern, first_spare=_spares(needed, host, target, least, most), second_spare=second)


def _second_spare(pattern: str, needed: int, host: Host, availability: float, outages: Outages, most: int) -> int:
    """Fewest replicas that stand by at a second site beyond those of the pattern, so that the hosts of the first one can make up for
    what then is missing."""
    if pattern not in SECOND_SITE:
        return 0
    for share in _SURER:
        spare = _spares(needed, host, share, 0, most)
        if _of_hosts(pattern, needed, host, availability, outages, spare) < _most(availability):
            break
    return spare


def _spares(needed: int, host: Host, availability: float, least: int, most: int) -> int:
    return spares_for(
        needed,
        per_host=host.per_host,
        down=host.down,
        planned=host.planned,
        availability=availability,
        least=least,
        most=most,
    )


def _of_hosts(
    pattern: str, needed: int, host: Host, availability: float, outages: Outages, second_spare: int = 0
) -> float:
    """Share of time for which the hosts of one site must be enough, so that all of it is as available as asked: as asked itself, where
    outages of sites alone already take more than may be missing."""
    s, rest = outages.site, (1.0 - outages.provider) * (1.0 - outages.mornings)
    if availability <= 0.0 or availability >= ceiling(pattern, outages):
        return availability
    need = availability / rest
    if pattern == "active-active":
        both = _both(needed, Standby(pattern=pattern), host)
        one = 2.0 * s * (1.0 - s) * _after(outages.detect_s, outages)
        return _within((need - (1.0 - s) ** 2 * both) / one if one > 0 else 0.0, availability)
    second = s * (1.0 - s) * _reached(pattern, outages) * _holds(needed, needed + second_spare, host)
    return _within((need - second) / (1.0 - s), availability)


def _within(share: float, availability: float) -> float:
    return min(max(share, 0.0), _most(availability))


def _most(availability: float) -> float:
    """What hosts of one site are asked for at most."""
    return 1.0 - _MARGIN * (1.0 - availability)


def ceiling(pattern: str, outages: Outages) -> float:
    """Share of time for which a service of that pattern is up at most, however many spare replicas it has."""
    s, rest = outages.site, (1.0 - outages.provider) * (1.0 - outages.mornings)
    if pattern == "active-active":
        return rest * ((1.0 - s) ** 2 + 2.0 * s * (1.0 - s) * _after(outages.detect_s, outages))
    return rest * ((1.0 - s) + s * (1.0 - s) * _reached(pattern, outages))


@lru_cache(maxsize=65_536)
def availability_of(needed: int, standby: Standby, host: Host, outages: Outages = NO_OUTAGES) -> float:
    """Share of time for which that many replicas answer."""
    s, rest = outages.site, (1.0 - outages.provider) * (1.0 - outages.mornings)
    first = _holds(needed, standby.first(needed), host)
    if standby.pattern == "active-active":
        one = _after(outages.detect_s, outages) * first
        return rest * ((1.0 - s) ** 2 * _both(needed, standby, host) + 2.0 * s * (1.0 - s) * one)
    if not standby.apart:
        return rest * (1.0 - s) * first
    # Of half a site, the other half has been started by then.
    second = _reached(standby.pattern, outages) * _holds(needed, needed + standby.second_spare, host)
    return rest * ((1.0 - s) * first + s * (1.0 - s) * second)


def _holds(needed: int, held: int, host: Host) -> float:
    """Share of time for which so many replicas of one site are enough."""
    hosts = math.ceil(held / host.per_host)
    lost = (held - needed) // math.ceil(held / hosts)
    return standing_share(hosts, lost, down=host.down, planned=host.planned)


def _both(needed: int, standby: Standby, host: Host) -> float:
    """Share of time for which the replicas of both sites together are enough while both are up."""
    first, second = standby.first(needed), standby.second(needed)
    hosts = math.ceil(first / host.per_host) + math.ceil(second / host.per_host)
    each = max(math.ceil(held / math.ceil(held / host.per_host)) for held in (first, second))
    return standing_share(hosts, (first + second - needed) // each, down=host.down, planned=host.planned)


def _reached(pattern: str, outages: Outages) -> float:
    """Share of an outage of the first site in which the second one serves all of the load; nothing without a second one.

    Outages last exponentially long. At full size it does as soon as traffic goes there; at half size once the other half has been
    started, if it can be had at all.
    """
    if pattern == "recovery-full":
        return _after(outages.failover_s, outages)
    if pattern == "recovery-half":
        return outages.capacity * _after(outages.failover_s + outages.start_s, outages)
    return 0.0


def _after(seconds: float, outages: Outages) -> float:
    """Share of all outages of a site that is left after so many seconds of each."""
    return math.exp(-seconds / 3600.0 / outages.site_h)


def resolved(pattern: str, availability: float, outages: Outages, *, two_sites: bool) -> str:
    """The pattern that `auto` stands for: the least that can hold the availability, or what comes nearest to it."""
    if pattern != "auto":
        return pattern
    able = _LADDER if two_sites else _LADDER[:1]
    # What is given back at night is missing at one site and at two: no pattern is taken for it.
    held = [one for one in able if ceiling(one, outages) / (1.0 - outages.mornings) > availability]
    return held[0] if held else able[-1]
