"""The status page: each part as it is, quickly, whatever hangs."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.test import Client
from django.utils import timezone

from catalog import clock
from catalog.models import CatalogRelease
from engine.inputs.freshness import LIST_DAYS
from jobs import queue
from jobs.lanes import Lane
from jobs.models import Job, WorkerHeartbeat
from operations import looking, parts, status
from operations.looking import Watch
from operations.parts import Reading, State
from tests.conftest import People
from tests.jobs.test_kill import Installation

PROMISED_S = 2.0
"""What docs/operations.md says: the page comes within so many seconds, whatever hangs."""


@pytest.fixture(autouse=True)
def _unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine makes nobody late here."""
    monkeypatch.setattr(parts, "SLOW_S", 60.0)


def _by_part(readings: Sequence[Reading]) -> dict[str, Reading]:
    return {one.part: one for one in readings}


def _well() -> None:
    """An installation in which everybody is heard."""
    CatalogRelease.objects.create(sha256="ab" * 32, date=clock.today())
    queue.note_worker("celery@north", lanes=["interactive", "mail", "celery"])
    queue.note_worker("celery@south", lanes=["imports", "sweeps"])
    queue.note_worker("sweeper@north")


# --- what is found of each part ----------------------------------------------------------------------------------


def test_every_part_is_in_order(db: None) -> None:
    _well()
    found = _by_part(parts.of_rows())
    assert {part: one.state for part, one in found.items()} == dict.fromkeys(found, State.OK)
    assert found.keys() | {parts.WEB, parts.BROKER, parts.DOCUMENTS} == set(parts.PARTS) == set(status.NAMES)
    assert found[parts.CATALOG].figures["age_days"] == 0
    assert [one.state for one in (*parts.of_broker(), *parts.of_documents())] == [State.OK, State.OK]


