"""Checkpoints, spot, precision and framework of a training run."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice
from engine.choice.advising.facts import Case, advice
from engine.inputs.names import counted, software_name, span_words
from engine.physics.data_path import TIERS

_WORTH_ASYNCHRONOUS = 0.03
_LARGE_BATCH_SEQUENCES = 4096

_PRECISION = {
    "bf16": "has the range of FP32, so it needs no loss scaling; weights are kept in FP32 beside it",
    "fp16": (
        "is the fastest format of this hardware, but its range is small: use dynamic loss scaling and watch for "
        "overflows"
    ),
    "fp8": (
        "doubles the matrix rate of BF16; per-tensor scales keep the range, and embeddings, norms and the last "
        "layers stay in BF16"
    ),
    "mxfp8": (
        "doubles the matrix rate of BF16 with one scale for each block of 32 values, which keeps more range "
        "than one per tensor"
    ),
    "nvfp4": (
        "is the fastest format of this hardware; keep sensitive layers in BF16 and compare the loss with a BF16 "
        "run early"
    ),
    "tf32": "rounds the inputs of FP32 products to 10 bits: no change to the code, and half of the BF16 rate",
    "fp32": "is exact and slow: matrix units of current hardware are 8 to 16 times faster in BF16",
}

_ADAPTER_PRECISION = "has the range of FP32, so it needs no loss scaling; only the adapters are kept in FP32 beside it, the base is frozen"
XLA = frozenset(("jax", "maxtext"))
"""Frameworks whose processes are started on every host by whoever holds the slice, not by PyTorch's launcher."""
_RESTARTS = ("torchrun with --max-restarts", "Start all hosts again from the last checkpoint")
"""How a job comes back, by PyTorch's launcher or without it."""
_FRAMEWORK = {
    "megatron": "tensor, pipeline and expert parallelism in one place, with the best measured efficiency",
    "fsdp": "part of PyTorch: shards weights, gradients and optimizer without changing the model",
    "pytorch": "each accelerator holds the whole model, so plain PyTorch with distributed data parallel is enough",
    "torchrec": "splits the embedding tables over all accelerators and copies the dense layers to each",
    "jax": "XLA compiles the model as it is; sharding is declared",
    "deepspeed": "ZeRO stages and offload by configuration",
    "maxtext": "JAX, made for TPU slices; sharding is declared and XLA compiles the rest",
    "neuron": "the library that Trainium's compiler is tested with",
}


def training_advice(case: Case) -> Iterator[Advice]:
    """Advice on how to run the training; nothing for a service."""
    if case.training is None:
        return
    yield from _checkpoints(case)
    yield from _data(case)
    yield from _spares(case)
    yield from _spot(case)
    yield _precision(case)
    yield from _framework(case)
    yield from _batch(case)
    yield from _adapters(case)


def _checkpoints(case: Case) -> Iterator[Advice]:
    plan = case.option.checkpoint
    if plan is None:
        return
    wanted = case.training.checkpoints_kept if case.training else 1
    kept = min(wanted, max(1, round(case.option.steps / plan.interval_steps)))
    once = plan.interval_steps >= case.option.steps
    yield advice(
        "train.checkpoint.cadence",
        "Checkpoints",
        "Once, at the end of the run"
        if once
        else f"Every {span_words(plan.interval_s)} ({plan.interval_steps:,} steps), the last {kept} kept",
        f"{plan.sentence} {counted(kept, 'checkpoint')} take{'s' if kept == 1 else ''} {plan.storage_gb:,.0f} GB"
        f"{'' if kept == 1 else '; errors that are found late need an older one'}.",
    )
    if plan.lost_share > _WORTH_ASYNCHRONOUS:
        yield advice(
            "train.checkpoint.asynchronous",
            "Checkpoints",
            "Write checkpoints in the background",
            f"{plan.lost_share:.1%} of the time is lost to saving and failures. Copying to host memory first "
            f"blocks training for seconds instead of {span_words(plan.write_s)}; hosts then need memory for their "
            f"part of {plan.size_gb:,.0f} GB.",
        )
    if case.option.nodes > 1:
        yield advice(
            "train.restart.elastic",
            "Restarts",
            f"{_RESTARTS[case.option.framework in XLA]}, one spare node in reach",
            f"The layout needs each of its {case.option.nodes:,} nodes, so a failed one must be replaced, not left out.",
        )


