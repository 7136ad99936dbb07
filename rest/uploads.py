"""Bodies that are files: which media types are taken, how large they may be, and how the OpenAPI file says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from rest.problems import Problem

CSV = "text/csv"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_BINARY: dict[str, Any] = {"type": "string", "format": "binary"}


def file_body(
    *media_types: str, json: dict[str, Any] | None = None, examples: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """`openapi_extra` of an operation whose body is a file of one of those types, or JSON of that schema; `examples` by media type."""
    content: dict[str, Any] = {media: {"schema": _BINARY} for media in media_types}
    if json is not None:
        content["application/json"] = {"schema": json}
    for media, example in (examples or {}).items():
        content[media]["example"] = example
    return {"requestBody": {"required": True, "content": content}}


def read_file(request: HttpRequest, *media_types: str, most: int) -> tuple[bytes, str]:
    """The bytes and their media type. Problem 400 for none, 413 above `most` bytes, 415 for another type."""
    media = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if media not in media_types:
        raise Problem(415, f"The body must be a file: send it with “Content-Type: {media_types[0]}”.")
    data = request.body
    if len(data) > most:
        raise Problem(413, f"The file has {len(data):,} bytes: send at most {most:,}.")
    if not data:
        raise Problem(400, "The body is empty: send the bytes of the file.")
    return data, media
