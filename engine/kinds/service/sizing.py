"""The search: candidates of a cluster in order of promise, each simulated only while its bound may still beat the best.

No candidate is cut without a bound: it is left out because an idle replica is too slow or too small, because even a
saturated one needs more than a choice that was found, or because a simulation at the rate that it would need says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from operator import gt

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster
from engine.kinds.service.burdens import ranked_rows
from engine.kinds.service.choices import Affordable, BatchSizes, batch_sizes, choices_from, ends_in_time
from engine.kinds.service.load import promise_for
from engine.kinds.service.outcome import Burdens, ServingChoice, ServingSearch
from engine.kinds.service.prospects import Prospects, left_out, prospects
from engine.kinds.service.refused import not_under_load, too_many
from engine.kinds.service.replica_size import Replica, Sized, may_reach, size_replica, unproven
from engine.kinds.service.samples import quickest_sample, search_samples
from engine.kinds.service.work import ServingWork, demand, is_batch

_SAFE = 0.97
"""A candidate is tried at a little less than the rate that it needs: a search for its rate ends within three per cent."""
_BELOW = 1 - 1e-9
Worth = Callable[[ServingChoice], bool]
"""Would anybody take that choice? True for a choice only if true for all that need less of everything."""


@dataclass(kw_only=True)
class Sizes:
    """What simulations have shown of the candidates of one space under one traffic, by their physics."""

    sized: dict[int, Sized] = field(default_factory=dict)
    beyond: dict[int, float] = field(default_factory=dict)
    """The lowest rate that a replica was seen to miss [request/s]."""

    def __len__(self) -> int:
        return len(self.sized) + len(self.beyond)


class Spent(Exception):
    """A search may try no more candidates."""


@dataclass(kw_only=True)
class Tries:
    """How many candidates a search may still try in simulation: a number of them and no time, so that what comes of it does
    not depend on the machine."""

    left: float = math.inf

    def spend(self) -> None:
        """One more. Spent when there were enough."""
        self.left -= 1
        if self.left < 0:
            raise Spent


@dataclass(kw_only=True)
class Found:
    """What one cluster gives: choices of which none needs more of everything than another, and rows that give none."""

    choices: list[ServingChoice] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    """Rows that miss a promise under the least load."""
    many: list[int] = field(default_factory=list)
    """Rows that need more accelerators than there are."""

    @property
    def burdens(self) -> Burdens | None:
        """What those choices need, a row each; None while there are none."""
        return np.array([one.burden for one in self.choices]) if self.choices else None


def search(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> ServingSearch:
    """The good choices of each cluster, cheapest in accelerators first, and why the rest was left out."""
    if not work.language:
        return search_samples(work, clusters, assume=assume)
    every, sizes = prospects(work, clusters, assume=assume), Sizes()
    parts = [choices_of(every, rows, assume, sizes) for rows in ranked_rows(every)]
    choices = [choice for part in parts for choice in part.choices]
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    found, late, many = every.space.found, _joined(p.late for p in parts), _joined(p.many for p in parts)
    most = every.most / every.surely if work.batch else every.most * every.loaded
    proven = (
        not_under_load(found, late, every.alone, work, every.shares),
        too_many(found, many, most, work),
    )
    rejected = (*left_out(every, clusters), *(one for one in proven if one))
    return ServingSearch(choices=tuple(choices), rejected=rejected, searched=len(found))


def quickest(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> dict[str, float] | None:
    """The least promises [ms] that an idle replica keeps with its margin, each alone; None where none fits at all."""
    if not work.language:
        least = quickest_sample(work, clusters, assume)
        return None if least is None else {"ttft_p95_ms": least}
    every = prospects(work, clusters, assume=assume)
    if not every.able.any():
        return None
    able = np.flatnonzero(every.able).tolist()
    return {
        "ttft_p95_ms": min(_first_promise(every, row, assume) for row in able),
        "tpot_p95_ms": min(float(every.alone.tpot_ms[row]) / every.shares[row].tpot for row in able),
    }


def _first_promise(every: Prospects, row: int, assume: Assumptions) -> float:
    """The least promise of a first token [ms] that an idle replica of that row keeps with its margin."""
    first, prompt = float(every.alone.ttft_ms[row]), float(every.alone.prompt_ms[row])
    return promise_for(every.space.found[row].cluster.device, every.work, assume, first_ms=first, prompt_ms=prompt)


def _joined(lists: Iterable[list[int]]) -> list[int]:
    return [row for rows in lists for row in rows]


def choices_of(
    every: Prospects,
    ranked: Sequence[int],
    assume: Assumptions,
    sizes: Sizes,
    worth: Worth | None = None,
    tries: Tries | None = None,
    able: Affordable | None = None,
) -> Found:
    """The best that a cluster gives, in simulation, of its candidates from the most promising one on. `worth` leaves out
    what is no use, whatever else there is, and `able` the same of a batch, for many sizes at once. Spent where that takes more
    `tries`; what they showed stays in `sizes`."""
    found, tries = Found(), tries or Tries()
    for row in ranked:
        unsized = unproven(float(every.most[row]), every.work, planned=every.planned)
        bounds = _choices(every, row, unsized, beside=found.burdens, able=able)
        if not bounds:
            if not _in_time(every, row, unsized):
                found.many.append(row)
        elif any(_useful(bound, found, worth) for bound in bounds):
            _try(every, row, assume, sizes, worth, found, tries, able)
    return found


def _try(
    every: Prospects,
    row: int,
    assume: Assumptions,
    sizes: Sizes,
    worth: Worth | None,
    found: Found,
    tries: Tries,
    able: Affordable | None = None,
) -> None:
    """Sizes the replica of that row, if it may be of use, and keeps its choice, if it is."""
    place = int(every.space.place[row])
    if place not in sizes.sized:
        one = every.replica(row)
        if not is_batch(every.work) and not _reaches(
            one, place, _needed(every, row, found, worth), every, assume, sizes, tries
        ):
            if not found.choices:  # then all accelerators that may be had would not do
                found.many.append(row)
            return
        tries.spend()
        sizes.sized[place] = size_replica(one, every.sized_for, assume)
    sized = sizes.sized[place]
    choices = _choices(every, row, sized, beside=found.burdens, able=able)
    if not choices and not _in_time(every, row, sized):
        (found.late if sized.rate <= 0 else found.many).append(row)
    for choice in choices:
        if _useful(choice, found, worth):
            found.choices = _with(found.choices, choice)


def sized_choices(every: Prospects, row: int, assume: Assumptions, sizes: Sizes) -> list[ServingChoice]:
    """What the sized replica of that row makes, whether others need less or not."""
    place = int(every.space.place[row])
    if place not in sizes.sized:
        sizes.sized[place] = size_replica(every.replica(row), every.sized_for, assume)
    return _choices(every, row, sizes.sized[place])


def _needed(every: Prospects, row: int, found: Found, worth: Worth | None) -> float:
    """The lowest rate at which a replica of that row would still be of use [request/s]; of a service."""
    replicas = most_replicas(every, row, lambda choice: _useful(choice, found, worth))
    return demand(every.work) / replicas * _SAFE


def _useful(choice: ServingChoice, found: Found, worth: Worth | None) -> bool:
    return _better(choice, found.choices) and (worth is None or worth(choice))


def _reaches(
    one: Replica, place: int, rate: float, every: Prospects, assume: Assumptions, sizes: Sizes, tries: Tries
) -> bool:
    """Does one simulation at that rate leave the candidate in the race? A batch, which has no promise, needs none."""
    if rate >= sizes.beyond.get(place, math.inf):
        return False
    tries.spend()
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


def _in_time(every: Prospects, row: int, sized: Sized) -> bool:
    """Can a batch be ended in time, if only by choices that others beat?"""
    start_s, surely = float(every.start_s[row]), float(every.surely[row])
    return ends_in_time(every.space.found[row], sized, every.work, start_s=start_s, surely=surely)


def sizes_at(every: Prospects, row: int, rate: float) -> BatchSizes:
    """The numbers of that replica which end the batch in time if each were given that rate."""
    return batch_sizes(
        every.space.found[row],
        unproven(rate, every.work, planned=every.planned),
        every.work,
        start_s=float(every.start_s[row]),
        surely=float(every.surely[row]),
    )


def _choices(
    every: Prospects, row: int, sized: Sized, beside: Burdens | None = None, able: Affordable | None = None
) -> list[ServingChoice]:
    return choices_from(
        every.space.found[row],
        sized,
        float(every.closed.fits[row]),
        every.work,
        start_s=float(every.start_s[row]),
        surely=float(every.surely[row]),
        carry=float(every.carry[row]),
        down=float(every.down[row]),
        beside=beside,
        able=able,
    )


def least_of(every: Prospects, rows: Sequence[int]) -> list[ServingChoice]:
    """What those candidates of one cluster need at least, as far as none needs less of everything than another."""
    known = Found()
    for row in rows:
        sized = unproven(float(every.most[row]), every.work, planned=every.planned)
        for bound in _choices(every, row, sized, beside=known.burdens):
            if _better(bound, known.choices):
                known.choices = _with(known.choices, bound)
    return known.choices


def _with(known: Sequence[ServingChoice], choice: ServingChoice) -> list[ServingChoice]:
    """Those and that one, without what it dominates."""
    return [*(one for one in known if not _dominates(choice, one)), choice]


def _dominates(one: ServingChoice, other: ServingChoice) -> bool:
    return not any(map(gt, one.burden, other.burden))


def _better(choice: ServingChoice, known: Sequence[ServingChoice]) -> bool:
    """Does it need less of anything than each of those?"""
    return not any(_dominates(one, choice) for one in known)


def with_seed(work: ServingWork, *, seed: int, requests: int) -> ServingWork:
    """The same work simulated with other random numbers and another number of requests."""
    return replace(work, seed=seed, requests=requests)
