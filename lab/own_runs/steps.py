"""Times of whole training steps, and the peak of memory. Imported only where PyTorch is known to be there."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import distributed, nn

from lab.own_runs.adapters import adapted
from lab.own_runs.decoder import Decoder
from lab.own_runs.published import published
from lab.own_runs.shape import Work

Progress = Callable[[str, int, int], None]
WARM_UP = 3
"""Steps before the first that counts: kernels are chosen and buffers made in them."""


def timed_steps(work: Work, device: torch.device, *, steps: int, progress: Progress) -> dict[str, Any]:
    """Median, P10 and P90 of the step time [s] over `steps` steps, the slowest rank of each; every rank calls it."""
    torch.manual_seed(7 + distributed.get_rank())
    model = placed(work, device)
    if device.type == "cuda":  # a model is larger while it is made: weights of FP32 are frozen in bf16 only then
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    trained = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-5, fused=device.type == "cuda")
    times = []
    for number in range(WARM_UP + steps):
        progress("steps", number, WARM_UP + steps)
        _wait(device)
        begun = time.perf_counter()
        one_step(model, optimizer, work, device)
        _wait(device)
        times.append(_slowest(time.perf_counter() - begun, device))
    progress("steps", WARM_UP + steps, WARM_UP + steps)
    counted = times[WARM_UP:]
    tenths = statistics.quantiles(counted, n=10, method="inclusive")
    return {"median_s": statistics.median(counted), "p10_s": tenths[0], "p90_s": tenths[-1], "steps": steps}


def peak_memory(device: torch.device) -> dict[str, Any]:
    """The largest peak of any rank [byte], and what read it; every rank calls it."""
    if device.type == "cuda":
        return {
            "allocated_bytes": int(_slowest(torch.cuda.max_memory_allocated(device), device)),
            "reserved_bytes": int(_slowest(torch.cuda.max_memory_reserved(device), device)),
            "read_by": "torch.cuda",
        }
    # Linux states the resident set in KiB; it is that of the whole process, PyTorch itself included.
    resident = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"resident_bytes": int(_slowest(resident, device)), "read_by": "process"}


def placed(work: Work, device: torch.device) -> nn.Module:
    """The model where it is trained: whole on each rank, or split over all of them."""
    with device:  # made where it is used: a large model does not pass through the host
        model = (
            published(work) if work.transformers else Decoder(work.shape, recompute=work.recompute, window=work.window)
        )
    if work.lora_rank and not work.transformers:
        adapted(model, work.lora_rank)
    if work.compiled:
        for block in model.blocks:
            block.compile()
    if work.zero_stage == 3:
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for block in model.blocks:
            fully_shard(block, mp_policy=policy)
        return fully_shard(model, mp_policy=policy)
    if distributed.get_world_size() == 1:
        return model
    return nn.parallel.DistributedDataParallel(model, device_ids=[device.index] if device.type == "cuda" else None)


def one_step(model: nn.Module, optimizer: torch.optim.Optimizer, work: Work, device: torch.device) -> None:
    for number in range(work.accumulate):
        last = number == work.accumulate - 1
        tokens = torch.randint(work.shape.vocab, (work.micro_batch, work.sequence + 1), device=device)
        # Gradients are exchanged once, after the last pass.
        if work.zero_stage == 3:
            model.set_requires_gradient_sync(last)
        quiet = model.no_sync() if hasattr(model, "no_sync") and not last else nullcontext()
        # FSDP casts by its own policy; whole models keep FP32 weights and multiply in bf16.
        whole = work.zero_stage == 0 and work.precision.startswith("bf16")
        cast = torch.autocast(device.type, torch.bfloat16) if whole else nullcontext()
        with quiet:
            with cast:
                loss = model(tokens)
            (loss / work.accumulate).backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def _slowest(value: float, device: torch.device) -> float:
    """The greatest of all ranks."""
    held = torch.tensor([value], dtype=torch.float64, device=device)
    distributed.all_reduce(held, op=distributed.ReduceOp.MAX)
    return float(held.item())


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    distributed.barrier()
