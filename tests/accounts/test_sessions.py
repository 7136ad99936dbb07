"""Sessions: seen and ended by their owner, hashed at rest, new at each sign-in; passwords and what they end."""

from __future__ import annotations

import base64
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.hashers import identify_hasher
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import devices, history, sessions, throttle, tokens
from accounts.models import Attempts, AuditEvent, Membership, Passkey, Session, User
from accounts.secrets import seal
from tests.accounts.sign_in_support import (
    PASSWORD,
    QuickArgon2,
    code_of,
    is_in,
    link_in,
    log_in,
    sent_letters,
    with_app,
    with_password,
)
from tests.conftest import People

FIREFOX = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:130.0) Gecko/20100101 Firefox/130.0"
NEW = "a very different phrase"


@pytest.fixture
def bob(people: People) -> User:
    return with_password(people.bob)


def _main(answer: Any) -> str:
    return str(answer.content.decode().partition("<main")[2])


def test_the_list_names_devices_and_ends_one_or_all(client: Client, bob: User) -> None:
    log_in(client, bob)
    phone = Client(headers={"User-Agent": FIREFOX}, REMOTE_ADDR="203.0.113.7")
    log_in(phone, bob)
    page = client.get("/accounts/account").content.decode()
    assert "Firefox on macOS" in page
    assert "203.0.113.7" in page
    row = Session.objects.get(address="203.0.113.7")
    client.post(f"/accounts/account/sessions/{row.public_id}/end")
    assert phone.get("/accounts/account").status_code == 302

    third = Client()
    log_in(third, bob)
    client.post("/accounts/account/sessions/end")
    assert third.get("/accounts/account").status_code == 302
    assert client.get("/accounts/account").status_code == 200
    assert {"session.ended", "session.others_ended"} <= set(AuditEvent.objects.values_list("verb", flat=True))


def test_what_happened_is_told_to_its_owner_alone(client: Client, bob: User, people: People) -> None:
    log_in(Client(), bob, "wrong")
    log_in(client, bob)
    client.post("/accounts/account/name", {"name": "Robert"})
    page = client.get("/accounts/account").content.decode()
    assert "Signed in: password" in page
    assert "Name changed" in page
    charlie = Client()
    charlie.force_login(people.charlie)
    assert "Signed in" not in charlie.get("/accounts/account").content.decode()


def test_every_event_of_an_account_has_words() -> None:
    rooms = Path(history.__file__).parent
    personal = {
        verb
        for path in rooms.rglob("*.py")
        for verb in re.findall(r'audit\.record\(\s*"([a-z_.]+)",[^)]*?team=None', path.read_text(encoding="utf-8"))
    }
    assert len(personal) >= 15
    assert personal <= set(history._SAID)


def test_charlie_ends_no_session_of_bob(client: Client, bob: User, people: People) -> None:
    log_in(client, bob)
    row = Session.objects.get(user=bob)
    charlie = Client()
    charlie.force_login(people.charlie)
    assert charlie.post(f"/accounts/account/sessions/{row.public_id}/end").status_code == 404
    assert client.get("/accounts/account").status_code == 200
    assert row.public_id not in charlie.get("/accounts/account").content.decode()


def test_the_table_holds_no_cookie(client: Client, bob: User) -> None:
    log_in(client, bob)
    cookie = client.cookies["session"].value
    row = Session.objects.get(user=bob)
    assert cookie not in str(Session.objects.values())
    assert row.pk == sessions.stored_key(cookie)
    thief = Client()
    thief.cookies["session"] = row.pk
    assert thief.get("/accounts/account").status_code == 302


def test_a_flood_of_visitors_makes_no_rows(client: Client, bob: User) -> None:
    with_app(bob)
    for _ in range(5):
        visitor = Client()
        for step in (
            visitor.post("/accounts/passkeys/options/sign-in"),
            visitor.get("/accounts/invitation/x"),
            visitor.get("/accounts/login"),
            log_in(visitor, bob, "wrong"),
            visitor.get("/accounts/second"),
            visitor.get("/accounts/forgotten"),
            visitor.get("/"),
        ):
            assert step.status_code < 500
        assert log_in(visitor, bob).headers["Location"] == "/accounts/second"  # half way in is nobody yet
    assert not Session.objects.exists()


