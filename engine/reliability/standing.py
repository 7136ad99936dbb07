"""How many replicas must stand so that enough of them answer: hosts fail, and take with them all that they hold."""

from __future__ import annotations

import math
from functools import lru_cache

from engine.inputs.assumptions import Assumptions

_MOST = 10_000
"""Replicas beyond which no more are tried."""


def host_down(devices: int, assume: Assumptions) -> float:
    """Share of time that a host with so many accelerators is down: R / (M + R), each failure waiting for its repair."""
    between, repair = assume["reliability.device_mtbf_h"] / max(devices, 1), assume["reliability.repair_h"]
    return repair / (between + repair)


def standing_chance(needed: int, held: int, *, per_host: int, down: float) -> float:
    """Least share of time in which `needed` of `held` replicas answer, spread over as few hosts as hold them.

    A host that is down takes the most that a host holds; hosts fail each by itself, so what takes a whole site is not in it.
    """
    hosts = math.ceil(held / per_host)
    lost = (held - needed) // math.ceil(held / hosts)
    return _at_most(min(lost, hosts), hosts, down)


@lru_cache(maxsize=65_536)
def spares_for(needed: int, *, per_host: int, down: float, availability: float, least: int) -> int:
    """Fewest spare replicas, `least` or more, with which `needed` answer for that share of time.

    A spare on the host that fails is no spare: where one host holds all, the next spares stand on another.
    """
    for held in range(needed + least, needed + least + _MOST):
        if standing_chance(needed, held, per_host=per_host, down=down) >= availability:
            return held - needed
    return least


def _at_most(lost: int, hosts: int, down: float) -> float:
    """Probability that no more than so many of the hosts are down: the binomial distribution."""
    term = total = (1.0 - down) ** hosts
    for number in range(1, lost + 1):
        term *= (hosts - number + 1) / number * down / (1.0 - down)
        total += term
    return min(total, 1.0)