def test_a_server_that_takes_long_for_the_smallest_question_is_late(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SLOW_S", -1.0)
    found = (parts.of_rows()[0], *parts.of_broker(), *parts.of_documents())
    assert [(one.part, one.state) for one in found] == [
        (part, State.LATE) for part in (parts.DATABASE, parts.BROKER, parts.DOCUMENTS)
    ]


def test_a_lane_is_late_from_its_limit_on_and_away_without_a_worker(people: People) -> None:
    _well()
    job = queue.enqueue("exports.render", team=people.team, payload={})
    asked = timezone.now() - timedelta(seconds=parts.LATE_S[Lane.INTERACTIVE] - 10)
    Job.objects.filter(pk=job.pk).update(created_at=asked)
    lane = parts.LANES[Lane.INTERACTIVE]
    assert _by_part(parts.of_rows())[lane].state == State.OK

    Job.objects.filter(pk=job.pk).update(created_at=asked - timedelta(seconds=20))
    late = _by_part(parts.of_rows())[lane]
    assert late.state == State.LATE
    assert late.since == asked - timedelta(seconds=20) + timedelta(seconds=parts.LATE_S[Lane.INTERACTIVE])
    assert 129 <= float(late.figures["oldest_waiting_s"]) < 160
    assert "2.1" in late.said

    heard = timezone.now() - timedelta(seconds=parts.WORKER_SILENCE_S + 1)
    WorkerHeartbeat.objects.filter(worker="celery@north").update(seen_at=heard)
    found = _by_part(parts.of_rows())
    assert (found[lane].state, found[lane].since) == (State.AWAY, heard)
    assert found[parts.LANES[Lane.MAIL]].state == State.AWAY
    assert found[parts.LANES[Lane.SWEEPS]].state == State.OK


def test_a_silent_sweeper_is_away_since_it_was_heard(db: None) -> None:
    _well()
    heard = timezone.now() - timedelta(minutes=7)
    WorkerHeartbeat.objects.filter(worker="sweeper@north").update(seen_at=heard)
    found = _by_part(parts.of_rows())[parts.SWEEPER]
    assert (found.state, found.since) == (State.AWAY, heard)


def test_a_catalog_is_late_when_its_prices_are_past_their_age(db: None) -> None:
    assert _by_part(parts.of_rows())[parts.CATALOG].state == State.AWAY
    release = CatalogRelease.objects.create(sha256="ab" * 32, date=clock.today() - timedelta(days=LIST_DAYS))
    assert _by_part(parts.of_rows())[parts.CATALOG].state == State.OK
    CatalogRelease.objects.update(date=release.date - timedelta(days=1))
    found = _by_part(parts.of_rows())[parts.CATALOG]
    assert (found.state, found.figures["age_days"]) == (State.LATE, LIST_DAYS + 1)


def test_a_full_disk_keeps_documents_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    free = type("Usage", (), {"free": parts.LEAST_FREE_BYTES})
    monkeypatch.setattr("operations.parts.shutil.disk_usage", lambda _: free)
    assert [one.state for one in parts.of_documents()] == [State.AWAY]


def test_limits_are_those_of_the_alerts() -> None:
    rules = yaml.safe_load((settings.BASE_DIR / "deploy/alerts.yaml").read_text())["groups"][0]["rules"]
    asked = [re.search(r'oldest_seconds\{lane=~?"([a-z|]+)"\}\) > (\d+)', rule["expr"]) for rule in rules]
    alerts = {lane: int(found[2]) for found in asked if found for lane in found[1].split("|")}
    assert alerts == {str(lane): limit for lane, limit in parts.LATE_S.items()}


# --- looking: at once, not for long, not too often ----------------------------------------------------------------


class _Server:
    """One that answers, until it hangs."""

    def __init__(self) -> None:
        self.asked = 0
        self.free = threading.Event()
        self.free.set()

    def ask(self) -> Sequence[Reading]:
        self.asked += 1
        self.free.wait(30)
        return (Reading(part=parts.DATABASE),)

    @staticmethod
    def unanswered() -> Sequence[Reading]:
        return (Reading(part=parts.DATABASE, state=State.AWAY),)


@pytest.fixture
def server() -> Iterator[_Server]:
    found = _Server()
    yield found
    found.free.set()


def _state(watch: Watch) -> State:
    return _by_part(watch.look().readings)[parts.DATABASE].state


def test_what_hangs_is_away_and_is_not_asked_a_second_time_meanwhile(
    server: _Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "FRESH_S", 0.0)
    watch = Watch(((server.ask, server.unanswered),))
    assert _state(watch) == State.OK
    server.free.clear()
    for _ in range(2):
        began = time.monotonic()
        assert _state(watch) == State.AWAY
        assert time.monotonic() - began < PROMISED_S
    assert server.asked == 2
    server.free.set()
    time.sleep(0.1)
    assert _state(watch) == State.OK
    assert server.asked == 3


def test_a_look_is_shared_by_all_who_ask_and_kept_for_some_seconds(server: _Server) -> None:
    watch, looks = Watch(((server.ask, server.unanswered),)), []
    server.free.clear()
    asking = [threading.Thread(target=lambda: looks.append(watch.look())) for _ in range(8)]
    for thread in asking:
        thread.start()
    server.free.set()
    for thread in asking:
        thread.join()
    assert server.asked == 1
    assert len(set(map(id, [*looks, watch.look()]))) == 1


def test_since_when_stays_until_the_state_changes(server: _Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "FRESH_S", 0.0)
    monkeypatch.setattr(looking, "DEADLINE_S", 0.3)
    watch = Watch(((server.ask, server.unanswered),))
    sinces = []
    for hangs in (False, False, True, True, False):
        server.free.clear() if hangs else server.free.set()
        sinces.append(_by_part(watch.look().readings)[parts.DATABASE].since)
    assert sinces[0] == sinces[1]
    assert sinces[2] == sinces[3]
    assert sinces[0] < sinces[2] < sinces[4]  # type: ignore[operator]  # a look always says since when


def test_a_part_that_breaks_is_away(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Sequence[Reading]:
        raise RuntimeError("a fault")

    look = Watch(((broken, _Server.unanswered),)).look()
    assert look.worst == State.AWAY
    assert [one.part for one in look.readings] == [parts.WEB, parts.DATABASE]


# --- the page ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    """One that has not looked yet, in place of that of the process."""
    fresh = Watch(((parts.of_rows, parts.without_rows), (parts.of_broker, parts.without_broker)))
    monkeypatch.setattr(status, "WATCH", fresh)
    monkeypatch.setattr(looking, "DEADLINE_S", 30.0)
    return fresh


@pytest.mark.django_db(transaction=True)
def test_people_and_programs_read_the_same_and_no_name_of_a_machine_or_team(
    watch: Watch, people: People, client: Client
) -> None:
    _well()
    job = queue.enqueue("exports.render", team=people.team, payload={})
    Job.objects.filter(pk=job.pk).update(created_at=timezone.now() - timedelta(hours=3))
    page, plain = client.get("/status"), client.get("/status.json")
    assert page.status_code == plain.status_code == 200
    said = page.content.decode()
    assert "Some parts keep people waiting" in said
    assert "The oldest job has been waiting for 3" in said
    found = plain.json()
    assert found["state"] == "late"
    assert found["parts"]["lane.interactive"]["state"] == "late"
    assert 10_800 <= found["parts"]["lane.interactive"]["oldest_waiting_s"] < 10_900
    assert found["parts"]["catalog"]["age_days"] == 0
    assert {part for part, one in found["parts"].items() if one["state"] == "ok"} == found["parts"].keys() - {
        "lane.interactive"
    }
    for secret in ("north", "south", people.team.name, str(settings.DATABASES["default"]["NAME"])):
        assert secret not in said
        assert secret not in plain.content.decode()


def test_the_request_itself_asks_nothing_also_of_who_is_signed_in(
    watch: Watch, people: People, client: Client, django_assert_num_queries: Any
) -> None:
    client.force_login(people.alice)
    with django_assert_num_queries(0):
        assert client.get("/status").status_code == 200
        assert client.get("/status.json").status_code == 200


_ASK = """
import json, time
from django.test import Client
from operations import looking
looking.FRESH_S = 0.0
found = []
client = Client(SERVER_NAME="localhost")
client.get("/problems/")  # reads templates and modules, as a server does before its port opens
for path in ("/status", "/status.json", "/status"):
    began = time.monotonic()
    answer = client.get(path)
    found.append((answer.status_code, time.monotonic() - began, answer.content.decode()))
print(json.dumps(found))
"""


@contextmanager
def _silent() -> Iterator[int]:
    """A port that takes connections and says nothing: a server whose process is stopped, or whose machine is gone."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_the_page_comes_in_time_while_database_broker_and_store_hang(tmp_path: Path) -> None:
    with _silent() as database, _silent() as broker, _silent() as store:
        hanging = Installation(
            folder=tmp_path,
            variables={
                "DATABASE_URL": f"postgresql://somebody:password@127.0.0.1:{database}/unspoken",
                "REDIS_URL": f"redis://127.0.0.1:{broker}/0",
                "DOCUMENTS_S3": "s3://bucket",
                "DOCUMENTS_S3_ENDPOINT": f"http://127.0.0.1:{store}",
                "AWS_ACCESS_KEY_ID": "key",
                "AWS_SECRET_ACCESS_KEY": "secret",
                "AWS_DEFAULT_REGION": "eu-central-1",
            },
        )
        found = json.loads(hanging.ask(_ASK))
    assert [status for status, _, _ in found] == [200, 200, 200]
    assert max(seconds for _, seconds, _ in found) < PROMISED_S
    states = {part: one["state"] for part, one in json.loads(found[1][2])["parts"].items()}
    assert states == {
        "web": "ok",
        **dict.fromkeys(("database", "broker", "documents"), "away"),
        **dict.fromkeys(
            ("lane.interactive", "lane.mail", "lane.imports", "lane.sweeps", "sweeper", "catalog"), "unknown"
        ),
    }
    assert "Some parts are away" in found[0][2]
    assert not any(word in text for word in ("password", "unspoken", "bucket") for _, _, text in found)
