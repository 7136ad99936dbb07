"""The patterns in which operators let replicas stand by, how available each keeps a service, and how much of it that takes.

A service is available while all of its load is served, less would be a promise that nobody can hold anybody to. Hosts fail each
by itself (`standing`); outages of a site take all its hosts, those of a provider all sites. They come independently of each other,
so shares of time multiply. A site that stands by serves alone while the first one is down, and beside it while its hosts hold too
little. `lab/standby.py` draws the same failures one after the other and compares.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from engine.reliability.outages import NO_OUTAGES, Outages
from engine.reliability.standing import (
    failing_share,
    most_failing,
    shortfalls_per_repair,
    spares_beside,
    spares_for,
    standing_share,
)

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
_SECOND = 0.9999
"""Share of an outage for which the hosts of a site that stands by are enough at most."""


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
    reached = ceiling(pattern, outages)
    # Where outages of sites alone take more than may be missing, hosts are kept as surely as is asked: more would cost without end.
    enough = availability if availability < reached else availability * reached
    tried = sorted(_tried(pattern, needed, host, availability, least, most), key=lambda one: one.total(needed))
    return next((one for one in tried if availability_of(needed, one, host, outages) >= enough), tried[-1])


def _tried(pattern: str, needed: int, host: Host, availability: float, least: int, most: int) -> Iterator[Standby]:
    """That pattern with spare replicas for none, one, two … hosts that are down at the first site, and at the second."""
    surely = 1.0 - _MARGIN * (1.0 - availability)
    if pattern == "active-active":
        for spare in _rungs(needed, host, surely, 0, most):
            yield Standby(pattern=pattern, first_spare=spare, second_spare=spare)
        return
    seconds = list(_rungs(needed, host, _SECOND, 0, most)) if pattern in SECOND_SITE else [0]
    for first in _rungs(needed, host, surely, least, most):
        for second in seconds:
            yield Standby(pattern=pattern, first_spare=first, second_spare=second)


def _rungs(needed: int, host: Host, share: float, least: int, most: int) -> Iterator[int]:
    """Spare replicas of a site with which none, one, two … of its hosts may be down, up to those that are enough for that share of time."""
    last = spares_for(
        needed,
        per_host=host.per_host,
        down=host.down,
        planned=host.planned,
        availability=share,
        least=least,
        most=most,
    )
    for lost in count():
        spare = spares_beside(needed, per_host=host.per_host, lost=lost, least=least, most=most)
        yield min(spare, last)
        if spare >= last:
            return


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
    relieved = _relieved(needed, standby, host, outages)
    return rest * (1.0 - s) * ((1.0 - s) * relieved + s * first + s * second)


def _holds(needed: int, held: int, host: Host) -> float:
    """Share of time for which so many replicas of one site are enough."""
    hosts, each = _spread(held, host)
    return standing_share(hosts, (held - needed) // each, down=host.down, planned=host.planned)


def _relieved(needed: int, standby: Standby, host: Host, outages: Outages) -> float:
    """Share of the time that both sites are up for which the first is enough, or what stands by at the second serves beside it.

    That takes `failover_s` each time that a host fails and leaves too little; for maintenance, traffic goes before.
    """
    held = standby.first(needed)
    hosts, each = _spread(held, host)
    first, lost = _holds(needed, held, host), (held - needed) // each
    if first >= 1.0:
        return 1.0
    onsets = shortfalls_per_repair(hosts, lost, down=host.down, planned=host.planned)
    # A shortfall ends when any of the hosts that are down is repaired, so it lasts a repair over their number.
    delay = outages.failover_s / 3600.0 / max(outages.repair_h, 1e-9)
    late = (1.0 - math.exp(-delay * (lost + 1))) / (lost + 1)
    return first + max(_both(needed, standby, host) - first, 0.0) * max(1.0 - onsets * late / (1.0 - first), 0.0)


def _both(needed: int, standby: Standby, host: Host) -> float:
    """Share of time for which the replicas of both sites together are enough while both are up: of all hosts, one is in maintenance."""
    here, there = standby.first(needed), standby.second(needed)
    (hosts, each), (others, of_others) = _spread(here, host), _spread(there, host)
    share, spare = 0.0, here + there - needed
    for away, gone, window in _windows(hosts, others, host.planned):
        for failed in range(most_failing(hosts - away, down=host.down) + 1):
            left = spare - (failed + away) * each - gone * of_others
            if left < 0:
                break
            once = failing_share(hosts - away, failed, down=host.down)
            share += window * once * standing_share(others - gone, left // of_others, down=host.down, planned=0.0)
    return share


def _windows(hosts: int, others: int, planned: float) -> Iterator[tuple[int, int, float]]:
    """(hosts in maintenance at the first site, at the second, share of time): one of them or none."""
    here, there = min(planned * hosts, 1.0), min(planned * others, 1.0 - min(planned * hosts, 1.0))
    yield 0, 0, 1.0 - here - there
    yield 1, 0, here
    yield 0, 1, there


def _spread(held: int, host: Host) -> tuple[int, int]:
    """Hosts on which so many replicas stand, as few as hold them, and the most that one of them then holds."""
    hosts = math.ceil(held / host.per_host)
    return hosts, math.ceil(held / hosts)


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
