"""The second step: codes of an app, recovery codes, and a team that asks for one."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import authenticator, passkeys, throttle, tokens
from accounts.models import Attempts, AuditEvent, Authenticator, Passkey, RecoveryCode, Team, User
from tests.accounts.sign_in_support import (
    PASSWORD,
    code_of,
    is_in,
    log_in,
    proved,
    sent_letters,
    with_app,
    with_password,
)
from tests.conftest import People


@pytest.fixture
def bob(people: People) -> User:
    return with_password(people.bob)


def _fresh(client: Client, user: User) -> Client:
    assert log_in(client, user).status_code == 302
    return client


def test_setting_up_shows_a_picture_and_asks_for_a_code_afterwards(client: Client, bob: User) -> None:
    _fresh(client, bob)
    other = Client()
    log_in(other, bob)
    page = client.get("/accounts/account/app")
    text = page.content.decode()
    assert "no-store" in page["Cache-Control"]
    picture = re.search(r'<img class="qr" src="data:image/svg\+xml;charset=utf-8,([^"]+)"', text)
    assert picture is not None
    assert re.search(r"viewBox='0 0 (\d+) \1'", unquote(picture[1]))  # the whole picture, whatever its size
    assert "style=" not in text
    secret = authenticator.offer(bob)
    assert re.sub(r"\s", "", re.search(r'class="secret"><code>([A-Z2-7 ]+)<', text)[1]) == secret  # type: ignore[index]
    assert secret not in str(Authenticator.objects.values())

    wrong = client.post("/accounts/account/app", {"code": "000000"})
    assert wrong.status_code == 422
    assert Authenticator.objects.get().confirmed_at is None
    done = client.post("/accounts/account/app", {"code": code_of(secret)})
    codes = re.findall(r"<code>([a-z0-9]{4}-[a-z0-9]{4}-[a-z0-9]{4})</code>", done.content.decode())
    assert len(set(codes)) == authenticator.RECOVERY_CODES
    assert other.get("/accounts/account").status_code == 302  # sessions that showed less have ended
    assert codes[0].replace("-", "") not in str(list(RecoveryCode.objects.values()))
    assert any("authenticator app" in str(letter.body) for letter in sent_letters())

    client.post("/accounts/logout")
    assert log_in(client, bob).headers["Location"] == "/accounts/second"
    assert not is_in(client)
    assert client.get("/accounts/account").status_code == 302
    client.post("/accounts/second", {"code": f" {code_of(secret, 1)[:3]} {code_of(secret, 1)[3:]} "})
    assert is_in(client)
    assert AuditEvent.objects.filter(verb="user.logged_in").latest("at").data == {
        "how": "password and authenticator",
        "second_factor": True,
    }


def test_a_code_works_once_and_only_around_now(bob: User) -> None:
    secret = with_app(bob)
    code = code_of(secret)
    assert authenticator.check(bob, code, place="") == "authenticator"
    for refused in (code, code_of(secret, -1), code_of(secret, 3), "", "abc", "１２３４５６"):
        with pytest.raises(authenticator.WrongCode):
            authenticator.check(bob, refused, place="")


@pytest.mark.django_db(transaction=True)
def test_a_code_shown_by_many_at_once_lets_one_in(people: People) -> None:
    secret = with_app(people.bob)
    code, pk = code_of(secret), people.bob.pk

    def show(_: int) -> bool:
        try:
            row = Authenticator.objects.get(user=pk)
            return authenticator._accept(row, code)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(show, range(8))) == 1


def test_guessing_codes_is_stopped_for_the_account_wherever_it_comes_from(bob: User) -> None:
    secret = with_app(bob)
    for at in range(throttle.CODES):
        visitor = Client(REMOTE_ADDR=f"198.51.100.{at}")
        log_in(visitor, bob)
        assert visitor.post("/accounts/second", {"code": "000000"}).status_code == 422
    last = Client(REMOTE_ADDR="203.0.113.1")
    log_in(last, bob)
    page = last.post("/accounts/second", {"code": code_of(secret)})
    assert "wait 15 minutes" in page.content.decode()
    assert not is_in(last)
    last.post("/accounts/second", {"code": code_of(secret)})
    assert AuditEvent.objects.filter(verb="second_factor.paused").count() == 1
    assert ["wrong codes" in str(letter.body) for letter in sent_letters()] == [True]
    Attempts.objects.update(ends_at="2020-01-01T00:00:00Z")
    last.post("/accounts/second", {"code": code_of(secret)})
    assert is_in(last)


def test_a_secret_that_was_only_offered_is_another_one_later(bob: User) -> None:
    first = authenticator.offer(bob)
    assert authenticator.offer(bob) == first
    Authenticator.objects.update(created_at=timezone.now() - authenticator.OFFERED_FOR)
    assert authenticator.offer(bob) != first


def test_a_recovery_code_works_once_and_new_ones_end_the_old(client: Client, bob: User) -> None:
    with_app(bob)
    codes = authenticator.new_recovery_codes(bob)
    log_in(client, bob)
    page = client.post("/accounts/second", {"code": codes[0].upper()}, follow=True)
    assert is_in(client)
    assert "9 are left" in page.content.decode()
    with pytest.raises(authenticator.WrongCode):
        authenticator.check(bob, codes[0], place="")
    client.post("/accounts/account/recovery-codes")
    assert authenticator.recovery_codes_left(bob) == 10
    with pytest.raises(authenticator.WrongCode):
        authenticator.check(bob, codes[1], place="")


def test_the_second_step_belongs_to_one_sign_in(client: Client, bob: User, monkeypatch: Any) -> None:
    secret = with_app(bob)
    assert Client().get("/accounts/second").headers["Location"] == "/accounts/login"
    assert Client().post("/accounts/second", {"code": code_of(secret)}).headers["Location"] == "/accounts/login"
    log_in(client, bob)
    with_password(bob, "another long password")  # changed in between
    assert client.post("/accounts/second", {"code": code_of(secret)}).headers["Location"] == "/accounts/login"
    log_in(client, bob, "another long password")
    later = time.time() + 601
    monkeypatch.setattr("accounts.signin.time.time", lambda: later)
    assert client.get("/accounts/second").headers["Location"] == "/accounts/login"
    assert not is_in(client)


def test_turning_off_needs_the_password_and_a_code(client: Client, bob: User) -> None:
    secret = with_app(bob)
    log_in(client, bob)
    client.post("/accounts/second", {"code": code_of(secret)})
    for sent in (
        {"password": PASSWORD, "code": "000000"},
        {"password": "wrong", "code": code_of(secret, 1)},
        {"code": code_of(secret, 1)},
    ):
        assert client.post("/accounts/account/app/off", sent).status_code == 422
    assert (
        client.post("/accounts/account/app/off", {"password": PASSWORD, "code": code_of(secret, 1)}).status_code == 302
    )
    assert not Authenticator.objects.exists()
    assert any("turned off" in str(letter.body) for letter in sent_letters())


def test_steps_that_change_the_sign_in_ask_once_more(client: Client, bob: User) -> None:
    client.force_login(bob)  # a session whose proof is not fresh
    for path in ("/accounts/account/recovery-codes", "/accounts/account/passkeys"):
        assert client.post(path).headers["Location"] == "/accounts/confirm?next=%2Faccounts%2Faccount"
    assert (
        client.get("/accounts/account/app").headers["Location"] == "/accounts/confirm?next=%2Faccounts%2Faccount%2Fapp"
    )
    assert client.post("/accounts/passkeys/options/make").status_code == 403
    assert client.post("/accounts/confirm", {"password": "wrong"}).status_code == 422
    gone = client.post("/accounts/confirm", {"password": PASSWORD, "next": "/accounts/account/app"})
    assert gone.headers["Location"] == "/accounts/account/app"
    assert client.get("/accounts/account/app").status_code == 200
    off_site = client.post("/accounts/confirm", {"password": PASSWORD, "next": "https://evil.example/"})
    assert off_site.headers["Location"] == "/"


def test_a_team_that_asks_for_a_second_factor_opens_to_nothing_less(client: Client, people: People) -> None:
    alice, bob = with_password(people.alice), with_password(people.bob)
    client.force_login(alice)
    proved(client).post("/accounts/team/second-factor", {"required": "true"})
    assert not Team.objects.get(pk=people.team.pk).second_factor_required  # she would lock herself out
    secret = with_app(alice)
    log_in(alices := Client(), alice)
    alices.post("/accounts/second", {"code": code_of(secret)})
    alices.post("/accounts/team/second-factor", {"required": "true"})
    assert AuditEvent.objects.filter(verb="team.second_factor").get().data == {"required": True, "was": False}
    assert alices.get("/accounts/team").status_code == 200

    row, shown_once = tokens.issue(people.team, bob, name="nightly", scopes=["plans:read"])
    log_in(bobs := Client(), bob)
    for path in ("/", "/accounts/team", "/catalog/", "/new/train"):
        answer = bobs.get(path)
        assert answer.status_code == 302, path
        assert answer.headers["Location"].startswith("/accounts/needed?next="), path
    assert bobs.get("/", headers={"HX-Request": "true"}).headers["HX-Redirect"].startswith("/accounts/needed")
    assert bobs.post("/accounts/team/tokens", {"name": "x", "scopes": ["plans:read"]}).status_code == 302
    assert "Set up an app" in bobs.get("/accounts/needed").content.decode()
    assert tokens.verify(shown_once) == row  # a program has no phone
    assert Client().get("/api/v1/me", headers={"Authorization": f"Bearer {shown_once}"}).status_code == 200

    his = authenticator.offer(bob)
    page = bobs.post("/accounts/account/app", {"code": code_of(his), "next": "/catalog/"}).content.decode()
    assert 'href="/catalog/">I have kept them' in page
    assert bobs.get("/").status_code == 200
    assert bobs.post("/accounts/team/second-factor", {"required": "false"}).status_code == 403


def test_another_team_is_not_asked(client: Client, people: People) -> None:
    Team.objects.filter(pk=people.other_team.pk).update(second_factor_required=True)
    client.force_login(people.bob)
    assert client.get("/accounts/team").status_code == 200


def test_recovery_codes_end_with_the_last_factor(bob: User) -> None:
    Authenticator.objects.create(user=bob, secret="JBSWY3DPEHPK3PXP", confirmed_at=timezone.now())
    passkey = Passkey.objects.create(user=bob, name="Laptop", credential_id="aGVsbG8", public_key=b"k")
    authenticator.new_recovery_codes(bob)
    authenticator.remove(bob)
    assert authenticator.recovery_codes_left(bob) == 10
    passkeys.remove(passkey, actor=bob)
    assert authenticator.recovery_codes_left(bob) == 0
