"""What one training workload asks of any cluster: model, amount of work, batch, precision, states to keep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.hardware import Device
from engine.inputs.spec import Fault, FixedLayout, Measurement, Spec, SpecError, Training
from engine.kinds.training.critical import Critical, critical_of
from engine.physics.chip import peak
from engine.physics.columns import Array
from engine.physics.holding import gradient_bytes
from engine.physics.profile import USUAL, Stack
from engine.physics.shape import shape_of
from engine.physics.tuning import adapter_weights

OPTIMIZER_BYTES: dict[str, float] = {"adamw": 12.0, "adam8bit": 6.0, "adafactor": 4.1, "sgd": 8.0}
"""State for one trained weight in mixed precision, FP32 master included: two moments, two in 8 bits, factored, one."""
TABLES_BATCH = 65_536
"""Samples of a step of a recommender where none is given: the batch of MLPerf Training's DLRM-DCNv2."""
BATCH_FACTOR, BATCH_POWER = 0.292, 0.3271
"""Tokens of a step where none is given: factor × FLOPs of the run ^ power (DeepSeek LLM, arXiv 2401.02954, eq. 4)."""
_SMALL = 0.2
"""Share of an accelerator's memory up to which states are copied, not sharded: sharding would only add exchange."""
SMALL_TUNING_BATCH = 128
"""Sequences of a fine-tuning step where none is given: the middle of published recipes (64-256)."""


class Way(NamedTuple):
    """A framework as it would be run."""

    framework: str
    zero: int
    """ZeRO stage; 0 = every replica holds all of the dense model."""
    pipelines: bool


@dataclass(frozen=True, kw_only=True)
class TrainingWork:
    """One training run, ready to be laid out on clusters."""

    arch: Architecture
    method: str
    total: float
    """Tokens, or samples of a model that counts samples."""
    sequence: int
    """Tokens of one sequence; 1 for models that count samples."""
    global_batch: int
    """Sequences (or samples) of one optimizer step, before rounding to the layout."""
    precision: str
    optimizer: str
    lora_rank: int
    framework: str
    recompute: str
    fixed: FixedLayout
    stack: Stack = USUAL
    measured: tuple[Measurement, ...] = ()
    because: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    """What to mind about the model at that length, whatever it runs on."""
    critical: Critical | None = None
    """How many tokens a step may hold before more of them are needed; None where no law is known."""

    @property
    def adapters(self) -> bool:
        """Are only adapters trained?"""
        return self.method in ("lora", "qlora")

    @property
    def pretrains_language(self) -> bool:
        """Are all weights of a decoder trained, as the frameworks of large models expect?"""
        return _language(self.arch) and not self.arch.token_types and not self.adapters

    @property
    def trained_share(self) -> float:
        """Share of the weights that are trained."""
        if not self.adapters:
            return 1.0
        adapters = adapter_weights(shape_of(self.arch), self.lora_rank)
        return min(1.0, adapters / max(self.arch.parameters, 1.0))

    @property
    def steps(self) -> int:
        """Optimizer steps at the batch that was asked for."""
        return max(1, ceil(self.total / (self.global_batch * self.sequence)))

    def steps_of(self, batch: Array) -> Array:
        """Optimizer steps with those batches [sequence], as rounded to each layout. What is asked is run, whatever its batch; a batch
        that is larger than asked only because it divides takes the tokens more that the same loss then needs."""
        steps: Array = np.maximum(np.ceil(self.total * self._grown(batch) / (batch * self.sequence)), 1.0)
        return steps

    def tokens_more(self, batch: int) -> float:
        """Share of tokens that are run beyond those that are asked, because a layout rounds the batch up to that one [sequence]."""
        return float(self._grown(np.array([float(batch)]))[0]) - 1.0

    def _grown(self, batch: Array) -> Array:
        if self.critical is None:
            return np.ones_like(batch)
        return self.critical.grown(batch * self.sequence, float(self.global_batch * self.sequence), self.total)


