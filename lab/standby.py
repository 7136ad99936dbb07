"""Services whose hosts, sites and providers fail, drawn one failure after the other: `python -m lab.standby --years 10000`.

Nothing of the closed form (`engine.reliability.patterns`) is used to judge it: hosts fail and are repaired, are drained in a rota of
maintenance, sites and providers go down and come back, traffic moves after its delay, and missing capacity comes or does not. What is
counted is the time in which enough replicas answer. It prints, for each pattern, what is stated and what was drawn.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.defaults import default_assumptions
from engine.reliability.outages import HOURS_PER_YEAR, Outages, outages_of
from engine.reliability.patterns import PATTERNS, Host, Standby, availability_of, standby_for
from engine.reliability.standing import host_down

Times = NDArray[np.float64]
Marks = NDArray[np.int64]
Flags = NDArray[np.bool_]
Spans = tuple[Times, Times]
"""Beginnings and ends."""
_SMALL = (4, 8)
"""Replicas that fill one host, and two."""
_PIECES = 20
"""Stretches of equal length of which each has an availability of its own: their spread is the error of sampling."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Share of time in which all of the load was served, and its standard error."""

    availability: float
    error: float


@dataclass(frozen=True)
class _Changes:
    """What changes when, by how much, of one count."""

    when: Times
    by: Marks


def drawn(needed: int, standby: Standby, host: Host, outages: Outages, *, years: float, seed: int) -> Drawn:
    """So many years of that service. `host.down` and the hours of a repair say how often a host fails."""
    rng, hours = np.random.default_rng(seed), years * HOURS_PER_YEAR
    held = [count for count in (standby.first(needed), standby.second(needed)) if count]
    sites = [_outages(rng, outages.site_per_year, outages.site_h, hours) for _ in held]
    both = standby.pattern == "active-active"
    rota = _rota([math.ceil(count / host.per_host) for count in held], host.planned, hours)
    missing = [
        _missing(rng, count, windows, host, outages.repair_h, hours) for count, windows in zip(held, rota, strict=True)
    ]
    down = [_marks(one) for one in sites]
    provider = _marks(_outages(rng, outages.provider_per_year, outages.provider_h, hours))
    arriving = _arriving(rng, sites, standby, outages, both=both)
    mornings = _mornings(rng, outages, hours)
    moving = _moving(missing[0], held[0] - needed, rota[0], outages.failover_s / 3600.0)
    changing = (*missing, *down, provider, arriving, mornings, moving)
    when = np.unique(np.concatenate([*(one.when for one in changing), [0.0]]))
    when = when[when < hours]
    up = _served(
        needed,
        standby,
        missing=[_at(one, when) for one in missing],
        down=[_at(one, when) > 0 for one in down],
        arriving=_at(arriving, when) > 0,
        moving=_at(moving, when) > 0,
    )
    up &= (_at(provider, when) == 0) & (_at(mornings, when) == 0)
    return _share(when, up, hours)


def _served(
    needed: int,
    standby: Standby,
    *,
    missing: list[Marks],
    down: list[Flags],
    arriving: Flags,
    moving: Flags,
) -> Flags:
    """Is all of the load served, at each moment at which something changes?"""
    first = np.where(down[0], 0, standby.first(needed) - missing[0])
    if not standby.apart:
        return np.asarray(first >= needed)
    again = standby.second(needed) - missing[1]
    second = np.where(down[1], 0, again)
    if standby.pattern == "active-active":
        return np.asarray((first + second >= needed) & ~arriving)
    # The second site stands by. While the first is down it serves alone, once traffic and whatever is started have come; while hosts
    # of the first are missing it serves what they leave, with what stands there.
    started = needed + standby.second_spare - missing[1]
    takes_over = ~down[1] & ~arriving & (started >= needed)
    beside = (first + second >= needed) & ~moving
    return np.asarray(np.where(down[0], takes_over, (first >= needed) | beside))


def _moving(missing: _Changes, spare: int, rota: list[Spans], delay: float) -> _Changes:
    """While traffic that the hosts of the first site do not hold any more has not come to the second one: after each failure that
    leaves too little. Before maintenance it goes in time."""
    when = np.unique(missing.when)
    short = _at(missing, when) > spare
    begins = short & ~np.append(False, short[:-1])
    planned = np.concatenate([starts for starts, _ in rota])
    starts, ends = when[begins], when[~short & np.append(False, short[:-1])]
    ends = np.append(ends, np.full(len(starts) - len(ends), np.inf))
    sudden = ~np.isin(starts, planned)
    return _marks((starts[sudden], np.minimum(starts + delay, ends)[sudden]))