def test_what_a_visitor_carries_is_read_by_nobody_and_ends(
    client: Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = with_app(bob)
    log_in(client, bob)
    cookie = client.cookies["session"].value
    assert b"pending" not in base64.urlsafe_b64decode(cookie.removeprefix("v."))
    assert client.session["pending"]["user"] == bob.pk
    changed = Client()
    changed.cookies["session"] = cookie[:-8] + "AAAAAAA="
    foreign = [f"v.{seal(text)}" for text in ("JBSWY3DPEHPK3PXP", "7", '["visitor"]', '{"until": 9e9}')]
    for odd in (*foreign, changed.cookies["session"].value, "v.", "v.\u00e9", f"v.{cookie}", cookie.removeprefix("v.")):
        changed.cookies["session"] = odd
        assert changed.get("/accounts/second").status_code == 302, odd
    soon = timezone.now() + sessions.VISITORS_LIFE + timedelta(seconds=1)
    with monkeypatch.context() as later:
        later.setattr("accounts.sessions.timezone.now", lambda: soon)
        assert "pending" not in client.session
    client.post("/accounts/second", {"code": code_of(secret)})
    row = Session.objects.get()
    assert (row.user, row.expire_date > timezone.now() + timedelta(days=13)) == (bob, True)
    assert client.cookies["session"].value != cookie
    replayed = Client()
    replayed.cookies["session"] = cookie
    assert replayed.get("/accounts/account").status_code == 302
    assert replayed.post("/accounts/second", {"code": code_of(secret)}).status_code == 422  # the code was used


def test_a_sign_in_takes_away_what_is_over(client: Client, bob: User) -> None:
    log_in(Client(), bob)
    Session.objects.update(expire_date=timezone.now())
    log_in(client, bob)
    assert Session.objects.get().expire_date > timezone.now()


def test_what_no_cookie_holds_is_a_row_and_nobody_makes_it_by_an_address(client: Client, bob: User) -> None:
    """Only what a provider says of a person who came back from it is ever so long."""
    store = sessions.SessionStore()
    store["claims"] = "x" * 5_000
    store.save()
    row = Session.objects.get()
    assert (row.user, row.expire_date <= timezone.now() + sessions.VISITORS_LIFE) == (None, True)
    assert sessions.SessionStore(store.session_key)["claims"] == "x" * 5_000
    Session.objects.all().delete()
    with_app(bob)
    log_in(client, bob, next="/catalog/?words=" + "x" * 5_000)
    assert client.session["pending"]["goto"] == "/"
    assert not Session.objects.exists()


def test_a_session_that_somebody_planted_does_not_survive_the_sign_in(client: Client, bob: User) -> None:
    client.get("/accounts/second")
    client.session.save()
    log_in(client, bob)
    first = client.cookies["session"].value
    client.post("/accounts/logout")
    planted = Client()
    planted.cookies["session"] = first
    log_in(planted, bob)
    assert planted.cookies["session"].value != first
    with_app(bob)
    fixed = Client()
    log_in(fixed, bob)
    assert fixed.cookies["session"].value not in {first, planted.cookies["session"].value}


def test_a_session_in_use_is_noted_every_five_minutes(
    client: Client, bob: User, django_assert_num_queries: Any
) -> None:
    log_in(client, bob)
    with django_assert_num_queries(3):  # session, person, memberships
        client.get("/accounts/teams")
    long_ago = timezone.now() - timedelta(hours=1)
    Session.objects.update(last_seen_at=long_ago)
    client.get("/accounts/teams")
    assert Session.objects.get(user=bob).last_seen_at > long_ago + timedelta(minutes=59)


def test_removal_and_role_hold_from_the_next_request_on(client: Client, bob: User, people: People) -> None:
    log_in(client, bob)
    _, shown_once = tokens.issue(people.team, bob, name="x", scopes=["plans:read"])
    Membership.objects.filter(user=bob).update(role="admin")
    assert "Invite a person" in client.get("/accounts/team").content.decode()
    Membership.objects.filter(user=bob).update(role="viewer")
    assert client.post("/accounts/team/invitations", {"email": "x@y.example", "role": "admin"}).status_code == 403
    alice = Client()
    alice.force_login(people.alice)
    alice.post(f"/accounts/team/members/{bob.public_id}/remove")
    assert client.get("/accounts/team").status_code == 404
    assert tokens.verify(shown_once) is None
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert client.get("/accounts/account").status_code == 302


def test_a_new_password_ends_other_sessions_and_is_told(client: Client, bob: User) -> None:
    log_in(client, bob)
    other = Client()
    log_in(other, bob)
    refused = [
        {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW},
        {"old_password": PASSWORD, "new_password1": "short", "new_password2": "short"},
        {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW + "x"},
        {"old_password": PASSWORD, "new_password1": bob.email, "new_password2": bob.email},
    ]
    for sent in refused:
        assert client.post("/accounts/account/password", sent).status_code == 422
    client.post("/accounts/account/password", {"old_password": PASSWORD, "new_password1": NEW, "new_password2": NEW})
    assert Session.objects.filter(user=bob).count() == 1
    assert client.get("/accounts/account").status_code == 200
    assert other.get("/accounts/account").status_code == 302
    (letter,) = sent_letters()
    assert letter.to == [bob.email]
    assert "password was changed" in str(letter.body)


def test_guessing_the_old_password_in_a_stolen_session_is_stopped(client: Client, bob: User) -> None:
    client.force_login(bob)
    for _ in range(throttle.FAILURES):
        client.post("/accounts/confirm", {"password": "wrong"})
    assert "wait 15 minutes" in client.post("/accounts/confirm", {"password": PASSWORD}).content.decode()


def test_a_forgotten_password_is_set_by_a_link_that_works_once(client: Client, bob: User) -> None:
    with_app(bob)
    inside = Client()
    inside.force_login(bob)
    known = client.post("/accounts/forgotten", {"email": bob.email.upper()})
    unknown = client.post("/accounts/forgotten", {"email": "nobody@north.example"})
    assert known.status_code == unknown.status_code == 200
    assert _main(known).replace(bob.email.upper(), "") == _main(unknown).replace("nobody@north.example", "")
    (letter,) = sent_letters()
    assert letter.to == [bob.email]
    path = link_in(letter)
    assert path.split("/")[-1] not in str(Session.objects.values())

    moved = client.get(path)
    assert moved.headers["Location"].endswith("/new")  # the secret leaves the address
    page = client.post(moved.headers["Location"], {"new_password1": NEW, "new_password2": NEW})
    assert page.headers["Location"] == "/accounts/login"
    assert not is_in(client)
    assert inside.get("/accounts/account").status_code == 302
    assert log_in(client, bob, NEW).headers["Location"] == "/accounts/second"
    assert "not valid any more" in Client().get(path, follow=True).content.decode()


def test_unknown_addresses_cost_as_much(client: Client, bob: User, people: People, monkeypatch: Any) -> None:
    """As many slow hashes, and as many questions to the database, whether or not there is such an account."""
    hashed: list[str] = []
    encode = QuickArgon2.encode
    monkeypatch.setattr(QuickArgon2, "encode", lambda *given: hashed.append("x") or encode(*given))
    verify = QuickArgon2.verify
    monkeypatch.setattr(QuickArgon2, "verify", lambda *given: hashed.append("x") or verify(*given))
    User.objects.filter(pk=people.alice.pk).update(is_active=False)
    costs = set()
    for email in (bob.email, people.alice.email, people.charlie.email, "nobody@north.example"):
        hashed.clear()
        visitor = Client(REMOTE_ADDR=f"203.0.113.{len(email)}")
        visitor.post("/accounts/login", {"username": email, "password": "wrong"})
        costs.add(len(hashed))
    assert costs == {1}

    Client().post("/accounts/forgotten", {"email": "first@north.example"})  # opens the count of this address
    asked = set()
    for email in (bob.email, people.alice.email, "nobody@north.example"):
        with CaptureQueriesContext(connection) as found:
            Client().post("/accounts/forgotten", {"email": email})
        asked.add(tuple(query["sql"].split(" ", 1)[0] for query in found))
    assert len(asked) == 1


def test_a_link_to_a_password_ends_after_an_hour(client: Client, bob: User, settings: Any) -> None:
    client.post("/accounts/forgotten", {"email": bob.email})
    path = link_in(sent_letters()[0])
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert "not valid any more" in client.get(path, follow=True).content.decode()


def test_links_go_to_the_site_whatever_the_host_says(client: Client, bob: User, settings: Any) -> None:
    settings.SITE_URL = "https://plans.example.org"
    client.post("/accounts/forgotten", {"email": bob.email}, headers={"Host": "localhost"})
    assert "https://plans.example.org/accounts/reset/" in str(sent_letters()[0].body)


def test_nobody_floods_a_mailbox_and_nobody_is_told(client: Client, bob: User) -> None:
    answers = {client.post("/accounts/forgotten", {"email": bob.email}).content.count(b"on its way") for _ in range(8)}
    assert answers == {1}
    assert len(sent_letters()) == 3


def test_switched_off_people_get_no_link(client: Client, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    client.post("/accounts/forgotten", {"email": bob.email})
    assert sent_letters() == []


def test_secrets_of_links_stand_in_no_log(client: Client, bob: User, caplog: Any) -> None:
    client.post("/accounts/forgotten", {"email": bob.email})
    path = link_in(sent_letters()[0])
    with caplog.at_level("INFO"):
        client.get(path)
        client.get("/accounts/invitation/very-secret-words")
    secret = path.split("/")[-1]
    assert "/accounts/reset/…" in caplog.text
    assert secret not in caplog.text
    assert "very-secret-words" not in caplog.text


def test_an_old_hash_is_renewed_at_the_next_sign_in(client: Client, bob: User, settings: Any) -> None:
    from argon2 import PasswordHasher

    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    cheap = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(PASSWORD)
    User.objects.filter(pk=bob.pk).update(password="argon2" + cheap)
    log_in(client, bob)
    bob.refresh_from_db()
    assert is_in(client)
    assert not identify_hasher(bob.password).must_update(bob.password)
    assert bob.password != "argon2" + cheap


def test_counts_hold_for_all_processes_and_name_nobody(client: Client, bob: User) -> None:
    for _ in range(3):
        log_in(client, bob, "wrong")
    assert max(Attempts.objects.values_list("count", flat=True)) == 3
    assert bob.email not in str(Attempts.objects.values())
    log_in(client, bob)
    assert sorted(Attempts.objects.values_list("count", flat=True)) == [3, 3]  # the account from here begins anew


@pytest.mark.django_db(transaction=True)
def test_many_tries_at_once_get_no_further_than_in_a_row() -> None:
    limits = {"a": 5, "b": 100}

    def take(_: int) -> bool:
        try:
            return throttle.take(limits)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(take, range(24))) == 5
    assert sorted(Attempts.objects.values_list("count", flat=True)) == [5, 5]  # the refused ones cost nothing
    throttle.give_back(limits)
    assert throttle.take(limits)


def test_devices_are_named_in_words() -> None:
    safari = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) AppleWebKit/605.1 Version/18.0 Mobile/15E148 Safari/604.1"
    edge = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0"
    known = {
        FIREFOX: "Firefox on macOS",
        safari: "Safari on iPhone",
        edge: "Edge on Windows",
        "curl/8": "An unknown device",
    }
    assert {agent: devices.name_of(agent) for agent in known} == known


