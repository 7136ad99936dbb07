"""Stops an upload that is larger than any price list, before it fills memory or disk."""

from __future__ import annotations

from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http import HttpRequest

from incoming.workbook import MOST_BYTES

TOO_LARGE = "sextant.upload_too_large"
"""Set in the request's META when an upload was stopped."""


class BoundedUpload(FileUploadHandler):
    """Counts the bytes of all files of a request; the rest of one that is too large is read and thrown away."""

    def __init__(self, request: HttpRequest | None = None) -> None:
        super().__init__(request)
        self._received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        """Hands the bytes on. StopUpload above the limit."""
        self._received += len(raw_data)
        if self._received > MOST_BYTES:
            if self.request is not None:
                self.request.META[TOO_LARGE] = True
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leaves the making of the file to the handlers behind this one."""
        return None
