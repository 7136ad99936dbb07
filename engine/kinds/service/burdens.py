"""What every candidate of a service needs at the rate of its bound, all of them at once: there are thousands, and
somebody is typing.

The numbers are those of `choices.choices_from`, to the last bit, without the choice itself; a batch, which may be given many
numbers of replicas, has no such short way.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.kinds.service.choices import DAY_HOURS, node_counts, standby_of
from engine.kinds.service.prospects import Prospects
from engine.kinds.service.refused import Indices
from engine.kinds.service.work import demand, followed
from engine.reliability.patterns import SECOND_SITE, again

Rows = tuple[list[int], ...]
"""Candidates of each cluster."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What candidates of a service need at some rate, as columns; as `choices.choices_from` says it of one."""

    rows: Indices
    nodes: Floats
    """Instances at the peak."""
    mean_nodes: Floats
    """Over the hours of the load."""
    accelerators: Floats
    """At the peak."""
    burden: Floats
    """`ServingChoice.burden` without the hours, which all of them share; a row each."""

    def of(self, some: NDArray[np.bool_]) -> Needs:
        """Those of some rows."""
        return Needs(
            rows=self.rows[some],
            nodes=self.nodes[some],
            mean_nodes=self.mean_nodes[some],
            accelerators=self.accelerators[some],
            burden=self.burden[some],
        )


def ranked_rows(every: Prospects) -> Rows:
    """The candidates of each cluster that may hold the promises, the most promising first.

    Those that the closed form doubts come last; then fewest accelerators for the work, then replicas within one node,
    then the quicker one.
    """
    able, space = np.flatnonzero(every.able), every.space
    rates, saturated = every.closed.rate[able], every.closed.saturated[able]
    devices = space.devices[able].astype(float)
    nodes = np.ceil(devices / space.per_node[able])
    needed = np.ceil(demand(every.work) / np.where(rates <= 0, saturated * 0.5, rates)) * devices
    order = np.lexsort((every.alone.tpot_ms[able], nodes, needed, rates <= 0, space.cluster[able]))
    return by_cluster(every, able[order])


def least_needs(every: Prospects, ranked: Rows) -> Needs:
    """Of those candidates of a service, at the rates of their bounds, the ones that need less of something than every other one of their
    cluster; of several that need the same, the most promising. In the same order."""
    rows = np.array([row for part in ranked for row in part], dtype=np.intp)
    needs = needs_at(every, rows, every.most[rows])
    return needs.of(_unbeaten(every.space.cluster[needs.rows], needs.burden))


def by_cluster(every: Prospects, rows: Indices) -> Rows:
    """Those rows, which lie in the order of their clusters, cut where a new one begins."""
    ends = np.searchsorted(every.space.cluster[rows], np.arange(len(every.space.rows) + 1))
    found = rows.tolist()
    return tuple(found[start:end] for start, end in pairwise(ends.tolist()))


def needs_at(every: Prospects, rows: Indices, may: Floats) -> Needs:
    """What those rows need where a replica of each may be given that rate, as far as so many accelerators may be had."""
    work, space = every.work, every.space
    devices, per_node = space.devices[rows], space.per_node[rows]
    rate = np.minimum(may, may / every.planned / every.carry[rows])
    replicas = np.maximum(np.ceil(demand(work) / np.where(rate > 0, rate, 1.0)), 1.0)
    most = np.minimum(space.room[rows], work.max_accelerators) // np.maximum(devices, 1)
    first, second = _spares(every, rows, replicas, most)
    more = again(work.pattern)
    apart = np.ceil(more * replicas) + second if work.pattern in SECOND_SITE else np.zeros(len(rows))
    peak = replicas + first + second + np.ceil(more * replicas)
    fits: NDArray[np.bool_] = (rate > 0) & (peak <= most)
    span = np.ceil(devices / per_node)
    nodes = node_counts(devices, peak - apart, per_node) + node_counts(devices, apart, per_node)
    mean, held_nodes, curve = peak, nodes, followed(work)
    if curve:
        asked = np.array(curve) * work.requests_per_s
        busy = np.maximum(np.ceil(asked / np.where(rate > 0, rate, 1.0)[:, None]), 1.0)
        held = busy + (first + second)[:, None] + np.ceil(more * busy)
        mean = held.sum(axis=1) / len(asked)
        held_nodes = np.ceil(nodes[:, None] * held / peak[:, None]).sum(axis=1)
    hours = max(len(curve), 1)
    columns = [nodes, DAY_HOURS * held_nodes / hours, peak * devices, DAY_HOURS * mean * devices, span]
    needs = Needs(
        rows=rows,
        nodes=nodes,
        mean_nodes=held_nodes / hours,
        accelerators=peak * devices,
        burden=np.stack(columns, axis=1),
    )
    return needs.of(fits)


def _spares(
    every: Prospects, rows: Indices, replicas: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spare replicas of each row at the first site and at the second; asked once of those that are alike."""
    space = every.space
    stood = space.stood[rows] + replicas * (1.0 + space.stood.max(initial=0))
    _, first, place = np.unique(stood, return_index=True, return_inverse=True)
    at = rows[first]
    asked = (replicas[first], space.devices[at], space.per_node[at], every.down[at], most[first])
    found = [
        standby_of(int(one), devices, per_node, down=down, work=every.work, most=room)
        for one, devices, per_node, down, room in zip(*(part.tolist() for part in asked), strict=True)
    ]
    spare = np.array([(one.first_spare, one.second_spare) for one in found], dtype=float).reshape(-1, 2)
    both = spare[place]
    return both[:, 0], both[:, 1]


def _unbeaten(group: Indices, burden: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of them need less of something than every other of their group; of equal ones the first."""
    order = np.lexsort((*burden.T[::-1], group))  # whatever needs no more of anything than another now lies before it
    group, burden, left = group[order], burden[order], np.arange(len(order))
    unbeaten = np.zeros(len(order), dtype=bool)
    while len(left):
        begins = np.flatnonzero(np.diff(group[left], prepend=-1))
        unbeaten[order[left[begins]]] = True
        best = np.repeat(left[begins], np.diff(begins, append=len(left)))
        left = left[np.any(burden[left] < burden[best], axis=1)]
    return unbeaten
