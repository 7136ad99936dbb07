"""What a plan assumes, in groups that a reader would look under, what the request changed first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.inputs.assumptions import Assumption
from planner.presenters.words import allowed, span
from planner.request.quantities import rounded
from planner.telling import sourced, told

_TITLES = {
    "training": "Time and memory of a training step",
    "serving": "Latency and throughput of a service",
    "service": "How a service is costed",
    "reliability": "Failures and checkpoints",
    "cost": "What rented hardware costs",
    "onprem": "What bought and owned hardware costs",
    "data": "Training data",
    "select": "How options are compared",
    "carbon": "Energy and carbon",
}
_CHANGED = "Changed by this request"


@dataclass(frozen=True, kw_only=True)
class AssumptionGroup:
    """Assumptions under one title: each with what it means, its value, its range, what a request may set, and what it rests on."""

    title: str
    rows: tuple[tuple[Assumption, str, str, str, str, str], ...]
    open: bool = False


def groups_of(assumptions: Iterable[Assumption], changed: Mapping[str, float]) -> list[AssumptionGroup]:
    """The groups in the order of a reader's interest; an assumption stands in one group only."""
    found: dict[str, list[tuple[Assumption, str, str, str, str, str]]] = {}
    for item in assumptions:
        part = item.id.partition(".")[0]
        title = _CHANGED if item.id in changed else _TITLES.get(part, part.capitalize())
        row = (
            item,
            told(item.told),
            rounded(item.value, 4),
            span(item.low, item.high),
            allowed(item),
            sourced(item.source),
        )
        found.setdefault(title, []).append(row)
    order = [_CHANGED, *_TITLES.values(), *found]
    return [
        AssumptionGroup(title=title, rows=tuple(found[title]), open=title == _CHANGED)
        for title in dict.fromkeys(order)
        if title in found
    ]
