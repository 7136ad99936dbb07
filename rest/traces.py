"""Traces by OpenTelemetry, for whoever collects them: requests, jobs and the writing of documents.

Nothing is traced unless the extra ``otel`` is installed and the environment says where traces go, by OpenTelemetry's own
variables: ``OTEL_EXPORTER_OTLP_ENDPOINT`` or ``OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`` (over HTTP), or
``OTEL_TRACES_EXPORTER=console``. The library itself reads the others (``OTEL_SERVICE_NAME``, ``OTEL_TRACES_SAMPLER`` …).

An attribute is an id, a count or a word of ours. Never an address, a query, a header, a name or the text of a fault: these
may hold what a person typed, or the key to what an address leads to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import structlog
from django.conf import settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

log = structlog.get_logger("sextant.rest")

_PLACES: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_SERVICE: Final = "sextant"
Attributes = Mapping[str, str | int]


class Traced:
    """One piece of work in a trace; without traces what is said of it is said to nobody."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def name(self, name: str) -> None:
        """Names it anew, once it is known what it was."""
        if self._span is not None:
            self._span.update_name(name)

    def says(self, attributes: Attributes) -> None:
        """Sets attributes, under OpenTelemetry's names where it has one, else under ``sextant.``."""
        if self._span is not None:
            self._span.set_attributes(attributes)

    def failed(self, kind: str) -> None:
        """Marks it as failed, by the class of the fault or its status: its text stays in the log."""
        if self._span is not None:
            from opentelemetry.trace import Status, StatusCode

            self._span.set_status(Status(StatusCode.ERROR))
            self._span.set_attribute("error.type", kind)


def where(stated: Mapping[str, str]) -> str:
    """Which exporter the environment asks for: ``otlp``, ``console``, or empty for none."""
    named = stated.get("OTEL_TRACES_EXPORTER", "").strip().lower()
    if stated.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return ""
    if not named:
        return "otlp" if any(stated.get(name) for name in _PLACES) else ""
    return named if named in ("otlp", "console") else ""


@contextmanager
def traced(
    name: str, attributes: Attributes | None = None, *, kind: str = "internal", caller: Mapping[str, str] | None = None
) -> Iterator[Traced]:
    """Traces the block under that name; a fault that leaves it marks it as failed.

    `kind`: ``server`` for an answer, ``consumer`` for a job, else ``internal``. `caller`: headers that may name the trace
    of whoever asks (``traceparent``).
    """
    provider = _provider()
    if provider is None:
        yield Traced()
        return
    from opentelemetry import propagate
    from opentelemetry.trace import SpanKind

    context = propagate.extract({key.lower(): value for key, value in caller.items()}) if caller is not None else None
    with provider.get_tracer(_SERVICE).start_as_current_span(
        name, context, SpanKind[kind.upper()], attributes, record_exception=False, set_status_on_exception=False
    ) as span:
        work = Traced(span)
        try:
            yield work
        except BaseException as error:
            work.failed(type(error).__name__)
            raise


def note(event: str, attributes: Attributes) -> None:
    """Says in the work that is traced now that something happened, such as which job it has queued."""
    if _provider() is not None:
        from opentelemetry.trace import get_current_span

        get_current_span().add_event(event, attributes)


def end() -> None:
    """Sends what is not sent yet, before a process ends that runs nothing at its exit."""
    provider = _provider()
    if provider is not None:
        provider.force_flush(5000)


@cache
def _provider() -> TracerProvider | None:
    """Made with the first piece of work, so that each process has what the environment then says."""
    exporter = where(settings.TRACES)
    if not exporter:
        return None
    try:
        return started(_processor(exporter))
    except ImportError:
        log.warning("traces_not_installed", exporter=exporter)
        return None


def started(processor: SpanProcessor) -> TracerProvider:
    """What hands traces to that processor. Named after the service unless the environment names it."""
    from opentelemetry.sdk.resources import SERVICE_NAME, OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider

    named = SERVICE_NAME in OTELResourceDetector().detect().attributes
    provider = TracerProvider(resource=Resource.create({} if named else {SERVICE_NAME: _SERVICE}))
    provider.add_span_processor(processor)
    return provider


def _processor(exporter: str) -> SpanProcessor:
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    if exporter == "console":
        return BatchSpanProcessor(ConsoleSpanExporter())
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return BatchSpanProcessor(OTLPSpanExporter())
