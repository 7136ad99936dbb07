"""Every screen that the URL resolver knows, with an object of every kind behind it: axe in both themes, and 320 pixels.

The addresses come from the table of all routes (tests/security/matrix.py), which has a row for each route or fails; what
answers with a whole page is a screen and is looked at here, so that a new page cannot be forgotten. The browser's
requests are answered by Django in this process: the world of objects lives in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, Route

from tests.browser.support import complaints, sideways
from tests.security.asking import _own_files, address_of, world
from tests.security.matrix import PAGES
from tests.security.world import World

__all__ = ["_own_files", "world"]
pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db]
HERE = "http://sextant.test"
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
READ = sorted(key for key, row in PAGES.items() if row.may.get("GET"))
ANONYMOUS = frozenset({"accounts:login", "accounts:forgotten", "accounts:reset"})
"""Pages for those who are not logged in."""
NO_SCREENS = {
    "healthz", "readyz", "status-json", "llms", "openapi-yaml", "api:openapi-json",  # read by programs
    "catalog:template", "exports:branding_preview", "exports:bundle", "exports:download", "planner:accuracy-chart",
    "planner:answer-chart", "planner:answer-what-if-chart", "planner:plan-chart", "planner:plan-what-if-chart",
    "planner:portfolio-chart", "planner:portfolio-table", "planner:reprice-chart", "planner:scenario-chart",
    "planner:scenario-new-chart", "planner:series-table", "exports:letter",  # files
    "catalog:feeds", "exports:card", "exports:cards",  # parts of a page
    # A step on the way in, which leads elsewhere without the steps before it: tests/browser/test_signing_in.py goes it.
    "accounts:app", "accounts:invitation-open", "accounts:password", "accounts:second", "accounts:sso-connect",
    "accounts:sso-link",
}  # fmt: skip
"""What can be read and is no page of its own here."""


@pytest.fixture
def browsing(chromium: Browser, world: World) -> Iterator[Any]:
    """Opens an address for one of the world's people."""
    contexts: list[BrowserContext] = []
    refused: list[str] = []

    def opened(client: Client, address: str) -> Page:
        context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
        # The browser's events run in a context of their own; Django finds its connection by the context.
        ours = copy_context()
        page.route("**/*", lambda route: ours.copy().run(_answer, client, route))
        page.goto(HERE + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert refused == []


def _answer(client: Client, route: Route) -> None:
    """What Django, or the folder of static files, has at that address."""
    found = urlsplit(route.request.url)
    if found.path.startswith("/static/"):
        path = Path(finders.find(found.path.removeprefix("/static/")) or "")
        route.fulfill(body=path.read_bytes(), content_type=TYPES.get(path.suffix, "application/octet-stream"))
        return
    response: Any = client.generic(
        route.request.method, found.path + (f"?{found.query}" if found.query else ""), route.request.post_data or ""
    )
    route.fulfill(
        status=response.status_code,
        headers={key.lower(): value for key, value in response.headers.items() if key.lower() != "set-cookie"},
        body=b"".join(response.streaming_content) if response.streaming else response.content,
    )


def _is_screen(response: Any) -> bool:
    whole = not response.streaming and b"</html>" in response.content
    return whole and response.status_code == 200 and response.headers["Content-Type"].startswith("text/html")


@pytest.mark.parametrize("key", READ)
def test_a_screen_has_no_fault_for_axe_and_fits_a_small_phone(key: str, world: World, browsing: Any) -> None:
    client = Client() if key in ANONYMOUS else world.clients["admin"]
    address = address_of(world, key, PAGES[key])
    screen = _is_screen(client.get(address))
    assert screen == (key not in NO_SCREENS), f"{address}: take it out of NO_SCREENS, or put it there with a reason."
    if not screen:
        return
    page = browsing(client, address)
    assert complaints(page) == [], address
    page.set_viewport_size({"width": 320, "height": 640})
    assert sideways(page) <= 0, f"{address}: {page.evaluate(_BEYOND)}"


_BEYOND = """[...document.querySelectorAll("main *")]
    .filter(item => item.getBoundingClientRect().right > innerWidth + 1 && !item.closest(".scroll, svg"))
    .map(item => item.outerHTML.slice(0, 120)).slice(0, 3)"""
"""What lies beyond the edge of the window."""
