"""Many short runs of every kind in one process: what `lab/data/own_h200` was measured with.

`python -m lab.own_runs.mixed FOLDER OUT --limit SECONDS` makes each run of the folder's `runs.csv` and adds one JSON line a run to OUT.
A run that fails, or is out of memory, says so in its line and does not stop the others; no run begins after the limit.
`--tiny` tries the same code with small networks, without an accelerator.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import distributed, nn

from lab.own_runs.asked import DECODERS, SIDE, Asked, Widths, asked, decoders, work_of
from lab.own_runs.networks import network
from lab.own_runs.steps import one_step, placed
from lab.own_runs.storage import loaded, saved

WARM_UP, MOST, LEAST, SECONDS = 3, 10, 3, 3.0
"""Steps that do not count; of those that do, no more than so many, at least so many, and otherwise for so long [s]."""
BROKEN = 3
"""Status where the accelerator refuses all further work: begun again, the program goes on with what is left."""


def main(arguments: list[str]) -> int:
    """0 when every run was tried: what failed is in the lines. Runs that OUT holds already are not made again."""
    parser = argparse.ArgumentParser(prog="python -m lab.own_runs.mixed")
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which no run begins")
    parser.add_argument("--only", nargs="*", default=[], metavar="ID", help="these runs and no others")
    parser.add_argument("--tiny", action="store_true", help="try the code with small networks")
    options = parser.parse_args(arguments)
    device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    widths, runs = decoders(options.folder), asked(options.folder)
    done = _done(options.out)
    chosen = [run for run in runs if run.id not in done and (not options.only or run.id in options.only)]
    begun = time.perf_counter()
    distributed.init_process_group("gloo", store=distributed.HashStore(), world_size=1, rank=0)
    for run in chosen:
        started = time.perf_counter()
        if started - begun > options.limit:
            break
        found = _made(run, widths, device, tiny=options.tiny)
        found["wall_s"] = round(time.perf_counter() - started, 2)
        with options.out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"id": run.id, **found}) + "\n")
        sys.stderr.write(f"{run.id} {run.kind} {run.model} {found}\n")
        if "CUDA error" in found.get("failed", ""):
            return BROKEN
        _emptied(device)
    distributed.destroy_process_group()
    return 0


def _done(out: Path) -> set[str]:
    """Runs that OUT holds."""
    if not out.exists():
        return set()
    return {json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()}


def _made(run: Asked, widths: Mapping[str, Widths], device: torch.device, *, tiny: bool) -> dict[str, Any]:
    try:
        _rounded(run.precision)
        if run.kind in DECODERS:
            return _decoder(run, widths[run.model], device, tiny=tiny)
        if run.kind == "product":
            return _product(run.precision, device, side=64 if tiny else SIDE)
        if run.kind in ("checkpoint", "cold"):
            width = _small(widths[run.model]) if tiny else widths[run.model]
            return saved(width, device) if run.kind == "checkpoint" else loaded(width, device)
        return _network(replace(run, batch=2, sequence=min(run.sequence, 16)) if tiny else run, device, tiny=tiny)
    except Exception as fault:
        return {"failed": f"{type(fault).__name__}: {fault}"[:400]}


def _rounded(precision: str) -> None:
    """TF32 in products of FP32 only where it is asked for; PyTorch rounds convolutions by itself."""
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def _decoder(run: Asked, widths: Widths, device: torch.device, *, tiny: bool) -> dict[str, Any]:
    work = work_of(run, _small(widths) if tiny else widths)
    if tiny:
        work = replace(work, sequence=32, micro_batch=2, window=8 if work.window else 0)
    torch.manual_seed(7)
    model = placed(work, device)
    trained = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=1e-5, fused=device.type == "cuda")
    count = sum(one.numel() for one in model.parameters())
    return {**_timed(lambda: one_step(model, optimizer, work, device), device), "parameters": count}


def _network(run: Asked, device: torch.device, *, tiny: bool) -> dict[str, Any]:
    torch.manual_seed(7)
    model, loss = network(run, device, tiny=tiny)
    if run.compiled:
        model.compile()
    optimizers = _optimizers(model, device)
    cast = torch.autocast(device.type, torch.bfloat16) if run.precision == "bf16" else nullcontext()

    def step() -> None:
        with cast:
            value = loss()
        value.backward()
        for one in optimizers:
            one.step()
            one.zero_grad(set_to_none=True)

    return {**_timed(step, device), "parameters": sum(one.numel() for one in model.parameters())}


def _optimizers(model: nn.Module, device: torch.device) -> list[torch.optim.Optimizer]:
    """AdamW; tables with sparse gradients by SGD, which keeps no state of them."""
    tables = [one.weight for one in model.modules() if isinstance(one, nn.EmbeddingBag)]
    sparse = {id(one) for one in tables}
    dense = [one for one in model.parameters() if one.requires_grad and id(one) not in sparse]
    found: list[torch.optim.Optimizer] = [torch.optim.AdamW(dense, lr=1e-5, fused=device.type == "cuda")]
    return [*found, torch.optim.SGD(tables, lr=1e-3)] if tables else found


def _product(precision: str, device: torch.device, *, side: int) -> dict[str, Any]:
    """One large product of random numbers."""
    kind = torch.bfloat16 if precision == "bf16" else torch.float32
    first, second = (torch.randn(side, side, dtype=kind, device=device) for _ in range(2))
    return {**_timed(lambda: first @ second, device), "parameters": side}


def _timed(step: Callable[[], Any], device: torch.device) -> dict[str, Any]:
    """Median, P10 and P90 of the step [s], and the peak of memory from the first step on [byte]."""
    if device.type == "cuda":  # a model is larger while it is made
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(device)
    times: list[float] = []
    warm = time.perf_counter()
    for _ in range(WARM_UP):
        step()
        _wait(device)
        if time.perf_counter() - warm > 2 * SECONDS:  # long steps, or a compiler that is done after the first
            break
    while len(times) < LEAST or (len(times) < MOST and sum(times) < SECONDS):
        _wait(device)
        begun = time.perf_counter()
        step()
        _wait(device)
        times.append(time.perf_counter() - begun)
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    found = {"median_s": statistics.median(times), "p10_s": tenths[0], "p90_s": tenths[-1], "steps": len(times)}
    if device.type == "cuda":
        found["allocated_bytes"] = torch.cuda.max_memory_allocated(device)
        found["reserved_bytes"] = torch.cuda.max_memory_reserved(device)
    return found


def _small(widths: Widths) -> Widths:
    shape = replace(widths.shape, layers=2, hidden=64, heads=4, kv_heads=2, head_dim=16, ffn=96, vocab=256)
    return replace(widths, shape=shape, experts=4 if widths.experts else 0, top_k=min(widths.top_k, 2))


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _emptied(device: torch.device) -> None:
    """What the run before held is given back."""
    gc.collect()
    torch.compiler.reset()
    if device.type == "cuda":
        torch.cuda.empty_cache()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