def work_from(spec: Spec, arch: Architecture, assume: Assumptions | None = None) -> TrainingWork:
    """The training workload of a spec; without `assume` no batch is held against the critical one. SpecError when it has none, or no
    usable model."""
    training = spec.training
    if training is None:
        raise SpecError(Fault("training", "missing.block", {"workload": Ref("word", "training")}))
    _check_model(arch)
    _check_tables(arch)
    counts_tokens = arch.kind == "transformer" and arch.modality == "text"
    sequence = _sequence(training, arch)
    total = _total(training, sequence, counts_tokens=counts_tokens)
    pretrains = training.method == "pretrain" and _language(arch) and not arch.token_types
    critical = critical_of(assume) if assume and pretrains else None
    batch, because = _batch(training, arch, total, sequence, critical)
    return TrainingWork(
        arch=arch,
        method=training.method,
        total=total,
        sequence=sequence,
        global_batch=batch,
        precision=training.precision,
        optimizer=training.optimizer,
        lora_rank=training.lora_rank,
        framework=training.framework if spec.constraints.framework in ("any", "auto") else spec.constraints.framework,
        recompute=training.recompute,
        fixed=spec.fixed,
        stack=Stack(training.stack, training.attention_kernel, training.compiled),
        measured=spec.measured,
        because=because,
        warnings=tuple(_too_long(training, arch)),
        critical=critical,
    )


def _sequence(training: Training, arch: Architecture) -> int:
    """Tokens of one sequence: as asked for, but no more than learnt positions hold; 1 for models that count samples.

    An image has as many patches as its model has positions, so the length asked for counts for nothing beyond them.
    """
    if arch.kind != "transformer":
        return 1
    return min(training.sequence_length, arch.positions or training.sequence_length)


def _too_long(training: Training, arch: Architecture) -> Iterator[Finding]:
    """What a length beyond that of a language model means for the run."""
    asked = training.sequence_length
    if arch.kind != "transformer" or arch.modality != "text":
        return
    if 0 < arch.positions < asked:
        yield finding("warning.positions", positions=arch.positions, asked=asked)
    elif 0 < arch.max_sequence < asked:
        yield finding("warning.stretched", length=arch.max_sequence, asked=asked)


def _check_model(arch: Architecture) -> None:
    if arch.kind == "generic" and (arch.flops_per_sample <= 0 or arch.generic_parameters <= 0):
        raise SpecError(Fault("model", "incomplete.work", {"name": Ref("model", arch.slug, arch.name)}))


def _check_tables(arch: Architecture) -> None:
    """SpecError for a recommender without tables: taken as dense weights they come out wrong by orders of magnitude."""
    if arch.modality == "recommender" and arch.tables is None:
        raise SpecError(Fault("model", "incomplete.tables", {"name": Ref("model", arch.slug, arch.name)}))


def _total(training: Training, sequence: int, *, counts_tokens: bool) -> float:
    """Tokens of the run, or samples where the model counts samples."""
    if training.tokens:
        return training.tokens
    samples = training.samples * training.epochs
    return samples * sequence if counts_tokens or sequence > 1 else samples


