"""What Prometheus reads: how old the queue is, what runs, what failed, who is alive. All from the rows, so that any web process
answers for the whole installation; times are the database's own. Requests are counted by each server for itself
(operations/traffic.py).
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import Now
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
from operations import traffic
from operations.waiting import database_now, oldest_waits_since
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
    traffic.register(registry)
    return generate_latest(registry)


class _Installation(Collector):
    """Asks the rows when it is asked."""

    def collect(self) -> Iterator[Metric]:
        """The metrics, one after another."""
        now = database_now()
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
        since = oldest_waits_since(lane)
        under_way = Job.objects.filter(state=State.RUNNING, kind__in=kinds_in(lane))
        waiting.add_metric([lane], turns.waiting_in(lane).order_by().count())
        oldest.add_metric([lane], max(0.0, (now - since).total_seconds()) if since else 0.0)
        running.add_metric([lane], under_way.count())
        overdue.add_metric([lane], under_way.filter(lease_until__lt=Now()).count())
    yield from (waiting, oldest, running, overdue)


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
