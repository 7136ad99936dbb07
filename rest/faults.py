"""Faults of the surroundings that pass by themselves: the caller is told to come again."""

from __future__ import annotations

import errno
from typing import Final

from django.db import InterfaceError, OperationalError

from incoming.apart import Busy

RETRY_AFTER_S: Final = 5
AWAY: Final = "The database or the disk cannot be written for the moment; nothing was changed: send the same again in a few seconds."


class Away(ConnectionError):
    """A server that we keep things on does not answer for the moment."""


_NO_SPACE: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def is_passing(error: BaseException | None) -> bool:
    """Is the database or the store of documents away, restarting or locked, the disk full, or no place to read a file?"""
    return isinstance(error, OperationalError | InterfaceError | Away | Busy) or is_no_space(error)


def sentence(error: BaseException | None) -> str:
    """What the caller is told of a fault that passes."""
    return str(error) if isinstance(error, Busy) else AWAY


def is_no_space(error: BaseException | None) -> bool:
    """Is the disk, or what may be written to it, full?"""
    return isinstance(error, OSError) and error.errno in _NO_SPACE
