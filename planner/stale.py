"""Once a day: approved plans whose price has grown old are told to the programs that want to know."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from catalog import clock
from jobs import queue
from jobs.registry import Running
from planner import events
from planner.models import PlanVersion
from planner.price_age import price_day, price_limit
from webhooks import outbox
from webhooks.models import Event

KIND: Final = "planner.stale"
TYPE: Final = "prices.stale"
AGAIN: Final = timedelta(days=30)
"""A plan whose price stays old is told again after so long."""


def request_check() -> None:
    """At each sweep: one job a day, if any endpoint wants to know."""
    if outbox.wants(TYPE):
        queue.enqueue(KIND, team=None, payload={}, key=f"{KIND}:{clock.today().isoformat()}")


def check(job: Running) -> dict[str, Any]:
    """The handler: looks at every approved version of the teams that want to know."""
    today, told = clock.today(), 0
    versions = PlanVersion.objects.counting().filter(workload__team__in=outbox.wants(TYPE))
    for version in versions.select_related("workload__team").iterator(chunk_size=20):
        priced, limit = price_date_of(version), price_limit_of(version)
        if priced is not None and (today - priced).days > limit and not _told_lately(version):
            with transaction.atomic():
                events.version_told(version, TYPE, price_date=priced.isoformat(), age_days=(today - priced).days)
            told += 1
    return {"told": told}


def price_date_of(version: PlanVersion) -> date | None:
    """The day of the price that the recommended option was planned with; None for hardware that is owned."""
    best = version.head.recommendation.recommended
    try:
        return date.fromisoformat(price_day(best)) if best else None
    except ValueError:
        return None


def price_limit_of(version: PlanVersion) -> int:
    """Most days that this price may be old."""
    best = version.head.recommendation.recommended
    return price_limit(best) if best else 0


def _told_lately(version: PlanVersion) -> bool:
    since = timezone.now() - AGAIN
    found = Event.objects.filter(team=version.workload.team, type=TYPE, occurred_at__gt=since)
    return found.filter(data__version_id=version.public_id).exists()
