"""Requests are counted by route, method and class of status, by all processes of a server together."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from config import gunicorn
from config.bodies import MOST_BYTES, ReadAhead
from operations import traffic
from tests.api.described import SCHEMA
from tests.api.support import Api, petra
from tests.conftest import People

__all__ = ["petra"]
Counted = dict[tuple[str, tuple[str, ...]], float]
_LABELS = ("route", "method", "status", "le")


def _counted(text: str | None = None) -> Counted:
    """Name and values of labels → what was counted."""
    if text is None:
        registry = CollectorRegistry()
        traffic.register(registry)
        text = generate_latest(registry).decode()
    return {
        (sample.name, tuple(sample.labels[name] for name in _LABELS if name in sample.labels)): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def _more(before: Counted) -> Counted:
    """What was counted since then."""
    return {key: value - before.get(key, 0) for key, value in _counted().items() if value != before.get(key, 0)}


def _requests(found: Counted) -> dict[tuple[str, ...], float]:
    return {labels: value for (name, labels), value in found.items() if name == "sextant_http_requests_total"}


def test_a_request_is_counted_by_its_route_and_not_by_its_path(people: People, client: Client) -> None:
    client.force_login(people.alice)
    before = _counted()
    for path in ("/plans/ver_nobody", "/plans/ver_nothing", "/plans/ver_never", "/portfolio", "/no-such-page"):
        client.get(path)
    client.post("/portfolio")
    found = _more(before)
    assert _requests(found) == {
        ("planner:plan", "GET", "4xx"): 3,
        ("planner:portfolio", "GET", "2xx"): 1,
        ("planner:portfolio", "POST", "4xx"): 1,
        ("none", "GET", "4xx"): 1,
    }
    assert found[("sextant_http_request_seconds_count", ("planner:plan", "GET"))] == 3
    assert found[("sextant_http_request_seconds_bucket", ("planner:plan", "GET", "+Inf"))] == 3
    assert 0 < found[("sextant_http_request_seconds_sum", ("planner:portfolio", "GET"))] < 30


def test_an_address_of_the_api_is_told_as_it_is_described(petra: Api) -> None:
    before = _counted()
    assert petra.get("/plans").status_code == 200
    assert petra.get("/plans/pl_nobody").status_code == 404
    assert _requests(_more(before)) == {
        ("/api/v1/plans", "GET", "2xx"): 1,
        ("/api/v1/plans/{plan_id}", "GET", "4xx"): 1,
    }
    assert {"/api/v1/plans", "/api/v1/plans/{plan_id}"} <= SCHEMA["paths"].keys()


def test_a_fault_of_ours_is_counted_as_one(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    def fall(*_: object, **__: object) -> None:
        raise RuntimeError("a fault")

    client = Client(raise_request_exception=False)
    client.force_login(people.alice)
    monkeypatch.setattr("accounts.access.current_membership", fall)
    before = _counted()
    client.get("/portfolio")
    assert _requests(_more(before)) == {("planner:portfolio", "GET", "5xx"): 1}


def test_probes_are_not_counted_and_an_unknown_method_has_no_label_of_its_own(client: Client, db: None) -> None:
    before = _counted()
    client.get("/healthz")
    client.get("/readyz")
    for method in ("BREW", "PROPFIND", "x" * 40):
        client.generic(method, "/no-such-page")
    assert _requests(_more(before)) == {("none", "other", "4xx"): 3}


def test_a_body_that_is_refused_before_the_application_is_counted() -> None:
    def never(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        raise AssertionError("The application was asked.")

    before, said = _counted(), list[str]()
    ask = {"REQUEST_METHOD": "POST", "wsgi.input": BytesIO(b"")}
    ReadAhead(never)({**ask, "CONTENT_LENGTH": str(MOST_BYTES + 1)}, lambda status, _: said.append(status))
    ReadAhead(never, at_once=1)({**ask, "CONTENT_LENGTH": "10"}, lambda status, _: said.append(status))
    assert [status.split()[0] for status in said] == ["413", "408"]
    assert _requests(_more(before)) == {("body", "POST", "4xx"): 2}


_SERVER = """
import os
from prometheus_client import CollectorRegistry, generate_latest
from operations import traffic
traffic.count(route="planner:home", method="GET", status=200, seconds=0.02)
for number in range(3):
    if not os.fork():
        for _ in range(100):
            traffic.count(route="planner:home", method="GET", status=200, seconds=0.2)
        traffic.count(route=f"of {number}", method="POST", status=503, seconds=9)
        os._exit(0)
for _ in range(3):
    os.wait()
registry = CollectorRegistry()
traffic.register(registry)
print(generate_latest(registry).decode())
"""


def test_processes_of_a_server_count_together_also_those_that_have_ended(tmp_path: Path) -> None:
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _SERVER]
    done = subprocess.run(
        command, env=environment, cwd=settings.BASE_DIR, check=True, capture_output=True, text=True, timeout=60
    )
    found = _counted(done.stdout)
    assert _requests(found)[("planner:home", "GET", "2xx")] == 301
    assert {labels[0] for labels in _requests(found)} == {"planner:home", "of 0", "of 1", "of 2"}
    buckets = {
        labels[-1]: value for (name, labels), value in found.items() if "bucket" in name and "planner:home" in labels
    }
    assert (buckets["0.025"], buckets["0.1"], buckets["0.2"], buckets["+Inf"]) == (1, 1, 301, 301)


def test_a_server_has_one_folder_for_its_processes_and_takes_it_away() -> None:
    folder = Path(gunicorn.raw_env[0].removeprefix("PROMETHEUS_MULTIPROC_DIR="))
    assert not folder.exists(), "It is made when a server starts, not when its settings are read."
    folder.mkdir()
    (folder / "counter_1.db").touch()
    gunicorn.on_exit(None)
    assert not folder.exists()
