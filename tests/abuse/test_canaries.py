"""A4: a canary in every text of every row, and every page of the site taken apart: no text has become an element.

Which columns hold text is read from the models, so that a new one without a canary fails; which pages there are is read
from the matrix. tests/browser/test_canaries.py shows the same pages to Chromium.
"""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from tests.abuse.hostile import ELSEWHERE, SHOWN, columns, hostile
from tests.security.asking import _own_files, address_of, ask
from tests.security.matrix import PAGES
from tests.security.world import World

__all__ = ["_own_files", "hostile"]
pytestmark = pytest.mark.django_db


def test_every_column_that_can_hold_text_has_a_canary(hostile: World) -> None:
    planted = hostile.objects["planted"]
    for model, field in columns():
        label = f"{model._meta.label}.{field.name}"
        known = label in planted or label in ELSEWHERE or model._meta.label in ELSEWHERE
        assert known, f"{label} can hold text: plant a canary, or say in NO_TEXT or ELSEWHERE why it needs none."
    assert len(planted) > 12


class Elements(HTMLParser):
    """What a browser would make of a page: elements that only a text of ours could have brought in."""

    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes scripts without a file of ours, handlers, styles, foreign sources and the canary's picture."""
        given = dict(attrs)
        source = given.get("src") or ""
        if tag == "script" and not source.startswith("/static/"):
            self.bad.append("script")
        if source == "x" or tag in ("iframe", "object", "embed", "base"):
            self.bad.append(f"{tag} {source}")
        self.bad += [name for name in given if name.startswith("on") or name == "style"]
        if (given.get("href") or "").lower().startswith(("javascript:", "data:")):
            self.bad.append("href")


def test_no_page_takes_a_text_for_markup(hostile: World) -> None:
    """No element and no handler that a text made, no template run, a policy that forbids both; and they were shown."""
    shown = 0
    for key in SHOWN:
        answer = ask(hostile.clients["admin"], "get", address_of(hostile, key, PAGES[key]))
        assert answer.status < 500, f"{key}: {answer.status}"
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        found = Elements()
        found.feed(answer.text)
        assert not found.bad, f"{key}: {found.bad}"
        assert ">49<" not in answer.text, key
        assert "unsafe" not in answer.headers["Content-Security-Policy"], key
        shown += "&lt;img src=x onerror=" in answer.text
    assert shown >= 8, f"only {shown} pages showed a canary"
