"""What makes two prices equal, and the hash of a release that takes an import in and out without reading the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date, timedelta
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from catalog.importers.outcome import Outcome
from catalog.models import CatalogRelease, ImportBatch
from catalog.prices import publish_import, roll_back
from catalog.records import PriceRow
from catalog.release import NOTHING, fingerprint, tally, together
from catalog.store import catalog_from_rows

ROW = PriceRow(
    provider="aws",
    instance="p5.48xlarge",
    region="us-east-1",
    zone="use1-az1",
    accelerator="h100-sxm5",
    count=Decimal("8.0"),
    option="on_demand",
    amount=Decimal("55.04"),
    currency="USD",
    date=date(2026, 8, 22),
    source="skypilot-aws",
    vcpus=Decimal("192.0"),
    memory_gib=Decimal("2048.0"),
)
_OTHER: dict[type, Callable[[Any], Any]] = {
    str: lambda text: text + "x",
    Decimal: lambda number: number + 1,
    date: lambda day: day + timedelta(days=1),
    type(None): lambda _: date(2026, 8, 1),
}


def _rows(count: int, **changes: Any) -> list[PriceRow]:
    return [replace(ROW, zone=f"zone-{n}", **changes) for n in range(count)]


def _outcome(rows: list[PriceRow]) -> Outcome:
    return Outcome(lines=len(rows), priced=len(rows), rows=rows)


@pytest.mark.parametrize("name", [field.name for field in fields(PriceRow)])
def test_every_field_makes_another_price(name: str) -> None:
    value = getattr(ROW, name)
    assert fingerprint(replace(ROW, **{name: _OTHER[type(value)](value)})) != fingerprint(ROW)


def test_a_cell_that_ends_elsewhere_is_another_price_and_written_zeros_are_not() -> None:
    assert fingerprint(replace(ROW, instance="a", region="bc")) != fingerprint(replace(ROW, instance="ab", region="c"))
    assert fingerprint(replace(ROW, count=Decimal(8), amount=Decimal("55.040000"))) == fingerprint(ROW)


def test_a_tally_knows_no_order_and_counts_each() -> None:
    marks = [fingerprint(row) for row in _rows(5)]
    assert tally(marks) == tally(reversed(marks)) == together([tally(marks[:2]), tally(marks[2:])])
    assert len({tally(marks), tally(marks[:4]), tally([*marks, marks[0]]), NOTHING}) == 4


@pytest.mark.django_db
def test_the_kept_release_is_that_of_the_rows_after_every_step() -> None:
    call_command("load_catalog", stdout=StringIO())
    releases = [CatalogRelease.objects.latest().sha256]
    batch, _ = publish_import("file/a", "a" * 64, _outcome(_rows(3)))
    releases.append(CatalogRelease.objects.latest().sha256)
    assert catalog_from_rows().release == releases[1]
    publish_import("file/b", "b" * 64, _outcome(_rows(4)))
    assert ImportBatch.objects.get(name="file/b").prices == 1, "three of the four were known"
    releases.append(catalog_from_rows().release)
    assert CatalogRelease.objects.latest().sha256 == releases[2]
    assert len(set(releases)) == 3
    roll_back(ImportBatch.objects.get(name="file/b"))
    assert CatalogRelease.objects.latest().sha256 == catalog_from_rows().release == releases[1]
    roll_back(batch)
    assert catalog_from_rows().release == releases[0]


@pytest.mark.django_db
def test_what_was_there_before_is_not_read_for_a_new_import() -> None:
    """Neither the question for known prices nor the hash of the release walks over older imports."""
    call_command("load_catalog", stdout=StringIO())
    publish_import("file/before", "a" * 64, _outcome(_rows(2000)))
    with CaptureQueriesContext(connection) as asked:
        publish_import("file/after", "b" * 64, _outcome(_rows(10, region="us-west-2")))
    of_prices = [query["sql"] for query in asked if 'FROM "catalog_priceobservation"' in query["sql"]]
    assert of_prices
    assert all("fingerprint" in sql for sql in of_prices)
    assert not any("JOIN" in sql for sql in of_prices), "a join lets SQLite begin with all rows of a batch"
