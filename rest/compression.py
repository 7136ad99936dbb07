"""Answers of the API as gzip for callers who take it; pages have a rule of their own (`config/compression.py`).

BREACH guesses a secret from the size of compressed answers that a victim's browser fetches with its cookies. The API looks at no
cookie, so a browser cannot be made to ask it; an answer that holds a secret (a new token, a link, a webhook's key) is sent
plain all the same. A strong ETag stays as it is: it names the state of a resource, which If-Match sends back, and
answers of JSON have no byte ranges that could be mixed up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_sequence, compress_string

from rest import parts

LEAST: Final = 1_024
"""Bytes below which compression saves nothing that a packet would notice."""
BUNDLE: Final = 65_536
"""Bytes of a stream that are compressed at once."""
MEDIA: Final = (parts.MEDIA, "application/json", "application/problem+json", "application/yaml", "text/csv")
SECRET: Final = ("/tokens", "/share-links", "/webhooks")
_TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


class Compressed:
    """The outermost step of an answer under /api/."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not request.path.startswith("/api/") or not _worth_it(request, response):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if _TAKES_GZIP.search(request.headers.get("Accept-Encoding", "")):
            response.headers["Content-Encoding"] = "gzip"
            if isinstance(response, StreamingHttpResponse):
                response.streaming_content = compress_sequence(_bundles(response.streaming_content))
            elif isinstance(response, HttpResponse):
                response.content = compress_string(response.content)
                response.headers["Content-Length"] = str(len(response.content))
        return response


def _bundles(pieces: Any) -> Iterator[bytes]:
    """Pieces of some size: each ends a block of the compressed stream, and blocks of a few bytes are larger than what they hold."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BUNDLE:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _worth_it(request: HttpRequest, response: HttpResponseBase) -> bool:
    media = response.headers.get("Content-Type", "").partition(";")[0]
    return (
        media in MEDIA
        and not response.has_header("Content-Encoding")
        and (not isinstance(response, HttpResponse) or len(response.content) >= LEAST)
        and not (request.method == "POST" and any(part in request.path for part in SECRET))
    )
