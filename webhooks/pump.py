"""Delivery: one job sends what is due, several at a time, so that receivers that hang never hold more than one worker.

The job has one row for ever, claimed, heard and requeued like any other (jobs/queue.py): its lease is what keeps two
pumps from running at once. An attempt is written before it is sent; after a kill it stays without an outcome, and the
delivery, still due, is sent again under the same `webhook-id`.
"""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Final

import structlog
from django.db import DatabaseError, transaction
from django.db.models import F, Min
from django.utils import timezone

from accounts.secrets import BrokenSeal, unseal
from jobs.registry import Running
from webhooks import outbox
from webhooks.message import Outcome, Parcel, body_of, send
from webhooks.models import Attempt, Delivery, Endpoint, State
from webhooks.outcomes import PAUSES_S, UNFINISHED, record

log = structlog.get_logger("sextant.webhooks")

AT_ONCE: Final = 8
OF_ONE_TEAM: Final = 4
OF_ONE_ENDPOINT: Final = 2
"""Requests under way at the same time. An endpoint that fails gets one: a probe."""
LOOK_AGAIN_S: Final = 1.0
_UNREADABLE: Final = (
    "The secret of this webhook cannot be read: change it, or ask the operator for the key that sealed it."
)
PASS_S: Final = 30.0
"""Then the job ends, so that the worker can do other work first; the next sweep wakes it."""


def deliver(job: Running) -> dict[str, Any]:
    """The handler: sends what is due until nothing is, or half a minute is over."""
    until = time.monotonic() + PASS_S
    flying: dict[Future[Outcome], Parcel] = {}
    sent = 0
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
        while True:
            if time.monotonic() < until:
                flying |= {pool.submit(send, parcel): parcel for parcel in _taken(list(flying.values()))}
            if not flying:
                break
            done, _ = wait(flying, timeout=LOOK_AGAIN_S, return_when=FIRST_COMPLETED)
            job.progress(50, f"{sent} sent")
            for future in done:
                _record(flying.pop(future), future.result())
                sent += 1
    outbox.forget_the_old()
    return {"sent": sent}


def _record(parcel: Parcel, outcome: Outcome) -> None:
    """One that cannot be written must not stop the others; its tries are counted, so it ends."""
    try:
        record(parcel, outcome)
    except DatabaseError:
        raise
    except Exception as error:
        log.exception("outcome_not_recorded", delivery=parcel.delivery_pk, error=type(error).__name__)


def _taken(flying: list[Parcel]) -> list[Parcel]:
    """What is sent now besides what is under way: the endpoint that has waited longest first."""
    taken: list[Parcel] = []
    due = Delivery.objects.filter(state=State.WAITING, next_attempt_at__lte=timezone.now(), endpoint__enabled=True)
    due = due.exclude(pk__in=[parcel.delivery_pk for parcel in flying])
    order = due.values("endpoint_id").annotate(since=Min("next_attempt_at")).order_by("since", "endpoint_id")
    for endpoint_pk in list(order.values_list("endpoint_id", flat=True)):
        endpoint = Endpoint.objects.filter(pk=endpoint_pk).first()
        if endpoint is None:  # deleted since the query
            continue
        room = _room(endpoint, flying + taken)
        rows = due.filter(endpoint_id=endpoint_pk).select_related("endpoint", "event").order_by("next_attempt_at", "pk")
        begun = [_begun(row) for row in rows[: max(0, room)]]
        taken += [parcel for parcel in begun if parcel is not None]
        if len(flying) + len(taken) >= AT_ONCE:
            break
    return taken


def _room(endpoint: Endpoint, under_way: list[Parcel]) -> int:
    """How many more requests to this endpoint may be under way."""
    of_team = sum(parcel.team_pk == endpoint.team_id for parcel in under_way)
    of_endpoint = sum(parcel.endpoint_pk == endpoint.pk for parcel in under_way)
    most = 1 if endpoint.failures else OF_ONE_ENDPOINT
    return min(AT_ONCE - len(under_way), OF_ONE_TEAM - of_team, most - of_endpoint)


@transaction.atomic
def _begun(delivery: Delivery) -> Parcel | None:
    """The next attempt, written down; None when the delivery has moved on, or has no attempt left."""
    rows = Delivery.objects.filter(pk=delivery.pk, state=State.WAITING, attempts=delivery.attempts)
    if delivery.tries > len(PAUSES_S):  # each attempt ended with the worker: it must not go on for ever
        rows.update(state=State.FAILED, next_attempt_at=None, finished_at=timezone.now())
        return None
    if not rows.update(attempts=F("attempts") + 1, tries=F("tries") + 1):
        return None
    delivery.log.filter(status=None, fault="").update(fault="worker_lost", note=UNFINISHED)
    number = delivery.attempts + 1
    Attempt.objects.create(delivery=delivery, number=number)
    endpoint = delivery.endpoint
    parcel = Parcel(
        delivery_pk=delivery.pk,
        endpoint_pk=endpoint.pk,
        team_pk=endpoint.team_id,
        number=number,
        url=endpoint.url,
        message_id=delivery.event.public_id,
        body=body_of(delivery),
        keys=_keys(endpoint),
    )
    if parcel.keys:
        return parcel
    record(parcel, Outcome(fault="unreadable_secret", note=_UNREADABLE))
    return None


def _keys(endpoint: Endpoint) -> tuple[str, ...]:
    """What signs: those that can be read. With none the attempt has failed, which must not stop other endpoints."""
    keys = []
    for sealed in [endpoint.secret] + [endpoint.earlier_secret] * endpoint.has_two_secrets(timezone.now()):
        try:
            keys.append(unseal(sealed))
        except BrokenSeal:
            log.error("secret_unreadable", endpoint=endpoint.public_id)
    return tuple(keys)
