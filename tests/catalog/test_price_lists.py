"""Azure Retail Prices and AWS bulk list: each trap by itself. What the services really answer is in test_recorded.py."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from catalog.importers.aws_bulk import read_aws_bulk
from catalog.importers.azure_retail import page_of, read_azure_retail
from catalog.importers.outcome import ImportFault, Outcome
from catalog.models import PriceObservation
from catalog.prices import publish_import
from tests.catalog.price_pages import aws_file, aws_line, azure_item, azure_page

DAY = date(2026, 8, 22)


def _azure(folder: Path, *items: Any) -> Outcome:
    path = folder / "page.json"
    path.write_bytes(azure_page(list(items)))
    outcome = read_azure_retail([path], day=DAY)
    assert outcome.reconciles
    return outcome


def _aws(folder: Path, *lines: str) -> Outcome:
    path = folder / "index.csv"
    path.write_text(aws_file(*lines), encoding="utf-8")
    outcome = read_aws_bulk(path)
    assert outcome.reconciles
    return outcome


def test_azure_on_demand_spot_and_commitments(tmp_path: Path) -> None:
    outcome = _azure(
        tmp_path,
        azure_item(),
        azure_item(skuName="ND96isr H100 v5 Spot", retailPrice=29.5),
        azure_item(type="Reservation", reservationTerm="1 Year", retailPrice=551_880.0),
        azure_item(type="Reservation", reservationTerm="3 Years", retailPrice=1_135_296.0),
    )
    assert {row.option: row.amount for row in outcome.rows} == {
        "on_demand": Decimal("98.32"),
        "spot": Decimal("29.5"),
        "commit_1y": Decimal("63.00000000"),
        "commit_3y": Decimal("43.20000000"),
    }
    assert {row.count for row in outcome.rows} == {Decimal(8)}
    assert {row.date for row in outcome.rows} == {DAY}
    assert {row.valid_from for row in outcome.rows} == {date(2023, 11, 1)}
    assert {row.option: row.confidence for row in outcome.rows}["commit_1y"] == "derived"


def test_an_azure_savings_plan_is_an_hourly_price_and_yields_to_a_reservation(tmp_path: Path) -> None:
    plans = [{"unitPrice": 70.0, "retailPrice": 70.0, "term": "1 Year"}, {"retailPrice": 50.0, "term": "3 Years"}]
    alone = _azure(tmp_path, azure_item(savingsPlan=plans))
    assert {row.option: row.amount for row in alone.rows}["commit_1y"] == Decimal("70.0")
    both = _azure(
        tmp_path,
        azure_item(savingsPlan=plans),
        azure_item(type="Reservation", reservationTerm="1 Year", retailPrice=551_880.0),
    )
    assert {row.option: row.amount for row in both.rows} == {
        "on_demand": Decimal("98.32"),
        "commit_1y": Decimal("63.00000000"),
        "commit_3y": Decimal("50.0"),
    }
    assert len(both.dropped) == 1


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"productName": "Virtual Machines NDsr H100 v5 Series Windows"}, "Windows"),
        ({"productName": "ND Series Cloud Services"}, "Cloud Services"),
        ({"productName": "NDsr H100 v5 Series CloudServices"}, "Cloud Services"),
        ({"skuName": "ND96isr H100 v5 Low Priority"}, "batch pools"),
        ({"serviceName": "Storage"}, "another service"),
        ({"isPrimaryMeterRegion": False}, "primary region"),
        ({"armSkuName": "Standard_D4s_v5"}, "no accelerator"),
        ({"retailPrice": 0}, "not free"),
        ({"retailPrice": "NaN"}, "not free"),
        ({"retailPrice": None}, "no price"),
        ({"currencyCode": "EUR"}, "for reference only"),
        ({"unitOfMeasure": "1/Month"}, "not priced per hour"),
        ({"tierMinimumUnits": 100}, "above a quantity"),
        ({"effectiveStartDate": "2026-12-01T00:00:00Z"}, "in the future"),
        ({"effectiveStartDate": "soon"}, "not a date"),
        ({"armRegionName": ""}, "no region"),
        ({"armRegionName": "usgovvirginia"}, "Government"),
        ({"type": "DevTestConsumption"}, "developers and testers only"),
        ({"type": "Gift"}, "neither consumption nor a reservation"),
        ({"effectiveEndDate": "2026-08-22T00:00:00Z"}, "has ended"),
        ({"productName": "NDsr H100 v5 Dedicated Host"}, "dedicated host"),
        ({"type": "Reservation", "reservationTerm": "5 Years"}, "neither one nor three"),
    ],
)
def test_azure_meters_that_are_no_price_of_ours_say_why(tmp_path: Path, changes: dict[str, Any], reason: str) -> None:
    outcome = _azure(tmp_path, azure_item(**changes))
    assert outcome.rows == []
    assert any(reason in text for text in outcome.reasons()), outcome.reasons()


def test_azure_spot_above_on_demand_and_repeated_meters_are_left_out(tmp_path: Path) -> None:
    outcome = _azure(tmp_path, azure_item(), azure_item(), azure_item(skuName="X Spot", retailPrice=98.50))
    assert [row.option for row in outcome.rows] == ["on_demand"]
    assert (outcome.duplicates, len(outcome.dropped)) == (1, 1)


def test_the_later_of_two_azure_prices_holds(tmp_path: Path) -> None:
    newer = azure_item(retailPrice=90.0, effectiveStartDate="2026-01-01T00:00:00Z")
    for items in ((azure_item(), newer), (newer, azure_item())):
        outcome = _azure(tmp_path, *items)
        assert [row.amount for row in outcome.rows] == [Decimal("90.0")]


@pytest.mark.parametrize(
    "content", [b"", b"<html>busy</html>", b"[]", b'{"Items": 3}', b'{"Items": [], "NextPageLink": 3}']
)
def test_garbage_is_no_azure_page(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "page.json"
    path.write_bytes(content)
    with pytest.raises(ImportFault, match="not a page"):
        page_of(path)


def test_aws_on_demand_reserved_and_capacity_block(tmp_path: Path) -> None:
    reserved = {
        "TermType": "Reserved",
        "LeaseContractLength": "1yr",
        "PurchaseOption": "No Upfront",
        "OfferingClass": "standard",
    }
    outcome = _aws(
        tmp_path,
        aws_line(),
        aws_line(**reserved, PricePerUnit="41.3"),
        aws_line(**{**reserved, "LeaseContractLength": "3yr"}, PricePerUnit="24.2"),
        aws_line(MarketOption="CapacityBlock", PricePerUnit="33.0", Instance_Type="p5e.48xlarge"),
    )
    assert [(row.instance, row.option, row.amount) for row in outcome.rows] == [
        ("p5.48xlarge", "on_demand", Decimal("55.0400000000")),
        ("p5.48xlarge", "commit_1y", Decimal("41.3")),
        ("p5.48xlarge", "commit_3y", Decimal("24.2")),
        ("p5e.48xlarge", "capacity_block", Decimal("33.0")),
    ]
    first = outcome.rows[0]
    assert (first.date, first.valid_from, first.memory_gib) == (date(2026, 8, 20), date(2025, 6, 1), 2048)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"Instance_Type": "m5.large"}, "no accelerator"),
        ({"Operating_System": "Windows"}, "software"),
        ({"Pre_Installed_SSlashW": "SQL Web"}, "software"),
        ({"Tenancy": "Dedicated"}, "Dedicated"),
        ({"CapacityStatus": "UnusedCapacityReservation"}, "not used"),
        ({"TermType": "Reserved", "OfferingClass": "convertible", "PurchaseOption": "No Upfront"}, "Convertible"),
        ({"TermType": "Reserved", "OfferingClass": "standard", "PurchaseOption": "All Upfront"}, "upfront"),
        ({"Unit": "Quantity"}, "not per hour"),
        ({"Currency": "CNY", "Region_Code": "cn-north-1"}, "China"),
        ({"Region_Code": "us-gov-west-1"}, "Government"),
        ({"Region_Code": ""}, "no region"),
        ({"PricePerUnit": "0.0000000000"}, "The price is 0"),
        ({"PricePerUnit": ""}, "no price"),
        ({"EffectiveDate": "2027-01-01"}, "in the future"),
        ({"TermType": "Gift"}, "neither on-demand nor reserved"),
    ],
)
def test_aws_lines_that_are_no_price_of_ours_say_why(tmp_path: Path, changes: dict[str, str], reason: str) -> None:
    outcome = _aws(tmp_path, aws_line(**changes))
    assert outcome.rows == []
    assert any(reason in text for text in outcome.reasons()), outcome.reasons()


def test_the_sums_are_those_of_the_file(tmp_path: Path) -> None:
    prices = [Decimal("55.04") + n for n in range(20)]
    lines = [aws_line(Region_Code=f"region-{n}", PricePerUnit=str(price)) for n, price in enumerate(prices)]
    outcome = _aws(tmp_path, *lines, aws_line(Instance_Type="m5.large", PricePerUnit="1000"))
    assert outcome.totals() == {"on_demand": sum(prices)}
    meters = [azure_item(armRegionName=f"region{n}", retailPrice=float(price)) for n, price in enumerate(prices)]
    assert _azure(tmp_path, *meters, azure_item(retailPrice=0)).totals() == {"on_demand": sum(prices)}


def test_a_file_without_the_preamble_or_a_column_is_no_price_list(tmp_path: Path) -> None:
    path = tmp_path / "index.csv"
    for text, words in (
        (aws_file().split("\n", 5)[5], "five lines"),
        (aws_file().replace("2026-08-20T18:13:31Z", "today"), "publication date"),
        (aws_file().replace('"Tenancy",', ""), "lacks the column Tenancy"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ImportFault, match=words):
            read_aws_bulk(path)


def _azure_large(folder: Path) -> Callable[[], Outcome]:
    paths = []
    for page in range(100):
        items = [azure_item(armRegionName=f"region{page}-{n}", retailPrice=98 + n / 1000) for n in range(1000)]
        paths.append(folder / f"page-{page}.json")
        paths[-1].write_bytes(azure_page(items))
    return lambda: read_azure_retail(paths, day=DAY)


def _aws_published(folder: Path) -> Callable[[], Outcome]:
    path = folder / "index.csv"
    path.write_text(aws_file(*(aws_line(Region_Code=f"region-{n}") for n in range(100_000))), encoding="utf-8")

    def run() -> Outcome:
        outcome = read_aws_bulk(path)
        batch, _ = publish_import("file/aws-bulk", "d" * 64, outcome)
        assert batch.prices == PriceObservation.objects.filter(batch=batch).count() == 100_000
        return outcome

    return run


@pytest.mark.django_db
@pytest.mark.parametrize("large", [_azure_large, _aws_published])
def test_a_hundred_thousand_prices_take_under_300_mb(
    tmp_path: Path, large: Callable[[Path], Callable[[], Outcome]]
) -> None:
    call_command("load_catalog", stdout=StringIO())
    run = large(tmp_path)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome = run()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert outcome.priced == 100_000
    assert grown / (2**20 if sys.platform == "darwin" else 2**10) < 300
