"""A17 to A19: guessing of passwords and tokens, sessions that outlive their right, share links that leak."""

from __future__ import annotations

import logging
import re
import secrets
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts import known, teams, tokens
from accounts.models import Attempts, Membership, Role, Session, User
from jobs.models import Job
from planner.models import PlanVersion, ShareLink
from planner.review import sharing
from tests.accounts.sign_in_support import code_of, link_in, sent_letters, with_app
from tests.api.support import TRAINING, Api, problem
from tests.conftest import People
from tests.security.world import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Argon2 with the least work, so that a hundred guesses take no minute."""
    monkeypatch.setattr(Argon2PasswordHasher, "memory_cost", 8)
    monkeypatch.setattr(Argon2PasswordHasher, "time_cost", 1)
    monkeypatch.setattr(Argon2PasswordHasher, "parallelism", 1)


@pytest.fixture
def ada(people: People) -> User:
    """A planner of the team with a password."""
    user = User.objects.create_user("ada@north.example", PASSWORD, name="Ada")
    Membership.objects.create(team=people.team, user=user, role=Role.PLANNER)
    return user


def _sign_in(
    client: Client, password: str = PASSWORD, email: str = "ada@north.example", address: str = "192.0.2.1"
) -> bool:
    client.post("/accounts/login", {"username": email, "password": password}, REMOTE_ADDR=address)
    return "_auth_user_id" in client.session


def _gets_in(client: Client, path: str = "/accounts/team") -> bool:
    return client.get(path).status_code == 200


# --- A17: guessing ---------------------------------------------------------------------------------------------


def test_guessing_a_password_is_stopped(ada: User) -> None:
    """After so many wrong passwords from one address, even the right one waits; nothing says that it was right."""
    client = Client()
    for _ in range(12):
        assert not _sign_in(client, "wrong")
    assert not _sign_in(client)


def test_one_address_cannot_try_a_password_on_many_accounts(ada: User) -> None:
    """Credential stuffing: the address itself is paused."""
    client = Client()
    for number in range(60):
        _sign_in(client, "wrong", f"someone{number}@north.example")
    assert not _sign_in(client)


def test_a_stranger_cannot_lock_a_person_out(ada: User) -> None:
    """Failures from another address leave the person's own address free."""
    for _ in range(20):
        _sign_in(Client(), "wrong", address="203.0.113.66")
    assert _sign_in(Client(), address="192.0.2.1")


def _strangers_guess(tries: int = 120, email: str = "ada@north.example") -> int:
    """Wrong passwords from as many networks as it takes, nine from each; how many were judged and not sent away."""
    judged = 0
    for at in range(tries):
        sent = {"username": email, "password": "wrong"}
        page = Client().post("/accounts/login", sent, REMOTE_ADDR=f"2001:db8:{at // 9:x}::1")
        judged += "wait 15 minutes" not in page.content.decode()
    return judged


def test_strangers_from_everywhere_are_bounded_and_lock_nobody_out(ada: User) -> None:
    """The owner's browser and the owner's network are counted apart, before and after the strangers' pause."""
    browser, home = Client(), "192.0.2.1"
    assert _sign_in(browser, address=home)

    assert _strangers_guess() == 100  # of all together in a quarter of an hour

    assert not _sign_in(Client(), "wrong", address=home)
    assert _sign_in(Client(), address=home), "from the network of an open session"
    browser.post("/accounts/logout")
    Session.objects.filter(user=ada).delete()
    assert _sign_in(browser, address="198.51.100.7"), "from a browser that was signed in, wherever it is"
    assert not _sign_in(Client(), address="198.51.100.8"), "a stranger with the right password waits with the strangers"


def test_what_was_seen_by_the_reviewer_passes(ada: User) -> None:
    """99 wrong from eleven networks, in from one's own, one wrong there and three elsewhere, then the right one."""
    assert _strangers_guess(99) == 99
    assert _sign_in(Client(), address="192.0.2.1")
    assert not _sign_in(Client(), "wrong", address="192.0.2.1")
    for _ in range(3):
        _sign_in(Client(), "wrong", address="2001:db8:ffff::1")
    assert _sign_in(Client(), address="192.0.2.1")


def test_a_mailed_link_is_a_way_in_while_strangers_guess(ada: User) -> None:
    """Somebody whose browser and network are new reads their mail: that browser is known from then on."""
    _strangers_guess()
    fresh = Client()
    assert not _sign_in(fresh, address="198.51.100.9")
    fresh.post("/accounts/forgotten", {"email": ada.email}, REMOTE_ADDR="198.51.100.9")
    form = fresh.get(link_in(sent_letters()[-1])).headers["Location"]
    new = "a fresh and long password 9"
    assert fresh.post(form, {"new_password1": new, "new_password2": new}).status_code == 302
    assert _sign_in(fresh, new, address="198.51.100.9")


