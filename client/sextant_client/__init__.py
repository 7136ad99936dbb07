"""Typed client of the Sextant API: retries, keys, pages, ETags, problems, and downloads that go on where they broke off."""

from sextant_client.client import Sextant
from sextant_client.errors import ApiProblem, DownloadFailed, ExportFailed, SextantError, Unreachable
from sextant_client.transport import etag

__all__ = ["ApiProblem", "DownloadFailed", "ExportFailed", "Sextant", "SextantError", "Unreachable", "etag"]
