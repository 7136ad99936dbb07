"""Traces: what is told of requests, jobs and documents, that nothing else is, and that without the extra nothing changes."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from exports.render import render
from jobs import queue
from jobs.models import Job, State
from jobs.registry import HANDLERS
from jobs.running import JobFailed, run_job
from rest import traces
from rest.faults import Away
from tests.api.support import TRAINING, Api, petra, quick_engine
from tests.exports.samples import tiny_plan

__all__ = ["petra", "quick_engine"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """Everything that is traced in this test."""
    exporter = InMemorySpanExporter()
    provider = traces.started(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces, "_provider", lambda: provider)
    return exporter


def of(seen: InMemorySpanExporter, name: str) -> ReadableSpan:
    (found,) = [span for span in seen.get_finished_spans() if span.name == name]
    return found


@pytest.mark.parametrize(
    ("environ", "exporter"),
    [
        ({}, ""),
        ({"OTEL_SERVICE_NAME": "plans"}, ""),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, "otlp"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp"),
        ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
        ({"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, ""),
        ({"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, ""),
    ],
)
def test_the_environment_says_where_they_go(environ: dict[str, str], exporter: str) -> None:
    assert traces.where(environ) == exporter


def test_a_request_is_told_by_its_route_and_id(seen: InMemorySpanExporter, petra: Api, quick_engine: None) -> None:
    made = petra.post("/plans", TRAINING)
    answer = petra.get(f"/plans/{made.json()['id']}?fields=name")

    span = of(seen, "GET /api/v1/plans/{plan_id}")
    assert span.kind is SpanKind.SERVER
    assert span.attributes == {
        "http.request.method": "GET",
        "http.route": "/api/v1/plans/{plan_id}",
        "http.response.status_code": 200,
        "sextant.request": answer["X-Request-ID"],
    }
    assert span.status.status_code is StatusCode.UNSET


@pytest.mark.django_db
def test_probes_are_not_told(seen: InMemorySpanExporter, client: Client) -> None:
    assert client.get("/healthz").status_code == 200
    assert seen.get_finished_spans() == ()


@pytest.mark.django_db
def test_who_asks_may_name_its_trace(seen: InMemorySpanExporter, client: Client) -> None:
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    client.get("/accounts/login/", headers={"traceparent": f"00-{trace}-{parent}-01"})

    (span,) = seen.get_finished_spans()
    assert span.context is not None
    assert f"{span.context.trace_id:032x}" == trace
    assert span.parent is not None
    assert f"{span.parent.span_id:016x}" == parent


def test_what_people_type_and_keys_are_in_no_trace(seen: InMemorySpanExporter, petra: Api, quick_engine: None) -> None:
    """Names, addresses, tokens, keys in an address, queries, headers, and the kind of request that nobody has heard of."""
    secret, name = "k" * 32, "Project Nightingale"
    petra.post("/plans", TRAINING | {"name": name})
    petra.get(f"/plans?q={name}")
    page = Client(headers={"User-Agent": "Visitor 1.0"})
    page.force_login(petra.member.user)
    page.get(f"/shared/{secret}?file={name}")
    page.get(f"/nowhere/{name}")
    page.generic(secret.upper(), "/")

    told = "".join(span.to_json() for span in seen.get_finished_spans())
    assert len(seen.get_finished_spans()) >= 5
    assert "planner:shared" in told
    user = petra.member.user
    for word in (secret, secret.upper(), "Nightingale", "Visitor", petra.token, user.email, user.name, "127.0.0.1"):
        assert word not in told


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A kind of job whose handler a test sets."""
    monkeypatch.setattr(queue, "ring", lambda _pk: True)
    yield "test.traced"
    HANDLERS.pop("test.traced", None)


def ran(kind: str, handler: Any) -> Job:
    HANDLERS[kind] = handler
    job = queue.enqueue(kind, team=None, payload={"name": "Nightingale"}, key="traced")
    run_job(job.pk, worker="w")
    job.refresh_from_db()
    return job


