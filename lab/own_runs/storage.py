"""Seconds to save a checkpoint to this machine's own disk, and to bring weights from it to the accelerator.

Imported only where PyTorch is known to be there.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

from lab.own_runs.asked import Widths

SAVED, LOADED = 12, 2
"""Bytes of a weight: FP32 with Adam's two moments as it is saved, 16 bits as it is served."""
PIECES = 64


def saved(widths: Widths, device: torch.device) -> dict[str, Any]:
    """Time of `torch.save` and of the disk's own flush for all states of that decoder."""
    state = _tensors(widths, device, torch.float32, SAVED // 4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.pt"
        begun = time.perf_counter()
        torch.save(state, path)
        written = time.perf_counter()
        _flushed(path)
        return {
            "median_s": time.perf_counter() - begun,
            "before_flush_s": written - begun,
            "bytes": path.stat().st_size,
        }


def loaded(widths: Widths, device: torch.device) -> dict[str, Any]:
    """Time to read weights from the disk to the accelerator: with the system's cache emptied of the file, and once more with it."""
    from safetensors.torch import load_file, save_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.safetensors"
        save_file(_tensors(widths, torch.device("cpu"), torch.bfloat16, LOADED // 2), path)
        _flushed(path, forget=True)
        times = []
        for _ in range(2):
            begun = time.perf_counter()
            held = load_file(path, device=str(device))
            if device.type == "cuda":
                torch.cuda.synchronize(device)
            times.append(time.perf_counter() - begun)
            del held
        return {"median_s": times[0], "cached_s": times[1], "bytes": path.stat().st_size}


def _tensors(widths: Widths, device: torch.device, kind: torch.dtype, copies: int) -> dict[str, torch.Tensor]:
    """As many elements as the decoder has, `copies` times, in pieces."""
    count = copies * parameters(widths) // PIECES
    return {str(number): torch.full((count,), 0.5 + number, dtype=kind, device=device) for number in range(PIECES)}


def parameters(widths: Widths) -> int:
    """Weights of a plain decoder of those widths."""
    shape = widths.shape
    attention = shape.hidden * shape.head_dim * (2 * shape.heads + 2 * shape.kv_heads)
    layer = attention + 3 * shape.hidden * shape.ffn + 2 * shape.hidden
    return shape.layers * layer + shape.vocab * shape.hidden * (1 if shape.tied else 2) + shape.hidden


def _flushed(path: Path, *, forget: bool = False) -> None:
    """Wait until the disk has the file; `forget` drops it from the system's cache."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if forget:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
