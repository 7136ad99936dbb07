"""How long the lanes of the queue wait, on the database's own clock."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.db.models import DateTimeField, F, Min
from django.db.models.functions import Greatest

from jobs import turns
from jobs.lanes import Lane


def database_now() -> datetime:
    """The time by which rows are written."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT now()" if connection.vendor == "postgresql" else "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00')"
        )
        found = cursor.fetchone()[0]
    return found if isinstance(found, datetime) else datetime.fromisoformat(found)


def oldest_waits_since(lane: Lane) -> datetime | None:
    """Since when the oldest job of the lane waits that may begin; None when none does."""
    since: datetime | None = turns.waiting_in(lane).order_by().aggregate(since=Min(_waits_since()))["since"]
    return since


def _waits_since() -> Greatest | F:
    """When a job began to wait: when it was asked for, or when its pause after a fault was over."""
    if connection.vendor == "postgresql":  # where GREATEST leaves out what is null
        return Greatest("created_at", "held_until", output_field=DateTimeField())
    return F("created_at")
