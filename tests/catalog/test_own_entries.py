"""A team's own entries: checked by the catalog's rules, in force in its plans only, each change with a way back."""

from __future__ import annotations

from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command

from accounts.models import AuditEvent
from catalog import own
from catalog.models import EntryStatus, TeamEntry
from catalog.store import catalog_from_rows
from planner.market import market_from_files, market_from_rows
from tests.conftest import People

TODAY = date(2026, 8, 22)
CLUSTER = {
    "name": "Basement cluster",
    "accelerator": "h100-sxm5",
    "count": "64",
    "devices": "8",
    "in_service": "2024-08-22",
    "price_paid_usd": "2,400,000 USD",
    "book_value_usd": "1440000 USD",
    "server_power_w": "9.8 kW",
    "site": "Zurich",
    "pue": "1.22",
    "usd_per_kwh": "0.19 USD/kWh",
}


@pytest.fixture
def loaded(people: People) -> People:
    """The people, with the catalog of the files."""
    call_command("load_catalog", stdout=StringIO())
    return people


def save(people: People, kind: str, slug: str, **texts: str) -> TeamEntry:
    """An entry of Alice's team."""
    return own.save_entry(
        people.memberships["alice"],
        catalog_from_rows(people.team),
        kind=kind,
        slug=slug,
        texts=texts,
        today=TODAY,
    )


def test_what_a_team_owns_reaches_its_market_and_no_other(loaded: People) -> None:
    public = market_from_rows().release
    entry = save(loaded, "holding", "basement", **CLUSTER)

    (holding,) = market_from_rows(loaded.team).holdings
    assert (holding.device, holding.count, holding.price_paid_usd) == ("h100-sxm5", 64, 2_400_000.0)
    assert (holding.server_power_w, holding.pue, holding.usd_per_kwh) == (9800.0, 1.22, 0.19)
    assert holding.source.startswith("An entry of the team itself")
    assert market_from_rows(loaded.other_team).holdings == market_from_rows().holdings == ()
    assert market_from_rows(loaded.other_team).release == public != market_from_rows(loaded.team).release
    event = AuditEvent.objects.get(verb="catalog.entry_saved")
    assert (event.subject, event.team, event.actor) == (entry.public_id, loaded.team, loaded.alice)


def test_own_values_go_before_public_ones_field_by_field_and_back(loaded: People) -> None:
    public = market_from_rows().devices["h100-sxm5"]
    entry = save(loaded, "accelerator", "h100-sxm5", tdp_w="650 W")

    mine = market_from_rows(loaded.team).devices["h100-sxm5"]
    assert (mine.tdp_w, mine.memory_bytes, mine.dense_flops) == (650.0, public.memory_bytes, public.dense_flops)
    fact = next(fact for fact in market_from_rows(loaded.team).facts if fact.id == "accelerator.h100-sxm5.tdp_w")
    assert (fact.confidence, fact.date, fact.source.split(" (")[0]) == (
        "own",
        "2026-08-22",
        "An entry of the team itself",
    )
    own.withdraw(loaded.memberships["alice"], entry)
    assert market_from_rows(loaded.team) == market_from_rows() == market_from_files()
    assert AuditEvent.objects.filter(verb="catalog.entry_withdrawn").exists()
    with pytest.raises(own.EntryRefused, match="not in force any more"):
        own.withdraw(loaded.memberships["alice"], entry)


def test_a_change_keeps_the_version_before_it_and_can_go_back_to_it(loaded: People) -> None:
    first = save(loaded, "accelerator", "h100-sxm5", tdp_w="650 W")
    assert save(loaded, "accelerator", "h100-sxm5", tdp_w="650 W") == first
    second = save(loaded, "accelerator", "h100-sxm5", tdp_w="600 W")
    first.refresh_from_db()
    assert (first.status, second.status) == (EntryStatus.REPLACED, EntryStatus.IN_FORCE)

    again = own.restore(loaded.memberships["alice"], first, catalog_from_rows(loaded.team), today=TODAY)
    assert market_from_rows(loaded.team).devices["h100-sxm5"].tdp_w == 650.0
    assert again.pk != first.pk
    assert TeamEntry.objects.filter(status=EntryStatus.IN_FORCE).count() == 1


