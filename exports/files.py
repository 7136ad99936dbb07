"""Files by content: the name is the SHA-256, a write is whole or not at all, a changed file is noticed when read.

They lie in a folder, or in an object store (exports/object_store.py), under the same names.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from pathlib import Path
from typing import Final

from django.conf import settings

from exports.object_store import object_store

_HALF_IS_OLD_S: Final = 3600.0
"""Longer than any job may take."""
_tidied_at = -_HALF_IS_OLD_S  # monotonic


class FileGone(Exception):
    """The stored file is missing or is not what was stored."""


def store(data: bytes) -> str:
    """The SHA-256 under which those bytes are now stored; storing twice leaves one file, and mends a damaged one."""
    digest = hashlib.sha256(data).hexdigest()
    if is_whole(digest):
        return digest
    if remote := object_store():
        remote.write(digest, data)
    else:
        _write(path_of(digest), data)
    return digest


def path_of(digest: str) -> Path:
    """Where the bytes of that hash lie, if it is a folder that holds them."""
    return _root() / digest[:2] / digest


def size_of(digest: str) -> int | None:
    """Bytes of the stored file, whatever they are; None when it is missing."""
    if remote := object_store():
        return remote.size(digest)
    try:
        return path_of(digest).stat().st_size
    except OSError:
        return None


def lies_here() -> bool:
    """Is a look at a file's size cheap enough for each row of a list? Not where every look is a request."""
    return object_store() is None


def is_whole(digest: str) -> bool:
    """Is the file stored, with the bytes that its name says?"""
    try:
        load(digest)
    except FileGone:
        return False
    return True


def load(digest: str) -> bytes:
    """The stored bytes, checked against their hash. FileGone when they are missing or changed."""
    remote = object_store()
    data = remote.read(digest) if remote else _read(path_of(digest))
    if data is None:
        raise FileGone("The file is no longer stored; ask for it again.")
    if hashlib.sha256(data).hexdigest() != digest:
        raise FileGone("The stored file was changed; ask for it again.")
    return data


def tidy(*, older_than_s: float) -> int:
    """Removes what writers left half written when they were killed, so long ago that none still writes it; how many."""
    removed = 0
    for half in _root().glob("*/.part-*"):
        try:
            if time.time() - half.stat().st_mtime >= older_than_s:
                half.unlink()
                removed += 1
        except FileNotFoundError:  # its writer has just finished it
            continue
    return removed


def tidy_now_and_then() -> None:
    """The same for halves older than an hour, once an hour; called at each sweep."""
    global _tidied_at
    if time.monotonic() - _tidied_at >= _HALF_IS_OLD_S:
        _tidied_at = time.monotonic()
        tidy(older_than_s=_HALF_IS_OLD_S)


def _root() -> Path:
    return Path(settings.MEDIA_ROOT) / "exports"


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:  # missing, or what lies there cannot be read
        return None


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as partial:
        try:
            partial.write(data)
            partial.flush()
            os.fsync(partial.fileno())
            Path(partial.name).replace(path)
        except BaseException:
            Path(partial.name).unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Makes the new name survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
