"""Signing in with a real browser: a virtual authenticator for passkeys, every screen for axe, narrow and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import oidc_provider_mock
import pytest
from django.core import mail
from playwright.sync_api import Browser, Page, expect

from accounts import invitations
from accounts.models import Passkey, Role
from tests.accounts.sign_in_support import PASSWORD, code_of, link_in, with_password
from tests.browser.support import PATIENCE_MS, complaints, sideways, tab_to
from tests.conftest import People

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def visitor(chromium: Browser, live_server: Any, people: People, settings: Any) -> Iterator[Page]:
    """A window of somebody who is not signed in, at the address that the settings name; its policy must hold."""
    settings.SITE_URL = live_server.url
    with_password(people.alice)
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, base_url=live_server.url)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.told = []  # type: ignore[attr-defined]
    page.on("console", lambda message: page.told.append(message.text) if message.type == "error" else None)  # type: ignore[attr-defined]
    yield page
    assert [text for text in page.told if "Content Security Policy" in text] == []  # type: ignore[attr-defined]
    context.close()


def _authenticator(page: Page) -> tuple[Any, str]:
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    made = devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return devtools, made["authenticatorId"]


def _log_in(page: Page, email: str) -> None:
    page.goto("/accounts/login")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()


def _looked_at(page: Page) -> None:
    assert complaints(page) == [], page.url
    page.set_viewport_size({"width": 320, "height": 800})
    assert sideways(page) <= 0, page.url
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


def test_a_passkey_is_made_and_lets_in(visitor: Page, people: People) -> None:
    devtools, authenticator = _authenticator(visitor)
    _log_in(visitor, people.alice.email)
    visitor.goto("/accounts/account")
    visitor.get_by_label("Name", exact=True).last.fill("This laptop")
    visitor.get_by_role("button", name="Add a passkey").click()
    expect(visitor.get_by_role("heading", name="This laptop")).to_be_visible()
    assert Passkey.objects.get().user == people.alice
    _looked_at(visitor)
    visitor.get_by_role("button", name="Log out").click()

    visitor.goto("/accounts/login?next=/accounts/account")
    button = visitor.get_by_role("button", name="Use a passkey")
    tab_to(visitor, button)
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Your account")).to_be_visible()
    visitor.get_by_role("button", name="Log out").click()

    _log_in(visitor, people.alice.email)
    expect(visitor.get_by_role("heading", name="Second step")).to_be_visible()
    _looked_at(visitor)
    visitor.get_by_role("button", name="Use a passkey").click()
    expect(visitor.get_by_role("button", name="Log out")).to_be_visible()
    visitor.get_by_role("button", name="Log out").click()

    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": authenticator, "isUserVerified": False})
    visitor.goto("/accounts/login")
    visitor.get_by_role("button", name="Use a passkey").click()
    expect(visitor.get_by_text("It was cancelled, or took too long.")).to_be_visible()


def test_an_app_is_set_up_with_the_keyboard_and_asked_for(visitor: Page, people: People) -> None:
    _log_in(visitor, people.alice.email)
    visitor.goto("/accounts/account/app")
    _looked_at(visitor)
    shown = visitor.locator(".secret code").inner_text()
    secret = re.sub(r"\s", "", shown)
    tab_to(visitor, visitor.get_by_label("Six digits"))
    visitor.keyboard.type(code_of(secret))
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("heading", name="Recovery codes")).to_be_visible()
    _looked_at(visitor)
    codes = visitor.locator(".codes code").all_inner_texts()
    assert len(codes) == 10
    visitor.get_by_role("link", name="I have kept them").click()
    visitor.get_by_role("link", name="Turn off the authenticator app").click()
    expect(visitor.get_by_role("heading", name="Turn off the authenticator app")).to_be_visible()
    _looked_at(visitor)
    visitor.goto("/accounts/team")
    visitor.get_by_role("button", name=re.compile("Require it")).click()
    expect(visitor.get_by_text("The team now asks for a second factor.")).to_be_visible()
    _looked_at(visitor)
    visitor.get_by_role("button", name="Log out").click()

    _log_in(visitor, people.alice.email)
    visitor.get_by_label("Code from your authenticator app, or a recovery code").fill(codes[0])
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_text("That recovery code is used up; 9 are left.")).to_be_visible()

    with_password(people.bob)
    visitor.get_by_role("button", name="Log out").click()
    _log_in(visitor, people.bob.email)
    expect(visitor.get_by_role("heading", name="Your team asks for a second factor")).to_be_visible()
    _looked_at(visitor)


def test_the_links_of_mails_lead_somewhere_good(visitor: Page, people: People, rendered_at_once: None) -> None:
    visitor.goto("/accounts/login")
    _looked_at(visitor)
    visitor.get_by_role("link", name="Forgotten your password?").click()
    expect(visitor.get_by_role("heading", name="Forgotten your password?")).to_be_visible()
    _looked_at(visitor)
    visitor.get_by_label("E-mail address").fill(people.alice.email)
    visitor.get_by_role("button", name="Send me a link").click()
    expect(visitor.get_by_role("heading", name="Look into your mailbox")).to_be_visible()
    _looked_at(visitor)
    visitor.goto(link_in(mail.outbox[-1]))
    assert visitor.url.endswith("/new")
    _looked_at(visitor)
    visitor.get_by_label("New password").fill("short")
    visitor.get_by_label("The same once more").fill("a much longer phrase")
    visitor.goto("/accounts/reset/x/y")
    expect(visitor.get_by_role("heading", name="This link is not valid any more")).to_be_visible()
    _looked_at(visitor)

    invitations.invite(people.team, "dora@north.example", role=Role.PLANNER, actor=people.alice)
    visitor.goto(link_in(mail.outbox[-1]))
    assert visitor.url.endswith("/accounts/invitation")
    _looked_at(visitor)
    visitor.get_by_label("Your name").fill("Dora Diaz")
    visitor.get_by_label("New password").fill("four quiet harbours")
    visitor.get_by_label("The same once more").fill("four quiet harbours")
    visitor.get_by_role("button", name="Open my account").click()
    expect(visitor.get_by_role("link", name="North")).to_be_visible()
    visitor.goto("/accounts/account/password")
    _looked_at(visitor)
    visitor.goto("/accounts/confirm")
    _looked_at(visitor)


def test_single_sign_on_leads_there_and_back(visitor: Page, people: People, settings: Any) -> None:
    claims = {"email": people.alice.email, "email_verified": True}
    known = oidc_provider_mock.User(sub="a-1", claims=claims)
    with oidc_provider_mock.run_server_in_thread(user_claims=[known]) as server:
        settings.OUTGOING_LOOPBACK = True
        settings.OIDC_ISSUER = f"http://localhost:{server.server_port}"
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET, settings.OIDC_NAME = "sextant", "s", "North login"
        visitor.goto("/accounts/login?next=/accounts/account")
        _looked_at(visitor)
        visitor.get_by_role("link", name="Continue with North login").click()
        visitor.get_by_role("button", name="a-1").click()
        expect(visitor.get_by_role("heading", name="Connect your account")).to_be_visible()
        _looked_at(visitor)
        visitor.get_by_label("Password").fill(PASSWORD)
        visitor.keyboard.press("Enter")
        expect(visitor.get_by_role("heading", name="Single sign-on")).to_be_visible()
        visitor.get_by_role("button", name="Disconnect").click()
        visitor.get_by_role("link", name="Connect", exact=True).click()
        visitor.get_by_role("button", name="a-1").first.click()
        expect(visitor.get_by_text("Single sign-on is connected.")).to_be_visible()
        _looked_at(visitor)
        visitor.get_by_role("button", name="Log out").click()
        expect(visitor.get_by_role("heading", name="You are logged out")).to_be_visible()
        _looked_at(visitor)
        visitor.get_by_role("link", name="Log out there too").click()
        expect(visitor).to_have_url(re.compile("^" + re.escape(settings.OIDC_ISSUER)))


def test_without_scripts_the_page_says_what_to_do(
    chromium: Browser, live_server: Any, people: People, settings: Any
) -> None:
    settings.SITE_URL = live_server.url
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{live_server.url}/accounts/login")
    assert "A passkey needs JavaScript in your browser" in page.content()
    assert page.get_by_role("button", name="Use a passkey").count() == 0
    context.close()
