"""How far an import is: the bar of a command, the percentage of a job and of the page of sources."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import OutputWrapper
from django.test import Client

from catalog import progress
from catalog.feeds import FEEDS
from catalog.importers.aws_bulk import read_aws_bulk
from catalog.management import bar as drawn
from catalog.management.bar import bar
from catalog.progress import Stage, one_of, percent, seldom, tell, told_to
from catalog.work import KIND, feeds_at_work, run_fetch
from jobs import queue
from jobs.models import Job, State
from tests.catalog.feed_server import Answer, serve
from tests.catalog.price_pages import aws_file, aws_line
from tests.conftest import People


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_percentage_only_grows_from_stage_to_stage() -> None:
    told = [percent(stage, done, 4) for stage in Stage for done in range(5)]
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 100)
    assert percent(Stage.READING, 0, 0) == percent(Stage.FETCHING, 1, 1)


def test_reading_and_writing_tell_whoever_waits_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY", 10)
    path = tmp_path / "index.csv"
    path.write_text(aws_file(*(aws_line(Region_Code=f"region-{n}") for n in range(300))), encoding="utf-8")
    told: list[tuple[Stage, int, int]] = []
    with told_to(lambda *said: told.append(said)):
        read_aws_bulk(path)
    read_aws_bulk(path)
    assert len(told) == 30
    assert {stage for stage, _, _ in told} == {Stage.READING}
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
    assert {of for _, _, of in told} == {path.stat().st_size}
    assert told[-1][1] <= path.stat().st_size


def test_parts_of_a_release_are_told_as_one_whole() -> None:
    shares: list[int] = []
    with told_to(lambda stage, done, of: shares.append(percent(stage, done, of))):
        for number in range(4):
            with one_of(number, 4):
                tell(Stage.WRITING, 1, 2)
                tell(Stage.WRITING, 2, 2)
    assert shares == sorted(shares)
    assert shares[-1] == 100


def test_a_bar_is_for_terminals_only_and_leaves_nothing_behind() -> None:
    for out, shown in ((_Terminal(), True), (io.StringIO(), False)):
        with bar(OutputWrapper(out)):
            tell(Stage.READING, 1, 2)
        said = out.getvalue()
        assert ("48 %" in said) == shown
        assert said.endswith("\r\033[K") == shown
        assert bool(said) == shown


def test_not_every_word_is_written() -> None:
    told: list[int] = []
    write = seldom(lambda share, _: told.append(share), pause_s=3600)
    for done in range(100):
        write(Stage.READING, done, 100)
    write(Stage.WRITING, 0, 100)
    assert told == [30, 75]


@pytest.mark.django_db
def test_commands_draw_a_bar_while_prices_are_read_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "PAUSE_S", 0.0)  # how far the last drawing was is else a matter of the machine
    terminal = _Terminal()
    call_command("load_catalog", stdout=io.StringIO(), stderr=terminal)
    shares = [int(share) for share in re.findall(r"(\d+) %", terminal.getvalue())]
    assert shares == sorted(shares)
    assert shares[-1] > 90
    monkeypatch.setattr(progress, "EVERY", 10)
    path, terminal = tmp_path / "index.csv", _Terminal()
    path.write_text(aws_file(*(aws_line(Region_Code=f"region-{n}") for n in range(300))), encoding="utf-8")
    out = io.StringIO()
    call_command("import_prices", str(path), format="aws-bulk", stdout=out, stderr=terminal)
    assert all(stage in terminal.getvalue() for stage in (Stage.READING, Stage.COMPARING, Stage.WRITING))
    assert "%" not in out.getvalue()
    assert "Published 300 new prices." in out.getvalue()


class _Running:
    """A job that keeps what was written into it."""

    def __init__(self) -> None:
        self.payload = {"feed": "aws-bulk:us-east-1", "day": "2026-08-22"}
        self.told: list[tuple[int, str]] = []
        self.team_id, self.attempt, self.public_id = None, 1, "job_x"

    def progress(self, percent: int, note: str = "") -> None:
        self.told.append((percent, note))


@pytest.mark.django_db
def test_a_fetch_tells_its_job_how_far_it_is_until_prices_are_written(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OUTGOING_LOOPBACK = True
    call_command("load_catalog", stdout=io.StringIO())
    monkeypatch.setattr(progress, "EVERY", 10)
    job = _Running()
    body = aws_file(*(aws_line(Region_Code=f"region-{n}") for n in range(300))).encode()
    with serve({"/feed": [Answer(body=body)]}) as server:
        feed = FEEDS["aws-bulk"]
        monkeypatch.setitem(
            FEEDS, "aws-bulk", type(feed)(title="", url=f"{server.url}/feed", read=feed.read, narrowed=feed.narrowed)
        )
        assert run_fetch(job)["prices"] == 300  # type: ignore[arg-type]
    assert [note for _, note in job.told] == ["Fetching aws-bulk:us-east-1", "Reading aws-bulk:us-east-1"]
    assert [share for share, _ in job.told] == sorted(share for share, _ in job.told)


def test_the_page_of_sources_shows_feeds_that_are_fetched_now(people: People, client: Client) -> None:
    call_command("load_catalog", stdout=io.StringIO())
    client.force_login(people.alice)
    assert 'id="feeds"' in client.get("/catalog/sources/").content.decode()
    assert "hx-get" not in client.get("/catalog/sources/feeds/").content.decode()

    running, waiting = (
        queue.enqueue(KIND, team=None, payload={"feed": name, "day": "2026-11-28"}, key=f"{KIND}:{name}:2026-11-28")
        for name in ("azure-retail", "aws-spot")
    )
    Job.objects.filter(pk=running.pk).update(state=State.RUNNING, progress=42)
    for address in ("/catalog/sources/", "/catalog/sources/feeds/"):
        page = client.get(address).content.decode()
        assert 'value="42" aria-label="Progress of azure-retail"' in page
        assert "42 %" in page
        assert "aws-spot" in page
        assert "waits" in page
        assert 'hx-get="/catalog/sources/feeds/"' in page
    Job.objects.filter(pk__in=[running.pk, waiting.pk]).update(state=State.SUCCEEDED)
    assert feeds_at_work() == []
    assert "hx-get" not in client.get("/catalog/sources/feeds/").content.decode()
