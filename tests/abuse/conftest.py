"""Fixtures of the tests of abuses: the world of the authorisation matrix, and the API's people."""

from __future__ import annotations

from tests.api.support import alice, bob, charlie, paula, petra, quick_engine
from tests.security.asking import world

__all__ = ["alice", "bob", "charlie", "paula", "petra", "quick_engine", "world"]
