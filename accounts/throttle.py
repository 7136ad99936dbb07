"""Slows down guessing of passwords: so many failures per address and account, then a pause.

Counts live in the cache. When the cache cannot be reached, people can still log in: a pause that nobody can lift would
lock everyone out for as long as Redis is down.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest

log = structlog.get_logger("sextant.accounts")

FAILURES = 10
PAUSE_S = 15 * 60


def address_of(request: HttpRequest) -> str:
    """The visitor's address: what our own proxy adds last to X-Forwarded-For, else the other end of the connection."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.TRUST_PROXY else ""
    return forwarded.rpartition(",")[2].strip()[:64] or str(request.META.get("REMOTE_ADDR", ""))


def is_paused(email: str, address: str) -> bool:
    """Whether this account from this address, or this address altogether, has failed too often."""
    pair, alone = _keys(email, address)
    counts: dict[str, int] = {}
    with _cache_may_be_down():
        counts = cache.get_many([pair, alone])
    return counts.get(pair, 0) >= FAILURES or counts.get(alone, 0) >= FAILURES * 5


def note_failure(email: str, address: str) -> None:
    """Counts one failure; the count ends 15 minutes after the first."""
    with _cache_may_be_down():
        for key in _keys(email, address):
            if not cache.add(key, 1, PAUSE_S):
                try:
                    cache.incr(key)
                except ValueError:  # it ended between the two calls
                    cache.set(key, 1, PAUSE_S)


def forget(email: str, address: str) -> None:
    """Clears the count of this account from this address, after a login that succeeded."""
    with _cache_may_be_down():
        cache.delete(_keys(email, address)[0])


def _keys(email: str, address: str) -> tuple[str, str]:
    account = hashlib.sha256(email.lower().encode()).hexdigest()[:32]
    return f"login:{account}:{address}", f"login:{address}"


@contextmanager
def _cache_may_be_down() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # each cache has its own errors
        log.warning("throttle_without_cache", error=type(error).__name__)