def test_the_account_page_asks_few_questions(client: Client, bob: User, django_assert_num_queries: Any) -> None:
    with_app(bob)
    for at in range(5):
        Passkey.objects.create(user=bob, name=f"key {at}", credential_id=str(at), public_key=b"")
        Client().force_login(bob)
    client.force_login(bob)
    # session, person, sessions, app, passkeys, recovery codes, identities, memberships, price mail, what happened, what was refused
    with django_assert_num_queries(11):
        client.get("/accounts/account")


def test_every_page_of_signing_in_is_kept_by_no_cache(client: Client, bob: User) -> None:
    log_in(client, bob)
    for path in ("account", "account/password", "account/app", "account/app/off", "confirm", "needed", "forgotten"):
        assert "no-store" in client.get(f"/accounts/{path}")["Cache-Control"], path


def test_the_operator_helps_who_has_lost_everything(client: Client, bob: User) -> None:
    with_app(bob)
    Passkey.objects.create(user=bob, name="key", credential_id="x", public_key=b"")
    client.force_login(bob)
    call_command("second_factor_off", bob.email.upper(), stdout=StringIO())
    assert client.get("/accounts/account").status_code == 302
    assert log_in(client, bob).headers["Location"] == "/"
    assert AuditEvent.objects.filter(verb="second_factor.removed_by_operator").count() == 1
    with pytest.raises(CommandError, match="There is no account"):
        call_command("second_factor_off", "nobody@north.example")


def test_a_count_that_somebody_else_renews_meanwhile_refuses_nobody(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tries find that a count is over; the one that renews it second has tries left all the same."""
    limits = {"x": 2}
    assert throttle.take(limits)
    Attempts.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    expired, renewed = Attempts.objects.filter, []

    def between(*args: Any, **named: Any) -> Any:
        if "ends_at__lte" in named and not renewed:
            renewed.append(expired().update(count=1, ends_at=timezone.now() + throttle.PAUSE))
        return expired(*args, **named)

    monkeypatch.setattr(Attempts.objects, "filter", between)
    assert throttle.take(limits)
    assert Attempts.objects.get().count == 2
    assert not throttle.take(limits)


def test_one_address_of_a_network_counts_for_all_of_it(bob: User) -> None:
    for at in range(throttle.FAILURES):
        log_in(Client(REMOTE_ADDR=f"2001:db8::{at + 1:x}"), bob, "wrong")
    assert "wait 15 minutes" in log_in(Client(REMOTE_ADDR="2001:db8::ffff"), bob).content.decode()
    assert log_in(Client(REMOTE_ADDR="2001:db8:1::1"), bob).status_code == 302
