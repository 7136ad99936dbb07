"""Sign-ins that failed: recorded whatever way was tried, alike whether or not there is such an account."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts import sso, sso_views, throttle
from accounts.models import AuditEvent, Passkey, User
from tests.accounts.device import Device
from tests.accounts.sign_in_support import PASSWORD, log_in, proved, with_app, with_password
from tests.conftest import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(people: People) -> User:
    return with_password(people.bob)


def _refused() -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(verb__endswith=".refused").order_by("pk"))


def _by_code(client: Client, bob: User) -> None:
    with_app(bob)
    log_in(client, bob)
    client.post("/accounts/second", {"code": "000000"})


def _to_confirm(client: Client, bob: User) -> None:
    client.force_login(bob)
    client.post("/accounts/confirm", {"password": "wrong"})


def _by_unknown_passkey(client: Client, bob: User) -> None:
    options = client.post("/accounts/passkeys/options/sign-in").json()
    client.post("/accounts/passkeys/sign-in", {"credential": Device().show(options)})


def _as_second_step(client: Client, bob: User) -> None:
    Passkey.objects.create(user=bob, name="Key", credential_id="AAAA", public_key=b"")
    log_in(client, bob)
    options = client.post("/accounts/passkeys/options/second").json()
    client.post("/accounts/second/passkey", {"credential": Device().show(options)})


WAYS = {
    "a wrong password": (lambda client, bob: log_in(client, bob, "wrong"), "sign_in.refused"),
    "a wrong password to confirm": (_to_confirm, "sign_in.refused"),
    "a wrong code": (_by_code, "code.refused"),
    "a passkey that nobody has": (_by_unknown_passkey, "passkey.refused"),
    "somebody else's passkey as second step": (_as_second_step, "passkey.refused"),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_records_that_it_failed(client: Client, bob: User, way: str, settings: Any) -> None:
    settings.SITE_URL = "http://localhost:8000"
    tried, verb = WAYS[way]
    tried(client, bob)
    assert [row.verb for row in _refused()] == [verb]


def test_single_sign_on_records_whom_it_did_not_let_in(client: Client, bob: User, monkeypatch: Any) -> None:
    def arrive(_request: Any) -> sso.Claims:
        raise sso.Refused("Your e-mail address is of another domain.", email=bob.email)

    monkeypatch.setattr(sso, "name", lambda: "North login")
    monkeypatch.setattr(sso_views.sso, "arrive", arrive)
    client.get("/accounts/sso/callback")
    assert [row.data["how"] for row in _refused()] == ["single sign-on"]


def test_a_record_tells_neither_what_was_typed_nor_whether_there_is_such_an_account(client: Client, bob: User) -> None:
    off = with_password(User.objects.create_user("gone@north.example"))
    off.is_active = False
    off.save()
    for address, password in ((bob.email, "wrong"), ("nobody@north.example", "wrong"), (off.email, PASSWORD)):
        client.post("/accounts/login", {"username": address, "password": password})
    rows = _refused()
    assert len({row.subject for row in rows}) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", row.subject) for row in rows)
    assert {(row.verb, row.actor, row.team, row.address, str(row.data)) for row in rows} == {
        ("sign_in.refused", None, None, "127.0.0.1", "{'how': 'password'}")
    }


def test_the_owner_sees_in_one_line_how_often_and_others_see_nothing(client: Client, bob: User, people: People) -> None:
    for _ in range(3):
        client.post("/accounts/login", {"username": bob.email.upper(), "password": "wrong"})
    client.force_login(bob)
    assert client.get("/accounts/account").content.decode().count("3 sign-ins were refused") == 1
    other = Client()
    other.force_login(people.charlie)
    assert "refused" not in other.get("/accounts/account").content.decode()


def test_what_is_not_judged_is_not_recorded(client: Client, bob: User) -> None:
    """So that nobody fills the trail: a pause, an empty field, an answer of a provider that nobody asked."""
    for _ in range(throttle.FAILURES + 5):
        log_in(client, bob, "wrong")
    log_in(client, bob, "")
    client.get("/accounts/sso/callback?state=x")
    assert len(_refused()) == throttle.FAILURES


@pytest.mark.parametrize("known", [False, True])
def test_an_empty_password_does_not_begin_the_count_anew(bob: User, known: bool) -> None:
    client = Client()
    if known:
        log_in(client, bob)
        client.post("/accounts/logout")
    for _ in range(throttle.FAILURES):
        log_in(client, bob, "")
        log_in(client, bob, "wrong")
    assert "Too many attempts" in log_in(client, bob).content.decode()


def test_a_proof_that_is_right_is_no_refusal(client: Client, bob: User) -> None:
    log_in(client, bob)
    client.post("/accounts/confirm", {"password": PASSWORD})
    proved(client)
    assert not _refused()
