"""An admin sets up a webhook, sees its secret, tries it and reads the log: with a mouse, on a phone, in the dark."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from jobs.models import Job
from jobs.running import run_job
from tests.browser.support import complaints, sideways, tab_to
from tests.outgoing.bad_server import answer, serving
from webhooks import outbox
from webhooks.models import Endpoint

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def _good(page: Page) -> None:
    """Nothing that axe minds, and nothing wider than the window, on a desk and on a phone."""
    assert complaints(page) == []
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})


def _deliver() -> None:
    run_job(Job.objects.get(key=outbox.KIND).pk, worker="browser")


def test_it_works(page: Page, live_server: Any, settings: Any) -> None:
    page.goto(f"{live_server.url}/accounts/team")
    page.get_by_role("link", name="Where events go").click()
    expect(page.get_by_text("No webhook yet")).to_be_visible()
    _good(page)
    page.get_by_label("Name").fill("Budget of the year")
    page.get_by_label("Address").fill("https://10.0.0.1/hook")
    page.get_by_role("button", name="Set up the webhook").click()
    expect(page.get_by_text("is not a public address")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Budget of the year")
    _good(page)
    settings.OUTGOING_LOOPBACK = True
    with serving(answer(500, b"<b>no</b>"), answer(200, b"thanks")) as receiver:
        page.get_by_label("Address").fill(receiver.url("/sextant"))
        button = page.get_by_role("button", name="Set up the webhook")
        tab_to(page, button)
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").locator("code")).to_contain_text("whsec_")
        _good(page)
        page.get_by_role("button", name="Send a test event").click()
        expect(page.get_by_role("heading", name="webhook.test")).to_be_visible()
        _deliver()
        page.reload()
        expect(page.get_by_text("The receiver answered 500.")).to_be_visible()
        page.get_by_text("What the receiver answered").click()
        expect(page.get_by_text("<b>no</b>")).to_be_visible()
        _good(page)
        page.get_by_role("button", name="Send now").click()
        _deliver()
        page.reload()
        expect(page.get_by_text("Attempt 2")).to_be_visible()
        page.get_by_role("link", name="Budget of the year").click()
        expect(page.get_by_role("cell", name="Delivered")).to_be_visible()
        page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("heading", name="This webhook is turned off")).to_be_visible()
    _good(page)
    page.get_by_role("link", name="Webhooks").first.click()
    expect(page.get_by_role("cell", name="Off", exact=True)).to_be_visible()
    _good(page)
    assert not Endpoint.objects.get().enabled
