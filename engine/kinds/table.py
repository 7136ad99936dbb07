"""Who plans which kind of work: the whole answer, the glance at it, and what of it a team may give up for less money."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol

from engine.answer import Glance, Option, Recommendation
from engine.choice.loosening import Way
from engine.context import Context
from engine.inputs.kind import PerKind
from engine.kinds.service.loosened import ways_of as service_ways
from engine.kinds.service.plan import glance_serving, recommend_serving
from engine.kinds.training.loosened import ways_of as training_ways
from engine.kinds.training.plan import glance_training, recommend_training


class Look(Protocol):
    """The head of an answer while somebody types."""

    def __call__(self, context: Context, *, settle: bool) -> Glance: ...


RECOMMEND: Final[PerKind[Callable[[Context], Recommendation]]] = {
    "run": recommend_training,
    "service": recommend_serving,
    "batch": recommend_serving,
}
GLANCE: Final[PerKind[Look]] = {"run": glance_training, "service": glance_serving, "batch": glance_serving}
WAYS: Final[PerKind[Callable[[Context, Option], Iterator[Way]]]] = {
    "run": training_ways,
    "service": service_ways,
    "batch": service_ways,
}
