"""The patterns in which replicas stand by: how much each takes, and how available it keeps a service."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from engine.defaults import default_assumptions
from engine.reliability.outages import NO_OUTAGES, Outages, outages_of
from engine.reliability.patterns import (
    PATTERNS,
    Host,
    Standby,
    availability_of,
    ceiling,
    resolved,
    standby_for,
)
from lab.standby import drawn

HOST = Host(per_host=4, down=0.003, planned=8.0 / 8760.0)
USUAL = replace(outages_of(default_assumptions()), start_s=300.0, morning_capacity=1.0)
SHARP = Outages(
    site_per_year=4.0, site_h=10.0, provider_per_year=1.0, provider_h=3.0, maintenance_h=8.0, detect_s=120.0,
    failover_s=3600.0, start_s=1800.0, capacity=0.6,
)  # fmt: skip
"""Worse than anybody has it, so that few years show what would take many."""


def stands(needed: int, pattern: str, availability: float, outages: Outages = USUAL, host: Host = HOST) -> Standby:
    return standby_for(
        needed, pattern=pattern, host=host, availability=availability, least=0, most=100_000, outages=outages
    )


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("outages", [USUAL, SHARP], ids=["usual", "sharp"])
@pytest.mark.parametrize("needed", [3, 8, 12], ids=["one host", "two hosts", "three hosts"])
def test_drawn_years_hold_what_is_stated(pattern: str, outages: Outages, needed: int) -> None:
    """600 years of hosts, sites and providers that fail one after the other; `lab.standby` draws 10,000."""
    standby = stands(needed, pattern, 0.999, outages)
    stated = availability_of(needed, standby, HOST, outages)
    found = drawn(needed, standby, HOST, outages, years=600, seed=7)
    # Outages of a year come in ones and twos: what so many years miss by is known from how many there were.
    events = 600.0 * (outages.site_per_year * (2 if standby.apart else 1) + outages.provider_per_year)
    rare = (1.0 - stated) * 3.0 / math.sqrt(events)
    assert abs(found.availability - stated) <= 4.0 * found.error + rare


def test_mornings_are_drawn_too() -> None:
    short = replace(NO_OUTAGES, morning_capacity=0.9, morning_h=3.0)
    never = Host(per_host=4, down=0.0)
    stated = availability_of(8, Standby(pattern="n"), never, short)
    assert stated == pytest.approx(1.0 - 0.1 * 3.0 / 24.0)
    found = drawn(8, Standby(pattern="n"), never, short, years=50, seed=3)
    assert abs(found.availability - stated) < 4.0 * found.error


def test_by_hand() -> None:
    """Two of three independent sites' worth of arithmetic: no hosts fail, a site is down 1 % and a provider 0.5 % of the time."""
    site = Outages(
        site_per_year=8760.0 * 0.01 / 0.99 / 10.0, site_h=10.0, provider_per_year=8760.0 * 0.005 / 0.995, provider_h=1.0
    )
    sound = Host(per_host=1, down=0.0)
    assert site.site == pytest.approx(0.01)
    assert site.provider == pytest.approx(0.005)
    one = availability_of(4, Standby(pattern="n"), sound, site)
    assert one == pytest.approx(0.995 * 0.99)
    both = availability_of(4, Standby(pattern="active-active"), sound, site)
    assert both == pytest.approx(0.995 * (1 - 0.01**2))
    slow = replace(site, failover_s=36_000.0)  # as long as an outage is on average
    full = availability_of(4, Standby(pattern="recovery-full"), sound, slow)
    assert full == pytest.approx(0.995 * (0.99 + 0.01 * 0.99 * math.exp(-1.0)))
    half = availability_of(4, Standby(pattern="recovery-half"), sound, replace(slow, capacity=0.5, start_s=36_000.0))
    assert half == pytest.approx(0.995 * (0.99 + 0.01 * 0.99 * 0.5 * math.exp(-2.0)))


def test_a_site_that_stands_by_serves_while_the_only_host_of_the_first_is_down() -> None:
    """No site ever fails: a host is down 1 % of the time, 24 h each, and traffic takes an hour to go to the other site."""
    host = Host(per_host=8, down=0.01)
    slow = replace(NO_OUTAGES, failover_s=3600.0)
    alone = availability_of(4, Standby(pattern="n"), host, slow)
    assert alone == pytest.approx(0.99)
    full = availability_of(4, Standby(pattern="recovery-full"), host, slow)
    # Of each repair an hour is lost, exponentially long as repairs are; the other host is down 1 % of the time as well.
    assert full == pytest.approx(0.99 + 0.01 * 0.99 * math.exp(-1.0 / 24.0))
    half = availability_of(4, Standby(pattern="recovery-half"), host, slow)
    assert half == pytest.approx(alone), "two replicas carry no four"
    found = drawn(4, Standby(pattern="recovery-full"), host, slow, years=2000, seed=5)
    assert abs(found.availability - full) < 4.0 * found.error


