"""The page in a real Chromium: the first-time path, accessibility, narrow windows, no request to anybody else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from accounts.models import User
from exports import render
from jobs import queue
from jobs.running import run_job
from tests.conftest import People
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("quick_engine"),
]
EXAMPLE = "/new/train?example=llama-70b-15b"
SERVING = "/new/serve?example=qwen-32b-40rps"


@pytest.fixture(scope="module")
def playwright_here() -> Iterator[Playwright]:
    # Playwright keeps an event loop running in this thread; Django's guard against that does not apply to tests.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as found:
        yield found
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="module")
def chromium(playwright_here: Playwright) -> Iterator[Browser]:
    import shutil

    path = shutil.which("chromium") or shutil.which("chromium-browser")
    browser = playwright_here.chromium.launch(executable_path=path, args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture
def rendered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs are done when they are asked for, and files are small: these tests are about the page."""
    monkeypatch.setattr(render, "render", lambda *_args, **_named: b"PK a file")
    monkeypatch.setattr(queue, "ring", lambda job_pk: bool(run_job(job_pk, worker="browser")) or True)


@pytest.fixture
def session(live_server: Any, people: People, client: Any) -> list[dict[str, str]]:
    client.force_login(User.objects.get(pk=people.alice.pk))
    return [{"name": "session", "value": client.cookies["session"].value, "url": live_server.url}]


def open_context(chromium: Browser, session: list[dict[str, str]], **options: Any) -> BrowserContext:
    context = chromium.new_context(**options)
    context.add_cookies(session)  # type: ignore[arg-type]  # plain dicts are what it takes
    context.set_default_timeout(15_000)
    return context


@pytest.fixture
def page(chromium: Browser, session: list[dict[str, str]]) -> Iterator[Page]:
    context = open_context(chromium, session, viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield context.new_page()
    context.close()


def saved_plan(page: Page, base: str) -> tuple[str, str]:
    """Addresses of an answer and of its saved plan."""
    page.goto(base + EXAMPLE)
    page.get_by_role("button", name="See the whole plan").first.click()
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()
    answer = page.url
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_role("heading", name="Documents")).to_be_visible()
    return answer, page.url


@pytest.mark.usefixtures("rendered_at_once")
def test_from_a_preset_to_four_downloads(page: Page, live_server: Any) -> None:
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on(
        "console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(live_server.url)
    page.get_by_role("link", name="Llama 3.1 70B on 15 B tokens").click()
    expect(page.locator("#live .figure").first).to_be_visible()
    page.get_by_label("Training tokens", exact=True).fill("20B")
    expect(page.locator("#live .figure").first).to_be_visible()
    page.get_by_role("button", name="See the whole plan").first.click()
    page.get_by_role("button", name="Save as plan").click()
    page.get_by_role("button", name="Make all four").click()
    names = []
    for title in ("Word", "Excel", "PDF", "PowerPoint"):
        with page.expect_download() as coming:
            page.get_by_role("link", name=f"Download {title}").click()
        names.append(coming.value.suggested_filename)
    assert [name.rpartition(".")[2] for name in names] == ["docx", "xlsx", "pdf", "pptx"]
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


def test_what_was_typed_survives_leaving_the_page(page: Page, live_server: Any) -> None:
    page.goto(f"{live_server.url}/new/train")
    page.get_by_label("Training tokens", exact=True).fill("123 B")
    page.get_by_label("Budget").fill("$1.5M")
    page.wait_for_timeout(400)
    page.goto(live_server.url)
    page.goto(f"{live_server.url}/new/train")
    expect(page.get_by_label("Training tokens", exact=True)).to_have_value("123 B")
    expect(page.get_by_label("Budget")).to_have_value("$1.5M")


def test_a_lost_connection_loses_nothing(page: Page, live_server: Any) -> None:
    page.goto(live_server.url + EXAMPLE)
    expect(page.locator("#live .figure").first).to_be_visible()
    page.context.set_offline(True)
    page.get_by_label("Training tokens", exact=True).fill("17B")
    expect(page.locator(".live__lost")).to_contain_text("kept in this browser")
    page.context.set_offline(False)
    page.get_by_label("Training tokens", exact=True).fill("18B")
    expect(page.locator(".live__lost")).to_have_count(0)
    expect(page.get_by_label("Training tokens", exact=True)).to_have_value("18B")


def test_the_keyboard_reaches_the_answer(page: Page, live_server: Any) -> None:
    page.goto(live_server.url + EXAMPLE)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    field = page.get_by_label("Training tokens", exact=True)
    for _ in range(12):
        page.keyboard.press("Tab")
        if field.evaluate("item => item === document.activeElement"):
            break
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(chromium: Browser, session: list[dict[str, str]], live_server: Any, scheme: str) -> None:
    context = open_context(chromium, session, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    answer, plan = saved_plan(page, live_server.url)
    addresses = ["/", EXAMPLE, SERVING, f"{answer}?pin=b&pin=c", plan, "/nowhere", "/accounts/teams"]
    found = {}
    for address in addresses:
        page.goto(address if address.startswith("http") else live_server.url + address)
        page.wait_for_load_state("networkidle")
        # Closed folds hide their text from the reader and from axe: open all of them.
        page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true })")
        found[address] = [
            (item["id"], item["nodes"][0]["html"][:200]) for item in Axe().run(page).response["violations"]
        ]
    context.close()
    assert {address: items for address, items in found.items() if items} == {}


@pytest.mark.parametrize(("width", "height"), [(320, 640), (1280, 900), (3840, 2160)])
def test_no_page_scrolls_sideways(
    chromium: Browser, session: list[dict[str, str]], live_server: Any, width: int, height: int
) -> None:
    context = open_context(chromium, session, viewport={"width": width, "height": height})
    page = context.new_page()
    answer, plan = saved_plan(page, live_server.url)
    for address in ("/", EXAMPLE, SERVING, f"{answer}?pin=b&all=1", plan):
        page.goto(address if address.startswith("http") else live_server.url + address)
        page.wait_for_load_state("networkidle")
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, address
    context.close()


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