def _data(case: Case) -> Iterator[Advice]:
    path = case.option.data_path
    if path is None:
        return
    described = case.training is not None and case.training.dataset is not None
    origin = "" if described else " No dataset is described, so its size follows from the amount of work."
    yield advice(
        f"train.data.{path.tier}",
        "Data path",
        f"Read from {TIERS[path.tier]}, {path.workers_per_node:,} loader worker"
        f"{'' if path.workers_per_node == 1 else 's'} per node",
        f"{path.warning or path.sentence}{origin} Prefetch two batches and keep samples in large sequential files.",
    )


def _spares(case: Case) -> Iterator[Advice]:
    model = case.option.cost.model
    spares = next((item.value for item in model.inputs if item.name in ("spare_instances", "spare_servers")), 0.0)
    if spares:
        yield advice(
            "train.spares",
            "Spares",
            f"Hold {counted(spares, 'spare node')}",
            f"Of {case.option.nodes:,} nodes some are always in repair; so many spares keep the job whole 99% of the "
            "time, and the total holds them.",
        )


def _spot(case: Case) -> Iterator[Advice]:
    plan = case.option.checkpoint
    if case.spot and plan is not None:
        yield advice(
            "train.spot.use",
            "Spot",
            "Use spot capacity with automatic resume",
            f"One interruption or failure every {span_words(plan.mtbf_h * 3600.0)} costs {plan.lost_share:.1%} of the "
            "time; the total counts it and is still the lowest.",
        )
    elif case.spec.constraints.spot and case.option.kind == "cloud":
        yield advice(
            "train.spot.avoid",
            "Spot",
            "Do not use spot capacity for this run",
            "No spot offer of this size was cheaper within the limits once interruptions of "
            f"{case.option.nodes:,} nodes were counted.",
        )


def _precision(case: Case) -> Advice:
    name = case.option.precision
    adapters = case.training is not None and case.training.method in ("lora", "qlora")
    reason = _ADAPTER_PRECISION if adapters and name == "bf16" else _PRECISION.get(name, "was asked for")
    return advice(f"train.precision.{name}", "Precision", name.upper(), f"{name.upper()} {reason}.")


def _framework(case: Case) -> Iterator[Advice]:
    reason = _FRAMEWORK.get(case.option.framework)
    if reason and case.option.framework == "megatron" and case.option.nodes > 1:
        reason += " on many nodes"
    if reason:
        yield advice(
            f"train.framework.{case.option.framework}",
            "Framework",
            software_name(case.option.framework),
            f"{reason[0].upper()}{reason[1:]}.",
        )


def _batch(case: Case) -> Iterator[Advice]:
    things = case.option.counts
    if case.option.global_batch >= _LARGE_BATCH_SEQUENCES:
        yield advice(
            "train.batch.large",
            "Batch",
            "Raise the learning rate with the batch, and warm it up",
            f"{case.option.global_batch:,} {'sample' if things == 'token' else things}s in one step are many: scale the rate "
            f"with the square root of the batch (Adam) and check that {things}s to a given loss do not grow.",
        )


def _adapters(case: Case) -> Iterator[Advice]:
    if case.training and case.training.method in ("lora", "qlora"):
        yield advice(
            "train.method.adapters",
            "Method",
            "Train adapters",
            f"Rank {case.training.lora_rank} leaves the base model as it is, so several adapters share one "
            "copy when they are served.",
        )
