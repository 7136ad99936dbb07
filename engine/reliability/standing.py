"""How many replicas must stand so that enough of them answer: hosts fail, and take with them all that they hold."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache

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
    numbers = range(most_failing(hosts, down=down) + 2)
    return next(
        (lost for lost in numbers if standing_share(hosts, lost, down=down, planned=planned) >= availability), hosts
    )


def standing_share(hosts: int, lost: int, *, down: float, planned: float) -> float:
    """Share of time that no more than so many of those hosts are down, one of them in maintenance for `planned` of the time of each."""
    if lost >= hosts:
        return 1.0
    window = min(planned * hosts, 1.0)
    beside = _no_more(_failed(hosts - 1, down), lost - 1)
    return min((1.0 - window) * _no_more(_failed(hosts, down), lost) + window * beside, 1.0)


def failing_share(hosts: int, failed: int, *, down: float) -> float:
    """Share of time that just so many of those hosts have failed."""
    if not 0 <= failed <= hosts:
        return 0.0
    chances = _failed(hosts, down)
    return _no_more(chances, failed) - _no_more(chances, failed - 1)


def most_failing(hosts: int, *, down: float) -> int:
    """The most of those hosts that fail at once with a chance that counts in a sum of chances."""
    return len(_failed(hosts, down)) - 1


def shortfalls_per_repair(hosts: int, lost: int, *, down: float, planned: float) -> float:
    """How often in the time of one repair a host fails while `lost` others are down already, one of them in maintenance for `planned`
    of the time of each. As often as one of `lost + 1` that have failed is repaired, for the two balance."""
    window = min(planned * hosts, 1.0)
    failed = failing_share(hosts, lost + 1, down=down) * (lost + 1)
    beside = failing_share(hosts - 1, lost, down=down) * lost
    return (1.0 - window) * failed + window * beside


def _no_more(chances: Sequence[float], number: int) -> float:
    return chances[min(number, len(chances) - 1)] if number >= 0 else 0.0


@lru_cache(maxsize=16_384)
def _failed(hosts: int, down: float) -> Sequence[float]:
    """Chance that no more than 0, 1, 2, … of those hosts have failed, as far as one more still adds to it."""
    if down <= 0.0:
        return array("d", (1.0,))
    log_term, odds, total = hosts * math.log1p(-down), down / (1.0 - down), 0.0
    chances = array("d")
    for number in range(hosts + 1):
        if number:
            log_term += math.log((hosts - number + 1) / number * odds)
        term = math.exp(log_term)
        # Past the likeliest number each term is less than the one before it.
        if number > hosts * down + 1 and total + term == total:
            break
        total += term
        chances.append(total)
    return chances
