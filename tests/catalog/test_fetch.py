"""The fetching of feeds through the guarded client, against a server that plays the real answers and the bad ones."""

from __future__ import annotations

import json
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from catalog.feeds import FEEDS, feed_named
from catalog.feeds import fetch as fetch_feed
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.outcome import ImportFault
from catalog.models import CatalogRelease, ImportBatch, PriceObservation
from catalog.work import KIND, request_fetches, run_fetch
from jobs.models import Job, State
from jobs.running import run_job
from planner.market import market_from_rows
from tests.catalog.feed_server import Answer, serve
from tests.catalog.price_pages import aws_file, aws_line, azure_item, azure_page

DAY = date(2026, 8, 22)


@pytest.fixture(autouse=True)
def _feeds_on_this_machine(settings: Any) -> None:
    settings.OUTGOING_LOOPBACK = True


def _client(pauses: list[float] | None = None, **limits: Any) -> Client:
    bounds = Limits(**{"most_bytes": 2**20, "pause_s": 0.0, "silence_s": 2.0, **limits})
    return Client(limits=bounds, sleep=(pauses if pauses is not None else []).append)


def test_a_throttled_feed_is_asked_again_after_the_pause_it_names(tmp_path: Path) -> None:
    answers = [Answer(status=429, headers={"Retry-After": "7"}), Answer(status=503), Answer(body=b"prices")]
    pauses: list[float] = []
    with serve({"/feed": answers}) as server:
        _client(pauses).save(f"{server.url}/feed", tmp_path / "feed")
    assert (tmp_path / "feed").read_bytes() == b"prices"
    assert pauses[0] == 7.0
    assert len(server.asked) == 3


def test_a_feed_that_never_recovers_is_given_up_and_leaves_no_file(tmp_path: Path) -> None:
    with serve({"/feed": [Answer(status=429)]}) as server, pytest.raises(FetchFault, match="answered 429, 5 times"):
        _client().save(f"{server.url}/feed", tmp_path / "feed")
    assert len(server.asked) == 5
    assert list(tmp_path.iterdir()) == []


def test_a_feed_may_not_ask_for_more_time_than_a_fetch_has(tmp_path: Path) -> None:
    answer = Answer(status=503, headers={"Retry-After": "999999"})
    pauses: list[float] = []
    with serve({"/feed": [answer]}) as server, pytest.raises(FetchFault, match="more time"):
        _client(pauses, total_s=30.0, longest_pause_s=60.0).save(f"{server.url}/feed", tmp_path / "feed")
    assert pauses == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(status=404), "answered 404"),
        (Answer(status=403), "answered 403"),
        (Answer(body=b"x" * 2000), "larger than"),
        (Answer(body=b"x", headers={"Content-Encoding": "gzip"}), "packed"),
        (Answer(body=b"short", declared=900), "did not answer whole|broke off"),
        (Answer(status=302, headers={"Location": "/feed"}), "redirects more than"),
        (Answer(status=302, headers={"Location": "file:///etc/passwd"}), "https://"),
        (Answer(status=302, headers={"Location": "http://169.254.169.254/latest"}), "not a public address"),
    ],
)
def test_bad_answers_end_in_a_sentence_and_no_file(tmp_path: Path, answer: Answer, words: str) -> None:
    with serve({"/feed": [answer]}) as server, pytest.raises(FetchFault, match=words):
        _client(most_bytes=1000).save(f"{server.url}/feed", tmp_path / "feed")
    assert list(tmp_path.iterdir()) == []


def test_azure_pages_are_followed_to_the_end(tmp_path: Path) -> None:
    with serve({"/api": []}) as server:
        pages = [
            azure_page([azure_item()], f"{server.url}/api?$skip=1000"),
            azure_page([azure_item(armRegionName="westus")], f"{server.url}/api?$skip=2000"),
            azure_page([azure_item(armRegionName="westeurope")]),
        ]
        server.answers["/api"] = [Answer(body=page) for page in pages]
        server.answers["/api"].insert(1, Answer(status=429))
        fetched = fetch_feed("azure-retail", tmp_path, day=DAY, url=f"{server.url}/api", client=_client())
    assert [row.region for row in fetched.read.outcome.rows] == ["eastus", "westus", "westeurope"]
    assert fetched.read.outcome.reconciles


def test_pages_that_lead_elsewhere_or_in_a_circle_are_refused(tmp_path: Path) -> None:
    with serve({"/api": []}) as server:
        for after, words in (
            ("https://evil.example/api", "another host"),
            (f"{server.url}/api", "do not end"),
        ):
            server.answers["/api"] = [Answer(body=azure_page([azure_item()], after))]
            with pytest.raises(FetchFault, match=words):
                fetch_feed("azure-retail", tmp_path, day=DAY, url=f"{server.url}/api", client=_client())


@pytest.mark.parametrize("name", ["azure-retail", "aws-bulk:us-east-1", "spot-advisor", "skypilot:aws"])
@pytest.mark.parametrize("body", [b"", b"<html>Service busy</html>", b"\x00\xff\xfe" * 50, b'{"error": 1}'])
def test_garbage_is_refused_by_every_feed(tmp_path: Path, name: str, body: bytes) -> None:
    with serve({"/feed": [Answer(body=body)]}) as server, pytest.raises(ImportFault):
        fetch_feed(name, tmp_path, day=DAY, url=f"{server.url}/feed", client=_client())


def test_every_feed_has_a_public_address_and_names_are_checked() -> None:
    for name, feed in FEEDS.items():
        assert feed.url.startswith("https://")
        assert feed_named(":".join(filter(None, (name, feed.narrowed[0]))))[0] is feed
    for name in ("nothing", "aws-bulk", "aws-bulk:../../x", "azure-retail:eastus"):
        with pytest.raises(FetchFault):
            feed_named(name)


