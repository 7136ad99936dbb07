"""Checkpoints, spot, precision and framework of a training run."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice
from engine.choice.advising.facts import Case, advice
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.physics.data_path import tokenising_hours

_WORTH_ASYNCHRONOUS = 0.03
_LARGE_BATCH_SEQUENCES = 4096
_PRECISIONS = frozenset(("bf16", "fp16", "fp8", "mxfp8", "nvfp4", "tf32", "fp32"))
_FRAMEWORKS = frozenset(("megatron", "fsdp", "pytorch", "torchrec", "jax", "deepspeed", "maxtext", "neuron"))
"""Formats and frameworks of which there is something to say."""
XLA = frozenset(("jax", "maxtext"))
"""Frameworks whose processes are started on every host by whoever holds the slice, not by PyTorch's launcher."""


def training_advice(case: Case) -> Iterator[Advice]:
    """Advice on how to run the training."""
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
    wanted = case.training.checkpoints_kept
    kept = min(wanted, max(1, round(case.option.steps / plan.interval_steps)))
    once = plan.interval_steps >= case.option.steps
    stored = finding(
        "advice.checkpoints.stored" if kept > 1 else "advice.checkpoints.stored.one",
        kept=kept,
        size=Quantity(plan.storage_gb * 1e9, "byte"),
    )
    cadence = advice(
        "train.checkpoint.cadence-once" if once else "train.checkpoint.cadence",
        "checkpoints",
        interval=Quantity(plan.interval_s, "s"),
        steps=plan.interval_steps,
        kept=kept,
    )
    yield Advice(rule=cadence.rule, topic=cadence.topic, choice=cadence.choice, reason=(*plan.told, stored))
    if plan.way == "waiting" and plan.lost_share > _WORTH_ASYNCHRONOUS:
        yield advice(
            "train.checkpoint.asynchronous",
            "checkpoints",
            lost=Quantity(plan.lost_share, "share"),
            write=Quantity(plan.write_s, "s"),
            size=Quantity(plan.size_gb * 1e9, "byte"),
        )
    if case.option.nodes > 1:
        rule = "train.restart.elastic-xla" if case.option.framework in XLA else "train.restart.elastic"
        yield advice(rule, "restarts", nodes=case.option.nodes)


def _data(case: Case) -> Iterator[Advice]:
    path = case.option.data_path
    if path is None:
        return
    described = case.training.dataset is not None
    assumed = () if described else (finding("data.assumed"),)
    choice = finding("advice.train.data", tier=Ref("word", f"tier.{path.tier}"), workers=path.workers_per_node)
    reason = (*(path.warning or path.told), *assumed, *_prepared(case), finding("advice.train.data.why"))
    yield Advice(rule=f"train.data.{path.tier}", topic="data", choice=choice, reason=reason)


def _prepared(case: Case) -> Iterator[Finding]:
    """What of making the data ready is in the cost, and what is not; of a model that reads tokens."""
    if case.option.counts != "token":
        return
    asked = case.training
    tokens = asked.tokens or asked.samples * asked.sequence_length
    raw = case.assume["data.raw_text"] >= 0.5
    code = "data.unprepared" if not raw else "data.tokenised" if case.option.offer else "data.tokenised.own"
    yield finding(code, hours=max(round(tokenising_hours(tokens, case.assume)), 1))


def _spares(case: Case) -> Iterator[Advice]:
    model = case.option.cost.model
    spares = next((item.value for item in model.inputs if item.name in ("spare_instances", "spare_servers")), 0.0)
    if spares:
        yield advice("train.spares", "spares", spares=round(spares), nodes=case.option.nodes)


def _spot(case: Case) -> Iterator[Advice]:
    plan = case.option.checkpoint
    if case.spot and plan is not None:
        yield advice(
            "train.spot.use",
            "spot",
            between=Quantity(plan.mtbf_h * 3600.0, "s"),
            lost=Quantity(plan.lost_share, "share"),
        )
    elif case.spec.constraints.spot and case.option.kind == "cloud":
        yield advice("train.spot.avoid", "spot", nodes=case.option.nodes)


def _precision(case: Case) -> Advice:
    name = case.option.precision
    adapters = case.training.method in ("lora", "qlora")
    why = "adapters" if adapters and name == "bf16" else ""
    rule = f"train.precision.{name}" if name in _PRECISIONS else "train.precision.other"
    return advice(rule, "precision", why=why, precision=Ref("precision", name))


def _framework(case: Case) -> Iterator[Advice]:
    name = case.option.framework
    if name in _FRAMEWORKS:
        why = "nodes" if name == "megatron" and case.option.nodes > 1 else ""
        yield advice(f"train.framework.{name}", "framework", why=why, framework=Ref("software", name))


def _batch(case: Case) -> Iterator[Advice]:
    tokens = case.option.counts == "token"
    if case.option.global_batch >= _LARGE_BATCH_SEQUENCES:
        rule = "train.batch.large" if tokens else "train.batch.large-samples"
        yield advice(rule, "batch", batch=case.option.global_batch, unit=Ref("word", case.option.counts))


def _adapters(case: Case) -> Iterator[Advice]:
    if case.training.method in ("lora", "qlora"):
        yield advice("train.method.adapters", "method", rank=case.training.lora_rank)
