"""One request after the other: what is sent, what is tried again and when, and what an answer carries beside its body."""

from __future__ import annotations

import gzip
import json
import random
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse
from typing import Any, cast
from urllib.parse import quote, urlencode, urlsplit
from uuid import uuid4

from sextant_client.errors import ApiProblem, SextantError, Unreachable

PREFIX = "/api/v1"
ATTEMPTS = 5
LONGEST_WAIT_S = 120.0
_LOCAL = ("localhost", "127.0.0.1", "::1")
_BUSY = (429, 502, 503, 504)
_SAFE = ("GET", "HEAD", "PUT", "DELETE")


class Answer(dict[str, Any]):
    """The JSON of an answer, with its headers by their names in small letters."""

    headers: Mapping[str, str] = {}


def etag(body: object) -> str:
    """The ETag of an answer of this client, to send as `if_match`. SextantError when it has none."""
    found = body.headers.get("etag") if isinstance(body, Answer) else None
    if not found:
        raise SextantError("This answer has no ETag: read the row again with its get operation.")
    return found


def part(value: object) -> str:
    """One part of an address."""
    return quote(str(value), safe="")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token elsewhere."""

    def redirect_request(self, *args: object, **kwargs: object) -> None:
        """Nothing is followed."""


class Transport:
    """A server and a token. `sleep` is there for tests."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = 60.0,
        plain_http: bool = False,
        context: ssl.SSLContext | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = urlsplit(url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise SextantError("The address of the server must begin with https:// (or http:// for this machine).")
        if address.scheme == "http" and address.hostname not in _LOCAL and not plain_http:
            raise SextantError("Over plain HTTP anybody on the way could read the token: use https://.")
        if not token or not token.isascii() or not token.isprintable():
            raise SextantError("There is no usable token: it begins with sxt_ and has no spaces.")
        self._url, self._token, self._timeout_s, self._sleep = url.rstrip("/"), token, timeout_s, sleep
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: object = None,
        media: str = "application/json",
        if_match: str | None = None,
        key: str | None = None,
        once: bool = False,
    ) -> Any:
        """The JSON of the answer, a text or the bytes where it is none, None without a body. `once`: the operation takes an
        Idempotency-Key, so that it can be repeated safely; one is made when none is given. ApiProblem, Unreachable."""
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "Content-Type": media}
        headers |= {"If-Match": if_match} if if_match else {}
        headers |= {"Idempotency-Key": key or str(uuid4())} if once else {}
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        with self.open(method, path, query=query, data=data, headers=headers, again=once) as response:
            text = response.read()
            if response.headers.get("Content-Encoding") == "gzip":
                text = gzip.decompress(text)
            if not text:
                return None
            media = response.headers.get("Content-Type", "")
            if not media.startswith("application/json"):
                return text.decode() if media.startswith("text/") else text
            answer = Answer(json.loads(text))
            answer.headers = {name.lower(): value for name, value in response.headers.items()}
            return answer

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = False,
    ) -> HTTPResponse:
        """The open answer, whatever its body; the caller closes it. A request that can be repeated is tried five times,
        as `Retry-After` says or with growing pauses. ApiProblem, Unreachable."""
        repeat = again or method in _SAFE
        pairs = [(name, _text(value)) for name, value in (query or {}).items() if value is not None]
        address = f"{self._url}{PREFIX}{path}" + (f"?{urlencode(pairs)}" if pairs else "")
        given = {"Authorization": f"Bearer {self._token}", "User-Agent": "sextant-client/1.0", **(headers or {})}
        for attempt in range(1, ATTEMPTS + 1):
            request = urllib.request.Request(address, data=data, headers=given, method=method)  # noqa: S310 - checked
            pause: float | None = None
            try:
                return cast(HTTPResponse, self._opener.open(request, timeout=self._timeout_s))
            except urllib.error.HTTPError as error:
                problem, pause = _problem(error), _pause(error, attempt, repeat=repeat, waits=again)
                if pause is None or attempt == ATTEMPTS:
                    raise problem from None
            except (OSError, HTTPException) as error:
                if attempt == ATTEMPTS or not repeat:
                    raise Unreachable(f"The server {self._url} cannot be reached: {_reason(error)}.") from None
                pause = _growing(attempt)
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problem(error: urllib.error.HTTPError) -> ApiProblem:
    with error:
        try:
            body = json.loads(error.read(1_000_000))
        except (ValueError, OSError, HTTPException):
            body = {}
    return ApiProblem(error.code, body if isinstance(body, dict) else {})


def _pause(error: urllib.error.HTTPError, attempt: int, *, repeat: bool, waits: bool) -> float | None:
    """Seconds until the next attempt; None when it would be of no use."""
    given = _retry_after(error.headers.get("Retry-After"))
    if error.code == 409 and waits and given is not None:  # the first request with this key is still running
        return given
    if error.code == 429:
        return _growing(attempt) if given is None else given
    if error.code in _BUSY and repeat:
        return _growing(attempt) if given is None else given
    return None


def _retry_after(text: str | None) -> float | None:
    """Seconds, from a number or a date (RFC 9110 §10.2.3); None for nothing, nonsense, or longer than one would wait."""
    if not text:
        return None
    try:
        seconds = float(text) if text.strip().isdigit() else parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return None
    return max(0.0, seconds) if seconds <= LONGEST_WAIT_S else None


def _growing(attempt: int) -> float:
    """Half a second, doubled with each attempt, and a random part of it, so that many clients do not come at once."""
    return min(30.0, 0.5 * 2.0 ** (attempt - 1)) * (0.5 + random.random() / 2)  # noqa: S311 - no secret


def _reason(error: BaseException) -> str:
    cause = getattr(error, "reason", error)
    words = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return str(words).rstrip(".")