@pytest.fixture
def loaded(db: None) -> None:
    """The catalog of the files."""
    call_command("load_catalog", stdout=StringIO())


def _fetch(name: str, url: str, **options: Any) -> str:
    out = StringIO()
    call_command("fetch_prices", name, url=url, stdout=out, **options)
    return out.getvalue()


@pytest.mark.usefixtures("loaded")
def test_the_command_publishes_once_and_a_failing_fetch_leaves_the_last_good_prices() -> None:
    body = aws_file(aws_line(PricePerUnit="50"), aws_line(Instance_Type="m5.large"))
    key = "aws/p5.48xlarge/us-east-1/on_demand"
    with serve({"/feed": [Answer(body=body.encode())]}) as server:
        url = f"{server.url}/feed"
        assert "Published" not in _fetch("aws-bulk:us-east-1", url, dry_run=True)
        assert "Published 1 new prices" in _fetch("aws-bulk:us-east-1", url)
        assert "nothing changed" in _fetch("aws-bulk:us-east-1", url)
        # Published on 20 August, while the files hold an observation of the 22nd: the newer one is planned with.
        assert next(offer.price_date for offer in market_from_rows().offers if offer.id == key) == "2026-08-22"
        before = (PriceObservation.objects.count(), CatalogRelease.objects.count(), market_from_rows().release)
        for bad in (b"<html>", b"", aws_file().encode()):
            server.answers["/feed"] = [Answer(body=bad)]
            with pytest.raises(CommandError):
                _fetch("aws-bulk:us-east-1", url)
        server.answers["/feed"] = [Answer(status=503)]
        with pytest.raises(CommandError, match="answered 503"):
            _fetch("aws-bulk:us-east-1", url)
    assert (PriceObservation.objects.count(), CatalogRelease.objects.count(), market_from_rows().release) == before


@pytest.mark.usefixtures("loaded")
def test_a_dry_run_and_an_import_say_what_changed_since_the_last_one() -> None:
    first = aws_file(aws_line(PricePerUnit="50"))
    with serve({"/feed": [Answer(body=first.encode())]}) as server:
        url = f"{server.url}/feed"
        assert "Since the last import" not in _fetch("aws-bulk:us-east-1", url)
        assert "0 new, 0 gone, 0 dearer, 0 cheaper, 1 the same." in _fetch("aws-bulk:us-east-1", url, dry_run=True)
        server.answers["/feed"] = [Answer(body=aws_file(aws_line(PricePerUnit="55")).encode())]
        for options in ({"dry_run": True}, {}):
            told = _fetch("aws-bulk:us-east-1", url, **options)
            assert "0 new, 0 gone, 1 dearer, 0 cheaper, 0 the same; the middle of what moved is +10.0%." in told
            assert "aws/p5.48xlarge/us-east-1/on_demand: 50 → 55 USD (+10.0%)" in told


@pytest.mark.usefixtures("loaded")
def test_a_feed_that_shrank_to_less_than_half_is_not_published() -> None:
    many = aws_file(*(aws_line(Region_Code=region) for region in ("us-east-1", "us-west-2", "eu-west-1")))
    with serve(
        {"/feed": [Answer(body=many.encode()), Answer(body=aws_file(aws_line(PricePerUnit="51")).encode())]}
    ) as server:
        _fetch("aws-bulk:us-east-1", f"{server.url}/feed")
        with pytest.raises(CommandError, match="has 1 prices and had 3"):
            _fetch("aws-bulk:us-east-1", f"{server.url}/feed")


@pytest.mark.usefixtures("loaded")
def test_interruptions_of_the_spot_advisor_reach_the_offers_of_their_region() -> None:
    key = "aws/p5.48xlarge/us-east-1/spot"
    ranges = [{"index": 0, "max": 5}, {"index": 1, "max": 11}, {"index": 2, "max": 100}]
    feed = {"ranges": ranges, "spot_advisor": {"us-east-1": {"Linux": {"p5.48xlarge": {"r": 0, "s": 70}}}}}
    before = next(offer.interruption_per_month for offer in market_from_rows().offers if offer.id == key)
    with serve({"/feed": [Answer(body=json.dumps(feed).encode())]}) as server:
        assert "0 new prices and 1 facts" in _fetch("spot-advisor", f"{server.url}/feed")
    after = next(offer.interruption_per_month for offer in market_from_rows().offers if offer.id == key)
    assert after == pytest.approx(0.025)
    assert before != after


@pytest.mark.usefixtures("loaded")
def test_one_job_a_day_is_asked_for_and_the_job_says_why_it_failed(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert request_fetches() == []
    settings.PRICE_FETCH = ["aws-bulk:us-east-1"]
    (job,) = request_fetches()
    assert request_fetches() == [job]
    with serve(
        {"/feed": [Answer(body=b"<html>"), Answer(body=aws_file(aws_line(PricePerUnit="50")).encode())]}
    ) as server:
        url, feed = f"{server.url}/feed", FEEDS["aws-bulk"]
        monkeypatch.setitem(FEEDS, "aws-bulk", type(feed)(title="", url=url, read=feed.read, narrowed=feed.narrowed))
        run_job(job.pk, worker="test")
        job.refresh_from_db()
        assert (job.state, job.error["code"]) == (State.FAILED, "feed")
        assert not ImportBatch.objects.filter(name__startswith="feed/").exists()
        Job.objects.filter(pk=job.pk).update(state=State.QUEUED, attempts=0)
        run_job(job.pk, worker="test")
    job.refresh_from_db()
    assert (job.state, job.result["prices"]) == (State.SUCCEEDED, 1)
    assert job.kind == KIND
    assert run_fetch.__module__ == "catalog.work"
