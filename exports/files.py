"""Files by content: the name is the SHA-256, a write is whole or not at all, a changed file is noticed when read."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from django.conf import settings


class FileGone(Exception):
    """The stored file is missing or is not what was stored."""


def store(data: bytes) -> str:
    """The SHA-256 under which those bytes are now stored; storing twice leaves one file, and mends a damaged one."""
    digest = hashlib.sha256(data).hexdigest()
    path = path_of(digest)
    if is_whole(digest):
        return digest
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
    return digest


def path_of(digest: str) -> Path:
    """Where the bytes of that hash lie."""
    return Path(settings.MEDIA_ROOT) / "exports" / digest[:2] / digest


def size_of(digest: str) -> int | None:
    """Bytes of the stored file, whatever they are; None when it is missing."""
    try:
        return path_of(digest).stat().st_size
    except OSError:
        return None


def is_whole(digest: str) -> bool:
    """Is the file stored, with the bytes that its name says?"""
    try:
        load(digest)
    except FileGone:
        return False
    return True


def load(digest: str) -> bytes:
    """The stored bytes, checked against their hash. FileGone when they are missing or changed."""
    try:
        data = path_of(digest).read_bytes()
    except OSError as error:  # missing, or what lies there cannot be read
        raise FileGone("The file is no longer stored; ask for it again.") from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise FileGone("The stored file was changed; ask for it again.")
    return data


def _sync_folder(folder: Path) -> None:
    """Makes the new name survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
