"""What would make an infeasible service feasible: one change at a time, each tried before it is offered."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from planner.engine.context import Context
from planner.engine.hardware import Cluster
from planner.engine.nearest import enough, relaxed_constraints
from planner.engine.result import Nearest
from planner.engine.serving import ServingWork, search
from planner.engine.supply import Supplies


def nearest_serving(
    context: Context, work: ServingWork, supplies: Supplies, cheapest: tuple[float, str] | None
) -> Iterable[Nearest]:
    """Changes that would give a plan: the budget, the promise, the number of accelerators, or a constraint.

    `cheapest`: what a budget must hold at least [USD], and for which hardware; None where nothing keeps the promise.
    """
    limits = context.spec.constraints
    if cheapest is not None:
        needed = enough(cheapest[0])
        yield Nearest(
            field="constraints.budget_usd",
            now=f"{limits.budget_usd:,.0f}",
            needed=f"{needed:,.0f}",
            sentence=f"Raise the budget from {limits.budget_usd:,.0f} to {needed:,.0f} USD: "
            f"{cheapest[1]} then keeps the promise.",
        )
        return
    if not supplies.supplies:
        yield from relaxed_constraints(context)
        return
    yield from _looser_promise(context, work, supplies.clusters)
    yield from _more_accelerators(context, work, supplies.clusters)


def _more_accelerators(context: Context, work: ServingWork, clusters: Sequence[Cluster]) -> Iterable[Nearest]:
    """The first larger number of accelerators with which the promise is kept."""
    most = context.spec.constraints.max_accelerators
    for needed in (most * 4, 1024, 16_384):
        larger = [replace(cluster, max_devices=max(cluster.max_devices, needed)) for cluster in clusters]
        tried = replace(work, max_accelerators=needed)
        if needed > most and search(tried, larger, assume=context.assume).choices:
            yield Nearest(
                field="constraints.max_accelerators",
                now=f"{most:,}",
                needed=f"{needed:,}",
                sentence=f"Allow {needed:,} accelerators instead of {most:,}.",
            )
            return


def _looser_promise(context: Context, work: ServingWork, clusters: Sequence[Cluster]) -> Iterable[Nearest]:
    """What each promise must become for a plan, the other kept; each change is tried before it is offered."""
    if not work.ttft_p95_ms and not work.tpot_p95_ms:
        return
    free = search(replace(work, ttft_p95_ms=0.0, tpot_p95_ms=0.0), clusters, assume=context.assume)
    for name, label in (("ttft_p95_ms", "time to first token"), ("tpot_p95_ms", "time per output token")):
        wanted = getattr(work, name)
        reached = min((getattr(choice, name) for choice in free.choices), default=0.0)
        needed = math.ceil(reached * 1.2)
        if not wanted or needed <= wanted:
            continue
        first = name == "ttft_p95_ms"
        tried = replace(work, ttft_p95_ms=float(needed)) if first else replace(work, tpot_p95_ms=float(needed))
        if search(tried, clusters, assume=context.assume).choices:
            yield Nearest(
                field=f"serving.{name}",
                now=f"{wanted:g}",
                needed=f"{needed}",
                sentence=f"Promise a p95 {label} of {needed} ms instead of {wanted:g} ms.",
            )
