"""What a form sent is back in its fields when it was not taken, also by way of the page that asks who one is."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts import signin
from tests.accounts.sign_in_support import PASSWORD, with_password
from tests.browser.support import SERVING, Session, log_in, session_of
from tests.conftest import People

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_a_budget_that_is_refused_stays_typed_and_one_that_is_taken_does_not(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/portfolio")
    page.get_by_label("Year", exact=True).fill("2027")
    page.get_by_label("Budget", exact=True).fill("three cats")
    page.get_by_role("button", name="Set").click()
    expect(page.locator(".message--error")).to_be_visible()
    expect(page.get_by_label("Year", exact=True)).to_have_value("2027")
    expect(page.get_by_label("Budget", exact=True)).to_have_value("three cats")
    page.get_by_label("Budget", exact=True).fill("3 M")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_text("The budget of 2027 is set.")).to_be_visible()
    expect(page.get_by_label("Budget", exact=True)).to_have_value("")


def _invited(page: Page, base: str, email: str) -> None:
    page.goto(f"{base}/accounts/team")
    page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true })")
    form = page.locator("form").filter(has=page.locator("#email"))
    form.locator("#email").fill(email)
    form.locator("#new-role").select_option("finance")
    form.get_by_role("button").click()
    page.wait_for_load_state("load")


def test_an_invitation_that_waits_for_a_proof_is_still_typed(
    page: Page, people: People, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_password(people.alice)
    log_in(page.context, session_of(people.alice, live_server.url))  # a password ends the sessions before it
    monkeypatch.setattr(signin, "FRESH_S", -1)
    _invited(page, live_server.url, "nina@north.example")
    page.wait_for_url("**/accounts/confirm*")
    monkeypatch.setattr(signin, "FRESH_S", 900)
    page.locator("input[type=password]").fill("not this one")
    page.locator("form[data-proof] button[type=submit]").click()
    page.locator("input[type=password]").fill(PASSWORD)
    page.locator("form[data-proof] button[type=submit]").click()
    page.wait_for_url("**/accounts/team")
    expect(page.locator("#email")).to_have_value("nina@north.example")
    expect(page.locator("#new-role")).to_have_value("finance")
    assert PASSWORD not in page.evaluate("JSON.stringify(sessionStorage) + JSON.stringify(localStorage)")


def test_a_fresh_form_blames_nobody(page: Page, session: Session, live_server: Any) -> None:
    """What has only not been said yet is a list of what to fill in, and no field turns red."""
    for kind in ("train", "finetune", "serve"):
        page.goto(f"{live_server.url}/new/{kind}")
        expect(page.locator("#live")).to_contain_text("Still to fill in")
        page.get_by_label("Model", exact=True).fill("llama 3.1 8b")
        page.keyboard.press("Enter")
        expect(page.locator("#live a").first).not_to_have_text("Model")
        assert page.locator(".field--bad").count() == 0
    page.goto(live_server.url + SERVING)
    page.get_by_label("Peak request rate").fill("many")
    expect(page.locator("#live")).to_contain_text("is missing or unclear")
    assert page.locator(".field--bad").count() == 1
