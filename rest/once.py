"""Idempotency-Key: a repeated POST does nothing twice and gets the first answer again.

A key is reserved before the work begins and gets its answer in the transaction that does the work, so that a crash in
between leaves neither. While the first request runs, a second is told to wait.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Final

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from rest.models import IdempotencyRecord
from rest.problems import Problem, ProblemItem

KEPT: Final = timedelta(hours=24)
LEASE: Final = timedelta(minutes=5)
"""A request that is silent for longer was killed; its key is free again."""
_SHAPE = re.compile(r"[\x21-\x7e]{1,255}")
_HEADERS = ("Location", "ETag", "Retry-After")

View = Callable[..., HttpResponse]


def once(view: View) -> View:
    """The view with Idempotency-Key honoured; its write step ends with `keep(request, answer)`."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return view(request, *args, **kwargs)
        record = _reserve(request, key)
        if record.status is not None:
            return _again(record)
        request.idempotency = record  # type: ignore[attr-defined]  # Django's way to pass a value along a request
        try:
            return keep(request, view(request, *args, **kwargs))
        except BaseException:
            IdempotencyRecord.objects.filter(pk=record.pk, status=None).delete()
            raise

    # ninja resolves the names of annotations in the module of the function that it gets, which is this one.
    guarded.__signature__ = inspect.signature(view, eval_str=True)  # type: ignore[attr-defined]
    guarded.idempotent = True  # type: ignore[attr-defined]  # read when the OpenAPI file is written
    return guarded


def keep(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Stores the answer under the key of this request, if it has one; call it in the transaction of the write."""
    record: IdempotencyRecord | None = getattr(request, "idempotency", None)
    if record is not None and record.status is None:
        record.status = response.status_code
        record.headers = {name: response.headers[name] for name in _HEADERS if name in response.headers}
        record.body = response.content.decode()
        mine = IdempotencyRecord.objects.filter(pk=record.pk, status=None, reserved_at=record.reserved_at)
        if not mine.update(status=record.status, headers=record.headers, body=record.body):
            raise Problem(409, "Another request with this Idempotency-Key took over: ask again.", headers=_WAIT)
    return response


_WAIT = {"Retry-After": "1"}


def _reserve(request: HttpRequest, key: str) -> IdempotencyRecord:
    """The caller's record of that key: new and ours, or done. Problem 400, 409 or 422."""
    if not _SHAPE.fullmatch(key):
        raise Problem(400, "“Idempotency-Key” must be 1 to 255 visible ASCII characters.")
    caller, now = request.auth.key, timezone.now()  # type: ignore[attr-defined]  # set by the authentication
    IdempotencyRecord.objects.filter(caller=caller, created_at__lt=now - KEPT).delete()
    fingerprint = _fingerprint(request)
    record = IdempotencyRecord.objects.filter(caller=caller, key=key).first()
    if record is None:
        with transaction.atomic():
            record, new = IdempotencyRecord.objects.get_or_create(
                caller=caller, key=key, defaults={"fingerprint": fingerprint, "reserved_at": now}
            )
        if new:
            return record
    if record.fingerprint != fingerprint:
        item = ProblemItem(
            parameter="Idempotency-Key",
            code="idempotency_key_reused",
            detail="This Idempotency-Key was used for another request: take a new key.",
        )
        raise Problem(422, item.detail, errors=[item])
    if record.status is None and not _take_over(record):
        raise Problem(
            409, "The first request with this Idempotency-Key is still running: ask again in a second.", headers=_WAIT
        )
    return record


def _take_over(record: IdempotencyRecord) -> bool:
    """Takes the key of a request that was killed; one of several callers wins."""
    now = timezone.now()
    mine = IdempotencyRecord.objects.filter(pk=record.pk, status=None, reserved_at__lt=now - LEASE)
    record.reserved_at = now
    return bool(mine.update(reserved_at=now))


def _fingerprint(request: HttpRequest) -> str:
    head = f"{request.method} {request.get_full_path()}\n".encode("utf-8", "surrogateescape")
    return hashlib.sha256(head + request.body).hexdigest()


def _again(record: IdempotencyRecord) -> HttpResponse:
    headers = {**record.headers, "Idempotency-Replayed": "true", "Cache-Control": "no-store"}
    return HttpResponse(record.body, status=record.status, content_type="application/json", headers=headers)
