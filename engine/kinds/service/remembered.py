"""What of a service is worked out once for every budget: sums of clusters, and what a choice costs exactly from a source."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from engine.answer import CostModel
from engine.context import SEED, Context
from engine.inputs.known import Known
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.costs import ServingFinalist, priced_model
from engine.money.cost import CostError, draw
from engine.money.decision import decision_of
from engine.money.draws import Draws

T = TypeVar("T")
MOST = 300
"""Choices of one request whose exact costs are kept."""
Costed = tuple[CostModel, Draws]


@dataclass(kw_only=True)
class Exact:
    """What choices of one request cost from their sources, without a budget and whatever time a batch is given."""

    context: Context
    work: ServingWork
    found: dict[tuple[str, ServingChoice], Costed | None] = field(default_factory=dict)
    """None where a choice has no cost."""

    def __len__(self) -> int:
        return len(self.found)

    def of(self, pair: ServingFinalist) -> Costed | None:
        """The cost model of that one, and what came of its draws; the others are forgotten when there are too many."""
        place = (pair.supply.id, pair.choice)
        if place not in self.found:
            if len(self.found) >= MOST:
                self.found.clear()
            self.found[place] = costed(self.context, self.work, pair)
        return self.found[place]


def unbudgeted(context: Context) -> Context:
    """That request without a budget and a name: what follows from it follows from neither."""
    spec = context.spec
    return replace(context, spec=replace(spec, name="", constraints=replace(spec.constraints, budget_usd=0.0)))


def once(context: Context, kind: str, work: Hashable, make: Callable[[Context], T]) -> T:
    """What is made of that request without its budget, and of that work, remembered."""
    asked = unbudgeted(context)
    key = (kind, asked.spec, work, context.market, context.assume, context.late)
    return context.known.remembered(key, lambda: make(asked), beside=context.market)


@contextmanager
def exact(context: Context, work: ServingWork) -> Iterator[Exact]:
    """What was costed exactly of that request before, under any budget and with any deadline of a batch."""
    asked, given = unbudgeted(context), context.spec.serving
    if given is not None and given.batch is not None and work.batch is not None:
        serving = replace(given, batch=replace(given.batch, deadline_hours=1.0))
        asked = replace(asked, spec=replace(asked.spec, serving=serving))
        work = replace(work, batch=replace(work.batch, deadline_hours=1.0))
    # What is remembered holds no memory itself.
    asked = replace(asked, known=Known())
    key = ("exact", asked.spec, work, context.market, context.assume, context.late)
    with context.known.growing(key, lambda: Exact(context=asked, work=work), beside=context.market) as found:
        yield found


def costed(context: Context, work: ServingWork, pair: ServingFinalist) -> Costed | None:
    """The cost model of that choice from that source, and what came of its draws; None when it has no cost."""
    try:
        model = priced_model(context, work, pair)
    except CostError:
        return None
    return model, draw(model, assume=context.assume, seed=SEED, decision=decision_of(context))
