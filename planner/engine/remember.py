"""Searches that were just made, so that a change of price, deadline or budget only ranks again.

A search depends on the work, the clusters and the coefficients; its result is immutable, so sharing it is safe.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from threading import Lock
from typing import Any

from planner.engine.hardware import Cluster

KEPT = 24
_found: OrderedDict[Hashable, Any] = OrderedDict()
_lock = Lock()


def remembered(key: Hashable, make: Callable[[], Any]) -> Any:
    """The result that belongs to that key: the one that is remembered, else a new one."""
    with _lock:
        if key in _found:
            _found.move_to_end(key)
            return _found[key]
    result = make()
    with _lock:
        _found[key] = result
        while len(_found) > KEPT:
            _found.popitem(last=False)
    return result


def forget() -> None:
    """Forgets everything, for honest timings."""
    with _lock:
        _found.clear()


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
