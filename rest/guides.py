"""The guides of the API as pages: the Markdown files of docs/ beside the reference, without any script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, Final

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

FILES: Final = {
    "api": "api.md",
    "budget-feed": "budget-feed.md",
    "assistants": "assistants.md",
    "configuration": "configuration.md",
}
"""File in docs/ by the name in the address."""
_SERVED: Final = {"openapi.json": "/api/v1/openapi.json"} | {
    file: f"/api/v1/guides/{name}" for name, file in FILES.items()
}


@dataclass(frozen=True, kw_only=True)
class Guide:
    """One guide: its title, its chapters as pairs of id and words, and the page."""

    title: str
    chapters: tuple[tuple[str, str], ...]
    html: SafeString


@require_safe
def guide(request: HttpRequest, name: str) -> HttpResponse:
    """One guide, readable without a login as the reference is."""
    if name not in FILES:
        raise Http404("There is no such guide.")
    others = [(other, read(other).title) for other in FILES if other != name]
    return render(request, "rest/guide.html", {"guide": read(name), "others": others})


@require_safe
def for_assistants(request: HttpRequest) -> HttpResponse:
    """`llms.txt`: what this is and where a program that reads finds the rest."""
    guides = [(name, read(name).title) for name in FILES]
    context = {"guides": guides, "site": settings.SITE_URL}
    return render(request, "rest/llms.txt", context, content_type="text/plain; charset=utf-8")


@cache
def read(name: str) -> Guide:
    """The guide of that name; read and rendered once, for the files come with the program."""
    text = (settings.BASE_DIR / "docs" / FILES[name]).read_text(encoding="utf-8")
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table class="ledger">')
    parser.add_render_rule("table_close", lambda *_: "</table></div>")
    tokens, chapters, title = parser.parse(text), [], ""
    for opened, inline in pairwise(tokens):
        if opened.type == "heading_open":
            words = _words(inline)
            opened.attrSet("id", slugify(words))
            if opened.tag == "h1":
                title = words
            elif opened.tag == "h2":
                chapters.append((slugify(words), words))
    for token in tokens:
        _lead_on(token)
    html = parser.renderer.render(tokens[3:], parser.options, {})  # the title is the page's own
    return Guide(title=title, chapters=tuple(chapters), html=mark_safe(html))  # noqa: S308 - our own file, without HTML in it


def _code(_renderer: Any, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return f'<pre class="hook__text" tabindex="0">{escape(tokens[index].content)}</pre>'


def _words(inline: Token) -> str:
    return "".join(part.content for part in inline.children or ())


def _lead_on(token: Token) -> None:
    """Links to files that are served lead there; those to other files of the repository are words."""
    parts, inside = token.children or [], False
    for part in parts:
        if part.type == "link_open":
            target = str(part.attrGet("href"))
            file = target.rpartition("/")[2].partition("#")[0]
            inside = "://" not in target and not target.startswith("#") and file not in _SERVED
            if file in _SERVED:
                part.attrSet("href", _SERVED[file])
        if inside and part.type in ("link_open", "link_close"):
            part.hidden, part.tag = True, "span"
        if part.type == "link_close":
            inside = False
