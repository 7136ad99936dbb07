"""The slider of confidence in a real Chromium: by keyboard, on a narrow window, and on every page that has it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.support import complaints, saved_plan, sideways
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]


def test_cost_date_and_chance_follow_the_keys(page: Page, live_server: Any) -> None:
    answer, plan = saved_plan(page, live_server.url)
    for address in (answer, plan):
        page.goto(address)
        slider = page.get_by_role("slider", name="How sure must it be?")
        shown = page.locator("#sure-readings > div:visible")
        expect(shown).to_have_count(1)
        expect(slider).to_have_attribute("aria-valuetext", "80%, as asked")
        before = shown.inner_text()
        slider.focus()
        page.keyboard.press("End")
        expect(slider).to_have_attribute("aria-valuetext", "95%, extrapolated")
        after = shown.inner_text()
        assert after != before
        assert "extrapolated" in after
        page.keyboard.press("ArrowLeft")
        expect(page.locator("select#sure")).to_have_value("90")
        page.locator("select#sure").select_option("60")
        expect(shown).to_have_attribute("data-sure", "60")
        expect(slider).to_have_js_property("value", "2")


def test_it_fits_a_narrow_window_and_axe_finds_nothing(page: Page, live_server: Any) -> None:
    answer, plan = saved_plan(page, live_server.url)
    page.set_viewport_size({"width": 320, "height": 720})
    for address in (answer, plan, f"{live_server.url}/backwards"):
        page.goto(address)
        expect(page.get_by_role("slider", name="How sure must it be?")).to_be_visible()
        assert sideways(page) <= 0
        assert complaints(page) == []


def test_one_pale_cell_among_thousands_is_found(page: Page, live_server: Any) -> None:
    """Contrast is looked at in some texts of each look: a text of its own look must be among them."""
    answer, _ = saved_plan(page, live_server.url)
    page.goto(answer)
    page.evaluate(
        "[...document.querySelectorAll('td')].filter(cell => cell.firstChild?.data?.trim()).at(-1).style.color = '#999'"
    )
    assert [(scheme, rule) for scheme, rule, _ in complaints(page)] == [("light", "color-contrast")]
