"""Health, and what every answer carries."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from catalog import health
from jobs import queue
from jobs.models import WorkerHeartbeat


@pytest.fixture
def catalog_says(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Sets whether a catalog is loaded."""

    def say(loaded: bool) -> None:
        monkeypatch.setattr(health, "is_loaded", lambda: loaded)

    return say


def test_alive_needs_no_database(client: Client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}  # without the db fixture, any query would raise


def test_ready_when_all_is_well(client: Client, db: None, catalog_says: Any) -> None:
    catalog_says(True)
    queue.note_worker("celery@one")
    queue.note_worker("sweeper@one")

    response = client.get("/readyz")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ready",
        "checks": {
            "database": "ok",
            "migrations": "ok",
            "catalog": "ok",
            "worker": "ok",
            "sweeper": "ok",
            "disk": "ok",
        },
    }


def test_not_ready_names_each_fault(client: Client, db: None, catalog_says: Any) -> None:
    catalog_says(False)
    WorkerHeartbeat.objects.create(worker="celery@one", seen_at=timezone.now() - timedelta(seconds=61))

    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.headers["Content-Type"] == "application/problem+json"
    assert response.headers["Retry-After"] == "15"
    detail = response.json()["detail"]
    assert "No worker has been heard for 60 seconds" in detail
    assert "Nobody sweeps the queue; start `manage.py sweeper`." in detail
    assert "No catalog is loaded; run `manage.py load_catalog`." in detail


def test_a_probe_may_ask_for_some_checks_only(client: Client, db: None, catalog_says: Any) -> None:
    catalog_says(True)
    response = client.get("/readyz?only=database,catalog")
    assert response.json() == {"status": "ready", "checks": {"database": "ok", "catalog": "ok"}}
    assert client.get("/readyz?only=moon").status_code == 400


def test_a_page_carries_the_safe_headers(client: Client, db: None) -> None:
    headers = client.get("/accounts/login").headers
    policy = headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_cookies_are_out_of_reach_of_scripts(client: Client, db: None) -> None:
    client.get("/accounts/login")
    cookie = client.cookies["csrf"]

    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


@pytest.mark.parametrize(
    ("given", "kept"), [("trace-12345678", True), ("short", False), ("a b" * 5, False), ("x" * 65, False), ("", False)]
)
def test_a_request_id_is_kept_when_harmless_and_else_made(client: Client, given: str, kept: bool) -> None:
    answered = client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"]

    assert (answered == given) is kept
    if not kept:
        assert answered.startswith("req_")
