"""The ranks: started here on one machine, or by torchrun on several; the first of them writes what all measured.

Imported only where PyTorch is known to be there.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import distributed, multiprocessing

from lab.own_runs.exchange import timed_exchange
from lab.own_runs.shape import Work
from lab.own_runs.steps import peak_memory, timed_steps

BAR = 24


def measured(
    work: Work, *, processes: int, steps: int, sizes: tuple[int, ...], cpu: bool = False
) -> dict[str, Any] | None:
    """What all ranks measured; None on the ranks of torchrun that are not the first."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "measured.json"
        if "RANK" in os.environ:
            _rank(int(os.environ["LOCAL_RANK"]), None, work, steps, sizes, str(answer), cpu)
        elif processes == 1:
            _rank(0, (f"file://{folder}/store", 1), work, steps, sizes, str(answer), cpu)
        else:
            meeting = (f"file://{folder}/store", processes)
            multiprocessing.spawn(_rank, (meeting, work, steps, sizes, str(answer), cpu), nprocs=processes)
        return json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else None


def has_gpu() -> bool:
    """Is there an accelerator that PyTorch reaches as CUDA (NVIDIA, or AMD with ROCm)?"""
    return bool(torch.cuda.is_available())


def gpus() -> int:
    """Accelerators of this machine."""
    return int(torch.cuda.device_count())


def _rank(
    local: int,
    meeting: tuple[str, int] | None,
    work: Work,
    steps: int,
    sizes: tuple[int, ...],
    answer: str,
    cpu: bool,
) -> None:
    device = torch.device("cuda", local) if has_gpu() and not cpu else torch.device("cpu")
    if device.type == "cuda":
        torch.cuda.set_device(device)
    backend = "nccl" if device.type == "cuda" else "gloo"
    if meeting is None:
        distributed.init_process_group(backend)
    else:
        distributed.init_process_group(backend, init_method=meeting[0], world_size=meeting[1], rank=local)
    try:
        # Exchange first: its buffers are freed before memory is read, and a broken network shows in seconds.
        exchange = timed_exchange(device, sizes, _bar)
        if device.type == "cuda":
            torch.cuda.empty_cache()
        step = timed_steps(work, device, steps=steps, progress=_bar)
        memory = peak_memory(device)
        if distributed.get_rank() == 0:
            found = {"step": step, "memory": memory, "exchange": exchange, "machine": _machine(device, backend)}
            Path(answer).write_text(json.dumps(found), encoding="utf-8")
    finally:
        distributed.destroy_process_group()


def _machine(device: torch.device, backend: str) -> dict[str, Any]:
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    ranks = distributed.get_world_size()
    return {"device": name, "ranks": ranks, "backend": backend, "torch": torch.__version__}


def _bar(what: str, done: int, total: int) -> None:
    """One line that moves, for a person at a terminal; the first rank alone draws it."""
    if distributed.get_rank() == 0 and sys.stderr.isatty():
        full = BAR * done // total
        end = "\n" if done == total else ""
        sys.stderr.write(f"\r{what:<9}[{'#' * full}{'.' * (BAR - full)}] {done}/{total}{end}")
        sys.stderr.flush()
