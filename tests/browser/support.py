"""What browser tests share: logging in, opening windows, and the way to a saved plan."""

from __future__ import annotations

from typing import Any, NamedTuple

from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from accounts.models import User
from tests.accounts.sign_in_support import proved

EXAMPLE = "/new/train?example=llama-70b-15b"
SERVING = "/new/serve?example=qwen-32b-40rps"
PATIENCE_MS = 45_000
"""How long a state is waited for: a busy machine is no fault of the page, and a state that comes ends the wait."""


class Session(NamedTuple):
    """What a browser needs to be somebody: the value of the session's cookie and the address that it is for."""

    value: str
    base: str


def session_of(user: User, base: str) -> Session:
    """A session of that person, who has just proved who they are."""
    client = Client()
    client.force_login(user)
    proved(client)
    return Session(client.cookies["session"].value, base)


def log_in(context: BrowserContext, session: Session) -> None:
    """From now on that window is that person's."""
    context.add_cookies([{"name": "session", "value": session.value, "url": session.base}])


def open_context(chromium: Browser, session: Session, **options: Any) -> BrowserContext:
    """A window of its own for that person."""
    context = chromium.new_context(**options)
    log_in(context, session)
    context.set_default_timeout(PATIENCE_MS)
    return context


def saved_plan(page: Page, base: str) -> tuple[str, str]:
    """Addresses of an answer and of its saved plan."""
    page.goto(base + EXAMPLE)
    page.get_by_role("button", name="See the whole plan").first.click()
    expect(page.get_by_role("heading", name="Why this one")).to_be_visible()
    answer = page.url
    page.get_by_role("button", name="Save as plan").click()
    expect(page.get_by_role("heading", name="Documents")).to_be_visible()
    return answer, page.url


def unfold(page: Page, *parts: str) -> None:
    """Opens those parts of an answer by their heads, as a reader does; what is open stays open."""
    for part in parts:
        fold = page.locator(f"details:has(> summary #{part}), details:has(> summary#{part})").first
        if not fold.evaluate("item => item.open"):
            fold.locator("> summary").click()


def tab_to(page: Page, target: Locator, most: int = 150) -> None:
    """Goes to that control with the Tab key alone."""
    here = target.element_handle()
    for _ in range(most):
        if page.evaluate("item => item === document.activeElement", here):
            return
        page.keyboard.press("Tab")
    expect(target).to_be_focused()


def complaints(page: Page) -> list[tuple[str, str, str]]:
    """What axe finds on the page in light, and in dark: there only colours differ, so only they are looked at again."""
    page.wait_for_load_state()  # a click does not wait for the page that it leads to, and axe fails while one replaces the other
    # Closed folds hide their text from the reader and from axe: open all of them.
    page.evaluate("document.querySelectorAll('details').forEach(item => { item.open = true })")
    page.emulate_media(color_scheme="light")
    all_but_contrast = {"resultTypes": ["violations"], "rules": {"color-contrast": {"enabled": False}}}
    light = Axe().run(page, options=all_but_contrast).response["violations"] + page.evaluate(_COLOURS)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(_COLOURS)
    found = [("light", item) for item in light] + [("dark", item) for item in dark]
    return [(scheme, item["id"], item["nodes"][0]["html"][:200]) for scheme, item in found]


_COLOURS = """async () => {
    const looks = new Map();
    for (const item of document.body.querySelectorAll("*")) {
        const says = [...item.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
        if (!says && !item.matches("input, select, textarea")) continue;
        const own = getComputedStyle(item);
        const look = [item.tagName, own.color, own.fontSize, own.fontWeight, own.textShadow, own.position];
        for (let above = item; above; above = above.parentElement) {
            const style = getComputedStyle(above);
            look.push(style.backgroundColor, style.backgroundImage, style.opacity);
        }
        const same = look.join("|");
        if (!looks.has(same)) looks.set(same, []);
        if (looks.get(same).length < 3) looks.get(same).push(item);
    }
    const options = { resultTypes: ["violations"], runOnly: ["color-contrast", "link-in-text-block"] };
    return (await axe.run({ include: [...looks.values()].flat() }, options)).violations;
}"""
"""Contrast, of three texts of each look: axe takes half a minute for the thousands of a plan, of which most cells of a table
have one colour on one ground."""


def sideways(page: Page) -> float:
    """By how many pixels the page is wider than its window."""
    return float(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