def _missing(
    rng: np.random.Generator, held: int, rota: list[Spans], host: Host, repair: float, hours: float
) -> _Changes:
    """Replicas of one site whose host has failed or is in maintenance, as they change. `rota`: windows of each of its hosts."""
    hosts = len(rota)
    each = [held // hosts + (index < held % hosts) for index in range(hosts)]
    between = repair * (1.0 - host.down) / host.down if host.down > 0 else math.inf
    when, by = [], []
    for replicas, (planned_from, planned_to) in zip(each, rota, strict=True):
        starts, ends = _spells(rng, between, repair, hours)
        # A host that has failed when its turn comes is away once, not twice.
        away_from, away_to = _united(np.concatenate([starts, planned_from]), np.concatenate([ends, planned_to]))
        when += [away_from, away_to]
        by += [np.full(len(away_from), replicas), np.full(len(away_to), -replicas)]
    return _Changes(np.concatenate(when), np.concatenate(by))


def _spells(rng: np.random.Generator, between: float, length: float, hours: float) -> Spans:
    """Beginnings and ends of failures: exponential times up and down in turn."""
    if math.isinf(between):
        return np.zeros(0), np.zeros(0)
    mean = hours / (between + length)
    count = int(mean + 8.0 * math.sqrt(mean) + 16)
    up, down = rng.exponential(between, count), rng.exponential(length, count)
    ends = np.cumsum(up + down)
    return ends - down, ends


def _rota(hosts: list[int], planned: float, hours: float) -> list[list[Spans]]:
    """Windows of maintenance of each host of each site, once a year: all hosts one after the other, never two at once."""
    turns, length = iter(range(sum(hosts))), planned * HOURS_PER_YEAR
    return [[_windows(next(turns) / sum(hosts), length, hours) for _ in range(count)] for count in hosts]


def _windows(turn: float, length: float, hours: float) -> Spans:
    """Beginnings and ends of maintenance that comes at that part of each year."""
    if length <= 0:
        return np.zeros(0), np.zeros(0)
    starts = np.arange(HOURS_PER_YEAR * turn, hours, HOURS_PER_YEAR)
    return starts, starts + length


def _united(starts: Times, ends: Times) -> Spans:
    """Those spans without what they have in common."""
    if not len(starts):
        return starts, ends
    order = np.argsort(starts)
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    begins = np.append(True, starts[1:] > ends[:-1])
    return starts[begins], ends[np.append(begins[1:], True)]


def _outages(rng: np.random.Generator, per_year: float, length: float, hours: float) -> Spans:
    return _spells(rng, HOURS_PER_YEAR / per_year if per_year > 0 else math.inf, length, hours)


def _marks(spans: Spans) -> _Changes:
    starts, ends = spans
    by = np.concatenate([np.ones(len(starts), dtype=np.int64), np.full(len(ends), -1, dtype=np.int64)])
    return _Changes(np.concatenate([starts, ends]), by)


def _arriving(
    rng: np.random.Generator, sites: list[Spans], standby: Standby, outages: Outages, *, both: bool
) -> _Changes:
    """While traffic, and the replicas that are missing, have not come to the other site yet."""
    spans = []
    for starts, ends in sites if both else sites[:1]:
        delay = np.full(len(starts), outages.detect_s if both else outages.failover_s) / 3600.0
        if standby.pattern == "recovery-half":
            had = rng.random(len(starts)) < outages.capacity
            delay = np.where(had, delay + outages.start_s / 3600.0, np.inf)
        spans.append((starts, np.minimum(starts + delay, ends)))
    starts, ends = (np.concatenate(part) for part in zip(*spans, strict=True))
    return _marks((starts, ends))


def _mornings(rng: np.random.Generator, outages: Outages, hours: float) -> _Changes:
    """Mornings on which what was given back at night is not there."""
    days = np.arange(0.0, hours, 24.0) + 7.0
    starts = days[rng.random(len(days)) >= outages.morning_capacity]
    return _marks((starts, starts + outages.morning_h))


def _at(changes: _Changes, when: Times) -> Marks:
    """The count at each of those moments."""
    order = np.argsort(changes.when, kind="stable")
    total = np.concatenate([[0], np.cumsum(changes.by[order])])
    return np.asarray(total[np.searchsorted(changes.when[order], when, side="right")])


def _share(when: Times, up: Flags, hours: float) -> Drawn:
    """Share of time that is served, with its standard error from stretches of equal length."""
    ends = np.append(when[1:], hours)
    lost_to = np.cumsum(np.where(up, 0.0, ends - when))
    edges = np.linspace(0.0, hours, _PIECES + 1)
    # Time lost until each edge: whole spans before it, and the part of the span that it cuts.
    at = np.searchsorted(ends, edges, side="left").clip(0, len(ends) - 1)
    whole = np.where(at > 0, lost_to[at - 1], 0.0)
    part = np.where(up[at], 0.0, np.clip(edges - when[at], 0.0, None))
    pieces = np.diff(whole + part) / (hours / _PIECES)
    return Drawn(availability=float(1.0 - pieces.mean()), error=float(pieces.std(ddof=1) / math.sqrt(_PIECES)))


def cases() -> Iterator[tuple[str, int, Standby, Host, Outages]]:
    """Every pattern of a service of 12 replicas, four to a host, and of services that stand on one and on two hosts, all as they are
    planned for 99.9 % under the usual assumptions."""
    assume = default_assumptions()
    outages = replace(outages_of(assume), start_s=300.0)
    usual = replace(outages, morning_capacity=1.0)
    host = Host(per_host=4, down=host_down(8, assume), planned=outages.planned)
    for needed in (12, *_SMALL):
        for pattern in PATTERNS:
            standby = standby_for(
                needed, pattern=pattern, host=host, availability=0.999, least=0, most=10_000, outages=usual
            )
            yield pattern, needed, standby, host, usual
    yield "spares, mornings", 12, Standby(pattern="spares", first_spare=4), host, outages


def main() -> None:
    """Prints what is stated and what was drawn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=float, default=10_000)
    parser.add_argument("--seed", type=int, default=18)
    asked = parser.parse_args()
    print(f"{'pattern':20} {'needed':>8} {'replicas':>8} {'stated':>11} {'drawn':>11} {'error':>9} {'off by':>7}")  # noqa: T201
    for name, needed, standby, host, outages in cases():
        stated = availability_of(needed, standby, host, outages)
        found = drawn(needed, standby, host, outages, years=asked.years, seed=asked.seed)
        off = (found.availability - stated) / found.error if found.error else 0.0
        print(  # noqa: T201
            f"{name:20} {needed:8d} {standby.total(needed):8d} {stated:11.7f} {found.availability:11.7f} {found.error:9.1e} {off:6.1f}σ"
        )


if __name__ == "__main__":
    main()
