"""Somebody who types fast: the caret stays, an overtaken answer never comes back, and a reader hears the settled number."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from engine.answer import Glance
from engine.inputs.finding import Typed, finding
from engine.inputs.spec import Spec
from planner.pages.form import live
from planner.presenters.badge import badge_of
from tests.browser.support import EXAMPLE, SERVING
from tests.exports.samples import serving_plan
from tests.planner.page_support import quick_engine, sample_glance

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]
SLOW = 16e9


def by_tokens(spec: Spec, market: Any, *, settle: bool = True, **_known: Any) -> Glance:
    """An answer that says what it is for; one of them takes its time."""
    tokens = spec.training.tokens if spec.training else 0.0
    if tokens == SLOW:
        time.sleep(1.0)
    return replace(
        sample_glance(spec, market, settle=settle), headline=finding("examples", shown=(Typed(f"{tokens:.0f} tokens"),))
    )


def test_typing_on_keeps_the_caret_and_drops_the_answer_that_was_overtaken(
    page: Page, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "first_look", by_tokens)
    page.goto(live_server.url + EXAMPLE)
    headline = page.locator(".live__headline")
    expect(headline).to_have_text("15000000000 tokens")
    field = page.get_by_label("Training tokens", exact=True)
    field.click()
    page.keyboard.press("ControlOrMeta+a")
    with page.expect_request("**/estimate/train"):
        page.keyboard.type("16B")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.type("0")
    expect(headline).to_have_text("106000000000 tokens")
    page.wait_for_timeout(1200)
    expect(headline).to_have_text("106000000000 tokens")
    expect(field).to_be_focused()
    assert field.evaluate("item => [item.value, item.selectionStart, item.selectionEnd]") == ["106B", 2, 2]
    said = page.locator("[data-said]")
    expect(said).to_have_text("106000000000 tokens")
    expect(said).to_have_attribute("role", "status")


def test_a_service_is_simulated_after_its_first_number_and_asked_once_for_each_change(
    page: Page, live_server: Any
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/estimate/" in request.url else None)
    page.goto(live_server.url + SERVING)
    # The badge is as sure as the plan is: which tone it has is the engine's affair.
    sure = badge_of(serving_plan().recommendation.recommended, serving_plan().spec)
    expect(page.locator("#live .live__kicker .chip")).to_have_text(sure.words)
    expect(page.locator("[data-unsettled]")).to_have_count(0)
    assert [url.rpartition("/")[2] for url in asked] == ["serve", "serve?settle=1"]
    field = page.get_by_label("Peak request rate", exact=True)
    with page.expect_response("**/estimate/serve?settle=1"):
        field.fill("41 rps")
    field.press("Tab")  # a change event, with nothing new in it
    page.wait_for_timeout(900)
    assert [url.rpartition("/")[2] for url in asked[2:]] == ["serve", "serve?settle=1"]