@pytest.mark.django_db
def test_a_job_is_told_by_the_ids_of_its_log_lines(seen: InMemorySpanExporter, kind: str) -> None:
    job = ran(kind, lambda _running: {"done": True})

    span = of(seen, f"job {kind}")
    assert job.state == State.SUCCEEDED
    assert span.kind is SpanKind.CONSUMER
    assert span.attributes is not None
    attributes = dict(span.attributes)
    assert int(str(attributes.pop("sextant.job.age_ms"))) >= 0
    assert attributes == {"sextant.job": job.public_id, "sextant.job.kind": kind, "sextant.job.attempt": 1}
    assert span.status.status_code is StatusCode.UNSET
    assert "Nightingale" not in span.to_json()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "kind_of_fault"),
    [
        (JobFailed("too_many", "Nightingale asks for too many."), "too_many"),
        (RuntimeError("Nightingale is not there."), "RuntimeError"),
        (ConnectionError("Nightingale's host"), "ConnectionError"),
        (Away("Nightingale's store"), "store_away"),
        (queue.LostLease(), "LostLease"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_job_that_fails_is_told_by_the_class_of_its_fault(
    seen: InMemorySpanExporter, kind: str, error: Exception, kind_of_fault: str
) -> None:
    def handler(_running: object) -> dict[str, Any]:
        raise error

    ran(kind, handler)

    span = of(seen, f"job {kind}")
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes is not None
    assert span.attributes["error.type"] == kind_of_fault
    assert span.events == ()
    assert "Nightingale" not in span.to_json()


def test_a_request_names_the_jobs_that_it_queues(seen: InMemorySpanExporter, petra: Api, quick_engine: None) -> None:
    plan = petra.post("/plans", TRAINING).json()["id"]
    petra.post(f"/plans/{plan}/exports", {"formats": ["pdf"]})

    span = of(seen, "POST /api/v1/plans/{plan_id}/exports")
    job = Job.objects.get(kind="exports.render")
    assert [(event.name, dict(event.attributes or {})) for event in span.events] == [
        ("job queued", {"sextant.job": job.public_id, "sextant.job.kind": "exports.render"})
    ]


def test_a_document_is_told_by_its_plan_and_its_steps(seen: InMemorySpanExporter) -> None:
    plan = tiny_plan()
    data = render(plan, "docx")

    span, parts = of(seen, "render document"), [of(seen, name) for name in ("compose", "write")]
    assert span.attributes == {
        "sextant.document.format": "docx",
        "sextant.plan": plan.short_hash,
        "sextant.document.bytes": len(data),
    }
    assert span.context is not None
    assert [part.parent.span_id for part in parts if part.parent] == [span.context.span_id] * 2


def test_a_fault_that_leaves_the_work_marks_it(seen: InMemorySpanExporter) -> None:
    with pytest.raises(KeyError), traces.traced("work"):
        raise KeyError("Nightingale")

    span = of(seen, "work")
    assert (span.status.status_code, span.attributes) == (StatusCode.ERROR, {"error.type": "KeyError"})
    assert "Nightingale" not in span.to_json()


@pytest.mark.parametrize(("named", "service"), [("", "sextant"), ("plans", "plans")])
def test_the_service_has_a_name(named: str, service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", named)
    provider = traces.started(SimpleSpanProcessor(InMemorySpanExporter()))
    assert provider.resource.attributes["service.name"] == service
    assert not [name for name in provider.resource.attributes if name.startswith(("process.", "host."))]


_BY_ITSELF = """
import json, os, sys
from rest import traces

if "without" in sys.argv:  # the extra
    sys.modules["opentelemetry.sdk.trace"] = None
with traces.traced("work", {"sextant.plan": "3f2a"}) as work:
    work.says({"sextant.document.bytes": 1})
    traces.note("job queued", {})
traces.end()
print(json.dumps({"library": "opentelemetry" in sys.modules, "traced": work._span is not None}))
"""


def _by_itself(*arguments: str, **environ: str) -> dict[str, bool]:
    """What a process of ours makes of that environment."""
    done = subprocess.run(
        [sys.executable, "-c", _BY_ITSELF, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env={
            "PATH": "",
            "SECRET_KEY": "k" * 60,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "PYTHONPATH": ":".join(path for path in sys.path if path),
        }
        | environ,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said: dict[str, bool] = json.loads(done.stdout.splitlines()[-1])
    return said


def test_unless_configured_the_library_is_not_even_loaded() -> None:
    assert _by_itself() == {"library": False, "traced": False}


def test_without_the_extra_nothing_changes() -> None:
    assert not _by_itself("without", OTEL_TRACES_EXPORTER="otlp")["traced"]


def test_a_collector_is_sent_them_over_http() -> None:
    paths: list[str] = []
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            assert _by_itself(OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{server.server_port}")["traced"]
        finally:
            server.shutdown()
            thread.join()
    assert paths == ["/v1/traces"]
    assert b"sextant" in bodies[0]
    assert b"3f2a" in bodies[0]
