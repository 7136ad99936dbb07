"""How fast ranks exchange: all-reduce and all-gather at several sizes. Imported only where PyTorch is known to be there."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import distributed

from lab.own_runs.steps import Progress

TIMES = 10


def timed_exchange(device: torch.device, sizes: tuple[int, ...], progress: Progress) -> list[dict[str, Any]]:
    """One row for each collective and size [byte]: median time [s] and bus bandwidth [byte/s]; every rank calls it.

    The bus bandwidth is that of NVIDIA's nccl-tests (doc/PERFORMANCE.md): size over time, times 2(n−1)/n for an all-reduce and
    (n−1)/n for an all-gather, whose size is that of the whole result.
    """
    ranks, rows = distributed.get_world_size(), []
    if ranks == 1:
        return []
    kinds = {"all_reduce": 2 * (ranks - 1) / ranks, "all_gather": (ranks - 1) / ranks}
    for number, (size, kind) in enumerate((size, kind) for size in sizes for kind in kinds):
        progress("exchange", number, len(sizes) * len(kinds))
        seconds = _median(_call(kind, size, ranks, device), device)
        rows.append(
            {
                "collective": kind,
                "bytes": size,
                "median_s": seconds,
                "bus_bytes_per_s": kinds[kind] * size / seconds,
            }
        )
    progress("exchange", len(rows), len(rows))
    return rows


def _call(kind: str, size: int, ranks: int, device: torch.device) -> Callable[[], Any]:
    count = max(ranks, size // 2 // ranks * ranks)  # elements of two bytes, a whole number on each rank
    whole = torch.zeros(count, dtype=torch.bfloat16, device=device)
    if kind == "all_reduce":
        return lambda: distributed.all_reduce(whole)
    part = torch.zeros(count // ranks, dtype=torch.bfloat16, device=device)
    # Newer releases of PyTorch renamed it.
    gather = getattr(distributed, "all_gather_single", None) or distributed.all_gather_into_tensor
    return lambda: gather(whole, part)


def _median(call: Callable[[], Any], device: torch.device) -> float:
    times = []
    for _ in range(TIMES + 2):
        distributed.barrier()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        begun = time.perf_counter()
        call()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        times.append(time.perf_counter() - begun)
    return statistics.median(times[2:])
