"""How many replicas must stand so that enough of them answer: hosts fail, and take with them all that they hold."""

from __future__ import annotations

import math
from functools import lru_cache

from engine.inputs.assumptions import Assumptions


def host_down(devices: int, assume: Assumptions) -> float:
    """Share of time that a host with so many accelerators is down: R / (M + R), each failure waiting for its repair."""
    between, repair = assume["reliability.device_mtbf_h"] / max(devices, 1), assume["reliability.repair_h"]
    return repair / (between + repair)


@lru_cache(maxsize=65_536)
def spares_for(needed: int, *, per_host: int, down: float, availability: float, least: int, most: int) -> int:
    """Fewest spare replicas, `least` or more, with which `needed` answer for that share of time, below one; where no number up to
    `most` does, spares and needed together, as many as go beyond it.

    Replicas are spread over as few hosts as hold them, and a host that is down takes the most that a host holds: a spare on the
    host that fails is no spare. Hosts fail each by itself, so what takes a whole site is not in it.
    """
    hosts = math.ceil((needed + least) / per_host)
    while (hosts - 1) * per_host < most:
        lost = _may_fail(hosts, down, availability)
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
def _may_fail(hosts: int, down: float, availability: float) -> int:
    """Fewest hosts, such that no more of them are down for that share of time."""
    if down <= 0.0:
        return 0
    log_term, odds = hosts * math.log1p(-down), down / (1.0 - down)
    total, number = math.exp(log_term), 0
    while total < availability and number < hosts:
        number += 1
        log_term += math.log((hosts - number + 1) / number * odds)
        total += math.exp(log_term)
    return number
