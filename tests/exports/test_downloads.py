"""Whoever takes a document or a budget away stands in the audit trail, by whatever door it went out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEvent
from exports.models import Export
from jobs.models import Job
from jobs.running import run_job
from tests.api.support import TRAINING, Api, petra, quick_engine

__all__ = ["petra", "quick_engine"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(petra: Api, quick_engine: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """A plan with its four files."""
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: f"the {format_} file".encode())
    made: str = petra.post("/plans", TRAINING).json()["id"]
    petra.post(f"/plans/{made}/exports", {})
    for pk in Job.objects.filter(kind="exports.render").values_list("pk", flat=True):
        run_job(pk, worker="test")
    return made


def _pdf() -> Export:
    return Export.objects.select_related("version").get(format="pdf")


def _events() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(verb__endswith=".downloaded").order_by("pk"))


Door = Callable[[Api, Client, str], Any]
DOORS: dict[str, tuple[Door, str, Callable[[Api], str]]] = {
    "page, a file": (
        lambda _api, page, _plan: page.get(f"/exports/{_pdf().public_id}/download"),
        "export.downloaded",
        lambda _api: _pdf().public_id,
    ),
    "API, a file": (
        lambda api, _page, _plan: api.get(f"/exports/{_pdf().public_id}/file"),
        "export.downloaded",
        lambda _api: _pdf().public_id,
    ),
    "page, all": (
        lambda _api, page, _plan: page.get(f"/exports/plans/{_pdf().version.public_id}/bundle"),
        "bundle.downloaded",
        lambda _api: _pdf().version.public_id,
    ),
    "API, all": (
        lambda api, _page, plan: api.get(f"/plans/{plan}/versions/1/bundle"),
        "bundle.downloaded",
        lambda _api: _pdf().version.public_id,
    ),
    "API, budget": (
        lambda api, _page, plan: api.get(f"/plans/{plan}/budget-lines?format=csv"),
        "budget.downloaded",
        lambda _api: _pdf().version.public_id,
    ),
    "API, budget for FOCUS": (
        lambda api, _page, plan: api.get(f"/plans/{plan}/budget-lines?format=focus"),
        "budget.downloaded",
        lambda _api: _pdf().version.public_id,
    ),
    "page, the portfolio": (
        lambda _api, page, _plan: page.get("/portfolio.csv"),
        "portfolio.downloaded",
        lambda api: api.member.team.public_id,
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_goes_out_is_recorded(door: str, petra: Api, plan: str, client: Client) -> None:
    client.force_login(petra.member.user)
    ask, verb, subject = DOORS[door]
    assert ask(petra, client, plan).status_code == 200
    (event,) = _events()
    assert (event.verb, event.subject, event.actor, event.team) == (
        verb,
        subject(petra),
        petra.member.user,
        petra.member.team,
    )
    assert bool(event.token_id) == door.startswith("API")


def test_a_file_that_is_fetched_in_parts_is_recorded_once(petra: Api, plan: str) -> None:
    address = f"/exports/{_pdf().public_id}/file"
    assert petra.get(address, Range="bytes=0-3").status_code == 206
    assert petra.get(address, Range="bytes=4-").status_code == 206
    assert petra.get(address, If_None_Match=f'"{_pdf().sha256}"').status_code == 304
    assert len(_events()) == 1


def test_what_is_refused_or_only_asked_about_is_not(
    petra: Api, plan: str, client: Client, charlie_page: Client
) -> None:
    address = f"/exports/{_pdf().public_id}/download"
    assert charlie_page.get(address).status_code == 404
    client.force_login(petra.member.user)
    assert client.head(address).status_code == 200
    assert client.head("/portfolio.csv").status_code == 200
    assert not _events()


@pytest.fixture
def charlie_page(people: Any) -> Client:
    found = Client()
    found.force_login(people.charlie)
    return found
