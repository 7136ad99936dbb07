"""Every choice of a service from every source that can hold it, roughly priced."""

from __future__ import annotations

from collections.abc import Sequence

from engine.context import Context
from engine.inputs.hardware import Cluster
from engine.kinds.service import ServingChoice, ServingSearch, ServingWork, search
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.held import may_hold
from engine.kinds.service.rough import Billing
from engine.supply import Supplies


def searched(context: Context, work: ServingWork) -> ServingSearch:
    """What each cluster of the request can do of that work, searched once."""
    clusters = context.supplies.clusters
    key = context.key("serving", work, clusters)
    return context.known.remembered(key, lambda: search(work, clusters, assume=context.assume))


def priced(
    context: Context, work: ServingWork, supplies: Supplies, choices: Sequence[ServingChoice]
) -> list[ServingFinalist]:
    """All pairs of source and choice, those first that cost least with the confidence that is asked."""
    sure = context.assume["select.confidence"]
    held = by_cluster(supplies.clusters, choices)
    billing = Billing(context=context, work=work)
    pairs = [
        billing.roughly(supply, choice)
        for supply in supplies.supplies
        for choice in held[supply.cluster]
        if may_hold(context, supply, choice)
    ]
    return sorted(pairs, key=lambda pair: (pair.kept(sure), pair.choice.accelerators, pair.supply.id))


def by_cluster(clusters: Sequence[Cluster], choices: Sequence[ServingChoice]) -> list[list[ServingChoice]]:
    """The choices of each of those clusters, in their order."""
    place = {cluster: at for at, cluster in enumerate(clusters)}
    seen: dict[int, int] = {}  # a cluster is compared field by field, so each object once and not once for each choice
    held: list[list[ServingChoice]] = [[] for _ in clusters]
    for choice in choices:
        at = seen.get(id(choice.cluster))
        if at is None:
            at = seen[id(choice.cluster)] = place[choice.cluster]
        held[at].append(choice)
    return held
