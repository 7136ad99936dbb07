"""Where the documents lie, for whoever damages and counts them: a folder, or a bucket of the object store."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from tests.faults.servers import Store


class Shelf(Protocol):
    """Documents by the name of their hash."""

    def names(self) -> Iterator[str]:
        """Of everything that lies there, halves that a killed writer left included."""

    def read(self, digest: str) -> bytes | None:
        """What lies under that name."""

    def write(self, digest: str, data: bytes) -> None:
        """Puts other bytes under that name, past the product."""

    def remove(self, digest: str) -> None:
        """Takes it away."""


class Folder:
    """On the disk of the documents."""

    def names(self) -> Iterator[str]:
        """Of everything that lies there, halves that a killed writer left included."""
        yield from (path.name for path in self._path("00").parent.parent.rglob("*") if path.is_file())

    def read(self, digest: str) -> bytes | None:
        """What lies under that name."""
        with contextlib.suppress(FileNotFoundError):
            return self._path(digest).read_bytes()
        return None

    def write(self, digest: str, data: bytes) -> None:
        """Puts other bytes under that name, past the product."""
        self._path(digest).write_bytes(data)

    def remove(self, digest: str) -> None:
        """Takes it away."""
        self._path(digest).unlink(missing_ok=True)

    def _path(self, digest: str) -> Path:
        from exports.files import path_of

        return path_of(digest)


class Bucket:
    """In the object store, which it reaches without the cable that the product's way may be cut at."""

    def __init__(self, store: Store) -> None:
        self._client = store.client()

    def names(self) -> Iterator[str]:
        """Of everything that lies there."""
        for page in self._client.get_paginator("list_objects_v2").paginate(Bucket=Store.BUCKET):
            yield from (row["Key"].rpartition("/")[2] for row in page.get("Contents", ()))

    def read(self, digest: str) -> bytes | None:
        """What lies under that name."""
        try:
            found: bytes = self._client.get_object(Bucket=Store.BUCKET, Key=self._key(digest))["Body"].read()
        except self._client.exceptions.NoSuchKey:
            return None
        return found

    def write(self, digest: str, data: bytes) -> None:
        """Puts other bytes under that name, past the product."""
        self._client.put_object(Bucket=Store.BUCKET, Key=self._key(digest), Body=data)

    def remove(self, digest: str) -> None:
        """Takes it away."""
        self._client.delete_object(Bucket=Store.BUCKET, Key=self._key(digest))

    @staticmethod
    def _key(digest: str) -> str:
        return f"{digest[:2]}/{digest}"
