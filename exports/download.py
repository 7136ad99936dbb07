"""A stored file as an answer: attachment, hash as ETag, one range at a time; and the record that it went out."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

from accounts import audit
from accounts.models import ApiToken, Membership
from exports.models import Export
from exports.text import file_name
from planner.models import PlanVersion
from rest.problems import Problem

_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def file_answer(request: HttpRequest, export: Export, data: bytes) -> HttpResponse:
    """200 with everything, 206 with the range that was asked for, 304 when the caller has it. Problem 416."""
    return bytes_answer(request, data, sha256=export.sha256, name=name_of(export), media_type=export.media_type)


def bytes_answer(request: HttpRequest, data: bytes, *, sha256: str, name: str, media_type: str) -> HttpResponse:
    """Those bytes as an attachment of that name: 200, 206 or 304, as above. Problem 416."""
    tag = f'"{sha256}"'
    headers = {
        "ETag": tag,
        "Cache-Control": "private, max-age=31536000, immutable",
        "Accept-Ranges": "bytes",
        "Content-Disposition": content_disposition_header(True, name) or "attachment",
        "X-Content-Type-Options": "nosniff",
        "Vary": "Authorization",
    }
    known = {part.strip().removeprefix("W/") for part in request.headers.get("If-None-Match", "").split(",")}
    if tag in known or "*" in known:
        return HttpResponse(status=304, headers={"ETag": tag, "Cache-Control": headers["Cache-Control"]})
    wanted = request.headers.get("Range", "") if request.headers.get("If-Range", tag) == tag else ""
    span = _span(wanted, len(data))
    if span is None:
        return HttpResponse(data, content_type=media_type, headers=headers)
    first, last = span
    headers["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
    return HttpResponse(data[first : last + 1], status=206, content_type=media_type, headers=headers)


def note(
    request: HttpRequest, answer: HttpResponse, row: Export | PlanVersion, *, member: Membership, token: ApiToken | None
) -> HttpResponse:
    """That answer, after recording that the member took the file, or the bundle of the version, away: once for the whole
    and for its first range, not for what follows or was there already."""
    begins = answer.headers.get("Content-Range", "bytes 0-").startswith("bytes 0-")
    if request.method == "GET" and answer.status_code != 304 and begins:
        data: dict[str, str | int] = {"sha256": row.sha256}
        if isinstance(row, Export):
            what, data = "export", data | {"format": row.format, "version": row.version.public_id}
        else:
            what, data = "bundle", data | {"number": row.number}
        actor, verb = member.user, f"{what}.downloaded"
        audit.record(verb, row.public_id, team=member.team, actor=actor, token=token, data=data)
    return answer


def name_of(export: Export) -> str:
    """The file's name: ASCII letters of the plan's name, the version, the format."""
    return f"{file_name(export.version.workload.name, f'v{export.version.number}')}.{export.format}"


def _span(header: str, size: int) -> tuple[int, int] | None:
    """First and last byte; None for no range, or one that RFC 9110 lets us ignore (several, other units)."""
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    start, end = match.groups()
    first = int(start) if start else max(0, size - int(end))
    last = min(int(end), size - 1) if start and end else size - 1
    if start and end and int(end) < int(start):
        return None
    if first >= size or (not start and int(end) == 0):
        raise Problem(416, f"The file has {size:,} bytes.", headers={"Content-Range": f"bytes */{size}"})
    return first, last
