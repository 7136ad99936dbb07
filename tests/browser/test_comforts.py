"""Charts as PNG, single-key shortcuts that can be turned off, and filters of long lists, in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.support import Session, open_context, saved_plan, unfold
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]


def test_a_chart_is_saved_as_png_twice_its_size(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    unfold(page, "why-drawn")
    chart = page.locator("#c-memory")
    chart.get_by_text("Data and download").click()
    with page.expect_download() as coming:
        chart.get_by_role("link", name="PNG").click()
    assert coming.value.suggested_filename == "memory.png"
    data = Path(coming.value.path()).read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
    assert width == 1080
    assert height > 200
    assert len(data) > 4_000


def test_single_keys_lead_and_can_be_turned_off(page: Page, live_server: Any) -> None:
    _, plan = saved_plan(page, live_server.url)
    page.goto(plan)
    unfold(page, "what-if")
    page.get_by_label("Training tokens", exact=True).first.focus()
    page.keyboard.type("/ce")
    assert page.url == plan
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("/")
    page.wait_for_url(f"{live_server.url}/")
    page.keyboard.press("/")
    expect(page.get_by_label("Search plans by name")).to_be_focused()
    page.goto(plan)
    page.keyboard.press("e")
    page.wait_for_url("**/exports/plans/*")
    page.goto(plan)
    page.keyboard.press("c")
    page.wait_for_url("**#compare")
    page.keyboard.press("?")
    box = page.get_by_label("Use single-key shortcuts in this browser")
    expect(box).to_be_visible()
    box.uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("e")
    page.keyboard.press("?")
    expect(box).to_be_hidden()
    assert "/exports/" not in page.url
    page.get_by_role("button", name="Keyboard shortcuts").click()
    expect(box).not_to_be_checked()


def test_an_assumption_is_found_by_its_words(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    unfold(page, "assumed")
    rows = page.locator("#assumed-list [data-item]")
    every = rows.count()
    page.get_by_label("Find an assumption").fill(rows.first.locator("code").text_content() or "")
    expect(page.locator("#assumed-list [data-item]:visible")).to_have_count(1)
    expect(page.get_by_text("1 found.")).to_be_visible()
    page.get_by_label("Find an assumption").fill("")
    assert every == page.locator("#assumed-list [data-item]:not([hidden])").count()


def test_an_option_is_put_aside_and_taken_back_and_enter_puts_none_aside(page: Page, live_server: Any) -> None:
    _, plan = saved_plan(page, live_server.url)
    rows = page.locator("#options-rows tr")
    count = rows.count()
    unfold(page, "options")
    name = rows.nth(1).locator("th").inner_text().split("\n")[0]
    rows.nth(1).get_by_role("button", name="Hide").click()
    expect(page.get_by_text("One option is hidden")).to_be_visible()
    expect(rows.nth(1).locator("th")).not_to_contain_text(name)
    assert "hide=" in page.url
    page.get_by_role("button", name=f"Show {name}").click()
    expect(page.get_by_text("One option is hidden")).to_have_count(0)
    expect(rows).to_have_count(count)
    page.goto(plan)
    unfold(page, "options")
    rows.nth(1).get_by_role("checkbox").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_url("**#compare")
    assert "hide=" not in page.url


def test_on_a_phone_a_table_is_a_list_that_needs_no_scrolling(page: Page, live_server: Any) -> None:
    _, plan = saved_plan(page, live_server.url)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(plan + "#options")
    table = page.locator("form[data-options] .scroll")
    assert table.evaluate("frame => frame.scrollWidth - frame.clientWidth") <= 0
    cost = table.locator("tbody tr").nth(1).locator("td[data-label='Total cost']")
    assert cost.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Total cost"'
    table.get_by_role("button", name="Total cost").click()
    expect(table.locator("th[aria-sort=ascending]")).to_have_count(1)


def test_columns_are_left_out_with_the_script_and_without(
    page: Page, live_server: Any, chromium: Browser, session: Session
) -> None:
    _, plan = saved_plan(page, live_server.url)
    head, cells = page.get_by_role("columnheader", name="Layout"), page.locator("#options-rows td[data-column=layout]")
    unfold(page, "options")
    expect(head).to_be_visible()
    page.get_by_text("Columns", exact=True).click()
    expect(page.get_by_role("button", name="Show the table so")).to_be_hidden()
    page.get_by_label("Layout", exact=True).check()
    expect(head).to_be_hidden()
    expect(cells.first).to_be_hidden()
    page.goto(plan)
    unfold(page, "options")
    expect(head).to_be_hidden()
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Layout", exact=True).uncheck()
    expect(cells.first).to_be_visible()
    page.goto(plan + "?without=cost")
    expect(page.get_by_role("columnheader", name="Total cost")).to_be_hidden()
    plain = open_context(chromium, session, java_script_enabled=False).new_page()
    plain.goto(plan)
    unfold(plain, "options")
    plain.get_by_text("Columns", exact=True).click()
    plain.get_by_label("Layout", exact=True).check()
    plain.get_by_role("button", name="Show the table so").click()
    plain.wait_for_url("**without=layout**#options")
    expect(plain.get_by_role("columnheader", name="Layout")).to_be_hidden()
    expect(plain.get_by_role("columnheader", name="Total cost")).to_be_visible()
    plain.context.close()


def test_the_decision_stands_first_and_the_other_parts_are_closed_on_every_window(page: Page, live_server: Any) -> None:
    answer, plan = saved_plan(page, live_server.url)
    table = page.locator("form[data-options] .scroll")
    for width, height, screens in ((1366, 768, 3), (390, 844, 5)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(plan)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(_ORDER) == ["asked", "signs", "choice", "documents", "options", "why"]
        expect(page.locator(".figures").first).to_be_visible()
        expect(table).to_be_hidden()
        top = page.evaluate("document.querySelector('.sheet__rest .part__fold').getBoundingClientRect().top + scrollY")
        assert top <= screens * height, (width, top)
        heads = page.locator("details.part__fold[data-folds] > summary h2")
        assert all(heads.nth(at).is_visible() for at in range(heads.count()))
    page.goto(answer)
    page.get_by_role("navigation", name="On this page").get_by_role("link", name="Options").click()
    expect(table).to_be_visible()
    page.goto("about:blank")
    page.goto(answer + "#cost")
    expect(page.get_by_role("columnheader", name="Amount")).to_have_count(1)
    expect(page.locator("#cost")).to_be_in_viewport()
    expect(table).to_be_hidden()


_ORDER = """[...document.querySelectorAll('.asked, #signs, #choice, #documents, #options, #why')]
    .map(item => item.id || 'asked')"""
"""The parts of an answer as they follow one another for who reads them aloud, on paper and on a phone."""


def test_escape_closes_what_was_opened_and_gives_the_place_back(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    how = page.locator(".figure .how").first
    how.locator("summary").click()
    expect(how.locator(".how__in")).to_be_visible()
    page.keyboard.press("Escape")
    expect(how.locator(".how__in")).to_be_hidden()
    expect(how.locator("summary")).to_be_focused()


def test_the_contents_stay_in_sight_and_say_where_one_is(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    contents = page.get_by_role("navigation", name="On this page")
    for width, height in ((1366, 768), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(page.url.partition("#")[0])
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        expect(contents).to_be_in_viewport()
        contents.get_by_role("link", name="What it costs").click()
        expect(contents.locator("a.here")).to_have_text("What it costs")


def test_on_paper_stands_what_is_read_and_not_what_is_pressed(page: Page, live_server: Any) -> None:
    saved_plan(page, live_server.url)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator("details:has(#cost) .ledger .how > summary").first).to_be_visible()
    expect(page.locator("th[data-sort=cost]")).to_have_text("Total cost")
    expect(page.locator("th[data-sort=cost] button")).to_be_visible()
    for gone in ("button:not(.sort)", "input", "textarea", "select"):
        assert [item for item in page.locator(gone).all() if item.is_visible()] == []
