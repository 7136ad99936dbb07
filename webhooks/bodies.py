"""The shapes that the API takes and gives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from annotated_types import MaxLen, MinLen
from ninja import Body
from pydantic import PlainValidator

from rest.bodies import WHOLE, read_body
from webhooks.message import body_of
from webhooks.models import Attempt, Delivery, Endpoint, Event

EventType = Literal[
    "plan.version.created", "plan.submitted", "plan.withdrawn", "plan.approved", "plan.returned",
    "plan.superseded", "plan.repriced", "plan.drifted", "plan.archived", "plan.restored",
    "export.succeeded", "export.failed", "prices.stale",
]  # fmt: skip
StateName = Literal["waiting", "delivered", "failed"]
Name = Annotated[str, MinLen(1), MaxLen(80)]
Url = Annotated[str, MinLen(1), MaxLen(2000)]
Events = Annotated[tuple[EventType, ...], MinLen(1), MaxLen(20)]


@dataclass(frozen=True, kw_only=True)
class HookRequest:
    """A new webhook: https to a public address, and the events that it wants."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Name
    url: Url
    events: Events
    figures: bool = False
    """Whether names of plans, costs and reasons are sent too."""


@dataclass(frozen=True, kw_only=True)
class HookChange:
    """What to change; null leaves a field as it is."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Name | None = None
    url: Url | None = None
    events: Events | None = None
    figures: bool | None = None
    enabled: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Rotation:
    """For how many hours the earlier secret signs as well."""

    __pydantic_config__ = {"extra": "forbid"}

    keep_hours: Annotated[Literal[0, 1, 24, 72], WHOLE] = 24


@dataclass(frozen=True, kw_only=True)
class HookBody:
    """A webhook without its secret."""

    id: str
    name: str
    url: str
    events: tuple[str, ...]
    figures: bool
    enabled: bool
    off_reason: str | None
    """person, gone (the receiver answered 410) or failing (nothing was taken for three days)."""
    off_at: datetime | None
    failing_since: datetime | None
    """The first failure after the last success."""
    earlier_secret_until: datetime | None
    created_by: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class HookWithSecret(HookBody):
    """A webhook whose secret was just made: shown this once; null when the request was repeated."""

    secret: str | None


@dataclass(frozen=True, kw_only=True)
class EventEnvelope:
    """Something that happened, as a webhook without `figures` is told of it."""

    id: str
    """The header `webhook-id` of its deliveries."""
    type: EventType
    timestamp: datetime
    """When it happened."""
    data: dict[str, Any]
    """What it happened to: ids, hashes and links."""


@dataclass(frozen=True, kw_only=True)
class AttemptBody:
    """One request to the receiver."""

    number: int
    began_at: datetime
    duration_ms: int | None
    status: int | None
    fault: str | None
    """Why there was no answer: a short code."""
    note: str | None
    answer: str
    """The first 2 kB of the body."""


@dataclass(frozen=True, kw_only=True)
class DeliveryBody:
    """One event for one webhook."""

    id: str
    webhook_id: str
    message_id: str
    """The header `webhook-id`, the same at every attempt."""
    type: str
    state: str
    attempts: int
    last_status: int | None
    next_attempt_at: datetime | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class DeliveryDetail(DeliveryBody):
    """A delivery with the message that is sent and every attempt, the newest first."""

    message: dict[str, Any]
    log: tuple[AttemptBody, ...]


def _read_hook(data: Any) -> HookRequest:
    return read_body(HookRequest, data)


def _read_change(data: Any) -> HookChange:
    return read_body(HookChange, data)


def _read_rotation(data: Any) -> Rotation:
    return read_body(Rotation, data)


HookRequestBody = Annotated[HookRequest, PlainValidator(_read_hook, json_schema_input_type=HookRequest), Body()]
ChangeRequestBody = Annotated[HookChange, PlainValidator(_read_change, json_schema_input_type=HookChange), Body()]
RotationRequestBody = Annotated[Rotation, PlainValidator(_read_rotation, json_schema_input_type=Rotation), Body()]


def hook_fields(row: Endpoint) -> dict[str, Any]:
    """The fields of a webhook as the API shows it."""
    return {
        "id": row.public_id,
        "name": row.name,
        "url": row.url,
        "events": tuple(row.events),
        "figures": row.figures,
        "enabled": row.enabled,
        "off_reason": row.off_reason or None,
        "off_at": row.off_at,
        "failing_since": row.failing_since,
        "earlier_secret_until": row.earlier_until,
        "created_by": row.created_by.public_id if row.created_by else None,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def event_body(row: Event) -> EventEnvelope:
    """An event as the API lists it."""
    return EventEnvelope(id=row.public_id, type=cast("EventType", row.type), timestamp=row.occurred_at, data=row.data)


def delivery_body(row: Delivery) -> DeliveryBody:
    """A delivery as the API lists it."""
    return DeliveryBody(**_delivery_fields(row))


def delivery_detail(row: Delivery) -> DeliveryDetail:
    """A delivery with its message and its log."""
    log = sorted(row.log.all(), key=lambda attempt: -attempt.number)
    return DeliveryDetail(
        **_delivery_fields(row), message=json.loads(body_of(row)), log=tuple(_attempt(attempt) for attempt in log)
    )


def _delivery_fields(row: Delivery) -> dict[str, Any]:
    last = max(row.log.all(), key=lambda attempt: attempt.number, default=None)
    return {
        "id": row.public_id,
        "webhook_id": row.endpoint.public_id,
        "message_id": row.event.public_id,
        "type": row.event.type,
        "state": row.state,
        "attempts": row.attempts,
        "last_status": last.status if last else None,
        "next_attempt_at": row.next_attempt_at,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def _attempt(row: Attempt) -> AttemptBody:
    return AttemptBody(
        number=row.number,
        began_at=row.began_at,
        duration_ms=row.duration_ms,
        status=row.status,
        fault=row.fault or None,
        note=row.note or None,
        answer=row.answer,
    )
