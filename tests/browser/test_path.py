"""The page in a real Chromium: the first-time path, accessibility, narrow windows, no request to anybody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from planner.pages.accuracy import figures
from tests.browser.support import EXAMPLE, SERVING, complaints, saved_plan, sideways, tab_to
from tests.exports.samples import training_plan
from tests.planner.page_support import quick_engine
from tests.planner.test_accuracy import BODY

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]
TITLES = ("Word", "Excel", "PDF", "PowerPoint")
SUFFIXES = ["docx", "xlsx", "pdf", "pptx"]
MOST_STEPS = 12
"""Clicks and filled fields between the start page and the fourth file."""


@pytest.mark.usefixtures("rendered_at_once")
def test_from_a_preset_to_four_downloads(page: Page, live_server: Any) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    done: list[str] = []

    def press(role: Any, name: str) -> None:
        done.append(name)
        page.get_by_role(role, name=name).first.click()

    page.goto(live_server.url)
    press("link", "Llama 3.1 70B on 15 B tokens")
    expect(page.locator("#live .figure").first).to_be_visible()
    done.append("typing")
    page.get_by_label("Training tokens", exact=True).fill("20B")
    expect(page.locator("#live .figure").first).to_be_visible()
    press("button", "See the whole plan")
    press("button", "Save as plan")
    press("button", "Make all four")
    names = []
    for title in TITLES:
        with page.expect_download() as coming:
            press("link", f"Download {title}")
        names.append(coming.value.suggested_filename)
    assert [name.rpartition(".")[2] for name in names] == SUFFIXES
    assert len(done) <= MOST_STEPS, done
    assert complaints == []
    assert [url for url in asked if not url.startswith((live_server.url, "data:"))] == []


def test_the_estimate_follows_the_typing_and_faults_stand_at_their_field(page: Page, live_server: Any) -> None:
    page.goto(live_server.url + EXAMPLE)
    expect(page.locator("#live .figure").first).to_be_visible()
    page.get_by_label("Training tokens", exact=True).fill("15 bananas")
    error = page.locator("#f-training-tokens-e")
    expect(error).to_contain_text("is not a number of tokens")
    expect(page.get_by_label("Training tokens", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Training tokens", exact=True).fill("16B")
    expect(error).to_be_hidden()
    expect(page.locator("#live .figure").first).to_be_visible()


def test_what_was_typed_survives_leaving_the_page_and_comes_back_when_asked(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/train")
    page.get_by_label("Training tokens", exact=True).fill("123 B")
    page.get_by_label("Budget", exact=True).fill("$1.5M")
    page.wait_for_function("() => Object.values(localStorage).some(kept => kept.includes('$1.5M'))")
    page.goto(live_server.url)
    page.goto(f"{live_server.url}/new/train")
    expect(page.get_by_label("Training tokens", exact=True)).to_have_value("")
    offer = page.locator("[data-local]")
    expect(offer).to_contain_text("123 B")
    offer.get_by_role("button", name="Take it up").click()
    expect(offer).to_be_hidden()
    expect(page.get_by_label("Training tokens", exact=True)).to_have_value("123 B")
    expect(page.get_by_label("Budget", exact=True)).to_have_value("$1.5M")


def test_a_lost_connection_loses_nothing(page: Page, live_server: Any) -> None:
    page.goto(live_server.url + EXAMPLE)
    expect(page.locator("#live .figure").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_label("Training tokens", exact=True).fill("17B")
    expect(page.locator(".live__lost")).to_contain_text("kept in this browser")
    page.context.set_offline(False)
    expect(page.locator(".live__lost")).to_have_count(0)
    expect(page.locator("#live .figure").first).to_be_visible()
    expect(page.get_by_label("Training tokens", exact=True)).to_have_value("17B")


@pytest.mark.usefixtures("rendered_at_once")
def test_the_keyboard_alone_goes_from_preset_to_four_downloads(page: Page, live_server: Any) -> None:
    page.goto(live_server.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, page.get_by_role("link", name="Llama 3.1 70B on 15 B tokens"))
    page.keyboard.press("Enter")
    page.wait_for_url("**/new/train?example=*")
    field = page.get_by_label("Training tokens", exact=True)
    tab_to(page, field)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("20B")
    expect(page.locator("#live .figure").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Save as plan"))
    page.keyboard.press("Enter")
    every = page.get_by_role("button", name="Make all four")
    expect(every).to_be_visible()
    tab_to(page, every)
    page.keyboard.press("Enter")
    names = []
    for title in TITLES:
        link = page.get_by_role("link", name=f"Download {title}")
        expect(link).to_be_visible()
        tab_to(page, link)
        with page.expect_download() as coming:
            page.keyboard.press("Enter")
        names.append(coming.value.suggested_filename)
    assert [name.rpartition(".")[2] for name in names] == SUFFIXES


def found_on(page: Page, address: str) -> dict[str, Any]:
    """What axe complains about there, and where the page is wider than its window."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(address)
    page.wait_for_load_state("networkidle")
    found: dict[str, Any] = {address: complaints(page)}
    for width in (320, 1280, 3840):
        page.set_viewport_size({"width": width, "height": 900})
        found[f"{address} at {width} px"] = max(sideways(page), 0)
    return {key: items for key, items in found.items() if items}


@pytest.mark.parametrize(
    "address",
    [
        "/", EXAMPLE, SERVING, "/nowhere", "/accounts/teams", "/accounts/team", "/accuracy", "/backwards",
        "/catalog/?words=h100",
    ],
)  # fmt: skip
def test_a_page_is_accessible_and_never_scrolls_sideways(
    page: Page, live_server: Any, address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "accuracy.json").write_text(json.dumps(BODY))
    monkeypatch.setattr(figures, "FILE", tmp_path / "accuracy.json")
    assert found_on(page, live_server.url + address) == {}


def test_answer_and_plan_are_accessible_and_never_scroll_sideways(page: Page, live_server: Any) -> None:
    answer, plan = saved_plan(page, live_server.url)
    one, two, *_ = (quote(option.id) for option in training_plan().recommendation.alternatives)
    for address in (f"{answer}?pin={one}&pin={two}&all=1", f"{answer}/what-if?tokens=cats", plan):
        assert found_on(page, address) == {}


def test_targets_are_large_enough(page: Page, live_server: Any) -> None:
    """WCAG 2.5.8: 24 px at least, save for links inside a sentence or a chart."""
    answer, plan = saved_plan(page, live_server.url)
    script = """() => [...document.querySelectorAll('button, input:not([type=hidden]), select, summary, .button')]
      .filter(item => item.offsetParent !== null)
      .map(item => [item.outerHTML.slice(0, 90), item.getBoundingClientRect()])
      .filter(([, box]) => box.width < 24 || box.height < 24).map(([html]) => html)"""
    for address in (live_server.url + EXAMPLE, answer, plan):
        page.goto(address)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(script) == [], address


def test_the_theme_is_kept(page: Page, live_server: Any) -> None:
    page.goto(live_server.url)
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Change between light and dark").click()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert light != dark
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_scripts_are_small(page: Page, live_server: Any) -> None:
    sizes: dict[str, int] = {}
    page.on(
        "response",
        lambda answer: sizes.update({answer.url: len(answer.body())}) if answer.url.endswith(".js") else None,
    )
    page.goto(live_server.url + EXAMPLE)
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes.values()) < 150_000, sizes
