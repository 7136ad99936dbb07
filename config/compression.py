"""Pages as gzip for browsers that take it: a plan's page is 280 kB of words and drawings, of which an eighth remains.

BREACH guesses a secret from the sizes of compressed answers that repeat what an attacker sends. So a page that shows a secret (a
link, a token, codes, a key of webhooks: all answers to a post, and everything under /accounts/ and /webhooks/) is sent plain; the token
of forms is masked anew in each answer; and each answer has a random length on top (Heal the BREACH, Palacios and others, 2022),
as Django's own compression has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

LEAST: Final = 1_024
"""Bytes below which compression saves nothing that a packet would notice."""
RANDOM: Final = 100
"""Most bytes that are added so that a size tells nothing."""
PLAIN: Final = ("/accounts/", "/webhooks/", "/shared/", "/api/")
_LIVE = "/estimate/"
"""The one answer to a post that is compressed: it holds no token, and comes with every change of a field."""
_TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


class CompressedPages:
    """Compresses what a browser shows."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponse) or not _may_be(request, response):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if _TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
            response.content = compress_string(response.content, max_random_bytes=RANDOM)
            response.headers["Content-Encoding"] = "gzip"
            response.headers["Content-Length"] = str(len(response.content))
        return response


def _may_be(request: HttpRequest, response: HttpResponse) -> bool:
    return (
        (request.method == "GET" or request.path.startswith(_LIVE))
        and not request.path.startswith(PLAIN)
        and response.headers.get("Content-Type", "").startswith("text/html")
        and not response.has_header("Content-Encoding")
        and len(response.content) >= LEAST
    )
