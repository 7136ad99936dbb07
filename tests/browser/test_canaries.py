"""A4 in Chromium: a canary in every text of every row, every page of the site shown, and nothing that a text made.

The browser asks the world of tests/abuse/hostile.py through Playwright's routes, each request undone afterwards; it gets
every header that a visitor's browser would get, so it enforces our policy itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Dialog, Page, Route

from tests.abuse.hostile import CANARY, SHOWN, hostile
from tests.security.asking import _own_files, address_of, ask, world
from tests.security.matrix import PAGES
from tests.security.world import World

__all__ = ["_own_files", "hostile", "world"]
pytestmark = [pytest.mark.django_db, pytest.mark.needs_chromium]
BASE = "http://testserver"
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation',
  event => violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => violations.push(`${name} was called`);
"""
BORN = """
() => [...document.querySelectorAll('script:not([src]), [src="x"], iframe, object, embed, base, [href^="javascript:" i]')]
  .concat([...document.querySelectorAll('*')].filter(
    item => [...item.attributes].some(given => given.name.startsWith('on') || given.name === 'style')))
  .map(item => item.outerHTML.slice(0, 160))
"""
"""Elements and handlers that no template of ours makes (a style that a script of ours sets is no attribute of a text)."""


@dataclass
class Visit:
    """One window on the hostile world, and what went wrong in it."""

    page: Page
    asked: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Opens that page and waits until what it loads by itself is there."""
        self.asked, self.dialogs, self.errors = [], [], []
        self.page.goto(BASE + address)
        self.page.wait_for_selector(".htmx-request, .htmx-swapping, .htmx-settling", state="detached")

    def opened(self, dialog: Dialog) -> None:
        """Notes a dialog and closes it."""
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def faults(self) -> list[str]:
        """What a text has done on the page that is shown."""
        odd = [address for address in self.asked if urlsplit(address).path.endswith("/x") or "alert" in address]
        foreign = [address for address in self.asked if not address.startswith((BASE, "data:"))]
        return [
            *self.page.evaluate("violations"),
            *self.page.evaluate(BORN),
            *self.dialogs,
            *self.errors,
            *odd,
            *foreign,
        ]


@pytest.fixture(scope="module")
def visit(chromium: Browser, hostile: World) -> Iterator[Visit]:
    """An admin's window; what it asks is answered by the world."""
    context = chromium.new_context(color_scheme="light", service_workers="block")
    context.add_init_script(WATCH)
    page = context.new_page()
    found = Visit(page)

    here = copy_context()  # Playwright calls from another one, in which Django would open a connection of its own

    def answer(route: Route) -> None:
        sent = route.request
        found.asked.append(sent.url)
        if not sent.url.startswith(BASE):
            route.abort()
            return
        media = sent.headers.get("content-type", "application/x-www-form-urlencoded")
        given: dict[str, Any] = {
            "path": sent.url.removeprefix(BASE),
            "data": sent.post_data_buffer or b"",
            "content_type": media,
        }
        got = here.run(ask, hostile.clients["admin"], "generic", sent.method, **given)
        headers = {name: value for name, value in got.headers.items() if name != "Content-Length"}
        route.fulfill(status=got.status, headers=headers, body=got.content)

    context.route("**/*", answer)
    page.on("dialog", found.opened)
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    yield found
    context.close()


@pytest.mark.parametrize("key", SHOWN)
def test_nothing_on_a_page_comes_from_a_text(visit: Visit, hostile: World, key: str) -> None:
    """No script ran, no dialog opened, the policy had nothing to refuse, no element and no request is a text's."""
    address = address_of(hostile, key, PAGES[key])
    known = ask(hostile.clients["admin"], "get", address)
    if known.status == 302 or "attachment" in known.headers.get("Content-Disposition", ""):
        return  # leads to another page of this list, or is kept as a file
    if not known.headers["Content-Type"].startswith("text/html"):
        assert known.headers["X-Content-Type-Options"] == "nosniff"
        return
    visit.go(address)
    assert not visit.faults()


def test_the_canaries_are_shown(visit: Visit, hostile: World) -> None:
    """Their letters stand on the pages as letters: else the silence above would mean nothing."""
    for key in ("planner:home", "planner:plan", "accounts:team", "accounts:account", "webhooks:one", "planner:shared"):
        visit.go(address_of(hostile, key, PAGES[key]))
        assert "<img src=x onerror=alert(1)>" in visit.page.inner_text("body"), key


@pytest.mark.parametrize("policy", [True, False], ids=["with our policy", "without one"])
def test_the_watch_sees_what_a_text_can_do(visit: Visit, hostile: World, policy: bool) -> None:
    """A page that puts a text between its elements as it is: the policy, the elements and the calls are noticed."""
    usual = ask(hostile.clients["admin"], "get", "/").headers["Content-Security-Policy"]
    headers = {"Content-Security-Policy": usual} if policy else {}
    body = f'<meta charset="utf-8"><p>{CANARY}'
    visit.page.route(f"{BASE}/bad", lambda route: route.fulfill(content_type="text/html", headers=headers, body=body))
    visit.go("/bad")
    faults = visit.faults()
    assert any(fault.startswith("<img src=") for fault in faults)
    assert any(fault.startswith("<script>alert(2)") for fault in faults)
    assert any("script-src" in fault for fault in faults) == policy
    assert ("alert was called" in faults) != policy
