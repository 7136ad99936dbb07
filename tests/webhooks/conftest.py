"""Receivers are played on this machine."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _receivers_on_this_machine(settings: Any) -> None:
    settings.OUTGOING_LOOPBACK = True
