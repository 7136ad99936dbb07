"""How many replicas must stand so that enough of them answer: hosts fail, and take with them all that they hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import chain, repeat

from engine.inputs.assumptions import Assumptions


def host_down(devices: int, assume: Assumptions) -> float:
    """Share of time that a host with so many accelerators is down: R / (M + R), each failure waiting for its repair."""
    between, repair = assume["reliability.device_mtbf_h"] / max(devices, 1), assume["reliability.repair_h"]
    return repair / (between + repair)


@lru_cache(maxsize=65_536)
def spares_for(
    needed: int,
    *,
    per_host: int,
    down: float,
    availability: float,
    least: int,
    most: int,
    planned: float = 0.0,
) -> int:
    """Fewest spare replicas, `least` or more, with which `needed` answer for that share of time, below one; where no number up to
    `most` does, spares and needed together, as many as go beyond it.

    Replicas are spread over as few hosts as hold them, and a host that is down takes the most that a host holds: a spare on the
    host that fails is no spare. Hosts fail each by itself for that share of time; for `planned` one is taken out beside them,
    never two at once. What takes a whole site is in `patterns`.
    """
    return _fewest(needed, per_host, lambda hosts: _may_fail(hosts, down, planned, availability), least, most)


@lru_cache(maxsize=65_536)
def spares_beside(needed: int, *, per_host: int, lost: int, least: int, most: int) -> int:
    """Fewest spare replicas with which `needed` answer while so many hosts are down; as `spares_for` else."""
    return _fewest(needed, per_host, lambda _: lost, least, most)


def _fewest(needed: int, per_host: int, may_fail: Callable[[int], int], least: int, most: int) -> int:
    """Fewest spare replicas that stand when so many of a number of hosts are down."""
    hosts = math.ceil((needed + least) / per_host)
    while (hosts - 1) * per_host < most:
        lost = may_fail(hosts)
        held = _fewest_held(needed, needed + least, hosts, lost, per_host)
        if held:
            return held - needed
        # No fewer fail of more hosts, so as many as hold what then falls out are the next that can do.
        hosts = max(hosts + 1, math.ceil((needed + lost * _fullest(hosts, per_host)) / per_host))
    return max(least, most + 1 - needed)


def _fewest_held(needed: int, least: int, hosts: int, lost: int, per_host: int) -> int:
    """Fewest replicas, `least` or more, on just that many hosts of which `needed` are left when so many hosts fail; 0 = none."""
    if lost >= hosts:
        return 0
    first = max((hosts - 1) * per_host + 1, least)
    each = max(math.ceil(first / hosts), math.ceil(needed / (hosts - lost)))
    return max(first, (each - 1) * hosts + 1, needed + lost * each) if each <= per_host else 0


def _fullest(hosts: int, per_host: int) -> int:
    """The least that the fullest of so many hosts holds when none could be left out."""
    return math.ceil(((hosts - 1) * per_host + 1) / hosts)


@lru_cache(maxsize=65_536)
def _may_fail(hosts: int, down: float, planned: float, availability: float) -> int:
    """Fewest hosts, such that no more of them are down for that share of time."""
    for number, total in enumerate(_chances(hosts, down, planned)):
        if total >= availability:
            return number
    return hosts


@lru_cache(maxsize=65_536)
def standing_share(hosts: int, lost: int, *, down: float, planned: float) -> float:
    """Share of time that no more than so many of those hosts are down."""
    if lost >= hosts:
        return 1.0
    return next(total for number, total in enumerate(_chances(hosts, down, planned)) if number >= lost)


def _chances(hosts: int, down: float, planned: float) -> Iterator[float]:
    """Chance that no more than 0, 1, 2, … of those hosts are down, one of them planned for that share of the time of each."""
    planned = min(planned * hosts, 1.0)
    before = 0.0  # of one host fewer, one fewer of them down
    for every, others in zip(_failed(hosts, down), chain(_failed(hosts - 1, down), repeat(1.0)), strict=False):
        yield min((1.0 - planned) * every + planned * before, 1.0)
        before = others


def _failed(hosts: int, down: float) -> Iterator[float]:
    """Chance that no more than 0, 1, 2, … of those hosts have failed."""
    if down <= 0.0:
        yield from repeat(1.0, hosts + 1)
        return
    log_term, odds, total = hosts * math.log1p(-down), down / (1.0 - down), 0.0
    for number in range(hosts + 1):
        if number:
            log_term += math.log((hosts - number + 1) / number * odds)
        total += math.exp(log_term)
        yield total
