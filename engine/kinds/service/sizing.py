"""The search: candidates of a cluster in order of promise, each simulated only while its bound may still beat the best.

No candidate is cut without a bound: it is left out because an idle replica is too slow or too small, because even a
saturated one needs more than a choice that was found, or because a simulation at the rate that it would need says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster
from engine.kinds.service.choices import choices_from
from engine.kinds.service.outcome import ServingChoice, ServingSearch
from engine.kinds.service.prospects import Prospects, prospects
from engine.kinds.service.refused import not_under_load, too_many
from engine.kinds.service.replica_size import Replica, Sized, may_reach, size_replica, unproven
from engine.kinds.service.samples import quickest_sample, search_samples
from engine.kinds.service.work import ServingWork, demand, is_batch
from engine.physics.token.step import Numbers

_SAFE = 0.97
"""A candidate is tried at a little less than the rate that it needs: a search for its rate ends within three per cent."""
_BELOW = 1 - 1e-9
SIZED_BYTES = 500
"""What is known of one candidate takes about so much."""
Worth = Callable[[ServingChoice], bool]
"""Would anybody take that choice? True for a choice only if true for all that need less of everything."""


@dataclass(kw_only=True)
class Sizes:
    """What simulations have shown of the candidates of one space under one traffic, by their physics."""

    sized: dict[int, Sized] = field(default_factory=dict)
    beyond: dict[int, float] = field(default_factory=dict)
    """The lowest rate that a replica was seen to miss [request/s]."""

    def __bool__(self) -> bool:
        return bool(self.sized or self.beyond)


@dataclass(kw_only=True)
class Found:
    """What one cluster gives: choices of which none needs more of everything than another, and rows that give none."""

    choices: list[ServingChoice] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    """Rows that miss a promise under the least load."""
    many: list[int] = field(default_factory=list)
    """Rows that need more accelerators than there are."""


def search(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> ServingSearch:
    """The good choices of each cluster, cheapest in accelerators first, and why the rest was left out."""
    if not work.language:
        return search_samples(work, clusters, assume=assume)
    every, sizes = prospects(work, clusters, assume=assume), Sizes()
    parts = [choices_of(every, rows, assume, sizes) for rows in every.space.rows]
    choices = [choice for part in parts for choice in part.choices]
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    found, late, many = every.space.found, _joined(p.late for p in parts), _joined(p.many for p in parts)
    most = every.most / every.surely if work.batch else every.most * every.loaded
    proven = (
        not_under_load(found, late, every.alone, work, every.shares),
        too_many(found, many, most, work),
    )
    rejected = (*every.rejected, *(one for one in proven if one))
    return ServingSearch(choices=tuple(choices), rejected=rejected, searched=len(found))


def quickest(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> dict[str, float] | None:
    """The least promises [ms] that an idle replica keeps with its margin, each alone; None where none fits at all."""
    if not work.language:
        least = quickest_sample(work, clusters, assume)
        return None if least is None else {"ttft_p95_ms": least}
    every = prospects(work, clusters, assume=assume)
    if not every.able.any():
        return None
    able = [(row, every.shares[row]) for row in np.flatnonzero(every.able).tolist()]
    return {
        "ttft_p95_ms": min(float(every.alone.ttft_ms[row]) / share.ttft for row, share in able),
        "tpot_p95_ms": min(float(every.alone.tpot_ms[row]) / share.tpot for row, share in able),
    }


def _joined(lists: Iterable[list[int]]) -> list[int]:
    return [row for rows in lists for row in rows]


def choices_of(every: Prospects, rows: range, assume: Assumptions, sizes: Sizes, worth: Worth | None = None) -> Found:
    """The best that a cluster gives, in simulation. `worth` leaves out what is no use, whatever else there is."""
    found = Found()
    for row in ranked_rows(every, rows):
        bounds = choices_at(every, row, float(every.most[row]))
        if not bounds:
            found.many.append(row)
        elif _any_useful(bounds, found, worth):
            _try(every, row, assume, sizes, worth, found)
    return found


def _try(every: Prospects, row: int, assume: Assumptions, sizes: Sizes, worth: Worth | None, found: Found) -> None:
    """Sizes the replica of that row, if it may be of use, and keeps its choice, if it is."""
    place = every.space.place[row]
    if place not in sizes.sized:
        one = every.replica(row)
        if not is_batch(every.work) and not _reaches(
            one, place, _needed(every, row, found, worth), every, assume, sizes
        ):
            if not found.choices:  # then all accelerators that may be had would not do
                found.many.append(row)
            return
        sizes.sized[place] = size_replica(one, every.sized_for, assume)
    sized = sizes.sized[place]
    choices = _choices(every, row, sized)
    if not choices:
        (found.late if sized.rate <= 0 else found.many).append(row)
    for choice in choices:
        if _useful(choice, found, worth):
            found.choices = _with(found.choices, choice)


def _any_useful(choices: list[ServingChoice], found: Found, worth: Worth | None) -> bool:
    """All at once: a batch may be given many numbers of replicas."""
    if len(choices) > 1 and found.choices:
        known = np.array([one.burden for one in found.choices])
        tried = np.array([one.burden for one in choices])
        beaten = np.any(np.all(known[None] <= tried[:, None], axis=2), axis=1)
        choices = [choices[at] for at in np.flatnonzero(~beaten)]
    return any(_useful(choice, found, worth) for choice in choices)


def _needed(every: Prospects, row: int, found: Found, worth: Worth | None) -> float:
    """The lowest rate at which a replica of that row would still be of use [request/s]; of a service."""
    replicas = most_replicas(every, row, lambda choice: _useful(choice, found, worth))
    return demand(every.work) / replicas * _SAFE


def _useful(choice: ServingChoice, found: Found, worth: Worth | None) -> bool:
    return _better(choice, found.choices) and (worth is None or worth(choice))


def _reaches(one: Replica, place: int, rate: float, every: Prospects, assume: Assumptions, sizes: Sizes) -> bool:
    """Does one simulation at that rate leave the candidate in the race? A batch, which has no promise, needs none."""
    if rate >= sizes.beyond.get(place, math.inf):
        return False
    reached = may_reach(one, every.sized_for, assume, rate=rate)
    if not reached:
        sizes.beyond[place] = rate
    return reached


def most_replicas(every: Prospects, row: int, useful: Worth) -> int:
    """The most replicas of that candidate that would be of use; the fewest conceivable are."""
    # Of a rate that a replica may be given, it gets that share, so that the peak is carried as surely as is asked.
    rate = float(every.most[row])
    need = demand(every.work) / float(every.loaded[row])

    def fit(replicas: int) -> bool:
        return any(map(useful, choices_at(every, row, min(rate, need / (replicas - 1) * _BELOW))))

    most = max(math.ceil(need / rate), 1)
    while fit(most * 2):
        most *= 2
    beyond = most * 2
    while beyond - most > 1:
        middle = (most + beyond) // 2
        most, beyond = (middle, beyond) if fit(middle) else (most, middle)
    return most


def choices_at(every: Prospects, row: int, rate: float) -> list[ServingChoice]:
    """What might be chosen if a replica of that row were given that rate; empty when it is more than there is."""
    return _choices(every, row, unproven(rate, every.work, planned=every.planned))


def _choices(every: Prospects, row: int, sized: Sized) -> list[ServingChoice]:
    return choices_from(
        every.space.found[row],
        sized,
        float(every.closed.fits[row]),
        every.work,
        start_s=float(every.start_s[row]),
        surely=float(every.surely[row]),
        carry=float(every.carry[row]),
        down=float(every.down[row]),
    )


def bounds_of(every: Prospects, rows: Sequence[int]) -> list[ServingChoice]:
    """What those candidates need at least, as far as none needs less of everything than another."""
    found: list[ServingChoice] = []
    for row in rows:
        for bound in choices_at(every, row, float(every.most[row])):
            if _better(bound, found):
                found = _with(found, bound)
    return found


def _with(known: Sequence[ServingChoice], choice: ServingChoice) -> list[ServingChoice]:
    """Those and that one, without what it dominates."""
    return [*(one for one in known if not _dominates(choice, one)), choice]


def _dominates(one: ServingChoice, other: ServingChoice) -> bool:
    return all(mine <= its for mine, its in zip(one.burden, other.burden, strict=True))


def _better(choice: ServingChoice, known: Sequence[ServingChoice]) -> bool:
    """Does it need less of anything than each of those?"""
    return not any(_dominates(one, choice) for one in known)


def ranked_rows(every: Prospects, rows: range) -> list[int]:
    """The candidates of a cluster that may hold the promises, the most promising first.

    Those that the closed form doubts come last; then fewest accelerators for the work, then replicas within one node,
    then the quicker one.
    """
    able = [row for row in rows if every.able[row]]
    if not able:
        return []
    doubtful, accelerators, span = _estimates(every, able)
    order = np.lexsort((every.alone.tpot_ms[able], span, accelerators, doubtful))
    return [able[at] for at in order]


def _estimates(every: Prospects, able: list[int]) -> tuple[Numbers, Numbers, Numbers]:
    """(1 where the closed form doubts, accelerators for the work, nodes of a replica) of those rows."""
    rates, saturated = every.closed.rate[able], every.closed.saturated[able]
    found = [every.space.found[row] for row in able]
    devices = np.array([one.devices for one in found], dtype=float)
    nodes = np.ceil(devices / np.array([one.cluster.devices_per_node for one in found]))
    needed = np.ceil(demand(every.work) / np.where(rates <= 0, saturated * 0.5, rates)) * devices
    return (rates <= 0).astype(float), needed, nodes


def with_seed(work: ServingWork, *, seed: int, requests: int) -> ServingWork:
    """The same work simulated with other random numbers and another number of requests."""
    return replace(work, seed=seed, requests=requests)