def test_a_known_browser_has_a_bound_too_and_is_forgotten_with_the_password(ada: User) -> None:
    browser = Client()
    assert _sign_in(browser)
    browser.post("/accounts/logout")
    _strangers_guess()
    assert not any(_sign_in(browser, "wrong", address="198.51.100.7") for _ in range(10))
    assert not _sign_in(browser, address="198.51.100.7")
    Attempts.objects.all().delete()
    assert _sign_in(browser, address="198.51.100.7")
    browser.post("/accounts/logout")
    _strangers_guess()
    ada.set_password("another long password 8")
    ada.save()
    assert not _sign_in(browser, "another long password 8", address="198.51.100.7")


@pytest.mark.parametrize("change", [lambda note: note[:-2] + "xx", lambda note: note[:0], lambda note: note.upper()])
def test_a_forged_note_of_a_browser_is_a_stranger_s(ada: User, change: Any) -> None:
    browser = Client()
    assert _sign_in(browser)
    note = browser.cookies[known.COOKIE]
    assert note["httponly"]
    assert ada.public_id not in note.value or ":" in note.value
    Session.objects.all().delete()
    _strangers_guess()
    forger = Client()
    forger.cookies[known.COOKIE] = change(note.value)
    assert not _sign_in(forger, address="198.51.100.7")


def test_a_note_of_one_account_is_none_for_another(ada: User, people: People) -> None:
    User.objects.create_user("eve@north.example", PASSWORD)
    eve = Client()
    assert _sign_in(eve, email="eve@north.example", address="198.51.100.66")
    _strangers_guess()
    eve.post("/accounts/logout")
    assert not _sign_in(eve, address="198.51.100.66")


def test_who_knows_the_password_cannot_use_up_the_owner_s_codes(ada: User) -> None:
    """Codes of the second factor: five for all strangers, and five for a known browser."""
    secret = with_app(ada)
    Attempts.objects.all().delete()
    browser = Client()
    assert browser.post("/accounts/login", {"username": ada.email, "password": PASSWORD}).status_code == 302
    Client().force_login(ada)
    place = {"REMOTE_ADDR": "192.0.2.1"}
    Session.objects.filter(user=ada).update(address="192.0.2.1")
    thief = Client()
    thief.post("/accounts/login", {"username": ada.email, "password": PASSWORD}, REMOTE_ADDR="203.0.113.9")
    for _ in range(7):
        page = thief.post("/accounts/second", {"code": "000000"}, REMOTE_ADDR="203.0.113.9")
    assert "wait 15 minutes" in page.content.decode()
    browser.post("/accounts/login", {"username": ada.email, "password": PASSWORD}, **place)
    assert browser.post("/accounts/second", {"code": code_of(secret)}, **place).status_code == 302


def test_a_stranger_cannot_use_up_the_mails_of_a_known_browser(ada: User) -> None:
    browser = Client()
    assert _sign_in(browser)
    for _ in range(5):
        Client().post("/accounts/forgotten", {"email": ada.email}, REMOTE_ADDR="203.0.113.9")
    before = Job.objects.filter(kind="accounts.letter").count()
    assert before == 3
    browser.post("/accounts/logout")
    browser.post("/accounts/forgotten", {"email": ada.email})
    assert Job.objects.filter(kind="accounts.letter").count() == before + 1


@pytest.mark.parametrize("email", ["ada@north.example", "nobody@north.example", "off@north.example"])
def test_an_unknown_account_takes_as_much_work(ada: User, monkeypatch: pytest.MonkeyPatch, email: str) -> None:
    """The costly part is done whether or not the account exists, so that its time does not tell."""
    User.objects.create_user("off@north.example", PASSWORD, is_active=False)
    work: Counter[str] = Counter()
    encode, verify = Argon2PasswordHasher.encode, Argon2PasswordHasher.verify

    def encoding(self: Any, *args: Any, **kwargs: Any) -> str:
        work["hash"] += 1
        return encode(self, *args, **kwargs)

    def verifying(self: Any, *args: Any, **kwargs: Any) -> bool:
        work["hash"] += 1
        return verify(self, *args, **kwargs)

    monkeypatch.setattr(Argon2PasswordHasher, "encode", encoding)
    monkeypatch.setattr(Argon2PasswordHasher, "verify", verifying)
    assert not _sign_in(Client(), "wrong", email)
    assert work["hash"] == 1


