"""What every candidate of a service needs at the rate of its bound, all of them at once: there are thousands, and
somebody is typing.

The numbers are those of `choices.choices_from`, to the last bit, without the choice itself; a batch, which may be given many
numbers of replicas, has no such short way.
"""

from __future__ import annotations

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
    return _by_cluster(every, able[order])


def least_rows(every: Prospects, ranked: Rows) -> Rows:
    """Of those candidates of a service the ones that need less of something than every other one of their cluster; of
    several that need the same, the most promising. In the same order."""
    rows = np.array([row for part in ranked for row in part], dtype=np.intp)
    fits, burden = _burdens(every, rows)
    rows, burden = rows[fits], burden[fits]
    return _by_cluster(every, rows[_unbeaten(every.space.cluster[rows], burden)])


def _by_cluster(every: Prospects, rows: Indices) -> Rows:
    """Those rows, which lie in the order of their clusters, cut where a new one begins."""
    ends = np.searchsorted(every.space.cluster[rows], np.arange(len(every.space.rows) + 1))
    found = rows.tolist()
    return tuple(found[start:end] for start, end in pairwise(ends.tolist()))


def _burdens(every: Prospects, rows: Indices) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(may so many accelerators be had, `ServingChoice.burden` without the hours, which all of them share) of each row."""
    work, space, may = every.work, every.space, every.most[rows]
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
    node_hours = DAY_HOURS * held_nodes / max(len(curve), 1)
    return fits, np.stack([nodes, node_hours, peak * devices, DAY_HOURS * mean * devices, span], axis=1)


def _spares(
    every: Prospects, rows: Indices, replicas: NDArray[np.float64], most: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Spare replicas of each row at the first site and at the second; asked once of those that are alike."""
    space = every.space
    asked = np.stack([replicas, space.devices[rows], space.per_node[rows], every.down[rows], most], axis=1)
    kinds, place = np.unique(asked, axis=0, return_inverse=True)
    found = [
        standby_of(int(one), int(devices), int(per_node), down=float(down), work=every.work, most=int(room))
        for one, devices, per_node, down, room in kinds
    ]
    spare = np.array([(one.first_spare, one.second_spare) for one in found], dtype=float).reshape(-1, 2)
    both = spare[place.reshape(-1)]
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
