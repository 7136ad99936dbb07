"""The finance path in a real Chromium: mail link, what changed, a comment, approval, the workbook; mouse and keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core import mail
from playwright.sync_api import Browser, Page, expect

from accounts.models import Role
from planner.models import PlanComment, PlanVersion
from tests.browser.support import EXAMPLE, complaints, open_context, saved_plan, session_of, sideways, tab_to, unfold
from tests.conftest import People, make_member
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine", "rendered_at_once"),
]


@pytest.fixture
def reviewer(chromium: Browser, people: People, live_server: Any, settings: Any) -> Any:
    """A finance reviewer who may approve, in a window of her own."""
    settings.SITE_URL = live_server.url
    fay = make_member(people.team, "Fay", Role.APPROVER)
    context = open_context(
        chromium, session_of(fay.user, live_server.url), viewport={"width": 1280, "height": 900}, accept_downloads=True
    )
    yield context.new_page()
    context.close()


def second_version_submitted(page: Page, base: str) -> None:
    """An engineer saves a plan, changes the tokens, saves again and asks for approval."""
    answer, _ = saved_plan(page, base)
    page.goto(f"{answer}/edit")
    page.get_by_label("Training tokens", exact=True).fill("20B")
    page.get_by_role("button", name="See the whole plan").first.click()
    page.get_by_role("button", name="Save as plan").click()
    page.get_by_role("button", name="Ask for approval").click()
    expect(page.get_by_text("Sent for approval.")).to_be_visible()


def mailed_link() -> str:
    (message,) = mail.outbox
    found = re.search(r"http\S+", message.body)
    assert found is not None
    return found[0]


def test_from_the_mail_to_the_approved_workbook(page: Page, reviewer: Page, live_server: Any) -> None:
    second_version_submitted(page, live_server.url)
    reviewer.goto(mailed_link())
    changes = reviewer.get_by_role("group", name="Changed since version 1")
    expect(changes).to_contain_text("20 B")
    reviewer.get_by_role("link", name="Comment on Total cost").click()
    expect(reviewer.get_by_label("About", exact=True)).to_have_value("figure.cost")
    reviewer.keyboard.type("Does this include storage?")
    reviewer.get_by_role("button", name="Comment", exact=True).click()
    expect(reviewer.locator(".remark")).to_contain_text("Total cost")
    reviewer.get_by_role("button", name="Approve").click()
    expect(reviewer.get_by_text("Approved. This version is signed.")).to_be_visible()
    reviewer.get_by_role("button", name="Make Excel").click()
    with reviewer.expect_download() as coming:
        reviewer.get_by_role("link", name="Download Excel").click()
    assert coming.value.suggested_filename.endswith("v2.xlsx")
    assert PlanVersion.objects.get(number=2).state == "approved"
    assert PlanComment.objects.get().pointer == "figure.cost"


def test_the_same_with_the_keyboard_alone(page: Page, reviewer: Page, live_server: Any) -> None:
    second_version_submitted(page, live_server.url)
    reviewer.goto(mailed_link())
    tab_to(reviewer, reviewer.get_by_role("link", name="Comment on Total cost"))
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_label("Comment", exact=True)).to_be_focused()
    reviewer.keyboard.type("Fine with me.")
    reviewer.keyboard.press("Tab")
    reviewer.keyboard.press("Enter")
    expect(reviewer.locator(".remark")).to_contain_text("Fine with me.")
    tab_to(reviewer, reviewer.get_by_label("Reason"))
    reviewer.keyboard.type("Within the budget.")
    tab_to(reviewer, reviewer.get_by_role("button", name="Approve"))
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_text("Approved. This version is signed.")).to_be_visible()
    tab_to(reviewer, reviewer.get_by_role("button", name="Make Excel"))
    reviewer.keyboard.press("Enter")
    link = reviewer.get_by_role("link", name="Download Excel")
    expect(link).to_be_visible()
    tab_to(reviewer, link)
    with reviewer.expect_download() as coming:
        reviewer.keyboard.press("Enter")
    assert coming.value.suggested_filename.endswith(".xlsx")


def test_a_slider_and_its_field_move_the_outcome_and_reset_brings_the_plan_back(page: Page, live_server: Any) -> None:
    page.goto(live_server.url + EXAMPLE)
    page.get_by_role("button", name="See the whole plan").first.click()
    unfold(page, "what-if")
    outcome = page.locator("#what-if-outcome")
    expect(outcome).to_contain_text("the same")
    page.locator("#w-tokens").fill("30B")
    expect(outcome).not_to_contain_text("the same")
    slider = page.locator('[data-slides="w-tokens"]')
    assert float(slider.input_value()) == pytest.approx(30e9, rel=0.02)
    slider.press("ArrowLeft")
    expect(page.locator("#w-tokens")).not_to_have_value("30B")
    page.get_by_role("link", name="Reset to the plan").click()
    expect(page.locator("#w-tokens")).to_have_value("15 B")
    expect(outcome).to_contain_text("the same")


def test_a_review_and_a_shared_plan_are_accessible_on_a_phone(page: Page, reviewer: Page, live_server: Any) -> None:
    second_version_submitted(page, live_server.url)
    page.get_by_role("button", name="Make a link").click()
    address = page.locator(".secret code").inner_text()
    reviewer.set_viewport_size({"width": 390, "height": 844})
    for where in (mailed_link(), address):
        reviewer.goto(where)
        reviewer.wait_for_load_state("networkidle")
        assert complaints(reviewer) == [], where
        assert sideways(reviewer) <= 0, where