def test_an_accelerator_and_a_server_of_their_own(loaded: People) -> None:
    save(
        loaded,
        "accelerator",
        "h100-lc",
        name="H100 96 GB, liquid-cooled",
        vendor="NVIDIA",
        generation="hopper",
        runtime="cuda",
        release_year="2025",
        memory_bytes="96 GiB",
        memory_bandwidth="3900 GB/s",
        scaleup_name="NVLink 4",
        scaleup_bandwidth="450 GB/s",
        scaleup_domain="8",
        tdp_w="700 W",
        **{"dense_flops.bf16": "989.4 TFLOP/s", "dense_flops.fp8": "1978.9 TFLOP/s"},
    )
    save(
        loaded,
        "system",
        "our-h100",
        name="Our servers",
        vendor="Maker",
        device="h100-lc",
        devices="8",
        nic_bandwidth="3200 Gb/s",
        max_power_w="9.5 kW",
        price_low_usd="240000 USD",
        price_high_usd="260000 USD",
    )
    market = market_from_rows(loaded.team)
    assert market.devices["h100-lc"].memory_bytes == 96 * 2**30
    assert next(system for system in market.systems if system.slug == "our-h100").own
    assert "h100-lc" not in market_from_rows(loaded.other_team).devices


@pytest.mark.parametrize(
    ("kind", "slug", "field", "text", "sentence"),
    [
        ("accelerator", "h100-sxm5", "dense_flops.bf16", "1978.9 TFLOP/s", "must be half of the sparse rate"),
        ("accelerator", "h100-sxm5", "memory_bytes", "80 GB", "write GiB or MiB, not GB"),
        ("accelerator", "h100-sxm5", "memory_bandwidth", "3350 Gb/s", "write GB/s"),
        ("accelerator", "h100-sxm5", "scaleup_bandwidth", "900 GB/s", "both directions summed"),
        ("accelerator", "h100-sxm5", "nic_bandwidth", "50 GB/s", "write Gb/s"),
        ("accelerator", "h100-sxm5", "memory_bandwidth", "3350", "has the wrong unit"),
        ("accelerator", "h100-sxm5", "pcie_bandwidth", "0 GB/s", "must be more than 0"),
        ("accelerator", "h100-sxm5", "scaleup_bandwidth", "1e-300 GB/s", "between 0.001 GB/s and 10,000,000 GB/s"),
        ("accelerator", "h100-sxm5", "nic_bandwidth", "1e12 Gb/s", "between 0.008 Gb/s and 80,000,000 Gb/s"),
        ("accelerator", "h100-sxm5", "memory_bytes", "1e9 GiB", "between 0.1 GiB and 100,000,000 GiB"),
        ("system", "dgx-h100", "max_power_w", "1e9 kW", "between 0.1 W and 100 MW"),
        ("accelerator", "h100-sxm5", "generation", "hoper", "one that plans know"),
        ("accelerator", "nothing-like-it", "tdp_w", "700 W", "no public entry of this name"),
        ("accelerator", "h100-sxm5", "colour", "green", "is not a field"),
        ("accelerator", "H100 SXM", "tdp_w", "700 W", "small letters"),
        ("system", "dgx-h100", "device", "h100-imaginary", "is not in the catalog"),
        ("system", "dgx-h100", "devices", "7.5", "whole number"),
        ("region", "aws/us-east-1", "country", "USA", "is no kind of entry"),
    ],
)
def test_the_rules_of_the_catalog_hold_for_own_entries(
    loaded: People, kind: str, slug: str, field: str, text: str, sentence: str
) -> None:
    with pytest.raises(own.EntryRefused, match=sentence):
        save(loaded, kind, slug, **{field: text})
    assert not TeamEntry.objects.exists()


@pytest.mark.parametrize(
    ("field", "text", "sentence"),
    [
        ("accelerator", "b300-imaginary", "is not in the catalog"),
        ("in_service", "22.08.2024", "write it as 2026-08-22"),
        ("in_service", "2027-01-01", "lies in the future"),
        ("pue", "0.9", "between 1 and 3"),
        ("usd_per_kwh", "19 USD/kWh", "cents written as dollars"),
        ("book_value_usd", "3000000 USD", "more than the price paid"),
        ("server_power_w", "200 kW", "the power of the whole cluster"),
        ("count", "0", "from 1 up"),
        ("price_paid_usd", "2400000 EUR", "has the wrong unit"),
        ("name", "a\x00b", "printable"),
        ("country", "Switzerland", "no country code"),
    ],
)
def test_what_is_owned_is_checked_by_name(loaded: People, field: str, text: str, sentence: str) -> None:
    with pytest.raises(own.EntryRefused, match=sentence) as refused:
        save(loaded, "holding", "basement", **(CLUSTER | {field: text}))
    assert list(refused.value.faults) == [field]
