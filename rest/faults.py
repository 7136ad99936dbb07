"""Faults of the surroundings that pass by themselves: the caller is told to come again."""

from __future__ import annotations

from typing import Final

from django.db import InterfaceError, OperationalError

RETRY_AFTER_S: Final = 5
AWAY: Final = (
    "The database cannot be reached for the moment; nothing was changed: send the same again in a few seconds."
)


def is_passing(error: BaseException | None) -> bool:
    """Is the database away, restarting or locked?"""
    return isinstance(error, OperationalError | InterfaceError)
