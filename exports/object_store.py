"""Documents in an object store that speaks S3: for installations whose web and workers share no disk.

Needs the extra `s3`. A document's name is its hash, so a write that is sent twice changes nothing, and no listing, version or lock of
the store is needed: put, get and head are all that is asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from django.conf import settings

from rest.faults import Away

_ABSENT: Final = frozenset({"404", "NoSuchKey", "NotFound"})
_PASSING: Final = frozenset({"SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "500", "503"})


_LOOKING: Final = {"connect_timeout": 2, "read_timeout": 2, "retries": {"mode": "standard", "total_max_attempts": 1}}
"""Somebody waits in front of a page, and is told within seconds to come again."""
_KEEPING: Final = {"connect_timeout": 2, "read_timeout": 10, "retries": {"mode": "standard", "total_max_attempts": 2}}
"""A job that writes has time, and comes again."""


class ObjectStore:
    """One bucket, or a folder in it."""

    def __init__(self, bucket: str, folder: str, endpoint: str) -> None:
        self.bucket, self.folder = bucket, folder.strip("/")
        self._asked, self._given = _client(endpoint, _LOOKING), _client(endpoint, _KEEPING)

    def write(self, digest: str, data: bytes) -> None:
        """Keeps those bytes under that name; the store checks on its side that they came whole. Away when it does not answer."""
        with _told():
            self._given.put_object(Bucket=self.bucket, Key=self._key(digest), Body=data, ChecksumAlgorithm="SHA256")

    def read(self, digest: str) -> bytes | None:
        """The bytes of that name, unchecked; None when there are none. Away when the store does not answer."""
        with _told():
            try:
                found = self._asked.get_object(Bucket=self.bucket, Key=self._key(digest))
            except self._asked.exceptions.NoSuchKey:
                return None
            data: bytes = found["Body"].read()
            return data

    def size(self, digest: str) -> int | None:
        """Bytes under that name; None when there are none. Away when the store does not answer."""
        from botocore.exceptions import ClientError

        with _told():
            try:
                return int(self._asked.head_object(Bucket=self.bucket, Key=self._key(digest))["ContentLength"])
            except ClientError as error:
                if error.response["Error"]["Code"] in _ABSENT:
                    return None
                raise

    def _key(self, digest: str) -> str:
        return "/".join(part for part in (self.folder, digest[:2], digest) if part)


def object_store() -> ObjectStore | None:
    """The installation's object store; None where documents lie in a folder."""
    if not settings.DOCUMENTS_S3:
        return None
    return _store(*settings.DOCUMENTS_S3, settings.DOCUMENTS_S3_ENDPOINT)


@cache
def _store(bucket: str, folder: str, endpoint: str) -> ObjectStore:
    return ObjectStore(bucket, folder, endpoint)


def _client(endpoint: str, patience: Mapping[str, Any]) -> Any:
    """A client that gives up after that. Credentials come as boto3 finds them."""
    import boto3
    from botocore.config import Config

    return boto3.session.Session().client("s3", endpoint_url=endpoint or None, config=Config(**patience))


@contextmanager
def _told() -> Iterator[None]:
    """Faults of the network and of an overloaded store as Away; others, such as a wrong key, as they are."""
    from botocore.exceptions import ClientError, HTTPClientError, IncompleteReadError
    from botocore.exceptions import ConnectionError as Unreachable

    try:
        yield
    except (Unreachable, HTTPClientError, IncompleteReadError) as error:
        raise Away("The store of documents does not answer.") from error
    except ClientError as error:
        if error.response["Error"]["Code"] in _PASSING:
            raise Away("The store of documents is busy.") from error
        raise
