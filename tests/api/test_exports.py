"""Files over the API: asked for, watched, fetched, cancelled, made again."""

from __future__ import annotations

import hashlib
import time
from typing import Any

import pytest

from exports import files
from exports.models import Export
from jobs import waiting
from jobs.models import Job, State
from jobs.running import run_job
from tests.api.support import TRAINING, Api, pointers, problem

pytestmark = pytest.mark.usefixtures("quick_engine")
DATA = b"PK\x03\x04 a small file of 32 bytes...."


@pytest.fixture
def path(petra: Api, quick_engine: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a plan whose files are made in no time."""
    monkeypatch.setattr("exports.render.render", lambda *_, **__: DATA)
    return f"/plans/{petra.post('/plans', TRAINING).json()['id']}"


@pytest.fixture
def done(petra: Api, path: str) -> str:
    """The address of a file that is there."""
    export = petra.post(f"{path}/exports", {"formats": ["xlsx"]}).json()["data"][0]
    run_job(Job.objects.get(kind="exports.render").pk, worker="test")
    return f"/exports/{export['id']}"


def test_it_works(petra: Api, path: str) -> None:
    asked = petra.post(f"{path}/exports", {"formats": ["xlsx"]})
    assert (asked.status_code, asked["Retry-After"]) == (202, "2")
    export = asked.json()["data"][0]
    assert (asked["Location"], export["state"], export["file"]) == (f"/api/v1/exports/{export['id']}", "queued", None)
    run_job(Job.objects.get(kind="exports.render").pk, worker="test")
    ready = petra.get(f"/exports/{export['id']}?wait=5").json()
    assert (ready["state"], ready["progress"], ready["bytes"]) == ("succeeded", 100, len(DATA))
    file = petra.get(ready["file"].removeprefix("/api/v1"))
    assert file.content == DATA
    assert file["ETag"] == f'"{hashlib.sha256(DATA).hexdigest()}"' == f'"{ready["sha256"]}"'
    assert file["Content-Disposition"] == 'attachment; filename="support-assistant-v1.xlsx"'
    assert file["X-Content-Type-Options"] == "nosniff"


def test_asking_again_gives_the_same_file_at_once(petra: Api, path: str, done: str) -> None:
    again = petra.post(f"{path}/exports", {"formats": ["xlsx"]})
    assert (again.status_code, again.json()["data"][0]["id"]) == (200, done.rpartition("/")[2])
    assert Export.objects.count() == 1


def test_all_four_of_any_version(petra: Api, path: str) -> None:
    asked = petra.post(f"{path}/versions/1/exports", {})
    assert [export["format"] for export in asked.json()["data"]] == ["docx", "xlsx", "pdf", "pptx"]
    listed = petra.get(asked["Location"].removeprefix("/api/v1")).json()["data"]
    assert {row["id"] for row in listed} == {export["id"] for export in asked.json()["data"]}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"formats": []}, "/formats"),
        ({"formats": ["exe"]}, "/formats/0"),
        ({"formats": "pdf"}, "/formats"),
        ({"paper": "A0"}, "/paper"),
        ({"format": "pdf"}, "/format"),
    ],
)
def test_what_we_do_not_write(petra: Api, path: str, body: dict[str, Any], where: str) -> None:
    assert pointers(petra.post(f"{path}/exports", body)) == [where]


@pytest.mark.parametrize(
    ("header", "status", "content", "shown"),
    [
        ("bytes=0-3", 206, DATA[:4], f"bytes 0-3/{len(DATA)}"),
        ("bytes=4-", 206, DATA[4:], f"bytes 4-{len(DATA) - 1}/{len(DATA)}"),
        ("bytes=-3", 206, DATA[-3:], f"bytes {len(DATA) - 3}-{len(DATA) - 1}/{len(DATA)}"),
        ("bytes=-999", 206, DATA, f"bytes 0-{len(DATA) - 1}/{len(DATA)}"),
        ("bytes=0-9999", 206, DATA, f"bytes 0-{len(DATA) - 1}/{len(DATA)}"),
        ("bytes=5-2", 200, DATA, None),
        ("bytes=0-1,3-4", 200, DATA, None),
        ("lines=1-2", 200, DATA, None),
    ],
)
def test_one_range_at_a_time(petra: Api, done: str, header: str, status: int, content: bytes, shown: str) -> None:
    response = petra.get(f"{done}/file", Range=header)
    assert (response.status_code, response.content, response.get("Content-Range")) == (status, content, shown)


@pytest.mark.parametrize("header", ["bytes=999-", "bytes=-0"])
def test_a_range_beyond_the_file(petra: Api, done: str, header: str) -> None:
    response = petra.get(f"{done}/file", Range=header)
    assert response["Content-Range"] == f"bytes */{len(DATA)}"
    problem(response, 416)


def test_a_range_of_another_file_is_the_whole(petra: Api, done: str) -> None:
    assert petra.get(f"{done}/file", Range="bytes=0-3", If_Range='"another"').content == DATA


def test_a_file_that_is_known_is_not_sent_again(petra: Api, done: str) -> None:
    tag = petra.get(f"{done}/file")["ETag"]
    assert petra.get(f"{done}/file", If_None_Match=tag).status_code == 304


def test_a_file_that_is_not_there_yet(petra: Api, path: str) -> None:
    export = petra.post(f"{path}/exports", {"formats": ["pdf"]}).json()["data"][0]
    problem(petra.get(f"/exports/{export['id']}/file"), 409)


def test_a_lost_file_is_made_again(petra: Api, done: str) -> None:
    files.path_of(Export.objects.get().sha256).unlink()
    assert petra.get(done).json()["state"] == "expired"
    assert petra.post(f"{done}:retry").status_code == 202
    run_job(Job.objects.get(kind="exports.render").pk, worker="test")
    assert petra.get(f"{done}/file").content == DATA


def test_cancel_and_retry(petra: Api, path: str) -> None:
    export = petra.post(f"{path}/exports", {"formats": ["pdf"]}).json()["data"][0]
    address = f"/exports/{export['id']}"
    problem(petra.post(f"{address}:retry"), 409)
    assert petra.post(f"{address}:cancel").json()["state"] == "cancelled"
    problem(petra.post(f"{address}:cancel"), 409)
    again = petra.post(f"{address}:retry")
    assert (again.status_code, again.json()["state"], again["Location"]) == (202, "queued", f"/api/v1{address}")


def test_a_failure_says_why(petra: Api, path: str) -> None:
    export = petra.post(f"{path}/exports", {"formats": ["pdf"]}).json()["data"][0]
    Job.objects.update(state=State.FAILED, error={"code": "worker_lost", "message": "The work stopped 3 times."})
    body = petra.get(f"/exports/{export['id']}").json()
    assert body["error"] == {"code": "worker_lost", "detail": "The work stopped 3 times."}


def test_waiting_ends_with_the_work_or_the_time(petra: Api, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    export = petra.post(f"{path}/exports", {"formats": ["pdf"]}).json()["data"][0]
    began = time.monotonic()
    assert petra.get(f"/exports/{export['id']}?wait=1").json()["state"] == "queued"
    assert time.monotonic() - began > 0.9
    monkeypatch.setattr(
        waiting.time, "sleep", lambda _: run_job(Job.objects.get(kind="exports.render").pk, worker="test")
    )
    assert petra.get(f"/exports/{export['id']}?wait=25").json()["state"] == "succeeded"


def test_only_some_may_wait_at_once(petra: Api, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    export = petra.post(f"{path}/exports", {"formats": ["pdf"]}).json()["data"][0]
    taken = [waiting._waiting.acquire(blocking=False) for _ in range(4)]
    monkeypatch.setattr(waiting.time, "sleep", lambda _: pytest.fail("it waits although all places are taken"))
    try:
        assert petra.get(f"/exports/{export['id']}?wait=25").json()["state"] == "queued"
    finally:
        for _ in taken:
            waiting._waiting.release()
    assert taken == [True] * 4


def test_nobody_waits_for_ever(petra: Api, done: str) -> None:
    problem(petra.get(f"{done}?wait=26"), 400)


@pytest.mark.parametrize(
    "name", ["../../x", "C:\\x", "a\r\nX-Evil: y", "\u202egnp.exe", "CON", "x" * 120, "....", "計画"]
)
def test_names_are_ours(petra: Api, path: str, name: str) -> None:
    plan = petra.post("/plans", {**TRAINING, "name": name}).json()
    export = petra.post(f"/plans/{plan['id']}/exports", {"formats": ["pdf"]}).json()["data"][0]
    run_job(Job.objects.latest("pk").pk, worker="test")
    header = petra.get(f"/exports/{export['id']}/file")["Content-Disposition"]
    assert header.startswith('attachment; filename="')
    assert header.isascii()
    assert not {"/", "\\", "\r", "\n", ".."} & set(header)
    assert len(header) < 120


def test_another_team_sees_nothing(charlie: Api, path: str, done: str) -> None:
    for response in (
        charlie.post(f"{path}/exports", {}),
        charlie.post(f"{path}/versions/1/exports", {}),
        charlie.get(done),
        charlie.get(f"{done}/file"),
        charlie.post(f"{done}:cancel"),
        charlie.post(f"{done}:retry"),
        charlie.get(f"/exports?plan={path.rpartition('/')[2]}"),
    ):
        problem(response, 404)
    assert charlie.get("/exports").json()["data"] == []
