"""One Chromium for all tests of a run, and pages that are logged in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

from exports import render
from jobs import queue
from jobs.running import run_job
from tests.browser.support import PATIENCE_MS, Session, open_context, session_of
from tests.conftest import People


@pytest.fixture(scope="session")
def playwright_here() -> Iterator[Playwright]:
    # Playwright keeps an event loop running in this thread; Django's guard against that does not apply to tests.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as found:
        yield found
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def chromium(playwright_here: Playwright) -> Iterator[Browser]:
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
def session(live_server: Any, people: People) -> Session:
    """Alice, who may do everything."""
    return session_of(people.alice, live_server.url)


@pytest.fixture
def page(chromium: Browser, session: Session) -> Iterator[Page]:
    context = open_context(chromium, session, viewport={"width": 1280, "height": 900}, accept_downloads=True)
    yield context.new_page()
    context.close()
