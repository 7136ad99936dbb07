"""What visitors ask of the web, for Prometheus: how often, how it ended and how long it took, by the name of the route.

Each process of a server counts for itself and cannot see the others, so they count in files of one folder in memory
(PROMETHEUS_MULTIPROC_DIR, which config/gunicorn.py sets: the way of prometheus_client), and whichever of them answers /metrics adds up
all that share it: one machine, or one pod. Pods are read one by one, and added up by Prometheus. A process that ends leaves its file,
so that no count falls; all of them begin anew with the server.

Labels are bounded: names of routes, of which there are as many as addresses in the source, never what somebody typed.
"""

from __future__ import annotations

import os
import re
from typing import Final

from django.http import HttpRequest
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

BUCKETS_S: Final = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Among them what is promised: lists in 0.3 s, a refusal without the database in 2 s."""
METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})
STATIC: Final = "static"
NO_ROUTE: Final = "none"
"""No such address, or refused before it was looked up."""
BODY: Final = "body"
"""Refused before the application was asked: too many bodies at once, too slow, too large (config/bodies.py)."""

_PARAMETER: Final = re.compile(r"<(?:\w+:)?(\w+)>")
_REQUESTS = Counter(
    "sextant_http_requests", "Requests that were answered.", ["route", "method", "status"], registry=None
)
_SECONDS = Histogram(
    "sextant_http_request_seconds",
    "Time until the answer began.",
    ["route", "method"],
    buckets=BUCKETS_S,
    registry=None,
)


def count(*, route: str, method: str | None, status: int, seconds: float) -> None:
    """Counts one answered request; its status by class (“2xx”), an unknown method as “other”."""
    method = method if method in METHODS else "other"
    _REQUESTS.labels(route, method, f"{status // 100}xx").inc()
    _SECONDS.labels(route, method).observe(seconds)


def route_of(request: HttpRequest) -> str:
    """The name of the request's route, once it was answered: “planner:plan”. An address of the API has one name for all of its
    operations, that of the first, so it is told as it is described: “/api/v1/plans/{plan_id}”."""
    match = request.resolver_match
    if match is None:
        return STATIC if request.path.startswith("/static/") else NO_ROUTE
    return _PARAMETER.sub(r"{\1}", f"/{match.route}") if "api" in match.namespaces else match.view_name


def register(registry: CollectorRegistry) -> None:
    """Adds what was counted: by every process of this server, or by this one where it is alone."""
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    else:
        registry.register(_REQUESTS)
        registry.register(_SECONDS)