def _batch(
    training: Training, arch: Architecture, total: float, sequence: int, critical: Critical | None
) -> tuple[int, tuple[str, ...]]:
    """(global batch [sequence], ids of what it follows from); where none is given, the law of DeepSeek LLM (arXiv 2401.02954, eq. 4)
    for pre-training, no more than the critical batch, and at least 100 steps."""
    if training.global_batch_size:
        return training.global_batch_size, ("training.global_batch_size",)
    if training.global_batch_tokens:
        return max(1, round(training.global_batch_tokens / sequence)), ("training.global_batch_tokens",)
    if arch.kind == "generic":
        usual = TABLES_BATCH if arch.tables else 1024
        return int(min(usual, max(1, total // 100))), (f"training.batch.samples:{usual}",)
    law = usual_batch(arch, total) / sequence
    wanted = law if training.method in ("pretrain", "continue") else min(law, SMALL_TUNING_BATCH)
    most = max(1.0, total / sequence / 100)
    power = int(np.clip(round(np.log2(max(min(wanted, most), 1.0))), 0, 16))
    if critical is not None:
        power = min(power, int(np.log2(max(critical.tokens(total) / sequence, 1.0))))
    return 2**power, ("training.batch.law",)


def usual_batch(arch: Architecture, total: float) -> float:
    """The batch [token] that the law of DeepSeek LLM finds best for that much computing."""
    return float(BATCH_FACTOR * (6.0 * arch.active_parameters * total) ** BATCH_POWER)


def precisions(work: TrainingWork, device: Device) -> tuple[str, ...]:
    """Precisions to try on that device: what was asked for; 16 bits where the choice is free."""
    if work.precision != "auto":
        return (work.precision,) if peak(device, work.precision) > 0 else ()
    return next(((name,) for name in ("bf16", "fp16", "fp32") if name in device.dense_flops), ())


def frameworks(work: TrainingWork, device: Device) -> tuple[Way, ...]:
    """Ways to run it there. Empty where no framework that is made for such work runs on the device."""
    ways = tuple(dict.fromkeys((*_usual(work, device), *_on_request(work, device))))
    chosen = _usual(work, device) if work.framework in ("auto", "any") else _named(ways, work.framework)
    if work.arch.kind == "generic":
        chosen = tuple(dict.fromkeys(way._replace(pipelines=False) for way in chosen))
    wanted = work.fixed.zero_stage
    return chosen if wanted < 0 else tuple(dict.fromkeys(way._replace(zero=wanted) for way in chosen))


def _named(ways: tuple[Way, ...], framework: str) -> tuple[Way, ...]:
    return tuple(way for way in ways if way.framework == framework)


def _usual(work: TrainingWork, device: Device) -> tuple[Way, ...]:
    """What is advised for that kind of work on that software."""
    gpu = device.runtime in ("cuda", "rocm")
    if work.arch.tables:
        return (Way("torchrec", 0, pipelines=False),) if gpu else ()
    if gpu:
        room = _room_taken(work, device)
        plain = (Way("pytorch", 0, pipelines=False),) if room < 1.0 else ()
        sharded = (Way("fsdp", 3, pipelines=False),) if room > _SMALL else ()
        large = (Way("megatron", 1, pipelines=True),) if work.pretrains_language else ()
        return (*large, *sharded, *plain)
    if device.runtime == "xla":
        return (Way("maxtext" if _language(work.arch) else "jax", 3, pipelines=False),)
    if device.runtime == "neuron":
        return (Way("neuron", 1, pipelines=True),)
    if device.runtime == "gaudi":
        return (Way("deepspeed", 3, pipelines=False), Way("deepspeed", 1, pipelines=True))
    return ()


def _on_request(work: TrainingWork, device: Device) -> tuple[Way, ...]:
    """What else runs there where it is asked for by name."""
    if device.runtime not in ("cuda", "rocm") or work.arch.tables:
        return ()
    large = (Way("megatron", 1, pipelines=True),) if _language(work.arch) and work.method != "qlora" else ()
    sharded = (Way("fsdp", 3, pipelines=False), Way("deepspeed", 3, pipelines=False))
    return (*large, *sharded, Way("deepspeed", 1, pipelines=True), Way("pytorch", 0, pipelines=False))


def _language(arch: Architecture) -> bool:
    return arch.kind == "transformer" and arch.modality == "text"


def _room_taken(work: TrainingWork, device: Device) -> float:
    """Share of an accelerator's memory that weights, gradients and states take where each holds all of them."""
    states = gradient_bytes("pytorch", work.stack.tuning, "bf16") + OPTIMIZER_BYTES[work.optimizer]
    each = weight_bytes(work, "bf16", 0.5) + work.trained_share * states
    return each * work.arch.parameters / device.memory_bytes


def weight_bytes(work: TrainingWork, precision: str, qlora_bytes: float) -> float:
    """Bytes of one weight as it is kept."""
    if work.method == "qlora":
        return qlora_bytes
    return 4.0 if precision in ("fp32", "tf32") else 2.0


def optimizer_bytes(work: TrainingWork, precision: str) -> float:
    """Bytes of optimizer state for one trained weight; FP32 training needs no second master copy."""
    return OPTIMIZER_BYTES[work.optimizer] - (4.0 if precision in ("fp32", "tf32") else 0.0)
