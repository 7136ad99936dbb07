"""Slows down guessing of passwords: so many failures per address and account, then a pause."""

from __future__ import annotations

import hashlib

from django.core.cache import cache

FAILURES = 10
PAUSE_S = 15 * 60


def _keys(email: str, address: str) -> tuple[str, str]:
    account = hashlib.sha256(email.lower().encode()).hexdigest()[:32]
    return f"login:{account}:{address}", f"login:{address}"


def is_paused(email: str, address: str) -> bool:
    """Whether this account from this address, or this address altogether, has failed too often."""
    pair, alone = _keys(email, address)
    return int(cache.get(pair, 0)) >= FAILURES or int(cache.get(alone, 0)) >= FAILURES * 5


def note_failure(email: str, address: str) -> None:
    """Counts one failure; the count ends 15 minutes after the first."""
    for key in _keys(email, address):
        if not cache.add(key, 1, PAUSE_S):
            try:
                cache.incr(key)
            except ValueError:  # it ended between the two calls
                cache.set(key, 1, PAUSE_S)


def forget(email: str, address: str) -> None:
    """Clears the count of this account from this address, after a login that succeeded."""
    cache.delete(_keys(email, address)[0])
