"""The quickest replicas of a service, for who ranks by time.

A search leaves out replicas that need more of everything than others, however quick they are. Here candidates are sized in the order
of what an idle one needs for a first token, which no load undercuts, until that is more than the quickest of them need under theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest

import numpy as np

from engine.context import Context
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.choice import Search
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.held import SLACK
from engine.kinds.service.ranks import answers_in_ms
from engine.kinds.service.rough import Billing
from engine.kinds.service.settled import looking
from engine.kinds.service.sizing import sized_choices
from engine.kinds.service.sums import held_pairs
from engine.kinds.service.work import is_batch

_QUICKEST = 8
"""Kinds of replicas that are found: the exact cost of one, or its chance to keep a limit, may say no."""


def soonest_first(context: Context, work: ServingWork, pairs: Sequence[ServingFinalist]) -> list[ServingFinalist]:
    """Those finalists behind the ones that answer soonest, where a service of a language model is ranked by time."""
    if context.spec.objective != "time" or is_batch(work) or not work.language:
        return list(pairs)
    with looking(context, work) as look:
        return [*_quickest(look), *pairs]


def _quickest(look: Search) -> list[ServingFinalist]:
    """Sources with the replicas that answer soonest under the load, the quickest first, then the cheapest."""
    context, field, sure = look.context, look.field, look.context.assume["select.confidence"]
    billing = Billing(context=context, work=field.work)
    budget = context.spec.constraints.budget_usd
    found: list[tuple[float, ServingFinalist]] = []
    kinds: dict[tuple[int, int], float] = {}  # clusters that differ in price alone share a kind
    for row, idle_ms in _quickest_idle(look):
        if len(kinds) >= _QUICKEST and idle_ms >= nsmallest(_QUICKEST, kinds.values())[-1]:
            break
        for choice in sized_choices(field, row, context.assume, look.sizes):
            pairs = held_pairs(billing, look.sources[int(field.space.cluster[row])], [choice])
            if pairs := [pair for pair in pairs if not budget or pair.cash <= budget * SLACK]:
                ms = _once(kinds, (int(field.space.place[row]), choice.replicas), look, choice)
                found += [(ms, pair) for pair in pairs]
    return [pair for _, pair in sorted(found, key=lambda one: (one[0], one[1].kept(sure), one[1].supply.id))]


def _quickest_idle(look: Search) -> Iterator[tuple[int, float]]:
    """The candidates that may keep their promises with what each needs for a first token while it is idle [ms], the quickest first."""
    rows = np.flatnonzero(look.field.able)
    idle_ms = look.field.alone.ttft_ms[rows]
    order = np.argsort(idle_ms, kind="stable")
    return zip(rows[order].tolist(), idle_ms[order].tolist(), strict=True)


def _once(kinds: dict[tuple[int, int], float], kind: tuple[int, int], look: Search, choice: ServingChoice) -> float:
    if kind not in kinds:
        kinds[kind] = answers_in_ms(look.field.work, choice, look.context.assume)
    return kinds[kind]
