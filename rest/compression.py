"""Answers of the API as br or gzip for callers who take them; pages have a rule of their own (`config/compression.py`).

BREACH guesses a secret from the size of compressed answers that a victim's browser fetches with its cookies. The API looks at no
cookie, so a browser cannot be made to ask it; an answer that holds a secret (a new token, a link, a webhook's key) is sent
plain all the same. A strong ETag stays as it is: it names the state of a resource, which If-Match sends back, and
answers of JSON have no byte ranges that could be mixed up.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import brotli
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
QUALITY: Final = 5
"""Of brotli: of 60 kB a tenth smaller than gzip's usual level, in 1.9 ms instead of 1.3; level 4 is no smaller than it for short ones."""
_WEIGHT: Final = re.compile(r"q=([01](?:\.\d{0,3})?)")
_CODINGS: Final = ("br", "gzip")
"""The better one first; a caller who takes both alike gets it."""


class Compressed:
    """The outermost step of an answer under /api/."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not request.path.startswith("/api/") or not _worth_it(request, response):
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        coding = preferred(request.headers.get("Accept-Encoding", ""))
        if coding is None:
            return response
        response.headers["Content-Encoding"] = coding
        if isinstance(response, StreamingHttpResponse):
            pieces = _bundles(response.streaming_content)
            response.streaming_content = compress_sequence(pieces) if coding == "gzip" else _brotli(pieces)
        elif isinstance(response, HttpResponse):
            whole = response.content
            response.content = compress_string(whole) if coding == "gzip" else brotli.compress(whole, quality=QUALITY)
            response.headers["Content-Length"] = str(len(response.content))
        return response


def preferred(header: str) -> str | None:
    """The coding that a header Accept-Encoding asks for first, of those there are (RFC 9110, section 12.5.3); None for none."""
    weights: dict[str, float] = {}
    for part in header.split(","):
        name, _, weight = part.partition(";")
        found = _WEIGHT.fullmatch(weight.strip())
        weights[name.strip().lower()] = float(found.group(1)) if found else float(not weight.strip())
    rated = [(weights.get(name, weights.get("*", 0.0)), -place, name) for place, name in enumerate(_CODINGS)]
    best = max(rated)
    return best[2] if best[0] > 0 else None


def _brotli(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Each piece can be read as it comes."""
    stream = brotli.Compressor(quality=QUALITY)
    for piece in pieces:
        yield stream.process(piece) + stream.flush()
    yield stream.finish()


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
