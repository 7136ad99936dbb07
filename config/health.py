"""Is it alive, and is it ready? Both answer without a login and name no secret.

``/healthz`` says only that the web process answers. ``/readyz`` asks the database, the migrations, the catalog and
the worker and the sweeper; it answers 200 when all are well, else 503 with one sentence for each that is not.
`?only=database,catalog` asks for those only: a web process is no less ready when a worker is away.
"""

from __future__ import annotations

import shutil
from typing import Final

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from catalog import health as catalog
from jobs import queue
from operations.parts import LEAST_FREE_BYTES, WORKER_SILENCE_S


@require_safe
@never_cache
def alive(request: HttpRequest) -> JsonResponse:
    """200 whenever the web process answers."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def ready(request: HttpRequest) -> JsonResponse:
    """200 when work can be done, else 503 with the checks that failed (problem+json)."""
    asked = [name for name in request.GET.get("only", "").split(",") if name] or list(_CHECKS)
    if unknown := set(asked) - set(_CHECKS):
        return JsonResponse({"title": f"There is no check “{min(unknown)[:40]}”."}, status=400)
    fault = _database()
    checks = {"database": fault} | ({} if fault else {name: _CHECKS[name]() for name in asked})
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
        heard = queue.heard(within_s=WORKER_SILENCE_S).exists()
    except DatabaseError:
        return "The workers' table is missing; run `manage.py migrate`."
    if not heard:
        return "No worker has been heard for 60 seconds; start one, or look at its log."
    return None


def _sweeper() -> str | None:
    try:
        heard = queue.heard(within_s=WORKER_SILENCE_S, sweepers=True).exists()
    except DatabaseError:
        return "The workers' table is missing; run `manage.py migrate`."
    return None if heard else "Nobody sweeps the queue; start `manage.py sweeper`."


def _disk() -> str | None:
    """Room for documents: without it they wait."""
    return None if shutil.disk_usage(settings.VAR_DIR).free > LEAST_FREE_BYTES else "The disk is full; make room."


_CHECKS: Final = {
    "database": _database,
    "migrations": _migrations,
    "catalog": _catalog,
    "worker": _worker,
    "sweeper": _sweeper,
    "disk": _disk,
}
