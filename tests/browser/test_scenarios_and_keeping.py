"""Scenarios from a what-if to the next version, the portfolio, and autosave in two windows, in a real Chromium."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from planner.models import KeptForm, PlanVersion, Workload
from tests.browser.support import log_in, saved_plan, session_of, unfold
from tests.browser.test_path import found_on
from tests.conftest import People
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]
TOKENS = "Training tokens"


def test_a_moved_value_becomes_a_scenario_and_the_next_version_on_purpose(page: Page, live_server: Any) -> None:
    _, plan = saved_plan(page, live_server.url)
    unfold(page, "what-if")
    page.get_by_label(TOKENS, exact=True).first.fill("30B")
    page.get_by_role("button", name="Save as scenario").click()
    expect(page.get_by_role("heading", name="Keep these values")).to_be_visible()
    assert found_on(page, page.url) == {}
    page.get_by_label("Name").fill("Twice the data")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Kept as “Twice the data”")).to_be_visible()
    expect(page.get_by_role("cell", name="differs: 30 B tokens")).to_be_visible()
    assert PlanVersion.objects.count() == 1
    assert found_on(page, f"{plan}/scenarios") == {}
    assert found_on(page, f"{live_server.url}/portfolio") == {}
    page.goto(f"{plan}/scenarios")
    page.get_by_text("Rename, take over, delete").click()
    page.get_by_role("button", name="Make it the next version").click()
    expect(page.get_by_text("is version 2 now")).to_be_visible()


def test_trying_a_later_start_redraws_the_portfolio_without_a_new_page(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    page.goto(f"{live_server.url}/portfolio")
    page.evaluate("window.stays = true")
    page.get_by_label(re.compile("^Weeks later")).fill("6")
    page.keyboard.press("Tab")
    expect(page.get_by_text("With what you try above")).to_be_visible()
    assert page.evaluate("window.stays") is True


def test_two_windows_keep_what_each_types_and_say_so(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/train")
    page.get_by_label(TOKENS, exact=True).fill("11B")
    expect(page.get_by_text(re.compile(r"Kept at \d\d:\d\d"))).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{live_server.url}/new/train?example=llama-70b-15b")
    expect(page.get_by_text("open in another window too")).to_be_visible()
    other.get_by_label(TOKENS, exact=True).fill("22B")
    expect(other.get_by_text("open in another window too")).to_be_visible()
    expect(other.get_by_text(re.compile(r"Kept at \d\d:\d\d"))).to_be_visible()
    assert sorted(row.typed["training.tokens"] for row in KeptForm.objects.all()) == ["11B", "22B"]
    page.close()
    third = other.context.new_page()
    third.goto(f"{live_server.url}/new/train?example=small-from-scratch")
    third.get_by_role("listitem").filter(has_text="11B").get_by_role("link", name="Take it up").click()
    expect(third.get_by_label(TOKENS, exact=True)).to_have_value("11B")
    other.context.clear_cookies()
    other.get_by_label(TOKENS, exact=True).fill("23B")
    expect(other.get_by_text("Your login has ended")).to_be_visible()
    expect(other.get_by_label(TOKENS, exact=True)).to_have_value("23B")


def test_after_a_login_in_another_window_the_open_form_can_be_sent(
    page: Page, live_server: Any, people: People
) -> None:
    page.goto(f"{live_server.url}/new/train?example=llama-70b-15b")
    page.context.clear_cookies()
    page.get_by_label(TOKENS, exact=True).fill("24B")
    expect(page.get_by_text("Your login has ended")).to_be_visible()
    log_in(page.context, session_of(people.alice, live_server.url))
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.get_by_text(re.compile(r"Kept at \d\d:\d\d"))).to_be_visible()
    page.get_by_role("button", name="See the whole plan").first.click()
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()
    assert Workload.objects.get().draft["training"]["tokens"] == "24B"


def test_a_comment_outlives_a_login_that_ended(page: Page, live_server: Any, people: People) -> None:
    _, plan = saved_plan(page, live_server.url)
    unfold(page, "comments")
    page.get_by_label("Comment", exact=True).fill("Why so many?")
    page.wait_for_load_state("networkidle")  # an answer still on its way would bring a key again
    page.context.clear_cookies()
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.get_by_role("heading", name="Please send it again")).to_be_visible()
    log_in(page.context, session_of(people.alice, live_server.url))
    page.get_by_role("link", name="Open the page anew").click()
    page.wait_for_url(plan)
    expect(page.get_by_label("Comment", exact=True)).to_have_value("Why so many?")
    page.get_by_role("button", name="Comment", exact=True).click()
    expect(page.locator(".remark").get_by_text("Why so many?")).to_be_visible()
    expect(page.get_by_label("Comment", exact=True)).to_have_value("")
