"""The pages of a team's own entries: typed, refused with the sentence, shown beside the public value, taken back."""

from __future__ import annotations

import re
from html import unescape
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import Role
from catalog.facts import load
from catalog.models import EntryStatus, TeamEntry
from planner.market import market_from_rows
from tests.conftest import People, make_member

HOLDING = {
    "slug": "basement",
    "name": "Basement cluster",
    "accelerator": "h100-sxm5",
    "count": "64",
    "devices": "8",
    "in_service": "2024-08-22",
    "price_paid_usd": "2400000 USD",
    "server_power_w": "9.8 kW",
}


@pytest.fixture
def planner(people: People, client: Client) -> Client:
    """A planner of the team, logged in, with a catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    client.force_login(make_member(people.team, "Pia", Role.PLANNER).user)
    return client


def page_of(client: Client, address: str, **data: Any) -> str:
    """What that address says."""
    return client.get(address, data).content.decode()


def test_what_is_owned_is_entered_seen_changed_and_taken_back(planner: Client, people: People) -> None:
    done = planner.post("/catalog/own/holding/", HOLDING)
    entry = TeamEntry.objects.get()
    assert done.headers["Location"] == f"/catalog/own/entries/{entry.public_id}/"
    page = page_of(planner, done.headers["Location"])
    assert "Source: North, entered on" in page
    assert "by Pia" in page
    assert "2400000 USD" in page
    assert "Basement cluster" in page_of(planner, "/catalog/own/")
    assert 'value="9.8 kW"' in page_of(planner, "/catalog/own/holding/", slug="basement")

    planner.post("/catalog/own/holding/", HOLDING | {"count": "128"})
    assert market_from_rows(people.team).holdings[0].count == 128
    planner.post(f"/catalog/own/entries/{entry.public_id}/restore")
    assert market_from_rows(people.team).holdings[0].count == 64
    now = TeamEntry.objects.get(status=EntryStatus.IN_FORCE)
    said = planner.post(f"/catalog/own/entries/{now.public_id}/withdraw", follow=True).content.decode()
    assert "Withdrawn: new plans use the public values again." in said
    assert market_from_rows(people.team).holdings == ()
    again = planner.post(f"/catalog/own/entries/{now.public_id}/withdraw", follow=True).content.decode()
    assert "not in force any more" in again


def test_a_sparse_rate_is_refused_with_its_sentence_and_nothing_typed_is_lost(planner: Client) -> None:
    answer = planner.post(
        "/catalog/own/accelerator/",
        {"slug": "h100-sxm5", "dense_flops.bf16": "1978.9 TFLOP/s", "tdp_w": "650 W"},
    )
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "“Dense BF16”: must be half of the sparse rate; is a sparse figure in the dense field?" in page
    assert 'value="1978.9 TFLOP/s"' in page
    assert 'value="650 W"' in page
    assert "Public: 989.4 TFLOP/s" in page
    assert not TeamEntry.objects.exists()


def test_a_name_that_no_database_stores_is_asked_for_without_its_nul(planner: Client) -> None:
    planner.post("/catalog/own/holding/", HOLDING)
    assert 'value="9.8 kW"' in page_of(planner, "/catalog/own/holding/", slug="base\x00ment")


def test_an_own_value_stands_beside_the_public_one_with_who_and_a_way_back(planner: Client) -> None:
    planner.post("/catalog/own/accelerator/", {"slug": "h100-sxm5", "tdp_w": "650 W"})
    entry = TeamEntry.objects.get()
    page = page_of(planner, "/catalog/accelerators/h100-sxm5/")
    assert "your own value" in page
    assert "<del>700 W</del>" in page
    assert f'<a href="/catalog/own/entries/{entry.public_id}/">Your team, Pia</a>' in page
    assert "with values of your own" in page_of(planner, "/catalog/", words="h100 sxm")
    assert "Use the public values again" in page_of(planner, f"/catalog/own/entries/{entry.public_id}/")


def test_another_team_sees_nothing_and_a_viewer_changes_nothing(planner: Client, people: People) -> None:
    planner.post("/catalog/own/accelerator/", {"slug": "h100-sxm5", "tdp_w": "651 W"})
    entry = TeamEntry.objects.get()
    planner.force_login(people.charlie)
    assert planner.get(f"/catalog/own/entries/{entry.public_id}/").status_code == 404
    assert planner.post(f"/catalog/own/entries/{entry.public_id}/withdraw").status_code == 404
    for address in ("/catalog/accelerators/h100-sxm5/", "/catalog/own/", "/catalog/", "/catalog/compare/?a=h100-sxm5"):
        assert "651 W" not in page_of(planner, address)
    assert "Enter values of your own" in page_of(planner, "/catalog/accelerators/h100-sxm5/")
    planner.force_login(people.bob)
    assert "Enter values of your own" not in page_of(planner, "/catalog/accelerators/h100-sxm5/")
    assert "651 W" in page_of(planner, f"/catalog/own/entries/{entry.public_id}/")
    assert planner.post("/catalog/own/holding/", HOLDING).status_code == 403
    assert planner.post(f"/catalog/own/entries/{entry.public_id}/withdraw").status_code == 403
    assert TeamEntry.objects.get().status == EntryStatus.IN_FORCE


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("system", ("DGX H100", "10.2 kW", "Maximum power")),
        ("link", ("InfiniBand NDR 4x", "400 Gb/s", "NVLink 5 in an NVL72 rack")),
        ("storage", ("Parallel file system", "SATA SSD")),
        ("provider", ("Egress", "Object storage")),
        ("currency", ("EUR", "US dollars for one unit")),
    ],
)
def test_other_things_of_the_catalog_have_a_page_with_source_and_date(
    planner: Client, kind: str, words: tuple[str, ...]
) -> None:
    page = page_of(planner, f"/catalog/things/{kind}/")
    assert all(word in page for word in words)
    assert 'href="/catalog/sources/#' in page
    assert "Nothing has that name" in page_of(planner, f"/catalog/things/{kind}/", words="<script>")


def test_regions_come_in_pages_and_an_unknown_kind_is_not_found(planner: Client) -> None:
    assert "Page 1 of" in page_of(planner, "/catalog/things/region/")
    assert planner.get("/catalog/things/nothing/").status_code == 404
    assert planner.get("/catalog/own/region/").status_code == 404


def test_the_pages_ask_few_questions(planner: Client, django_assert_max_num_queries: Any) -> None:
    planner.post("/catalog/own/holding/", HOLDING)
    for slug in ("h100-sxm5", "h200-sxm", "b200-sxm"):
        planner.post("/catalog/own/accelerator/", {"slug": slug, "tdp_w": "650 W"})
    page_of(planner, "/catalog/own/")
    for address, most in (("/catalog/own/", 5), ("/catalog/accelerators/h100-sxm5/", 9), ("/catalog/things/link/", 8)):
        with django_assert_max_num_queries(most):
            planner.get(address)


def test_a_field_shows_as_an_example_what_a_public_entry_has_there(planner: Client) -> None:
    """One rate was shown for every format: 989.4 TFLOP/s for FP32, and “such as true” beside a choice."""
    page = planner.get("/catalog/own/accelerator/").content.decode()
    hints = dict(re.findall(r'<p class="field__help" id="h-([\w.]+)">Such as ([^<]*)</p>', unescape(page)))
    known = {record.slug: record for record in load().of("accelerator")}
    values = [
        {name: f"{one.text} {one.unit}".strip() for name, one in record.values.items()} for record in known.values()
    ]
    assert any(hints.items() <= record.items() for record in values), "all hints are of one entry"
    assert hints["dense_flops.fp32"] != hints["dense_flops.bf16"]
    assert "trains" not in hints
    holding = planner.get("/catalog/own/holding/").content.decode()
    assert "Such as 8<" in holding or "Such as 2024-08-22<" in holding