def test_a_guessed_token_compares_in_constant_time(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest is compared for keys that exist and for keys that do not."""
    compared: list[tuple[str, str]] = []
    real = tokens.hmac.compare_digest

    def counting(one: Any, other: Any) -> bool:
        compared.append((one, other))
        return bool(real(one, other))

    monkeypatch.setattr(tokens.hmac, "compare_digest", counting)
    row, _ = tokens.issue(people.team, people.alice, name="x", scopes=())
    for key in (row.key, "a" * 12):
        assert tokens.verify(f"sxt_{key}_{'A' * 34}") is None
    assert len(compared) == 2


def test_tokens_and_links_cannot_be_guessed(people: People, petra: Api, quick_engine: None) -> None:
    """At least 128 random bits each, counted from what is handed out."""
    _, token = tokens.issue(people.team, people.alice, name="x", scopes=())
    assert re.fullmatch(r"[A-Za-z0-9]{34}", token.rsplit("_", 1)[1])
    assert 34 * 5.95 > 128
    petra.post("/plans", TRAINING)
    _, secret = sharing.create(people.memberships["alice"], PlanVersion.objects.get(), days=1)
    assert re.fullmatch(r"[A-Za-z0-9_-]{32}", secret)
    assert len({secrets.token_urlsafe(24) for _ in range(100)}) == 100


# --- A18: sessions, roles and tokens ---------------------------------------------------------------------------


def test_a_session_made_before_the_login_is_worth_nothing_after_it(ada: User) -> None:
    """Session fixation: the key changes when somebody comes in, and the old one opens nothing."""
    victim, thief = Client(), Client()
    planted = victim.session
    planted["x"] = 1
    planted.save()
    victim.cookies["session"] = thief.cookies["session"] = planted.session_key
    assert _sign_in(victim)
    assert victim.cookies["session"].value != planted.session_key
    assert not _gets_in(thief)
    assert not victim.session.exists(planted.session_key)


def test_logging_out_ends_the_session_on_the_server(ada: User) -> None:
    person, thief = Client(), Client()
    assert _sign_in(person)
    thief.cookies["session"] = person.cookies["session"].value
    assert _gets_in(thief)
    person.post("/accounts/logout")
    assert not _gets_in(thief)


@pytest.mark.parametrize("change", ["removed", "switched off", "password"])
def test_who_loses_the_right_is_out_at_once(people: People, ada: User, change: str) -> None:
    person = Client()
    api = Api(Membership.objects.get(user=ada))
    assert _sign_in(person)
    assert _gets_in(person)
    if change == "removed":
        teams.remove_member(Membership.objects.get(user=ada), actor=people.alice)
    elif change == "switched off":
        User.objects.filter(pk=ada.pk).update(is_active=False)
    else:
        ada.set_password(f"{PASSWORD} new")
        ada.save()
    assert not _gets_in(person)
    if change != "password":
        problem(api.get("/plans"), 401)


def test_a_lower_role_holds_at_the_next_request(people: People, ada: User, quick_engine: None) -> None:
    person, api = Client(), Api(Membership.objects.get(user=ada))
    assert _sign_in(person)
    assert api.post("/plans", TRAINING).status_code == 201
    teams.set_role(people.team, ada.email, role=Role.VIEWER, actor=people.alice)
    problem(api.post("/plans", TRAINING), 403)
    workload = PlanVersion.objects.get().workload
    assert person.post(f"/workloads/{workload.public_id}/freeze").status_code == 403


def test_a_revoked_token_is_dead_at_once(people: People) -> None:
    api = Api(people.memberships["alice"])
    assert api.get("/me").status_code == 200
    tokens.revoke(api.row, actor=people.alice)
    problem(api.get("/me"), 401)


# --- A19: share links ------------------------------------------------------------------------------------------


@pytest.fixture
def link(people: People, petra: Api, quick_engine: None) -> tuple[ShareLink, str]:
    """A share link of a version and its secret."""
    petra.post("/plans", TRAINING)
    return sharing.create(people.memberships["alice"], PlanVersion.objects.get(), days=7)


def test_no_table_holds_the_secret_of_a_link(link: tuple[ShareLink, str]) -> None:
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - names of our own tables
            assert link[1] not in repr(cursor.fetchall()), table


@pytest.mark.parametrize("end", ["expired", "revoked", "wrong", "short", "long"])
def test_a_dead_link_opens_nothing(link: tuple[ShareLink, str], end: str) -> None:
    row, secret = link
    if end == "expired":
        ShareLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "revoked":
        ShareLink.objects.update(revoked_at=timezone.now())
    tried = {"wrong": "A" * 32, "short": secret[:31], "long": f"{secret}A"}.get(end, secret)
    answer = Client().get(f"/shared/{tried}")
    assert answer.status_code == 404
    assert row.version.headline not in answer.content.decode()


def test_a_link_is_kept_by_nobody_on_the_way(link: tuple[ShareLink, str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = Client().get(f"/shared/{link[1]}")
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store, private"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert link[1] not in caplog.text
    assert link[1] not in answer.content.decode(), "the page repeats its own secret"


def test_a_link_opens_its_version_and_nothing_else(link: tuple[ShareLink, str]) -> None:
    visitor = Client()
    visitor.get(f"/shared/{link[1]}")
    version = link[0].version
    for path in (
        f"/plans/{version.public_id}",
        f"/exports/plans/{version.public_id}",
        "/accounts/team",
        "/catalog/",
    ):
        assert not _gets_in(visitor, path)


def test_charts_of_a_shared_page_are_files_of_its_own_address(link: tuple[ShareLink, str]) -> None:
    visitor = Client()
    files = set(re.findall(r'href="(\?file=[^"]+)"', visitor.get(f"/shared/{link[1]}").content.decode()))
    assert files
    for file in files:
        answer = visitor.get(f"/shared/{link[1]}{file}")
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store, private"
    assert visitor.get(f"/shared/{link[1]}?file=nothing.csv").status_code == 404
    assert visitor.get(f"/shared/{link[1]}?file=x").status_code == 404
