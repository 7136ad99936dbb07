"""Single sign-on: the way through an honest provider, and everything that a dishonest answer is refused for."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import oidc_provider_mock
import pytest
import requests
from django.core.checks import run_checks
from django.test import Client
from joserfc.jwk import RSAKey

from accounts import invitations, signin, sso
from accounts.models import AuditEvent, Identity, Membership, User
from tests.accounts.provider import CLIENT_ID, Provider, running, signed_by_public_key, unsigned
from tests.accounts.sign_in_support import PASSWORD, code_of, is_in, sent_letters, with_app, with_password
from tests.conftest import People


@pytest.fixture(scope="module")
def _listening() -> Iterator[Provider]:
    with running() as found:
        yield found


@pytest.fixture
def provider(_listening: Provider, settings: Any) -> Provider:
    fresh = Provider()
    fresh.own_key, fresh.issuer = _listening.own_key, _listening.issuer
    fresh.key = fresh.own_key
    _listening.__dict__.update(fresh.__dict__)
    _settings(settings, _listening.issuer)
    return _listening


def _settings(settings: Any, issuer: str) -> None:
    settings.OUTGOING_LOOPBACK = True
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = issuer, CLIENT_ID, "s3cret"
    settings.OIDC_NAME, settings.OIDC_DOMAINS = "North login", ["north.example"]


@pytest.fixture
def dora(people: People) -> User:
    """A member whose account was made by the operator: no password yet."""
    user = User.objects.create_user("dora@north.example", name="Dora")
    Membership.objects.create(team=people.team, user=user, role="planner")
    return user


def _through(client: Client, provider: Provider, start: str = "/accounts/sso") -> Any:
    """There and back; the answer of our own page at the end."""
    sent = client.get(start)
    assert sent.status_code == 302, sent.content
    assert sent.headers["Location"].startswith(f"{provider.issuer}/authorization_endpoint?")
    return client.get("/accounts/sso/callback?" + provider.send_back(sent.headers["Location"]))


def _connecting(client: Client) -> str:
    """The link on the account page."""
    found = re.search(r'href="(/accounts/sso/connect\?key=\w+)"', client.get("/accounts/account").content.decode())
    if found is None:  # connected already: what the link was
        request = client.get("/accounts/account").wsgi_request
        return f"/accounts/sso/connect?key={signin.key_for(request, 'connect')}"
    return found[1]


def _said(client: Client, answer: Any) -> str:
    return str(client.get(answer.headers["Location"], follow=True).content.decode())


def test_an_honest_provider_lets_a_known_person_in(client: Client, settings: Any, dora: User) -> None:
    user = oidc_provider_mock.User(sub="d-7", claims={"email": dora.email, "email_verified": True, "name": "Dora"})
    with oidc_provider_mock.run_server_in_thread(user_claims=[user], require_nonce=True) as server:
        _settings(settings, f"http://localhost:{server.server_port}")
        assert "Continue with North login" in client.get("/accounts/login").content.decode()
        sent = client.get("/accounts/sso?next=/accounts/account")
        agreed = requests.post(sent.headers["Location"], data={"sub": "d-7"}, allow_redirects=False, timeout=10)
        back = agreed.headers["Location"]
        assert back.startswith(settings.SITE_URL + "/accounts/sso/callback?")
        landed = client.get(back.removeprefix(settings.SITE_URL))
        assert landed.headers["Location"] == "/accounts/account"
        assert is_in(client)
        assert Identity.objects.get(user=dora).subject == "d-7"
        assert AuditEvent.objects.filter(verb="user.logged_in").get().data["how"] == "single sign-on"
        page = client.post("/accounts/logout").content.decode()
        assert "/oauth2/end_session?client_id=sextant" in page
        assert not is_in(client)
        assert client.get(back.removeprefix(settings.SITE_URL)).headers["Location"] == "/accounts/login"  # once only


def test_what_is_asked_and_exchanged(client: Client, provider: Provider, dora: User) -> None:
    _through(client, provider)
    assert is_in(client)
    assert provider.verified_pkce()
    assert provider.asked["scope"] == "openid email profile"
    assert len(provider.asked["state"]) >= 20
    assert len(provider.asked["nonce"]) >= 20
    assert provider.exchanged["code"] == "the-code"
    assert provider.exchanged["authorization"].startswith("Basic ")
    assert "s3cret" not in str(provider.asked)


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "somebody-else"},
        {"aud": [CLIENT_ID, "somebody-else"], "azp": "somebody-else"},
        {"aud": "somebody-else", "azp": CLIENT_ID},
        {"aud": None},
        {"iss": "https://evil.example"},
        {"iss": None},
        {"exp": "now-120", "iat": "now-500"},
        {"exp": None},
        {"nbf": "now+3600"},
        {"sub": None},
        {"sub": ""},
        {"sub": 7},
        {"sub": "x" * 256},
        {"sub": "a\x00b"},
        {"email": "a\x00b@north.example"},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email_verified": None},
        {"email": None},
        {"email": "dora@evil.example"},
        {"email": "dora@north.example.evil.example"},
        {"email": "dora@sub.north.example"},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    client: Client, provider: Provider, dora: User, claims: dict[str, Any]
) -> None:
    provider.claims = claims
    answer = _through(client, provider)
    assert answer.headers["Location"] == "/accounts/login"
    assert not is_in(client)
    assert not Identity.objects.exists()


@pytest.mark.parametrize("attack", ["none", "none with a valid body", "shared secret", "another key", "no kid", "text"])
def test_a_token_that_the_provider_did_not_sign_is_refused(
    client: Client, provider: Provider, dora: User, attack: str
) -> None:
    sent = client.get("/accounts/sso")
    back = provider.send_back(sent.headers["Location"])
    now = int(time.time())
    whole = {
        "iss": provider.issuer, "aud": CLIENT_ID, "sub": "u-1", "iat": now, "exp": now + 300,
        "nonce": provider.asked["nonce"], "email": dora.email, "email_verified": True,
    }  # fmt: skip
    if attack == "none":
        provider.raw_token = unsigned({})
    elif attack == "none with a valid body":
        provider.raw_token = unsigned(whole)
    elif attack == "shared secret":
        provider.raw_token = signed_by_public_key(provider, whole)
    elif attack == "another key":
        provider.key = RSAKey.generate_key(2048, {"kid": "k1"})
    elif attack == "no kid":
        provider.key, provider.header = RSAKey.generate_key(2048), {"alg": "RS256"}
    else:
        provider.raw_token = "hello"
    assert client.get("/accounts/sso/callback?" + back).headers["Location"] == "/accounts/login"
    assert not is_in(client)


def test_the_same_provider_with_nothing_odd_is_taken(client: Client, provider: Provider, dora: User) -> None:
    """The refusals above mean something: without the oddity the way is open."""
    provider.claims = {"aud": [CLIENT_ID, "another"], "azp": CLIENT_ID, "amr": ["pwd"]}
    assert _through(client, provider).headers["Location"] == "/"
    assert is_in(client)


@pytest.mark.parametrize(
    "answer",
    [{"state": "another"}, {"state": ""}, {"iss": "https://evil.example"}, {"error": "access_denied"}],
    ids=str,
)
def test_an_answer_that_was_not_asked_for_is_refused(
    client: Client, provider: Provider, dora: User, answer: dict[str, str]
) -> None:
    provider.answer = answer
    assert _through(client, provider).headers["Location"] == "/accounts/login"
    assert not is_in(client)
    assert not provider.exchanged  # the code was never shown


def test_an_answer_serves_once(client: Client, provider: Provider, dora: User) -> None:
    back = provider.send_back(client.get("/accounts/sso").headers["Location"])
    client.get("/accounts/sso/callback?" + back)
    assert is_in(client)
    provider.exchanged = {}
    assert client.get("/accounts/sso/callback?" + back).headers["Location"] == "/accounts/login"
    assert not provider.exchanged


def test_an_answer_in_another_browser_or_too_late_is_refused(
    client: Client, provider: Provider, dora: User, monkeypatch: Any
) -> None:
    back = provider.send_back(client.get("/accounts/sso").headers["Location"])
    victim = Client()
    assert victim.get("/accounts/sso/callback?" + back).headers["Location"] == "/accounts/login"
    assert not is_in(victim)
    later = time.time() + 601
    monkeypatch.setattr("accounts.sso.time.time", lambda: later)
    assert client.get("/accounts/sso/callback?" + back).headers["Location"] == "/accounts/login"
    assert not is_in(client)


@pytest.mark.parametrize(
    "about", [{"issuer": "https://evil.example"}, {"token_endpoint": None}, {"jwks_uri": 7}], ids=str
)
def test_a_description_of_another_provider_is_refused(
    client: Client, provider: Provider, dora: User, about: dict[str, Any]
) -> None:
    provider.about = about
    assert client.get("/accounts/sso").headers["Location"] == "/accounts/login"


def test_the_guarded_client_asks_for_everything(client: Client, provider: Provider, dora: User, settings: Any) -> None:
    """A provider that points to an address inside is not followed there."""
    settings.OUTGOING_LOOPBACK = False
    assert client.get("/accounts/sso").headers["Location"] == "/accounts/login"
    settings.OUTGOING_LOOPBACK = True
    provider.about = {"token_endpoint": "http://169.254.169.254/latest/meta-data"}
    assert _through(client, provider).headers["Location"] == "/accounts/login"
    provider.about = {"jwks_uri": "http://169.254.169.254/keys"}
    assert _through(client, provider).headers["Location"] == "/accounts/login"
    assert not is_in(client)


def test_an_account_with_a_password_is_connected_by_that_password_only(
    client: Client, provider: Provider, dora: User
) -> None:
    with_password(dora)
    asked = _through(client, provider)
    assert asked.headers["Location"] == "/accounts/sso/link"
    assert not is_in(client)
    assert client.post("/accounts/sso/link", {"password": "wrong"}).status_code == 422
    assert not Identity.objects.exists()
    client.post("/accounts/sso/link", {"password": PASSWORD})
    assert is_in(client)
    assert any("single sign-on" in str(letter.body) for letter in sent_letters())
    again = Client()
    assert _through(again, provider).headers["Location"] == "/"
    assert is_in(again)
    assert Client().post("/accounts/sso/link", {"password": PASSWORD}).headers["Location"] == "/accounts/login"


def test_an_address_that_moved_to_somebody_else_changes_nothing(
    client: Client, provider: Provider, dora: User, people: People
) -> None:
    _through(client, provider)
    provider.claims = {"sub": "u-2"}  # another person of the provider, now with Dora's address
    visitor = Client()
    assert "signs in another way" in _said(visitor, _through(visitor, provider))
    provider.claims = {"email": "dora.married@north.example"}  # the same person with a new address
    assert _through(visitor, provider).headers["Location"] == "/"
    assert visitor.session["_auth_user_id"] == str(dora.pk)
    dora.refresh_from_db()
    assert dora.email == "dora@north.example"


def test_a_second_factor_of_ours_is_asked_for_unless_the_provider_did(
    client: Client, provider: Provider, dora: User, settings: Any
) -> None:
    _through(client, provider)
    secret = with_app(dora)
    again = Client()
    assert _through(again, provider).headers["Location"] == "/accounts/second"
    assert not is_in(again)
    again.post("/accounts/second", {"code": code_of(secret)})
    assert is_in(again)
    provider.claims = {"amr": ["pwd", "mfa"]}
    _through(strong := Client(), provider)
    assert strong.session["strong"] is True
    provider.claims, settings.OIDC_SECOND_FACTOR = {}, True
    _through(trusted := Client(), provider)
    assert trusted.session["strong"] is True


def test_newcomers_need_a_place(client: Client, provider: Provider, people: People, settings: Any) -> None:
    assert "ask an admin of your team to invite you" in _said(client, _through(client, provider))
    assert not User.objects.filter(email="dora@north.example").exists()
    invitations.invite(people.team, "dora@north.example", role="finance", actor=people.alice)
    _through(client, provider)
    assert Membership.objects.get(user__email="dora@north.example").role == "finance"
    provider.claims = {"sub": "u-9", "email": "emil@north.example"}
    settings.OIDC_TEAM, settings.OIDC_ROLE = "north", "planner"
    _through(emil := Client(), provider)
    member = Membership.objects.get(user__email="emil@north.example")
    assert (member.team, member.role, is_in(emil)) == (people.team, "planner", True)


def test_somebody_signed_in_connects_and_disconnects(client: Client, provider: Provider, people: People) -> None:
    bob = with_password(people.bob)
    client.force_login(bob)
    assert client.get("/accounts/sso/connect").headers["Location"] == "/accounts/account"  # not from our page
    assert client.get(_connecting(client)).headers["Location"].startswith("/accounts/confirm")
    client.post("/accounts/confirm", {"password": PASSWORD})
    assert _through(client, provider, _connecting(client)).headers["Location"] == "/accounts/account"
    row = Identity.objects.get(user=bob)
    assert provider.issuer in client.get("/accounts/account").content.decode()

    charlie = Client()
    charlie.force_login(with_password(people.charlie))
    charlie.post("/accounts/confirm", {"password": PASSWORD})
    assert charlie.get(_connecting(client)).headers["Location"] == "/accounts/account"
    assert "connected to another account" in _said(charlie, _through(charlie, provider, _connecting(charlie)))
    assert charlie.post(f"/accounts/account/identities/{row.public_id}/remove").status_code == 404

    client.post(f"/accounts/account/identities/{row.public_id}/remove")
    assert not Identity.objects.exists()


def test_the_only_way_in_is_kept(client: Client, provider: Provider, dora: User) -> None:
    _through(client, provider)
    row = Identity.objects.get()
    client.post(f"/accounts/account/identities/{row.public_id}/remove")
    assert Identity.objects.exists()


def test_who_has_no_password_gets_no_link_to_one(client: Client, provider: Provider, dora: User) -> None:
    _through(client, provider)
    client.post("/accounts/forgotten", {"email": dora.email})
    assert "you sign in by North login" in str(sent_letters()[-1].body)
    assert "/accounts/reset/" not in str(sent_letters()[-1].body)


def test_a_switched_off_account_stays_out(client: Client, provider: Provider, dora: User) -> None:
    _through(client, provider)
    User.objects.filter(pk=dora.pk).update(is_active=False)
    again = Client()
    assert "switched off" in _said(again, _through(again, provider))
    assert not is_in(again)


def test_an_address_that_only_the_user_info_tells(client: Client, provider: Provider, dora: User) -> None:
    provider.claims = {"email": None, "email_verified": None}
    provider.user_info = {"sub": "u-2", "email": dora.email, "email_verified": True}
    assert _through(client, provider).headers["Location"] == "/accounts/login"
    provider.user_info = {**provider.user_info, "sub": "u-1"}
    _through(client, provider)
    assert is_in(client)


def test_without_the_libraries_there_is_no_button_and_a_warning(
    client: Client, provider: Provider, monkeypatch: Any, db: None
) -> None:
    assert sso.check_installed() == []
    monkeypatch.setattr(sso, "find_spec", lambda _name: None)
    assert "North login" not in client.get("/accounts/login").content.decode()
    assert client.get("/accounts/sso").status_code == 404
    (warning,) = [found for found in run_checks() if found.id == "accounts.W001"]
    assert "pip install 'sextant[sso]'" in str(warning.hint)


def test_without_a_provider_there_is_no_way_to_one(client: Client, db: None) -> None:
    for path in ("/accounts/sso", "/accounts/sso/callback"):
        assert client.get(path).status_code == 404
