"""The catalog's pages: each value with source and date, each price with its age."""

from __future__ import annotations

from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import Membership, Role, Team, User
from catalog import tables
from catalog.facts import load


@pytest.fixture
def reader(db: None, client: Client) -> Client:
    """A viewer of a team, logged in, with a catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    user = User.objects.create_user(email="reader@example.com", password="a long enough secret")
    team = Team.objects.create(name="Readers", slug="readers")
    Membership.objects.create(user=user, team=team, role=Role.VIEWER)
    client.force_login(user)
    return client


def test_the_table_shows_dense_rates_units_and_price_ranges(reader: Client) -> None:
    page = reader.get("/catalog/").content.decode()
    assert "989.4 TFLOP/s" in page
    assert "1978.9 TFLOP/s" not in page
    assert "no price known" in page
    assert load().release[:12] in page


def test_words_and_vendor_narrow_the_table(reader: Client) -> None:
    page = reader.get("/catalog/", {"vendor": "NVIDIA", "words": "h200 nvl"}).content.decode()
    assert "NVIDIA H200 NVL" in page
    assert "MI300X" not in page
    assert "No accelerator has that name" in reader.get("/catalog/", {"words": "<script>"}).content.decode()


def test_one_accelerator_shows_source_and_date_of_every_value(reader: Client) -> None:
    page = reader.get("/catalog/accelerators/h100-sxm5/").content.decode()
    record = next(record for record in load().of("accelerator") if record.slug == "h100-sxm5")
    rows = tables.facts(record, load().sources)
    assert len(rows) == len(record.values)
    assert all(row.source and row.date and row.confidence for row in rows)
    assert "stas00/ml-engineering" in page
    assert "p5.48xlarge" in page


def test_what_is_not_planned_with_says_why_and_an_unknown_slug_is_not_found(reader: Client) -> None:
    assert "counts sparsity" in reader.get("/catalog/accelerators/cerebras-cs3/").content.decode()
    assert reader.get("/catalog/accelerators/nothing/").status_code == 404


def test_without_login_there_is_no_catalog_page(db: None, client: Client) -> None:
    assert client.get("/catalog/").status_code == 302


def test_prices_are_sorted_and_old_ones_show_their_age() -> None:
    lines = tables.prices(load(), "h100-sxm5", today=date(2026, 8, 22))
    each = [float(line.each) for line in lines]
    assert each == sorted(each)
    old = [line for line in lines if line.date < date(2026, 1, 1)]
    assert old
    assert all("ask for a new quote" in line.age for line in old)
    assert all(line.age == "" for line in lines if line.date == date(2026, 8, 22))
