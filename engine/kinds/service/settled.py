"""The cheapest replicas that keep a service, simulated as far as that decides: what a glance tells and a lever is priced by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from engine.context import Context
from engine.kinds.service import ServingWork, any_traffic
from engine.kinds.service.choice import CostedService, Search
from engine.kinds.service.prospects import Prospects, prospects, space_of, unpromised_of
from engine.kinds.service.remembered import exact
from engine.kinds.service.sizing import Sizes, Tries
from engine.kinds.service.tables import Tables
from engine.kinds.service.work import unpromised


@dataclass(frozen=True, kw_only=True)
class Settled:
    """The cheapest that keeps the request, and what needs the smallest budget."""

    field: Prospects
    best: CostedService | None
    cheapest: CostedService | None


def settled(context: Context, work: ServingWork, tries: Tries) -> Settled:
    """The choice among all sources by cost. Spent where it needs more simulations than those tries."""
    with looking(context, work) as look:
        best, cheapest = look.settle(tries)
    return Settled(field=look.field, best=best, cheapest=cheapest)


@contextmanager
def looking(context: Context, work: ServingWork) -> Iterator[Search]:
    """The search of that work, with what earlier ones have shown."""
    known, same = context.known, _sized_for(work)
    field = _prospects(context, same)
    # A table holds for every promise and rate, and wherever the hardware stands.
    tabled = context.key("tables", unpromised(same), ())
    with (
        known.growing(context.key("sized", same, context.supplies.clusters), Sizes) as sizes,
        known.growing(tabled, Tables) as tables,
        exact(context, work) as costs,
    ):
        field = replace(field, work=work, tables=tables)
        yield Search(context=context, field=field, supplies=context.supplies, sizes=sizes, exact=costs)


def _sized_for(work: ServingWork) -> ServingWork:
    """What its replicas are sized for: closed form and simulations follow from the number of requests only where it decides how
    a replica is run."""
    decides = bool(work.tpot_p95_ms) or work.speculative_accepted > 1 or work.batch is not None
    return work if decides else replace(work, requests_per_s=1.0, load_curve=(), spare_replicas=0)


def _prospects(context: Context, same: ServingWork) -> Prospects:
    """The closed form of all candidates for that."""
    clusters, assume, anything = context.supplies.clusters, context.assume, any_traffic(same)
    layouts = context.key("space", anything, clusters)
    space = context.known.remembered(layouts, lambda: space_of(anything, clusters, assume=assume))
    alike = unpromised(same)
    unasked = context.key("unpromised", alike, clusters)

    def made() -> Prospects:
        found = context.known.remembered(unasked, lambda: unpromised_of(alike, space, assume=assume))
        return prospects(same, clusters, assume=assume, space=space, same=found)

    return context.known.remembered(context.key("prospects", same, clusters), made, beside=space)
