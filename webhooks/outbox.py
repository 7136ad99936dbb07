"""The outbox: an event is written in the transaction in which it happens, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.models import Team
from jobs import queue
from webhooks.models import Delivery, Endpoint, Event, State

KIND: Final = "webhooks.deliver"
KEPT: Final = timedelta(days=30)
MOST_WAITING: Final = 1_000
"""Deliveries that may wait for one endpoint; later ones are given up at once, so that a dead receiver fills no disk."""

TEST: Final = "webhook.test"
TYPES: Final[Mapping[str, str]] = {
    "plan.version.created": "a version of a plan was frozen",
    "plan.submitted": "a version waits for approval",
    "plan.withdrawn": "its author no longer asks for approval of a version",
    "plan.approved": "a version was approved",
    "plan.returned": "a version was returned for changes",
    "plan.superseded": "a newer version took the place of one that waited or was approved",
    "plan.repriced": "on today's market an approved plan costs more or less than its band, or again what it said",
    "plan.drifted": "on today's market another choice would be made than an approved plan's, or again the same",
    "plan.archived": "a plan was taken out of the lists",
    "plan.restored": "an archived plan came back into the lists",
    "export.succeeded": "a document is ready",
    "export.failed": "a document could not be made",
    "prices.stale": "the price that an approved plan rests on is older than its limit: 60 days, spot 7",
}
"""What an endpoint may ask for, and what it means. `webhook.test` is sent by request only."""


def emit(team: Team, type_: str, *, data: Mapping[str, Any], figures: Mapping[str, Any] | None = None) -> Event:
    """Writes the event, and a delivery for each endpoint of the team that wants it. Call it inside the step.

    `data` holds ids, hashes and links; what is confidential (names, money, reasons) goes into `figures`. An event that nobody
    wants is written too: who asks later what happened is told.
    """
    if type_ not in TYPES:
        raise ValueError(f"There is no type of event {type_!r}.")
    event = Event.objects.create(team=team, type=type_, data=dict(data), figures=dict(figures or {}))
    _deliver(event, [row for row in Endpoint.objects.filter(team=team, enabled=True) if type_ in row.events])
    return event


def happened(team: Team) -> QuerySet[Event]:
    """What happened to the team's plans in the last 30 days; tests of a webhook are nothing that happened."""
    return Event.objects.filter(team=team, type__in=TYPES)


def wants(type_: str) -> list[int]:
    """The keys of the teams that some endpoint tells of that type."""
    rows = Endpoint.objects.filter(enabled=True).values_list("team_id", "events")
    return sorted({team_id for team_id, events in rows if type_ in events})


@transaction.atomic
def emit_test(endpoint: Endpoint) -> Delivery:
    """The delivery of a test event to that endpoint alone."""
    data = {"id": endpoint.public_id, "note": "This is a test: nothing has happened."}
    event = Event.objects.create(team=endpoint.team, type=TEST, data=data)
    return _deliver(event, [endpoint])[0]


def wake() -> None:
    """Has the one job of this room run, unless it waits or runs already: then it sees the new rows, or the next sweep
    does."""
    job = queue.enqueue(KIND, team=None, payload={}, key=KIND)
    if job.is_done:
        queue.retry(job, ended=True)


def look() -> None:
    """At each sweep: has the job run when a delivery's time has come, or when the log holds what is to be forgotten."""
    due = Delivery.objects.filter(state=State.WAITING, next_attempt_at__lte=timezone.now(), endpoint__enabled=True)
    if due.exists() or _old().exists():
        wake()


def forget_the_old() -> None:
    """Deletes events of more than 30 days ago with their log, unless a delivery still waits."""
    Event.objects.filter(pk__in=list(_old().values_list("pk", flat=True)[:500])).delete()


def _old() -> QuerySet[Event]:
    waiting = Delivery.objects.filter(event=OuterRef("pk"), state=State.WAITING)
    return Event.objects.filter(~Exists(waiting), occurred_at__lt=timezone.now() - KEPT)


def _deliver(event: Event, endpoints: Iterable[Endpoint]) -> list[Delivery]:
    rows = []
    for endpoint in endpoints:
        full = Delivery.objects.filter(endpoint=endpoint, state=State.WAITING).count() >= MOST_WAITING
        ended = {"state": State.FAILED, "next_attempt_at": None, "finished_at": timezone.now()} if full else {}
        rows.append(Delivery.objects.create(event=event, endpoint=endpoint, **ended))
    if rows:
        transaction.on_commit(wake, robust=True)
    return rows
