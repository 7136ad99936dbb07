"""Savings plans, capacity blocks and spot of AWS, and gpuhunt's archive, on answers that others read (recorded/README.md)."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from catalog import feeds
from catalog.feeds import Fetched, fetch
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.aws_blocks import read_aws_blocks
from catalog.importers.aws_savings import read_aws_savings
from catalog.importers.aws_spot import read_aws_spot
from catalog.importers.outcome import ImportFault, Outcome
from catalog.models import ImportBatch
from tests.catalog.feed_server import Answer, serve

RECORDED = Path(__file__).resolve().parent / "recorded"
DAY = date(2026, 10, 1)


def _prices(outcome: Outcome) -> dict[tuple[str, str, str], Decimal]:
    assert outcome.reconciles
    return {(row.instance, row.region, row.option): row.amount for row in outcome.rows}


def test_savings_plans_of_the_recorded_file_are_prices_of_one_and_three_years() -> None:
    outcome = read_aws_savings(RECORDED / "aws_savings.csv")
    assert _prices(outcome) == {
        ("p4de.24xlarge", "us-east-1", "commit_1y"): Decimal("17.40137"),
        ("p4de.24xlarge", "us-east-1", "commit_3y"): Decimal("11.71777"),
        ("p5.48xlarge", "us-east-1", "commit_1y"): Decimal("34.6752"),
        ("p5.48xlarge", "us-east-1", "commit_3y"): Decimal("23.77728"),
        ("p5en.48xlarge", "us-east-1", "commit_1y"): Decimal("39.87648"),
        ("p5en.48xlarge", "us-east-1", "commit_3y"): Decimal("27.34387"),
        ("p6-b200.48xlarge", "us-east-1", "commit_1y"): Decimal("89.72208"),
        ("p6-b200.48xlarge", "us-east-1", "commit_3y"): Decimal("49.21897"),
        ("p6-b300.48xlarge", "us-east-1", "commit_1y"): Decimal("112.1526"),
        ("p6-b300.48xlarge", "us-east-1", "commit_3y"): Decimal("61.52371"),
    }
    assert {row.date for row in outcome.rows} == {date(2026, 9, 25)}
    assert outcome.skipped == {"The line is about no accelerator of the catalog.": 2}


def _changed(was: str, becomes: str) -> str:
    """The first line of a P5 under a plan of one year, changed."""
    lines = (RECORDED / "aws_savings.csv").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.endswith("p5.48xlarge") and "1yrNoUpfront" in line)
    assert was in line
    return "\n".join([*lines[:6], line.replace(was, becomes)]) + "\n"


@pytest.mark.parametrize(
    ("was", "becomes", "words"),
    [
        (",BoxUsage:", ",DedicatedUsage:", "Dedicated"),
        (",BoxUsage:", ",USE1-UnusedBox:", "not used"),
        (",RunInstances,", ",RunInstances:0002,", "software"),
        (",No Upfront,", ",All Upfront,", "upfront"),
        (",AmazonEC2,", ",AmazonECS,", "another service"),
        (",1,year,", ",2,year,", "neither one nor three"),
        (",USD,", ",CNY,", "US dollars"),
        (",34.6752,", ",0,", "The price is 0"),
        (",us-east-1,p5", ",,p5", "no region"),
    ],
)
def test_rates_that_are_no_price_of_ours_say_why(tmp_path: Path, was: str, becomes: str, words: str) -> None:
    path = tmp_path / "index.csv"
    path.write_text(_changed(was, becomes), encoding="utf-8")
    outcome = read_aws_savings(path)
    assert _prices(outcome) == {}
    assert any(words in reason for reason in outcome.reasons()), outcome.reasons()


def test_the_plan_of_a_family_goes_before_the_one_for_all_compute(tmp_path: Path) -> None:
    path, usual = tmp_path / "index.csv", _changed(",34.6752,", ",34.6752,")
    dearer = (
        usual.splitlines()[-1].replace("34.6752", "38.528").replace("EC2InstanceSavingsPlans", "ComputeSavingsPlans")
    )
    path.write_text(usual + dearer + "\n", encoding="utf-8")
    outcome = read_aws_savings(path)
    assert list(_prices(outcome).values()) == [Decimal("34.6752")]
    assert len(outcome.dropped) == 1


def test_a_rate_of_an_ultraserver_is_that_of_one_accelerator() -> None:
    outcome = read_aws_blocks(RECORDED / "aws_blocks.json")
    assert _prices(outcome) == {
        ("u-p6e-gb200x72", "us-east-1-dfw-2a", "capacity_block"): Decimal("761.904"),
        ("p6-b200.48xlarge", "us-east-2", "capacity_block"): Decimal("74.88"),
        ("p6-b200.48xlarge", "us-west-2", "capacity_block"): Decimal("74.88"),
        ("p5.48xlarge", "us-east-1", "capacity_block"): Decimal("31.464"),
        ("p5.48xlarge", "us-west-1", "capacity_block"): Decimal("39.33"),
        ("p5.4xlarge", "us-east-1", "capacity_block"): Decimal("3.933"),
        ("trn2.3xlarge", "ap-southeast-4", "capacity_block"): Decimal("2.235"),
        ("trn2.48xlarge", "us-east-2", "capacity_block"): Decimal("35.7608"),
    }
    assert {row.date for row in outcome.rows} == {date(2026, 2, 1)}
    assert [row.instance for row in outcome.rows if row.confidence == "derived"] == ["u-p6e-gb200x72"]


@pytest.mark.parametrize("wrapped", [True, False])
def test_spot_of_old_regions_has_their_name_and_na_is_no_price(tmp_path: Path, wrapped: bool) -> None:
    path, text = tmp_path / "spot.js", (RECORDED / "aws_spot.js").read_text(encoding="utf-8")
    path.write_text(text if wrapped else text.removeprefix("callback(").removesuffix(");\n"), encoding="utf-8")
    outcome = read_aws_spot(path, day=DAY)
    assert _prices(outcome) == {
        ("p5.48xlarge", "us-east-1", "spot"): Decimal("19.4933"),
        ("g6e.12xlarge", "us-east-1", "spot"): Decimal("3.1479"),
        ("inf2.48xlarge", "us-east-1", "spot"): Decimal("2.6028"),
        ("p5.48xlarge", "us-east-2", "spot"): Decimal("20.3632"),
        ("trn2.48xlarge", "us-east-2", "spot"): Decimal("8.5964"),
    }
    path.write_text(text.replace('"19.4933"', '"N/A*"').replace('"8.5964"', '"soon"'), encoding="utf-8")
    outcome = read_aws_spot(path, day=DAY)
    assert len(_prices(outcome)) == 3
    assert outcome.skipped["The machine is not sold as spot there."] == 1
    assert [refusal.reason for refusal in outcome.refused] == ["The price is not a number."]


@pytest.mark.parametrize("read", [read_aws_savings, read_aws_blocks, lambda path: read_aws_spot(path, day=DAY)])
@pytest.mark.parametrize("text", ["", "<html>busy</html>", "[]", '{"config": 3}', "callback(", "[" * 9999])
def test_garbage_is_none_of_these_files(tmp_path: Path, read: Callable[[Path], Outcome], text: str) -> None:
    path = tmp_path / "feed"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ImportFault):
        read(path)


def _archive(name: str, text: str | bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return packed.getvalue()


def _fetch(name: str, answers: dict[str, list[Answer]], first: str, folder: Path) -> Fetched:
    with serve(answers) as server:
        client = Client(limits=Limits(most_bytes=2**20, pause_s=0.0))
        return fetch(name, folder, day=DAY, url=f"{server.url}{first}", client=client)


def test_the_index_of_savings_plans_leads_to_the_list_of_the_region(settings: Any, tmp_path: Path) -> None:
    settings.OUTGOING_LOOPBACK = True
    region = "/savingsPlan/v1.0/aws/AWSComputeSavingsPlan/20250911184447/us-east-1/index.csv"
    index = (RECORDED / "aws_savings_index.json").read_bytes()
    answers = {"/index": [Answer(body=index)], region: [Answer(body=(RECORDED / "aws_savings.csv").read_bytes())]}
    assert len(_fetch("aws-savings:us-east-1", answers, "/index", tmp_path).read.outcome.rows) == 10
    with pytest.raises(ImportFault, match="no list of eu-west-1"):
        _fetch("aws-savings:eu-west-1", answers, "/index", tmp_path)
    answers["/index"] = [Answer(body=index.replace(b"/savingsPlan", b"https://evil.example/savingsPlan"))]
    with pytest.raises(FetchFault, match="another host"):
        _fetch("aws-savings:us-east-1", answers, "/index", tmp_path)


def test_gpuhunts_version_leads_to_its_archive(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.OUTGOING_LOOPBACK = True
    table = (RECORDED / "gpuhunt_verda.csv").read_bytes()
    answers = {
        "/v3/verda/version": [Answer(body=b"20260915-1234\n")],
        "/v3/verda/20260915-1234/catalog.zip": [Answer(body=_archive("verda.csv", table))],
    }
    fetched = _fetch("gpuhunt:verda", answers, "/v3/verda/version", tmp_path)
    assert [row.amount for row in fetched.read.outcome.rows] == [
        Decimal(text) for text in ("3.95", "1.7", "0.7", "0.89")
    ]
    assert {row.source for row in fetched.read.outcome.rows} == {"gpuhunt-feed"}

    monkeypatch.setattr(feeds, "_MOST_UNPACKED", 1000)
    for body, words in (
        (_archive("verda.csv", b"x" * 5000), "larger than"),
        (_archive("other.csv", table), "does not hold verda.csv"),
        (b"PK\x03\x04 and then nothing", "does not hold verda.csv"),
    ):
        answers["/v3/verda/20260915-1234/catalog.zip"] = [Answer(body=body)]
        with pytest.raises(ImportFault, match=words):
            _fetch("gpuhunt:verda", answers, "/v3/verda/version", tmp_path)
    answers["/v3/verda/version"] = [Answer(body=b"<html>busy</html>")]
    with pytest.raises(ImportFault, match="which version"):
        _fetch("gpuhunt:verda", answers, "/v3/verda/version", tmp_path)


@pytest.mark.django_db
def test_each_recorded_feed_is_published_and_one_that_fails_harms_no_other(settings: Any) -> None:
    settings.OUTGOING_LOOPBACK = True
    call_command("load_catalog", stdout=io.StringIO())
    answers = {
        "/blocks": [Answer(body=(RECORDED / "aws_blocks.json").read_bytes())],
        "/spot": [Answer(status=503)],
        "/bulk": [Answer(body=(RECORDED / "aws_ec2.csv").read_bytes())],
    }
    with serve(answers) as server:
        call_command("fetch_prices", "aws-blocks", url=f"{server.url}/blocks", stdout=io.StringIO())
        with pytest.raises(CommandError, match="503"):
            call_command("fetch_prices", "aws-spot", url=f"{server.url}/spot", stdout=io.StringIO())
        call_command("fetch_prices", "aws-bulk:us-east-1", url=f"{server.url}/bulk", stdout=io.StringIO())
    found = ImportBatch.objects.filter(name__startswith="feed/").values_list("name", "prices")
    assert dict(found) == {"feed/aws-blocks": 8, "feed/aws-bulk:us-east-1": 6}
