"""The database away: 503 and when to come again, on pages and for programs, wherever the fault comes up."""

from __future__ import annotations

import stat
from typing import Any

import pytest
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests.api.support import Api, petra
from tests.conftest import People

__all__ = ["petra"]

pytestmark = pytest.mark.django_db
WHERE = {
    "/": "accounts.access.current_membership",
    "/accounts/account": "accounts.sessions.sessions_of",
    "/exports/branding": "exports.branding_views.brand_of",
}


def _raise(error: Exception) -> Any:
    def fall(*_: object, **__: object) -> None:
        raise error

    return fall


@pytest.mark.parametrize("error", [OperationalError("the server closed the connection"), InterfaceError("closed")])
@pytest.mark.parametrize("path", WHERE)
def test_a_page_says_that_the_database_is_away(
    people: People, path: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(people.alice)
    monkeypatch.setattr(WHERE[path], _raise(error))
    answer = client.get(path)
    assert answer.status_code == 503
    assert answer["Retry-After"] == "5"
    assert "Nothing was changed" in answer.content.decode()


def test_a_fault_before_the_page_is_answered_too(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(people.alice)
    monkeypatch.setattr("accounts.sessions.SessionStore.load", _raise(OperationalError("gone")))
    assert client.get("/").status_code == 503


def test_a_program_is_told_to_come_again(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.tokens.verify", _raise(OperationalError("gone")))
    answer = petra.get("/plans")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["type"] == "/problems/away"
    assert answer["Content-Type"] == "application/problem+json"


def test_another_fault_stays_ours(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(people.alice)
    monkeypatch.setattr("accounts.access.current_membership", _raise(RuntimeError("a fault")))
    answer = client.get("/")
    assert answer.status_code == 500
    assert "Retry-After" not in answer
    assert "Something broke on our side" in answer.content.decode()


def test_pages_of_who_is_signed_in_are_stored_nowhere(people: People, client: Client) -> None:
    client.force_login(people.alice)
    for path in ("/", "/portfolio", "/portfolio.csv", "/catalog/prices/", "/accounts/team", "/new/train"):
        assert "no-store" in client.get(path)["Cache-Control"], path


def test_the_folder_of_the_embedded_default_is_its_owner_s() -> None:
    assert stat.S_IMODE(settings.VAR_DIR.stat().st_mode) == 0o700
