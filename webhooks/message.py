"""What is sent: the body, its headers, and the one request. Nothing here touches the database."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from outgoing.client import Limits, ask
from outgoing.faults import OutgoingFault
from rest.answers import moment
from webhooks.models import Delivery
from webhooks.signing import signatures

KEPT_BYTES: Final = 2_048
LIMITS: Final = Limits(total_s=5.0, connect_s=3.0, silence_s=5.0, most_bytes=KEPT_BYTES, redirects=0)


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """Everything that one attempt needs."""

    delivery_pk: int
    endpoint_pk: int
    team_pk: int
    number: int
    url: str
    message_id: str
    body: bytes
    keys: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of one attempt."""

    status: int | None = None
    fault: str = ""
    note: str = ""
    answer: str = ""
    duration_ms: int = 0
    wait_s: float | None = None
    """How long the receiver asks to be left alone."""


def body_of(delivery: Delivery) -> bytes:
    """The body as it is signed and sent: the same at every attempt."""
    event = delivery.event
    data: dict[str, Any] = dict(event.data)
    if delivery.endpoint.figures and event.figures:
        data["figures"] = event.figures
    message = {"type": event.type, "timestamp": moment(event.occurred_at), "data": data}
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def send(parcel: Parcel) -> Outcome:
    """One request to the receiver. Never raises: a fault of the surroundings is an outcome."""
    began = time.monotonic()
    timestamp = int(datetime.now(UTC).timestamp())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Sextant-Webhooks",
        "webhook-id": parcel.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures(
            parcel.keys, message_id=parcel.message_id, timestamp=timestamp, body=parcel.body
        ),
    }
    try:
        got = ask("POST", parcel.url, headers=headers, body=parcel.body, limits=LIMITS, cut=True)
    except OutgoingFault as error:
        return Outcome(fault=error.code, note=str(error)[:300], duration_ms=_ms(began))
    except Exception as error:  # a fault of our own must not stop the other deliveries
        return Outcome(fault="unexpected", note=f"The request could not be made: {type(error).__name__}.")
    text = got.body.decode("utf-8", "replace").replace("\x00", "\ufffd")
    return Outcome(
        status=got.status,
        note=_note(got.status),
        answer=text,
        duration_ms=_ms(began),
        wait_s=_seconds(got.headers.get("retry-after", "")),
    )


def _note(status: int) -> str:
    if 200 <= status < 300:
        return ""
    if 300 <= status < 400:
        return f"The receiver answered {status}: redirects are not followed; write its final address."
    if status == 410:
        return "The receiver answered 410 Gone, so this webhook was turned off."
    return f"The receiver answered {status}."


def _seconds(text: str) -> float | None:
    return float(text[:6]) if text.isascii() and text.isdigit() else None


def _ms(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
