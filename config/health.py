"""Is it alive, and is it ready? Both answer without a login and name no secret.

``/healthz`` says only that the web process answers. ``/readyz`` asks the database, the migrations, the catalog and
the worker; it answers 200 when all are well, else 503 with one sentence for each that is not.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from catalog import health as catalog
from jobs.models import WorkerHeartbeat

WORKER_SILENCE = timedelta(seconds=60)


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    """200 whenever the web process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when work can be done, else 503 with the checks that failed (problem+json)."""
    checks = {"database": _database()}
    if checks["database"] is None:
        checks |= {"migrations": _migrations(), "catalog": _catalog(), "worker": _worker()}
    faults = {name: fault for name, fault in checks.items() if fault}
    if not faults:
        return JsonResponse({"status": "ready", "checks": dict.fromkeys(checks, "ok")})
    return JsonResponse(
        {
            "type": "about:blank",
            "title": "Not ready",
            "status": 503,
            "detail": " ".join(faults.values()),
            "checks": {name: fault or "ok" for name, fault in checks.items()},
        },
        status=503,
        headers={"Retry-After": "15"},
        content_type="application/problem+json",
    )


def _database() -> str | None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "The database does not answer."
    return None


def _migrations() -> str | None:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return f"{len(waiting)} migrations wait; run `manage.py migrate`." if waiting else None


def _catalog() -> str | None:
    try:
        return None if catalog.is_loaded() else "No catalog is loaded; run `manage.py load_catalog`."
    except DatabaseError:
        return "The catalog cannot be read; run `manage.py migrate`."


def _worker() -> str | None:
    try:
        seen = WorkerHeartbeat.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()
    except DatabaseError:
        return "The workers' table is missing; run `manage.py migrate`."
    if seen is None or timezone.now() - seen > WORKER_SILENCE:
        return "No worker has been heard for 60 seconds; start one, or look at its log."
    return None
