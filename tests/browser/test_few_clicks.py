"""How few steps lead to a first plan: two by an example, five from a pasted config. Their seconds are told by the script, not judged."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.few_clicks import first_plan, from_config

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_a_filled_example_is_a_plan_after_two_clicks(page: Page, live_server: Any) -> None:
    walk = first_plan(page, live_server.url)
    assert walk.done == len(walk.steps) == 2, walk.seen


def test_a_pasted_config_is_a_plan_after_five_steps(page: Page, live_server: Any) -> None:
    walk = from_config(page, live_server.url)
    assert walk.done == len(walk.steps) == 5, walk.seen
    assert "13.7" in walk.page.locator("main").inner_text(), "the parameters are counted from what was pasted"
