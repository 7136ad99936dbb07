"""Fixtures of the API's tests."""

from __future__ import annotations

from tests.api.support import alice, bob, charlie, paula, petra, quick_engine

__all__ = ["alice", "bob", "charlie", "paula", "petra", "quick_engine"]
