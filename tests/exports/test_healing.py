"""A stored file that is missing, cut or altered comes back with the same bytes, through every door that serves it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEvent
from exports import files
from exports.formats import FORMATS
from exports.models import Export
from jobs.models import Job, State
from jobs.running import run_job
from tests.api.support import TRAINING, Api, petra, quick_engine

__all__ = ["petra", "quick_engine"]

pytestmark = pytest.mark.django_db
DAMAGE: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:3]),
    "altered": lambda path: path.write_bytes(b"X" + path.read_bytes()[1:]),
}


def bytes_of(format_: str) -> bytes:
    return f"what the {format_} file says".encode()


@pytest.fixture
def plan(petra: Api, quick_engine: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plan with its four files."""
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: bytes_of(format_))
    plan: str = petra.post("/plans", TRAINING).json()["id"]
    petra.post(f"/plans/{plan}/exports", {})
    work()
    return plan


def work() -> int:
    """Runs what is queued; how much that was."""
    queued = list(Job.objects.filter(kind="exports.render", state=State.QUEUED).values_list("pk", flat=True))
    for pk in queued:
        run_job(pk, worker="test")
    return len(queued)


def pdf() -> Export:
    return Export.objects.select_related("job", "version").get(format="pdf")


Door = Callable[[Api, Client, str], Any]
DOORS: dict[str, tuple[Door, tuple[int, ...]]] = {
    "API, the file": (lambda api, _page, _plan: api.get(f"/exports/{pdf().public_id}/file"), (409,)),
    "API, asked for again": (lambda api, _page, plan: api.post(f"/plans/{plan}/exports", {"formats": ["pdf"]}), (202,)),
    "API, all asked for again": (lambda api, _page, plan: api.post(f"/plans/{plan}/exports", {}), (202,)),
    "API, retry": (lambda api, _page, _plan: api.post(f"/exports/{pdf().public_id}:retry"), (202,)),
    "API, bundle": (lambda api, _page, plan: api.get(f"/plans/{plan}/versions/1/bundle"), (409,)),
    "page, download": (lambda _api, page, _plan: page.get(f"/exports/{pdf().public_id}/download"), (302,)),
    "page, make": (lambda _api, page, _plan: page.post(f"/exports/plans/{pdf().version.public_id}/pdf/make"), (302,)),
    "page, make all": (
        lambda _api, page, _plan: page.post(f"/exports/plans/{pdf().version.public_id}/all/make"),
        (302,),
    ),
    "page, bundle": (lambda _api, page, _plan: page.get(f"/exports/plans/{pdf().version.public_id}/bundle"), (302,)),
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("door", DOORS)
def test_whoever_asks_for_a_lost_file_gets_the_same_bytes(
    door: str, damage: str, petra: Api, plan: str, client: Client
) -> None:
    client.force_login(petra.member.user)
    digest = pdf().sha256
    DAMAGE[damage](files.path_of(digest))
    ask, statuses = DOORS[door]

    answer = ask(petra, client, plan)

    assert answer.status_code in statuses
    if door.startswith("API"):
        assert answer["Retry-After"]
    assert pdf().job.state == State.QUEUED
    assert AuditEvent.objects.filter(verb="export.retried", subject=pdf().public_id).count() == 1
    assert petra.get(f"/exports/{pdf().public_id}").json()["state"] == "queued"
    assert work() == 1
    assert pdf().sha256 == digest
    assert files.load(digest) == bytes_of("pdf")
    assert petra.get(f"/exports/{pdf().public_id}/file").content == bytes_of("pdf")
    assert client.get(f"/exports/{pdf().public_id}/download").content == bytes_of("pdf")
    assert petra.post(f"/plans/{plan}/exports", {}).status_code == 200
    with zipfile.ZipFile(io.BytesIO(petra.get(f"/plans/{plan}/versions/1/bundle").content)) as bundle:
        assert {name for name in bundle.namelist() if name.endswith(tuple(FORMATS))}
        assert bytes_of("pdf") in [bundle.read(name) for name in bundle.namelist()]


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_card_says_that_the_file_is_lost_and_its_button_makes_it(
    damage: str, petra: Api, plan: str, client: Client
) -> None:
    client.force_login(petra.member.user)
    page = f"/exports/plans/{pdf().version.public_id}"
    assert client.get(page).content.decode().count("Ready") == 4
    DAMAGE[damage](files.path_of(pdf().sha256))

    shown = client.get(page).content.decode()

    assert shown.count("Ready") == 3
    assert "lost or damaged: make it again" in shown
    assert f'action="{page}/pdf/make"' in shown
    client.post(f"{page}/pdf/make")
    assert "Waiting for a free worker" in client.get(f"{page}/pdf").content.decode()
    work()
    assert client.get(page).content.decode().count("Ready") == 4


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_same_bytes_stored_again_mend_a_damaged_file(damage: str) -> None:
    digest = files.store(b"what was stored")
    DAMAGE[damage](files.path_of(digest))
    assert files.store(b"what was stored") == digest
    assert files.load(digest) == b"what was stored"


def test_every_file_lost_at_once_comes_back(petra: Api, plan: str) -> None:
    """A database restored without its folder of files."""
    for export in Export.objects.all():
        files.path_of(export.sha256).unlink()
    assert {row["state"] for row in petra.get(f"/exports?plan={plan}").json()["data"]} == {"expired"}
    assert petra.get(f"/plans/{plan}/versions/1/bundle").status_code == 409
    assert work() == 4
    assert petra.get(f"/plans/{plan}/versions/1/bundle").status_code == 200


@pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
def test_a_mending_that_failed_is_tried_again(state: str, petra: Api, plan: str, client: Client) -> None:
    files.path_of(pdf().sha256).unlink()
    Job.objects.filter(pk=pdf().job.pk).update(state=state)
    assert petra.post(f"/exports/{pdf().public_id}:retry").status_code == 202
    assert work() == 1
    assert petra.get(f"/exports/{pdf().public_id}/file").content == bytes_of("pdf")


def test_a_file_that_is_whole_is_not_made_again(petra: Api, plan: str) -> None:
    assert petra.post(f"/exports/{pdf().public_id}:retry").status_code == 409
    assert petra.post(f"/plans/{plan}/exports", {}).status_code == 200
    assert work() == 0


def test_a_lost_file_that_other_writers_make_anew_says_so(
    petra: Api, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = pdf().sha256
    files.path_of(old).unlink()
    monkeypatch.setattr("exports.render.render", lambda *_, **__: b"of a newer writer")
    petra.get(f"/exports/{pdf().public_id}/file")
    work()
    assert AuditEvent.objects.get(verb="export.rewritten").data == {"sha256": pdf().sha256, "was": old}
