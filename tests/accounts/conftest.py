"""Quick passwords: these tests sign in hundreds of times, and a strong hash is slow on purpose."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _quick_hashes(settings: Any) -> None:
    settings.PASSWORD_HASHERS = ["tests.accounts.sign_in_support.QuickArgon2"]