def test_half_a_site_serves_what_one_host_of_several_leaves() -> None:
    host = Host(per_host=4, down=0.01)
    one, half = (availability_of(12, Standby(pattern=name), host) for name in ("n", "recovery-half"))
    # Up while all three hosts are, or one is down and no more than that; two hosts hold three each.
    assert one == pytest.approx(0.99**3)
    assert half == pytest.approx(0.99**3 + 3 * 0.01 * 0.99**2 * 0.99**2)


def test_maintenance_moves_traffic_in_time() -> None:
    """Its windows are announced: nothing is lost before traffic has gone to the other site, and no two hosts are away for it."""
    kept = Host(per_host=8, down=0.0, planned=0.01)
    slow = replace(NO_OUTAGES, failover_s=3600.0)
    for pattern in ("recovery-full", "active-active"):
        assert availability_of(4, Standby(pattern=pattern), kept, slow) == pytest.approx(1.0)
        assert drawn(4, Standby(pattern=pattern), kept, slow, years=20, seed=1).availability == pytest.approx(1.0)


def test_n_plus_one_outlives_a_host() -> None:
    for needed in (1, 3, 4, 5, 12, 13):
        standby = stands(needed, "n+1", 0.9)
        held = standby.first(needed)
        hosts = math.ceil(held / HOST.per_host)
        assert held - math.ceil(held / hosts) >= needed, "one host fails"
        fewer = held - 1
        if fewer > needed:
            hosts = math.ceil(fewer / HOST.per_host)
            assert fewer - math.ceil(fewer / hosts) < needed, "one replica less would not do"


def test_sizes_are_what_their_names_say() -> None:
    assert stands(12, "n", 0.9999).total(12) == 12
    assert stands(12, "n+n", 0.9999).total(12) == 24
    both = stands(12, "active-active", 0.9999)
    assert both.first(12) == both.second(12) >= 12
    full, half = stands(12, "recovery-full", 0.999), stands(12, "recovery-half", 0.999)
    assert full.second(12) == 12
    assert half.second(12) == 6
    assert half.second(13) == 7
    assert half.total(6) == 6 + half.first_spare + 3, "follows the load"


@pytest.mark.parametrize("pattern", ["spares", "recovery-half", "recovery-full", "active-active"])
def test_a_pattern_holds_what_is_asked_wherever_sites_leave_room(pattern: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(150):
        host = Host(
            per_host=int(rng.choice([1, 2, 4, 8])),
            down=float(rng.choice([0.0005, 0.003, 0.02])),
            planned=float(rng.choice([0.0, 0.001])),
        )
        needed, most = int(rng.integers(1, 40)), ceiling(pattern, USUAL)
        asked = most - (1.0 - most) * float(rng.uniform(0.2, 20.0))
        standby = stands(needed, pattern, asked, USUAL, host)
        assert availability_of(needed, standby, host, USUAL) >= asked - 1e-12, (needed, host, asked)


def test_no_spare_replica_goes_beyond_what_sites_leave() -> None:
    for pattern in PATTERNS:
        many = Standby(pattern=pattern, first_spare=1000, second_spare=1000 if pattern == "active-active" else 0)
        assert availability_of(12, many, HOST, USUAL) <= ceiling(pattern, USUAL) + 1e-12
    assert ceiling("spares", USUAL) < 0.9999 < ceiling("active-active", USUAL)
    beyond = stands(12, "spares", 0.9999)
    assert beyond == stands(12, "spares", 0.9999, NO_OUTAGES), (
        "hosts are kept as surely as is asked, no spares without end"
    )


def test_automatic_is_the_least_that_can_hold_it() -> None:
    assert resolved("auto", 0.999, USUAL, two_sites=True) == "spares"
    assert resolved("auto", 0.9998, USUAL, two_sites=True) == "recovery-half"
    assert resolved("auto", 0.9999, USUAL, two_sites=True) == "active-active"
    assert resolved("auto", 0.9999, USUAL, two_sites=False) == "spares"
    assert resolved("n", 0.9999, USUAL, two_sites=True) == "n"
    late = replace(USUAL, morning_capacity=0.98, morning_h=2.0)
    assert resolved("auto", 0.999, late, two_sites=True) == "spares", "a second site mends no morning"


def test_maintenance_takes_one_host_at_a_time() -> None:
    calm, kept = Host(per_host=4, down=0.0, planned=0.0), Host(per_host=4, down=0.0, planned=0.01)
    assert availability_of(12, Standby(pattern="n"), calm) == 1.0
    assert availability_of(12, Standby(pattern="n"), kept) == pytest.approx(1.0 - 3 * 0.01)
    assert availability_of(12, Standby(pattern="spares", first_spare=4), kept) == 1.0
