"""Passkeys: made by the signed-in, shown alone or after a password, and refused for anything that does not fit."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.test import Client

from accounts import signin
from accounts.models import AuditEvent, Passkey, User
from tests.accounts.device import Device, coded
from tests.accounts.sign_in_support import PASSWORD, is_in, log_in, proved, sent_letters, with_password
from tests.conftest import People


@pytest.fixture(autouse=True)
def _site(settings: Any) -> None:
    settings.SITE_URL = "http://localhost:8000"


@pytest.fixture
def bob(people: People) -> User:
    return with_password(people.bob)


def _options(client: Client, purpose: str) -> dict[str, Any]:
    answer = client.post(f"/accounts/passkeys/options/{purpose}")
    assert answer.status_code == 200, answer.content
    assert "no-store" in answer["Cache-Control"]
    found: dict[str, Any] = json.loads(answer.content)
    return found


def _made(client: Client, user: User, name: str = "Work laptop") -> Device:
    """A device with a passkey of that person, who is signed in by the client afterwards."""
    log_in(client, user)
    device = Device()
    client.post("/accounts/account/passkeys", {"credential": device.make(_options(client, "make")), "name": name})
    assert Passkey.objects.filter(user=user, credential_id=coded(device.id)).exists()
    return device


def _shown(client: Client, device: Device, **wrong: Any) -> Any:
    return client.post("/accounts/passkeys/sign-in", {"credential": device.show(_options(client, "sign-in"), **wrong)})


def test_a_passkey_lets_in_without_a_password(client: Client, bob: User) -> None:
    device = _made(client, bob)
    row = Passkey.objects.get()
    assert (row.name, row.transports) == ("Work laptop", ["internal"])
    assert any("Work laptop" in str(letter.body) for letter in sent_letters())
    visitor = Client()
    options = _options(visitor, "sign-in")
    assert options.get("allowCredentials", []) == []  # whoever it is: nothing is told about anybody
    assert options["userVerification"] == "required"
    answer = visitor.post("/accounts/passkeys/sign-in", {"credential": device.show(options), "next": "/accounts/team"})
    assert answer.headers["Location"] == "/accounts/team"
    assert visitor.session["_auth_user_id"] == str(bob.pk)
    assert visitor.session["strong"] is True
    assert Passkey.objects.get().sign_count == 1
    assert AuditEvent.objects.filter(verb="user.logged_in").latest("at").data["how"] == "passkey"


def test_a_passkey_is_a_second_factor(client: Client, bob: User) -> None:
    device = _made(client, bob)
    visitor = Client()
    assert log_in(visitor, bob).headers["Location"] == "/accounts/second"
    options = _options(visitor, "second")
    assert [item["id"] for item in options["allowCredentials"]] == [coded(device.id)]
    visitor.post("/accounts/second/passkey", {"credential": device.show(options, seen=False)})
    assert is_in(visitor)


def test_somebody_elses_passkey_is_no_second_factor(client: Client, bob: User, people: People) -> None:
    _made(client, bob)
    charlies = _made(Client(), with_password(people.charlie))
    visitor = Client()
    log_in(visitor, bob)
    visitor.post("/accounts/second/passkey", {"credential": charlies.show(_options(visitor, "second"))})
    assert not is_in(visitor)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://localhost.evil.example"},
        {"origin": "http://localhost:8001"},
        {"site": "evil.example"},
        {"challenge": coded(b"another challenge")},
        {"doing": "webauthn.create"},
        {"signature": True},
        {"seen": False},
        {"user": b"usr_somebody_else"},
    ],
    ids=str,
)
def test_an_answer_that_does_not_fit_lets_nobody_in(client: Client, bob: User, wrong: dict[str, Any]) -> None:
    device = _made(client, bob)
    visitor = Client()
    assert _shown(visitor, device, **wrong).headers["Location"] == "/accounts/login"
    assert not is_in(visitor)
    assert _shown(visitor, device).headers["Location"] == "/"  # the same without the fault


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://evil.example"},
        {"site": "evil.example"},
        {"challenge": coded(b"another challenge")},
        {"doing": "webauthn.get"},
        {"seen": False},
    ],
    ids=str,
)
def test_a_passkey_that_does_not_fit_is_not_kept(client: Client, bob: User, wrong: dict[str, Any]) -> None:
    log_in(client, bob)
    client.post("/accounts/account/passkeys", {"credential": Device().make(_options(client, "make"), **wrong)})
    assert not Passkey.objects.exists()


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "7", '"x"', '{"rawId": 7, "response": 7}', '{"id": "x", "rawId": "x", "response": {}}',
             '{"rawId": "\\u0000", "response": {"userHandle": "%%%"}}', "x" * 30_000]
)  # fmt: skip
def test_what_is_no_answer_at_all_is_refused(client: Client, bob: User, text: str) -> None:
    log_in(client, bob)
    _options(client, "make")
    assert client.post("/accounts/account/passkeys", {"credential": text}).status_code == 302
    visitor = Client()
    _options(visitor, "sign-in")
    assert visitor.post("/accounts/passkeys/sign-in", {"credential": text}).headers["Location"] == "/accounts/login"
    assert not is_in(visitor)
    assert not Passkey.objects.exists()


def test_a_challenge_serves_once_for_one_purpose_and_five_minutes(client: Client, bob: User, monkeypatch: Any) -> None:
    device = _made(client, bob)
    visitor = Client()
    # One that counts nothing, as most do: no counter gives the second showing away.
    answer = device.show(_options(visitor, "sign-in"), steps=0)
    visitor.post("/accounts/passkeys/sign-in", {"credential": answer})
    assert is_in(visitor)
    kept = visitor.session.session_key
    visitor.post("/accounts/passkeys/sign-in", {"credential": answer})
    assert visitor.session.session_key == kept  # nothing happened
    visitor.post("/accounts/logout")
    stale = Client()
    stale.force_login(bob)
    for_another = device.show(_options(stale, "confirm"), steps=0, seen=True)
    assert (
        stale.post("/accounts/passkeys/sign-in", {"credential": for_another}).headers["Location"] == "/accounts/login"
    )
    late = device.show(_options(visitor, "sign-in"))
    later = time.time() + 301
    monkeypatch.setattr("accounts.passkeys.time.time", lambda: later)
    assert visitor.post("/accounts/passkeys/sign-in", {"credential": late}).headers["Location"] == "/accounts/login"


def test_a_copied_passkey_shows_by_its_counter(client: Client, bob: User) -> None:
    device = _made(client, bob)
    _shown(Client(), device, steps=5)
    copy = Client()
    assert _shown(copy, device, steps=-3).headers["Location"] == "/accounts/login"
    assert not is_in(copy)
    assert AuditEvent.objects.filter(verb="passkey.refused", actor=bob).exists()


def test_a_passkey_that_counts_nothing_goes_on_working(client: Client, bob: User) -> None:
    device = _made(client, bob)
    for _ in range(2):
        visitor = Client()
        _shown(visitor, device, steps=0)
        assert is_in(visitor)


def test_several_have_names_and_go_one_by_one(client: Client, bob: User, people: People) -> None:
    first = _made(client, bob, "Laptop")
    second = Device()
    options = _options(client, "make")
    assert [item["id"] for item in options["excludeCredentials"]] == [coded(first.id)]
    client.post("/accounts/account/passkeys", {"credential": second.make(options), "name": "Blue key"})
    row = Passkey.objects.get(name="Blue key")
    client.post(f"/accounts/account/passkeys/{row.public_id}/rename", {"name": "Green key"})
    assert "Green key" in client.get("/accounts/account").content.decode()
    charlie = Client()
    charlie.force_login(with_password(people.charlie))
    charlie.post("/accounts/confirm", {"password": PASSWORD})
    for step in ("rename", "remove"):
        assert charlie.post(f"/accounts/account/passkeys/{row.public_id}/{step}", {"name": "x"}).status_code == 404
    client.post(f"/accounts/account/passkeys/{row.public_id}/remove")
    gone = Client()
    _shown(gone, second)
    assert not is_in(gone)
    _shown(gone, first)
    assert is_in(gone)


def test_the_same_passkey_is_kept_once(client: Client, bob: User, people: People) -> None:
    device = _made(client, bob)
    charlie = Client()
    log_in(charlie, with_password(people.charlie))
    charlie.post("/accounts/account/passkeys", {"credential": device.make(_options(charlie, "make"))})
    assert Passkey.objects.get().user == bob


def test_the_only_way_in_is_kept(client: Client, bob: User) -> None:
    _made(client, bob)
    bob.set_unusable_password()
    bob.save()
    client.force_login(bob)
    proved(client, by=signin.SECOND_FACTOR)
    client.post(f"/accounts/account/passkeys/{Passkey.objects.get().public_id}/remove")
    assert Passkey.objects.exists()


def test_a_passkey_proves_freshly_who_one_is(client: Client, bob: User) -> None:
    device = _made(client, bob)
    stale = Client()
    stale.force_login(bob)
    stale.post("/accounts/confirm/passkey", {"credential": device.show(_options(stale, "confirm"))})
    assert stale.get("/accounts/account/app").status_code == 200


def test_an_answer_lets_in_once_though_its_cookie_is_sent_again(client: Client, bob: User) -> None:
    """The challenge of a visitor travels in a cookie: who has taken that and the answer down comes too late."""
    device = _made(client, bob)
    visitor, thief = Client(), Client()
    answer = device.show(_options(visitor, "sign-in"), steps=0)
    thief.cookies["session"] = visitor.cookies["session"].value
    visitor.post("/accounts/passkeys/sign-in", {"credential": answer})
    assert is_in(visitor)
    said = thief.post("/accounts/passkeys/sign-in", {"credential": answer}, follow=True).content.decode()
    assert "was answered already" in said
    assert not is_in(thief)


def test_a_switched_off_person_stays_out(client: Client, bob: User) -> None:
    device = _made(client, bob)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    visitor = Client()
    _shown(visitor, device)
    assert not is_in(visitor)


def test_options_are_not_for_strangers(db: None) -> None:
    for purpose in ("make", "confirm", "second"):
        assert Client().post(f"/accounts/passkeys/options/{purpose}").status_code == 403
    assert Client(enforce_csrf_checks=True).post("/accounts/passkeys/options/sign-in").status_code == 403


def test_at_another_address_the_page_says_where(client: Client, bob: User) -> None:
    page = client.get("/accounts/login", headers={"Host": "127.0.0.1"}).content.decode()
    assert "Passkeys work at http://localhost:8000" in page
    assert "data-passkey-go" not in page


@pytest.mark.parametrize("nest", ["[" * 20_000, '{"rawId":"AA","response":' + "[" * 15_000])
def test_a_deep_nest_is_refused_like_any_other_answer(client: Client, bob: User, nest: str) -> None:
    _options(client, "sign-in")
    assert client.post("/accounts/passkeys/sign-in", {"credential": nest}).headers["Location"] == "/accounts/login"
    log_in(client, bob)
    _options(client, "make")
    assert client.post("/accounts/account/passkeys", {"credential": nest}).status_code == 302
    assert not Passkey.objects.exists()


def test_a_credential_id_has_no_more_bytes_than_the_standard_allows(client: Client, bob: User) -> None:
    log_in(client, bob)
    for length, kept in ((1024, False), (1023, True)):
        device = Device()
        device.id = bytes(length)
        client.post("/accounts/account/passkeys", {"credential": device.make(_options(client, "make"))})
        assert Passkey.objects.exists() is kept


def test_odd_transports_are_left_out(client: Client, bob: User) -> None:
    log_in(client, bob)
    answer = json.loads(Device().make(_options(client, "make")))
    answer["response"]["transports"] = [{}, ["usb"], None, "usb"]
    assert client.post("/accounts/account/passkeys", {"credential": json.dumps(answer)}).status_code == 302
    assert Passkey.objects.get().transports == ["usb"]


def test_the_reason_of_a_refusal_is_storable(client: Client, bob: User) -> None:
    device = _made(client, bob)
    assert _shown(Client(), device, origin="http://else.example\x00\ud800").status_code == 302
    reason = AuditEvent.objects.get(verb="passkey.refused").data["reason"]
    assert "else.example" in reason
    assert not {"\x00", "\ud800"} & set(reason)
