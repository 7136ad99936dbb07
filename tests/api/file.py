"""A body that is a file; it stands alone, so that a process without Django can know it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class File:
    """Bytes and what they are."""

    data: bytes
    media: str
