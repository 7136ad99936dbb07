"""Every choice of a service from every source that can hold it, roughly priced."""

from __future__ import annotations

from collections.abc import Sequence

from engine.context import Context
from engine.kinds.service import ServingChoice
from engine.kinds.service.options import ServingFinalist, may_hold, roughly
from engine.supply import Supplies


def priced(context: Context, supplies: Supplies, choices: Sequence[ServingChoice]) -> list[ServingFinalist]:
    """All pairs of source and choice, cheapest first."""
    held = [[choice for choice in choices if choice.cluster == cluster] for cluster in supplies.clusters]
    pairs = [
        roughly(context, supply, choice)
        for supply in supplies.supplies
        for choice in held[supply.cluster]
        if may_hold(context, supply, choice)
    ]
    return sorted(pairs, key=lambda pair: (pair.usd, pair.choice.accelerators, pair.supply.id))
