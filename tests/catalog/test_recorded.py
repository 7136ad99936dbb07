"""The importers on answers of the price services as others have read them (recorded/README.md): what counts, what does not, and why."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.feeds import fetch
from catalog.fetch import Client, Limits
from catalog.importers.aws_bulk import read_aws_bulk
from catalog.importers.azure_retail import page_of, read_azure_retail
from catalog.importers.gpuhunt import read_gpuhunt
from catalog.importers.outcome import Outcome
from catalog.importers.skypilot import read_skypilot
from tests.catalog.feed_server import Answer, serve

RECORDED = Path(__file__).resolve().parent / "recorded"
DAY = date(2026, 10, 1)


def _prices(outcome: Outcome) -> dict[tuple[str, str], Decimal]:
    return {(row.instance, row.option): row.amount for row in outcome.rows}


def _azure() -> Outcome:
    return read_azure_retail([RECORDED / "azure_page_1.json", RECORDED / "azure_page_2.json"], day=DAY)


def test_of_the_meters_of_an_azure_machine_only_its_own_prices_count() -> None:
    outcome = _azure()
    assert outcome.reconciles
    assert _prices(outcome) == {
        ("Standard_ND96isr_H100_v5", "on_demand"): Decimal("98.32"),
        ("Standard_ND96isr_H100_v5", "spot"): Decimal("18.169536"),
        ("Standard_ND96isr_H100_v5", "commit_1y"): Decimal("62.92477169"),
        ("Standard_ND96isr_H100_v5", "commit_3y"): Decimal("43.16248097"),
        ("Standard_NCC40ads_H100_v5", "on_demand"): Decimal("6.98"),
        ("Standard_NCC40ads_H100_v5", "spot"): Decimal("1.419034"),
        ("Standard_ND96isr_H200_v5", "on_demand"): Decimal("84.8"),
        ("Standard_ND96isr_H200_v5", "commit_1y"): Decimal("46.52123288"),
        ("Standard_ND96isr_H200_v5", "commit_3y"): Decimal("42.22191781"),
        ("Standard_ND96amsr_A100_v4", "on_demand"): Decimal("32.77"),
        ("Standard_ND96amsr_A100_v4", "commit_1y"): Decimal("20.97283105"),
        ("Standard_ND96amsr_A100_v4", "commit_3y"): Decimal("14.41879756"),
    }
    assert [refusal.reason for refusal in outcome.refused] == ["The term is neither one nor three years."]
    assert outcome.skipped == {
        "The meter is for Windows or Cloud Services.": 11,
        "Low Priority is for batch pools only.": 2,
        "The instance type has no accelerator of the catalog.": 4,
    }


def test_the_recorded_savings_plan_and_reservation_of_one_meter_have_two_units() -> None:
    """Of a machine of the catalog they would be the prices that the recorded machine without one has."""
    path = RECORDED / "azure_page_1.json"
    items = [item for item in page_of(path)[0] if item["armSkuName"] == "Standard_B16als_v2"]
    assert len(items) == 13
    own = [
        item
        for item in items
        if (item["productName"], item["skuName"]) == ("Virtual Machines Basv2 Series", "B16als v2")
    ]
    usual, year, _ = own
    hourly = {plan["term"]: plan["retailPrice"] for plan in usual["savingsPlan"]}
    assert hourly["1 Year"] < usual["retailPrice"] < year["retailPrice"]
    assert year["unitOfMeasure"] == "1 Hour"
    assert hourly["3 Years"] < year["retailPrice"] / 8760 < hourly["1 Year"]


def test_recorded_azure_pages_are_followed_through_their_own_address(settings: object, tmp_path: Path) -> None:
    settings.OUTGOING_LOOPBACK = True  # type: ignore[attr-defined]
    first, second = (RECORDED / f"azure_page_{number}.json" for number in (1, 2))
    with serve({"/api/retail/prices": []}) as server:
        page = first.read_text(encoding="utf-8").replace("https://prices.azure.com:443", server.url)
        server.answers["/api/retail/prices"] = [Answer(body=page.encode()), Answer(body=second.read_bytes())]
        client = Client(limits=Limits(most_bytes=2**20, pause_s=0.0))
        url = f"{server.url}/api/retail/prices?api-version=2023-01-01-preview"
        outcome = fetch("azure-retail", tmp_path, day=DAY, url=url, client=client).read.outcome
    assert len(server.asked) == 2
    assert "$skip=1000" in server.asked[1]
    assert "%20" in server.asked[1]
    assert _prices(outcome) == _prices(_azure())


def test_a_savings_plan_that_cannot_be_read_leaves_the_price_of_its_meter(tmp_path: Path) -> None:
    path = tmp_path / "page.json"
    text = (RECORDED / "azure_page_1.json").read_text(encoding="utf-8")
    path.write_text(
        text.replace("Standard_B16als_v2", "Standard_NC4as_T4_v3").replace('"3 Years"}', '"2 Years"}'), encoding="utf-8"
    )
    outcome = read_azure_retail([path], day=DAY)
    prices = _prices(outcome)
    assert prices["Standard_NC4as_T4_v3", "on_demand"] == Decimal("0.673")
    assert prices["Standard_NC4as_T4_v3", "spot"] == Decimal("0.6057")
    assert prices["Standard_NC4as_T4_v3", "commit_1y"] == Decimal("0.39703196")
    assert "The term is neither one nor three years." in [drop.reason for drop in outcome.dropped]


def test_of_the_recorded_aws_file_a_block_for_nothing_is_no_price() -> None:
    outcome = read_aws_bulk(RECORDED / "aws_ec2.csv")
    assert outcome.reconciles
    assert [(row.instance, row.region, row.option, row.amount, row.count) for row in outcome.rows] == [
        ("p5.48xlarge", "us-east-1", "on_demand", Decimal("55.04"), 8),
        ("p4d.24xlarge", "us-east-1", "on_demand", Decimal("21.957642"), 8),
        ("p4d.24xlarge", "us-west-2", "on_demand", Decimal("21.95764"), 8),
        ("g6.xlarge", "us-east-1", "on_demand", Decimal("0.8048"), 1),
        ("trn1.32xlarge", "us-east-1", "on_demand", Decimal("21.5"), 16),
        ("inf2.xlarge", "us-east-1", "on_demand", Decimal("0.7582"), 1),
    ]
    assert {row.date for row in outcome.rows} == {date(2026, 9, 21)}
    assert {row.valid_from for row in outcome.rows} == {date(2026, 9, 1)}
    assert (outcome.refused, outcome.dropped) == ([], [])
    assert outcome.skipped["The hours of a capacity block, which were paid when it was booked."] == 1


def test_gpuhunt_tells_parts_and_kinds_of_an_accelerator_by_their_memory() -> None:
    outcome = read_gpuhunt(RECORDED / "gpuhunt_gcp.csv", "gcp", day=DAY)
    assert outcome.reconciles
    assert [(row.instance, row.region, row.zone, row.accelerator, row.count, row.option) for row in outcome.rows] == [
        ("a3-highgpu-8g", "us-east4", "us-east4-a", "h100-sxm5", 8, "on_demand"),
        ("a3-highgpu-8g", "us-east4", "us-east4-a", "h100-sxm5", 8, "capacity_block"),
        ("a2-ultragpu-1g", "us-central1", "us-central1-a", "a100-sxm4-80", 1, "on_demand"),
        ("g4-standard-6", "us-central1", "us-central1-b", "rtx-pro-6000-blackwell", Decimal("0.125"), "on_demand"),
        ("g4-standard-48", "us-central1", "us-central1-b", "rtx-pro-6000-blackwell", 1, "on_demand"),
        ("g4-standard-384", "us-central1", "us-central1-b", "rtx-pro-6000-blackwell", 8, "on_demand"),
    ]
    assert {row.amount / row.count for row in outcome.rows if row.accelerator.startswith("rtx")} == {Decimal("4.49993")}
    assert outcome.skipped.total() == 2
    assert not outcome.refused


def test_gpuhunts_place_at_another_cloud_is_a_region_and_its_name_the_new_one() -> None:
    outcome = read_gpuhunt(RECORDED / "gpuhunt_verda.csv", "datacrunch", day=DAY)
    assert [(row.provider, row.region, row.zone, row.accelerator, row.count, row.option, row.amount) for row in outcome.rows] == [
        ("verda", "FIN-01", "", "h100-sxm5", 1, "on_demand", Decimal("3.95")),
        ("verda", "FIN-01", "", "h100-sxm5", 1, "spot", Decimal("1.7")),
        ("verda", "ICE-01", "", "rtx-a6000", 2, "spot", Decimal("0.7")),
        ("verda", "FIN-01", "", "v100-sxm2-16", 1, "on_demand", Decimal("0.89")),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("was", "becomes", "words"),
    [
        ("a3-highgpu-8g", "a3-edgegpu-8g", "customer's own site"),
        (",H100,80.0,", ",H100,96.0,", "does not have 96 GB"),
        (",A100,80.0,", ",A100,20.0,", "does not have 20 GB"),
        (",A100,80.0,", ",A100,,", "memory is missing"),
    ],
)
def test_what_gpuhunt_may_not_be_read_as(tmp_path: Path, was: str, becomes: str, words: str) -> None:
    path = tmp_path / "gcp.csv"
    path.write_text((RECORDED / "gpuhunt_gcp.csv").read_text(encoding="utf-8").replace(was, becomes), encoding="utf-8")
    outcome = read_gpuhunt(path, "gcp", day=DAY)
    assert outcome.reconciles
    assert any(words in reason for reason in outcome.reasons()), outcome.reasons()


def test_skypilots_files_of_smaller_clouds_are_read() -> None:
    clouds = ("verda", "jarvislabs")
    found = {cloud: read_skypilot(RECORDED / f"skypilot_{cloud}.csv", cloud, day=DAY) for cloud in clouds}
    assert {row.provider for outcome in found.values() for row in outcome.rows} == set(clouds)
    cards = {(row.instance, row.accelerator, int(row.count)) for outcome in found.values() for row in outcome.rows}
    assert cards >= {
        ("1B300.30V", "b300-sxm", 1), ("2B200.60V", "b200-sxm", 2), ("1H200.141S.44V", "h200-sxm", 1),
        ("1H100.80S.32V", "h100-sxm5", 1), ("4A100.88V", "a100-sxm4-80", 4), ("1V100.6V", "v100-sxm2-16", 1),
        ("8RTXPRO6000.240V", "rtx-pro-6000-blackwell", 8), ("2RTX6000ADA.20V", "rtx-6000-ada", 2),
        ("8x_H100_192V_1600G", "h100-sxm5", 8), ("1x_L4_28V_124G", "l4", 1),
    }  # fmt: skip
    verda = _prices(found["verda"])
    assert verda["1H100.80S.32V", "on_demand"] == Decimal("2.29")
    assert verda["1H100.80S.32V", "spot"] == Decimal("0.8015")
    assert ("2B200.60V", "on_demand") not in verda, "to be had on spot only"
    assert _prices(found["jarvislabs"])["1x_H200_28V_300G", "on_demand"] == Decimal("4.59")
    said = [refusal.reason for outcome in found.values() for refusal in outcome.refused]
    assert said == ["The line names no accelerator."] * 2, "machines without one"
