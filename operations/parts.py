"""The parts of an installation, and how each of them is: asked of the thing itself, in seconds, naming no team and no secret."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext as _

from catalog import clock
from catalog.models import CatalogRelease
from engine.inputs.freshness import LIST_DAYS
from exports import files
from jobs import queue
from jobs.lanes import Lane
from jobs.models import WorkerHeartbeat
from operations import waiting
from planner.telling import PAGES
from voice import writing

WORKER_SILENCE_S: Final = 60
LEAST_FREE_BYTES: Final = 64 * 1024 * 1024
SLOW_S: Final = 0.25
"""A server that takes longer for the smallest question is late."""
LATE_S: Final = {Lane.INTERACTIVE: 120, Lane.MAIL: 300, Lane.IMPORTS: 7200, Lane.SWEEPS: 7200}
"""How long the oldest job of a lane may wait; the alerts of deploy/alerts.yaml say the same."""

Figure = float | int | str


class State(StrEnum):
    """How a part is."""

    OK = "ok"
    LATE = "late"
    """It works, and keeps somebody waiting."""
    AWAY = "away"
    UNKNOWN = "unknown"
    """What knows it is away."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One part, as it was found."""

    part: str
    state: State = State.OK
    said: str = ""
    """One sentence, where there is more to say than the state."""
    since: datetime | None = None
    """Since when it is so, where a row says it; None: since somebody noticed."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What programs read: `oldest_waiting_s` of a lane, `date` and `age_days` of the catalog."""


WEB: Final = "web"
DATABASE: Final = "database"
BROKER: Final = "broker"
SWEEPER: Final = "sweeper"
DOCUMENTS: Final = "documents"
CATALOG: Final = "catalog"
LANES: Final = {lane: f"lane.{lane}" for lane in Lane}
PARTS: Final = (WEB, DATABASE, BROKER, *LANES.values(), SWEEPER, DOCUMENTS, CATALOG)


def of_rows() -> Sequence[Reading]:
    """The database and what its rows say: lanes, sweeper, catalog. Eight small questions."""
    began = time.monotonic()
    try:
        now = waiting.database_now()
        slow = time.monotonic() - began > SLOW_S
        database = Reading(part=DATABASE, state=State.LATE if slow else State.OK)
        heard = list(WorkerHeartbeat.objects.all())
        return (database, *(_lane(lane, heard, now) for lane in Lane), _sweeper(heard, now), _catalog())
    except DatabaseError:
        return without_rows()


def without_rows() -> Sequence[Reading]:
    """The same when the database is away."""
    known_there = (*LANES.values(), SWEEPER, CATALOG)
    away = Reading(part=DATABASE, state=State.AWAY, said=_("Plans can be neither read nor written."))
    return (away, *(Reading(part=part, state=State.UNKNOWN) for part in known_there))


def of_broker() -> Sequence[Reading]:
    """The broker, asked how many messages of a lane it holds."""
    began = time.monotonic()
    if queue.bells_in(Lane.INTERACTIVE) is None:
        return without_broker()
    slow = time.monotonic() - began > SLOW_S
    return (Reading(part=BROKER, state=State.LATE if slow else State.OK),)


def without_broker() -> Sequence[Reading]:
    """The same when it does not answer."""
    return (Reading(part=BROKER, state=State.AWAY, said=_("Documents begin somewhat later; nothing is lost.")),)


def of_documents() -> Sequence[Reading]:
    """The folder or the object store in which documents lie."""
    began = time.monotonic()
    files.size_of("0" * 64)  # no document's name; Away where the store does not answer
    if files.lies_here() and shutil.disk_usage(settings.VAR_DIR).free <= LEAST_FREE_BYTES:
        return (Reading(part=DOCUMENTS, state=State.AWAY, said=_("The disk is full: documents wait.")),)
    slow = time.monotonic() - began > SLOW_S
    return (Reading(part=DOCUMENTS, state=State.LATE if slow else State.OK),)


def without_documents() -> Sequence[Reading]:
    """The same when they cannot be reached."""
    return (Reading(part=DOCUMENTS, state=State.AWAY, said=_("Documents wait, and cannot be downloaded.")),)


def _lane(lane: Lane, heard: Sequence[WorkerHeartbeat], now: datetime) -> Reading:
    part, oldest = LANES[lane], waiting.oldest_waits_since(lane)
    waits_s = max(0.0, (now - oldest).total_seconds()) if oldest else 0.0
    said = _("The oldest job has been waiting for {span}.").format(span=_span(waits_s)) if oldest else ""
    figures = {"oldest_waiting_s": round(waits_s)}
    serving = [row.seen_at for row in heard if lane in row.lanes.split(",")]
    if _silent(serving, now):
        said = " ".join(filter(None, (_("No worker of this lane has been heard."), said)))
        return Reading(part=part, state=State.AWAY, said=said, since=max(serving, default=None), figures=figures)
    if oldest and waits_s > LATE_S[lane]:
        since = oldest + timedelta(seconds=LATE_S[lane])
        return Reading(part=part, state=State.LATE, said=said, since=since, figures=figures)
    return Reading(part=part, said=said, figures=figures)


def _sweeper(heard: Sequence[WorkerHeartbeat], now: datetime) -> Reading:
    seen = [row.seen_at for row in heard if row.worker.startswith(queue.SWEEPER)]
    if not _silent(seen, now):
        return Reading(part=SWEEPER)
    said = _("Jobs that a worker lost come back later.")
    return Reading(part=SWEEPER, state=State.AWAY, said=said, since=max(seen, default=None))


def _silent(seen: Sequence[datetime], now: datetime) -> bool:
    return not seen or (now - max(seen)).total_seconds() > WORKER_SILENCE_S


def _catalog() -> Reading:
    latest = CatalogRelease.objects.order_by("-pk").first()
    if latest is None:
        return Reading(part=CATALOG, state=State.AWAY, said=_("No catalog is loaded."))
    age = max(0, (clock.today() - latest.date).days)
    name, day = latest.sha256[:12], PAGES.day(latest.date)
    said = _("Release {name} of {day}.").format(name=name, day=day)
    if age:
        said = _("Release {name} of {day}, {span} old.").format(name=name, day=day, span=_span(age * 86_400))
    return Reading(
        part=CATALOG,
        state=State.LATE if age > LIST_DAYS else State.OK,
        said=said,
        since=latest.created_at,
        figures={"release": latest.sha256, "date": latest.date.isoformat(), "age_days": age},
    )


def _span(seconds: float) -> str:
    return writing.span(seconds, PAGES.writes, PAGES.catalog)
