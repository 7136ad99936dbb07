"""Services whose hosts fail: what is kept free so that enough replicas answer."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
import pytest

from engine.kinds.service import search
from engine.reliability.standing import failing_share, host_down, most_failing, spares_for, standing_share
from tests.engine.devices import NODES
from tests.engine.serving_helpers import ASSUME, service

DOWN = 0.01


def standing_chance(needed: int, held: int, *, per_host: int, down: float) -> float:
    """Least share of time in which `needed` of `held` replicas answer, spread over as few hosts as hold them, by definition."""
    hosts = math.ceil(held / per_host)
    lost = min((held - needed) // math.ceil(held / hosts), hosts)
    return sum(math.comb(hosts, gone) * down**gone * (1 - down) ** (hosts - gone) for gone in range(lost + 1))


def by_trying(needed: int, *, per_host: int, down: float, availability: float, least: int) -> int:
    """The same by trying one more after the other."""
    for spares in count(least):
        if standing_chance(needed, needed + spares, per_host=per_host, down=down) >= availability:
            return spares
    raise AssertionError


def test_the_fewest_spares_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(7)
    for _ in range(300):
        needed, least = int(rng.integers(1, 40)), int(rng.integers(0, 4))
        per_host, down = int(rng.choice([1, 2, 3, 4, 8, 72])), float(rng.choice([0.001, 0.02, 0.27, 0.6]))
        availability = 1.0 - 10.0 ** -float(rng.uniform(0.3, 4))
        asked = (per_host, down, availability, least)
        tried = by_trying(needed, per_host=per_host, down=down, availability=availability, least=least)
        assert fewest(needed, *asked) == tried, (needed, asked)
        assert fewest(needed, *asked, most=needed + tried) == tried, "just enough room"
        assert fewest(needed, *asked, most=needed + tried - 1) >= tried, "too little room is no shorter way"


def fewest(needed: int, per_host: int, down: float, availability: float, least: int, most: int = 100_000) -> int:
    return spares_for(needed, per_host=per_host, down=down, availability=availability, least=least, most=most)


@pytest.mark.parametrize("down", [0.0, 1e-4, 0.01, 0.3])
@pytest.mark.parametrize("planned", [0.0, 0.002])
def test_shares_are_those_of_the_binomial_distribution(down: float, planned: float) -> None:
    for hosts in (1, 2, 7, 40):
        window = min(planned * hosts, 1.0)
        for lost in range(hosts + 1):
            every, beside = (binomial(one, most, down) for one, most in ((hosts, lost), (hosts - 1, lost - 1)))
            expected = (1.0 - window) * every + window * beside if lost < hosts else 1.0
            assert standing_share(hosts, lost, down=down, planned=planned) == pytest.approx(expected, abs=1e-12)
            just = math.comb(hosts, lost) * down**lost * (1 - down) ** (hosts - lost)
            assert failing_share(hosts, lost, down=down) == pytest.approx(just, abs=1e-12)


def binomial(hosts: int, most: int, down: float) -> float:
    """Chance that no more than so many of those hosts are down."""
    return sum(math.comb(hosts, gone) * down**gone * (1 - down) ** (hosts - gone) for gone in range(most + 1))


def test_of_thousands_of_hosts_only_numbers_with_a_chance_are_looked_at() -> None:
    """Two sites were summed over every number of hosts that may fail: 135 seconds for one answer."""
    assert 25 < most_failing(5000, down=0.005) < 120
    assert sum(
        failing_share(5000, gone, down=0.005) for gone in range(most_failing(5000, down=0.005) + 1)
    ) == pytest.approx(1.0)


def test_what_is_always_down_has_no_number_of_spares() -> None:
    assert fewest(3, 4, 0.99997, 0.99, 1, most=500) == 498


def test_hosts_without_number_have_spares_too() -> None:
    """Sums of the binomial distribution that no float holds are none either: (1 − 0.27) to the power of 12,500 is 0."""
    found = fewest(50_000, 4, 0.27, 0.999, 1)
    hosts = (50_000 + found) / 4
    assert hosts * 0.73 - 12_500 == pytest.approx(3.09 * math.sqrt(hosts * 0.27 * 0.73), rel=0.03), (
        "three sigma above the mean"
    )


def test_a_spare_on_the_same_host_does_not_count() -> None:
    assert standing_chance(3, 4, per_host=8, down=DOWN) == pytest.approx(0.99), "all stand and fall with one host"
    assert standing_chance(3, 8, per_host=8, down=DOWN) == pytest.approx(0.99)
    assert standing_chance(3, 9, per_host=8, down=DOWN) == pytest.approx(1.0 - DOWN**2), "five on one, four on another"
    assert standing_chance(3, 4, per_host=1, down=DOWN) == pytest.approx(0.99**4 + 4 * 0.01 * 0.99**3)


@pytest.mark.parametrize("per_host", [1, 2, 8])
@pytest.mark.parametrize("needed", [1, 3, 20, 200])
def test_more_availability_never_takes_fewer(needed: int, per_host: int) -> None:
    found = [fewest(needed, per_host, DOWN, share, 1) for share in (0.0, 0.99, 0.999, 0.9999, 0.99999)]
    assert found[0] == 1
    assert found == sorted(found)
    assert found[1] < found[4], "two nines and five nines are different plans"


@pytest.mark.parametrize("availability", [0.99, 0.999, 0.9999])
def test_drawn_years_of_failing_hosts_hold_what_was_stated(availability: float) -> None:
    """10,000 years of hosts that fail and are repaired, each at random, against replicas spread evenly over them."""
    rng, needed, per_host = np.random.default_rng(18), 12, 4
    between, repair = 24.0 * (1 - DOWN) / DOWN, 24.0
    held = needed + fewest(needed, per_host, DOWN, availability, 0)
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
