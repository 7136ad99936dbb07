"""The page Branding in a real Chromium: a look is set, its fault is read, page 1 follows it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.support import complaints, saved_plan, sideways
from tests.exports.brands import logo_png
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]


def test_a_look_is_set_and_page_1_follows(page: Page, live_server: Any, tmp_path: Path) -> None:
    saved_plan(page, live_server.url)
    logo = tmp_path / "logo.png"
    logo.write_bytes(logo_png())
    page.goto(f"{live_server.url}/exports/branding")
    page.get_by_label("Accent", exact=True).fill("#ffd000")
    page.get_by_role("button", name="Keep this look").click()
    expect(page.get_by_text("is too pale")).to_be_visible()
    page.get_by_label("Accent", exact=True).fill("#96143c")
    page.get_by_label("Numbers and dates", exact=True).select_option("de-DE")
    page.get_by_label("Logo", exact=True).set_input_files(logo)
    page.get_by_role("button", name="Keep this look").click()
    expect(page.get_by_text("documents made from now on have this look")).to_be_visible()
    picture = page.get_by_role("img", name="Page 1 of the PDF")
    expect(picture).to_be_visible()
    assert picture.evaluate("async item => { await item.decode(); return item.naturalWidth }") > 0
    assert complaints(page) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert not sideways(page)
