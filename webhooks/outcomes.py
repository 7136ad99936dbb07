"""What an attempt changes: the log, the delivery, and the endpoint that may be turned off."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts import audit
from webhooks import notices
from webhooks.message import Outcome, Parcel
from webhooks.models import Attempt, Delivery, Endpoint, Off, State

PAUSES_S: Final = (5, 30, 120, 600, 1800, 3600, 7200, 14400, 25200, 32400)
"""Before the second attempt, the third …: 11 attempts in 23.7 hours."""
JITTER: Final = 0.2
LONGEST_WISH_S: Final = 3600
FAILING_FOR: Final = timedelta(days=3)
"""An endpoint that took nothing for so long is turned off."""
_ENDPOINT_PAUSE_S: Final = (15, 600)
"""While an endpoint fails, its other deliveries wait too: so long after the first failure, doubled up to so long."""
UNFINISHED: Final = "The worker stopped before the receiver had answered; it was sent again."


@transaction.atomic
def record(parcel: Parcel, outcome: Outcome) -> None:
    """Writes what came of the attempt; nothing when a later attempt of the same delivery has begun."""
    now = timezone.now()
    Attempt.objects.filter(delivery_id=parcel.delivery_pk, number=parcel.number).update(
        status=outcome.status,
        fault=outcome.fault,
        note=outcome.note,
        answer=outcome.answer,
        duration_ms=outcome.duration_ms,
    )
    delivery = Delivery.objects.filter(pk=parcel.delivery_pk).select_related("endpoint__team").first()
    if delivery is None or delivery.attempts != parcel.number or delivery.state != State.WAITING:
        return
    if outcome.status is not None and 200 <= outcome.status < 300:
        _delivered(delivery, now)
    elif outcome.status == 410:
        _end(delivery, State.FAILED, now)
        switch_off(delivery.endpoint, Off.GONE)
    else:
        _failed(delivery, outcome, now)


@transaction.atomic
def switch_off(endpoint: Endpoint, reason: Off) -> None:
    """Turns the endpoint off and gives up what waits for it; the owner is told unless a person did it."""
    now = timezone.now()
    rows = Endpoint.objects.filter(pk=endpoint.pk, enabled=True)
    if not rows.update(enabled=False, off_reason=reason, off_at=now, updated_at=now, revision=F("revision") + 1):
        return
    Delivery.objects.filter(endpoint=endpoint, state=State.WAITING).update(
        state=State.FAILED, next_attempt_at=None, finished_at=now
    )
    if reason != Off.PERSON:
        data = {"reason": str(reason)}
        audit.record("webhook.turned_off", endpoint.public_id, team=endpoint.team, actor=None, data=data)
        notices.turned_off(endpoint, reason)


def pause_s(tries: int, wish_s: float | None = None) -> float | None:
    """Seconds to the next attempt after so many, spread by a fifth; None when there is none.

    What the receiver asks for (Retry-After) counts when it is longer, up to an hour.
    """
    if tries > len(PAUSES_S):
        return None
    usual = PAUSES_S[tries - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreads, hides nothing
    return max(usual, min(wish_s or 0.0, LONGEST_WISH_S))


def _delivered(delivery: Delivery, now: datetime) -> None:
    _end(delivery, State.DELIVERED, now)
    was_failing = Endpoint.objects.filter(pk=delivery.endpoint_id, failures__gt=0)
    if was_failing.update(failures=0, failing_since=None):
        waiting = Delivery.objects.filter(endpoint_id=delivery.endpoint_id, state=State.WAITING)
        waiting.update(next_attempt_at=now)  # it works again: what has waited is sent now


def _failed(delivery: Delivery, outcome: Outcome, now: datetime) -> None:
    pause = pause_s(delivery.tries, outcome.wait_s)
    if pause is None:
        _end(delivery, State.FAILED, now)
    else:
        Delivery.objects.filter(pk=delivery.pk).update(next_attempt_at=now + timedelta(seconds=pause))
    endpoint = delivery.endpoint
    first = Q(pk=endpoint.pk, failing_since=None)
    Endpoint.objects.filter(first).update(failing_since=now)
    Endpoint.objects.filter(pk=endpoint.pk).update(failures=F("failures") + 1)
    endpoint.refresh_from_db()
    if endpoint.failing_since is not None and now - endpoint.failing_since >= FAILING_FOR:
        switch_off(endpoint, Off.FAILING)
        return
    shortest, longest = _ENDPOINT_PAUSE_S
    quiet = now + timedelta(seconds=min(longest, shortest * 2 ** min(endpoint.failures - 1, 10)))
    others = Delivery.objects.filter(endpoint=endpoint, state=State.WAITING).exclude(pk=delivery.pk)
    others.filter(next_attempt_at__lt=quiet).update(next_attempt_at=quiet)


def _end(delivery: Delivery, state: State, now: datetime) -> None:
    rows = Delivery.objects.filter(pk=delivery.pk, state=State.WAITING)
    rows.update(state=state, next_attempt_at=None, finished_at=now)
