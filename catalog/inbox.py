"""Files that wait for a job to read them, named by their hash and removed when the job has ended."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path

from django.conf import settings

_SHAPE = re.compile(r"[0-9a-f]{64}")


def put(data: bytes) -> str:
    """The SHA-256 under which those bytes wait."""
    digest = hashlib.sha256(data).hexdigest()
    path = _path(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    # Under a name of its own until it is whole: the same file may be sent twice at once.
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as partial:
        try:
            partial.write(data)
            partial.flush()
            Path(partial.name).replace(path)
        except BaseException:
            Path(partial.name).unlink(missing_ok=True)
            raise
    return digest


def take(digest: str) -> bytes:
    """The waiting bytes. FileNotFoundError when they are gone."""
    return _path(digest).read_bytes()


def drop(digest: str) -> None:
    """Removes them; nothing happens when they are gone."""
    _path(digest).unlink(missing_ok=True)


def _path(digest: str) -> Path:
    if not _SHAPE.fullmatch(digest):
        raise FileNotFoundError(digest[:80])
    return Path(settings.MEDIA_ROOT) / "inbox" / digest
