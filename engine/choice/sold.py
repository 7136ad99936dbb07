"""What a provider sells of capacity: so many accelerators or instances to an order, for so long, and nothing in between.

What its documentation leaves open is taken as sold.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.inputs.hardware import Access

_DAY_HOURS = 24.0


def sizes_sold(access: Access, *, accelerators: NDArray[np.int64], per_instance: int) -> NDArray[np.bool_]:
    """Which of those numbers of accelerators can be ordered: no fewer than the least, and in numbers of instances that are sold."""
    held: NDArray[np.bool_] = accelerators >= access.least_accelerators
    instances = -(-accelerators // per_instance)
    if access.sizes:
        held = held & np.isin(instances, access.sizes)
    elif access.most_instances:
        held = held & (instances <= access.most_instances)
    return held


def longest_hours(access: Access) -> float:
    """How long one order lasts at most [h]; infinite where nobody says."""
    return access.most_days * _DAY_HOURS if access.most_days else math.inf
