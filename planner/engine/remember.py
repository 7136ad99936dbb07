"""Searches that were just made, so that a change of price, deadline or budget only ranks again.

A search depends on the work, the clusters and the coefficients; its result is immutable, so sharing it is safe.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any

from planner.engine.hardware import Cluster

KEPT = 64
"""Results of one kind that a process keeps: a few for each of the people who type at it."""
KEPT_OF: Mapping[str, int] = {"space": 16, "supplies": 32}
"""Kinds whose results are large (some megabytes), and shared by all who plan the same model."""
_found: dict[str, OrderedDict[Hashable, Any]] = {}
_lock = Lock()


def remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """The result that belongs to that key, whose first part is its kind: the one that is remembered, else a new one."""
    kind = _kind(key)
    with _lock:
        kept = _found.setdefault(kind, OrderedDict())
        if key in kept:
            kept.move_to_end(key)
            return kept[key]
    result = make()
    with _lock:
        kept[key] = result
        while len(kept) > KEPT_OF.get(kind, KEPT):
            kept.popitem(last=False)
    return result


def is_remembered(key: Hashable) -> bool:
    """Would `remembered` answer that key without work?"""
    with _lock:
        return key in _found.get(_kind(key), ())


def forget() -> None:
    """Forgets everything, for honest timings."""
    with _lock:
        _found.clear()


def _kind(key: Hashable) -> str:
    return str(key[0]) if isinstance(key, tuple) else ""


def search_key(kind: str, work: Hashable, clusters: Sequence[Cluster], changed: Mapping[str, float]) -> Hashable:
    """What a search depends on, in one value. `changed` holds the coefficients that differ from their defaults."""
    return (kind, work, tuple(_cluster(cluster) for cluster in clusters), tuple(sorted(changed.items())))


def _cluster(cluster: Cluster) -> Hashable:
    device = cluster.device
    return (
        device.slug,
        device.generation,
        device.memory_bytes,
        device.memory_bandwidth,
        device.scaleup_bandwidth,
        device.scaleup_domain,
        device.nic_bandwidth,
        device.pcie_bandwidth,
        tuple(sorted(device.dense_flops.items())),
        cluster.devices_per_node,
        cluster.nic_bandwidth,
        cluster.max_devices,
    )
