"""Files that wait for a job to read them. Each belongs to one job, which removes it when it has ended."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path
from typing import Final

from django.conf import settings

_SHAPE = re.compile(r"[0-9a-f]{64}(\.[0-9a-f]{16})?")
_DIGEST: Final = 64  # hexadecimal digits


def put(data: bytes) -> str:
    """The name under which those bytes wait: their SHA-256 and something of its own.

    The same bytes sent twice are two files, so that one job never removes what another is about to read.
    """
    name = f"{hashlib.sha256(data).hexdigest()}.{secrets.token_hex(8)}"
    path = _path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.write_bytes(data)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return name


def digest_of(name: str) -> str:
    """The SHA-256 of the bytes that wait under that name."""
    return name[:_DIGEST]


def take(name: str) -> bytes:
    """The waiting bytes. FileNotFoundError when they are gone."""
    return _path(name).read_bytes()


def drop(name: str) -> None:
    """Removes them; nothing happens when they are gone."""
    _path(name).unlink(missing_ok=True)


def _path(name: str) -> Path:
    if not _SHAPE.fullmatch(name):
        raise FileNotFoundError(name[:80])
    return Path(settings.MEDIA_ROOT) / "inbox" / name
