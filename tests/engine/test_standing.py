"""Services whose hosts fail: what is kept free so that enough replicas answer."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kinds.service import search
from engine.reliability.standing import host_down, spares_for, standing_chance
from tests.engine.devices import NODES
from tests.engine.serving_helpers import ASSUME, service

DOWN = 0.01


def test_a_spare_on_the_same_host_does_not_count() -> None:
    assert standing_chance(3, 4, per_host=8, down=DOWN) == pytest.approx(0.99), "all stand and fall with one host"
    assert standing_chance(3, 8, per_host=8, down=DOWN) == pytest.approx(0.99)
    assert standing_chance(3, 9, per_host=8, down=DOWN) == pytest.approx(1.0 - DOWN**2), "five on one, four on another"
    assert standing_chance(3, 4, per_host=1, down=DOWN) == pytest.approx(0.99**4 + 4 * 0.01 * 0.99**3)


@pytest.mark.parametrize("per_host", [1, 2, 8])
@pytest.mark.parametrize("needed", [1, 3, 20, 200])
def test_more_availability_never_takes_fewer(needed: int, per_host: int) -> None:
    found = [
        spares_for(needed, per_host=per_host, down=DOWN, availability=share, least=1)
        for share in (0.0, 0.99, 0.999, 0.9999, 0.99999)
    ]
    assert found[0] == 1
    assert found == sorted(found)
    assert found[1] < found[4], "two nines and five nines are different plans"


@pytest.mark.parametrize("availability", [0.99, 0.999, 0.9999])
def test_drawn_years_of_failing_hosts_hold_what_was_stated(availability: float) -> None:
    """10,000 years of hosts that fail and are repaired, each at random, against replicas spread evenly over them."""
    rng, needed, per_host = np.random.default_rng(18), 12, 4
    between, repair = 24.0 * (1 - DOWN) / DOWN, 24.0
    held = needed + spares_for(needed, per_host=per_host, down=DOWN, availability=availability, least=0)
    hosts = -(-held // per_host)
    each = np.array([held // hosts + (index < held % hosts) for index in range(hosts)])
    lost = _lost_share(rng, each, hours=10_000 * 8760.0, between=between, repair=repair, spare=held - needed)
    assert lost <= 1.0 - availability


def _lost_share(
    rng: np.random.Generator, each: np.ndarray, *, hours: float, between: float, repair: float, spare: int
) -> float:
    """Share of time in which more replicas are down than are spare: every failure and repair of every host in order."""
    times, changes = [], []
    for held in each:
        count = int(hours / (between + repair) * 1.05)
        up, down = rng.exponential(between, count), rng.exponential(repair, count)
        fails = np.cumsum(up + down) - down
        times += [fails, fails + down]
        changes += [np.full(count, held), np.full(count, -held)]
    when, change = np.concatenate(times), np.concatenate(changes)
    order = np.argsort(when)
    when, missing = when[order], np.cumsum(change[order])
    spans = np.diff(np.append(when, hours))
    inside = when < hours
    return float(spans[inside & (missing > spare)].sum() / hours)


def test_the_search_puts_spares_where_they_help() -> None:
    two, four = (search(service(availability=share), (NODES,), assume=ASSUME).choices[0] for share in (0.99, 0.9999))
    assert four.spare_replicas > two.spare_replicas
    per_host = NODES.devices_per_node // four.accelerators_per_replica
    held = four.replicas + four.spare_replicas
    down = host_down(NODES.devices_per_node, ASSUME)
    assert standing_chance(four.replicas, held, per_host=per_host, down=down) >= 0.9999
