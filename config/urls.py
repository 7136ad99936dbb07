"""Every address, room by room."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from django.urls import URLPattern, URLResolver, include, path

from config import health
from operations import status
from operations.metrics import metrics
from rest import guides, problem_pages
from rest.reference import described_in_yaml, schemas

handler500 = "config.faults.broken"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("status", status.page, name="status"),
    path("status.json", status.as_json, name="status-json"),
    path("llms.txt", guides.for_assistants, name="llms"),
    path("api/v1/guides/<slug:name>", guides.guide, name="guide"),
    path("problems/", problem_pages.index, name="problems"),
    path("problems/<slug:code>", problem_pages.page, name="problem"),
    path("accounts/", include("accounts.urls")),
    path("catalog/", include("catalog.urls")),
    path("webhooks/", include("webhooks.urls")),
    path("exports/", include("exports.urls")),
    path("", include("planner.pages.urls")),
]

if find_spec("config.api") is not None:
    api = import_module("config.api").api
    urlpatterns.insert(2, path("api/v1/", api.urls))
    urlpatterns.insert(2, path("api/v1/schemas", schemas, {"api": api}, name="api-schemas"))
    urlpatterns.insert(2, path("api/v1/openapi.yaml", described_in_yaml, {"api": api}, name="openapi-yaml"))
