"""So many requests in a minute for each caller and kind of work; counted in the cache.

Headers follow draft-ietf-httpapi-ratelimit-headers-10. When the cache cannot be reached, nobody is held up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import structlog
from django.conf import settings
from django.core.cache import cache

from rest.problems import Problem

log = structlog.get_logger("sextant.rest")

WINDOW_S = 60
OF_A_PERSON = 3
"""Times what one token may do is what all tokens of a person may do together: more tokens bring no more."""

SPARED_S = 5.0
"""A cache that hangs is not asked for so long: one request in five seconds waits for it, not each."""
_spared_until = 0.0


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What a caller has left of one bucket."""

    bucket: str
    limit: int
    left: int
    reset_s: int

    def headers(self) -> dict[str, str]:
        """The two headers that say so."""
        return {
            "RateLimit-Policy": f'"{self.bucket}";q={self.limit};w={WINDOW_S}',
            "RateLimit": f'"{self.bucket}";r={self.left};t={self.reset_s}',
        }


def spend(caller: str, bucket: str, units: int = 1, *, person: str) -> Allowance:
    """Takes units from the caller's bucket of this minute, and from that of the person behind it, which holds three times
    as much for all their tokens together; Problem 429 when one is empty."""
    together = OF_A_PERSON * settings.API_PER_MINUTE[bucket]
    used, reset_s = counted(f"{bucket}:person:{person}", units)
    if used > together:
        raise Problem(
            429,
            f"Your tokens together have used their {together} {bucket} units of this minute: try again in {reset_s} seconds.",
            headers={"Retry-After": str(reset_s)},
        )
    limit = settings.API_PER_MINUTE[bucket]
    used, reset_s = counted(f"{bucket}:{caller}", units)
    allowance = Allowance(bucket=bucket, limit=limit, left=max(0, limit - used), reset_s=reset_s)
    if used > limit:
        raise Problem(
            429,
            f"This token has used its {limit} {bucket} units of this minute: try again in {reset_s} seconds.",
            headers={"Retry-After": str(reset_s), **allowance.headers()},
        )
    return allowance


def counted(name: str, units: int = 1) -> tuple[int, int]:
    """How many units of that name this minute has seen with these, and after how many seconds the next one begins."""
    window, into = divmod(time.time(), WINDOW_S)
    return _count(f"rate:{name}:{int(window)}", units), max(1, round(WINDOW_S - into))


def _count(key: str, units: int) -> int:
    global _spared_until
    if (asked := time.monotonic()) < _spared_until:
        return 0
    try:
        if cache.add(key, units, 2 * WINDOW_S):
            return units
        return int(cache.incr(key, units))
    except Exception as error:  # each cache has its own errors
        log.warning("limits_without_cache", error=type(error).__name__)
        if time.monotonic() - asked > 0.2:
            _spared_until = time.monotonic() + SPARED_S
        return 0
