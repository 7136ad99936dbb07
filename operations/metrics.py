"""What Prometheus reads: how old the queue is, what runs, what failed, who is alive. All from the rows, so that any web process
answers for the whole installation; times are the database's own.

Requests are counted from the log lines or at the proxy: each process of the server would know only its own.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.db.models import Count, DateTimeField, F, Min
from django.db.models.functions import Greatest, Now
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from jobs import queue, turns
from jobs.lanes import Lane
from jobs.models import Job, State, WorkerHeartbeat
from jobs.registry import kinds_in
from webhooks.models import Delivery
from webhooks.models import State as DeliveryState

RECENT = timedelta(hours=1)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """The page for Prometheus; to whoever does not show METRICS_TOKEN as a bearer there is nothing at this address."""
    token = settings.METRICS_TOKEN
    shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not token or not hmac.compare_digest(shown.encode(), token.encode()):
        raise Http404
    return HttpResponse(exposition(), content_type=CONTENT_TYPE_LATEST)


def exposition() -> bytes:
    """All metrics as text."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Installation())
    return generate_latest(registry)


class _Installation(Collector):
    """Asks the rows when it is asked."""

    def collect(self) -> Iterator[Metric]:
        """The metrics, one after another."""
        now = _database_now()
        yield from _lanes(now)
        yield _ended(now)
        yield from _alive(now)
        waiting = Delivery.objects.filter(state=DeliveryState.WAITING, endpoint__enabled=True).count()
        yield GaugeMetricFamily(
            "sextant_webhook_deliveries_waiting", "Deliveries of webhooks that wait.", value=waiting
        )


def _lanes(now: datetime) -> Iterator[Metric]:
    waiting = GaugeMetricFamily("sextant_queue_waiting", "Jobs that wait and may begin.", labels=["lane"])
    oldest = GaugeMetricFamily("sextant_queue_oldest_seconds", "How long the oldest of them waits.", labels=["lane"])
    running = GaugeMetricFamily("sextant_jobs_running", "Jobs under way.", labels=["lane"])
    overdue = GaugeMetricFamily(
        "sextant_jobs_overdue", "Of these, whose worker is silent beyond its lease.", labels=["lane"]
    )
    for lane in Lane:
        rows = turns.waiting_in(lane).order_by()
        since = rows.aggregate(since=Min(_waits_since()))["since"]
        under_way = Job.objects.filter(state=State.RUNNING, kind__in=kinds_in(lane))
        waiting.add_metric([lane], rows.count())
        oldest.add_metric([lane], max(0.0, (now - since).total_seconds()) if since else 0.0)
        running.add_metric([lane], under_way.count())
        overdue.add_metric([lane], under_way.filter(lease_until__lt=Now()).count())
    yield from (waiting, oldest, running, overdue)


def _waits_since() -> Greatest | F:
    """When a job began to wait: when it was asked for, or when its pause after a fault was over."""
    if connection.vendor == "postgresql":  # where GREATEST leaves out what is null
        return Greatest("created_at", "held_until", output_field=DateTimeField())
    return F("created_at")


def _ended(now: datetime) -> Metric:
    ended = GaugeMetricFamily(
        "sextant_jobs_ended_last_hour", "Jobs that ended in the last hour.", labels=["kind", "state"]
    )
    recent = Job.objects.filter(finished_at__gt=now - RECENT).order_by()
    for kind, state, count in recent.values_list("kind", "state").annotate(count=Count("pk")):
        ended.add_metric([kind, state], count)
    return ended


def _alive(now: datetime) -> Iterator[Metric]:
    seen = GaugeMetricFamily(
        "sextant_heard_seconds", "How long ago a worker or sweeper was heard.", labels=["who", "lanes"]
    )
    for row in WorkerHeartbeat.objects.filter(seen_at__gt=now - RECENT):
        seen.add_metric([row.worker, row.lanes], max(0.0, (now - row.seen_at).total_seconds()))
    yield seen
    sweepers = queue.heard(within_s=60, sweepers=True).count()
    yield GaugeMetricFamily("sextant_sweepers", "Sweepers that were heard within a minute.", value=sweepers)


def _database_now() -> datetime:
    """The time by which rows are written."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT now()" if connection.vendor == "postgresql" else "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00')"
        )
        found = cursor.fetchone()[0]
    return found if isinstance(found, datetime) else datetime.fromisoformat(found)
