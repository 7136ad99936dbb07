"""What lab knows of each kind of work to judge its answers: one row for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from engine.inputs.kind import PerKind
from engine.inputs.spec import Confidence, Serving, Spec
from engine.odds.chances import within_surely

Json = dict[str, Any]
_LONGEST_BATCH_HOURS = 100_000.0
_DAY_S = 86_400.0
_LEAST_SURE = 0.5
_OPEN_SERVICE: Final[Mapping[str, tuple[Any, ...]]] = {
    "availability": (0.0,),
    "pattern": ("auto", "spares"),
    "keep_capacity": (False,),
}
"""What a service asks of its operation and what that is, first, where nothing is asked; what else asks for as little."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One kind of work, as its requests are changed and its answers, the JSON that readers get, are judged."""

    answered: Callable[[Spec, float], float]
    """How many requests are answered in that many days; 0 of a run."""
    queues: bool
    """Would its queue grow without end if it were busy all the time?"""
    looser: Callable[[Spec], Iterator[tuple[str, Spec]]]
    """The request with one promise or deadline of its own loosened, for each that it has: what was done to it, and the request."""
    least_sure: Confidence
    """The least that a request may ask for."""
    ranked_by_time: Callable[[Json, float], float]
    """What `time` ranks a recommended option by, of which the days that are kept surely are known."""
    emitted: Callable[[Mapping[str, float], float], float]
    """By which of its emissions it is ranked, as surely as that."""
    both: float
    """How often days and money are both tightened; 0 of what has no deadline in days among its constraints."""


def asked_service(spec: Spec) -> Serving:
    """What is asked of a service or a batch, only of those."""
    assert spec.serving is not None
    return spec.serving


def _at_the_mean_load(spec: Spec, days: float) -> float:
    asked = asked_service(spec)
    mean = sum(asked.load_curve) / len(asked.load_curve) if asked.load_curve else 1.0
    return asked.requests_per_s * mean * _DAY_S * days


def _whole_batch(spec: Spec, _days: float) -> float:
    assert spec.batch is not None
    return spec.batch.requests


def _looser_service(spec: Spec) -> Iterator[tuple[str, Spec]]:
    asked = asked_service(spec)
    for name in ("ttft_p95_ms", "tpot_p95_ms"):
        if value := getattr(asked, name):
            yield f"{name} × 2", replace(spec, serving=replace(asked, **{name: value * 2}))
    if asked.spare_replicas and spec.operations.pattern == "spares":
        yield "no spares asked", replace(spec, serving=replace(asked, spare_replicas=0))
    for name, end in _OPEN_SERVICE.items():
        if getattr(spec.operations, name) not in end:
            yield f"{name} {end[0]}", replace(spec, operations=replace(spec.operations, **{name: end[0]}))


def _looser_batch(spec: Spec) -> Iterator[tuple[str, Spec]]:
    assert spec.batch is not None
    hours = min(spec.batch.deadline_hours * 2, _LONGEST_BATCH_HOURS)
    job = replace(spec.batch, deadline_hours=hours)
    yield "batch deadline × 2", replace(spec, serving=replace(asked_service(spec), batch=job))


_RUN: Final = Judged(
    answered=lambda _spec, _days: 0.0,
    queues=False,
    looser=lambda _spec: iter(()),
    least_sure=Confidence(all=_LEAST_SURE, memory=_LEAST_SURE),
    ranked_by_time=lambda _best, days: days,
    emitted=lambda found, sure: within_surely(found["expected"], found["high"], sure),
    both=0.5,
)
_SERVICE: Final = Judged(
    answered=_at_the_mean_load,
    queues=True,
    looser=_looser_service,
    least_sure=Confidence(all=_LEAST_SURE),
    ranked_by_time=lambda best, _days: float(best["ttft_ms"]["p95"]["expected"]),
    emitted=lambda found, _sure: found["expected"],
    both=0.0,
)
_BATCH: Final = replace(
    _SERVICE, answered=_whole_batch, queues=False, looser=_looser_batch, ranked_by_time=_RUN.ranked_by_time
)
JUDGED: Final[PerKind[Judged]] = {"run": _RUN, "service": _SERVICE, "batch": _BATCH}
