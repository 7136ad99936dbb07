"""What the figures of a recommended run rest on: measured runs like it, measured peaks of memory, whole programmes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Basis, EvidenceLevel, Option
from engine.choice.basis import common_basis, memory_groups, placed
from engine.context import Context
from engine.inputs.architecture import is_language_model
from engine.inputs.finding import Finding, Quantity, Ref, Typed, finding
from engine.inputs.named import device_ref
from engine.kinds.training.measured import METHODS, MeasuredRun, Planned, nearest_runs
from engine.odds.evidence_told import far_from
from engine.odds.likeness import NEAR, SAME
from engine.odds.programme import beyond_steps, reads_text


def basis_of(context: Context, best: Option, *, measured: bool) -> tuple[Basis, ...]:
    """All of them. `measured`: was the step time shifted by own measurements?"""
    return (
        _speed(context, best, measured=measured),
        _memory(context, best),
        *_programme(context, best, measured=measured),
        *common_basis(context, best),
    )


def _memory(context: Context, best: Option) -> Basis:
    """The peaks that were measured are of language models: they say nothing of images or tables."""
    if is_language_model(context.arch):
        return memory_groups(context.market.devices[best.accelerator], best.framework)
    return Basis(of="memory", level="modelled", told=finding("basis.memory.modelled"))


def _speed(context: Context, best: Option, *, measured: bool) -> Basis:
    training, evidence = context.spec.training, best.evidence
    if training is None or evidence is None or evidence.told is None:
        return Basis(of="speed", level="unknown", told=finding("basis.unknown"))
    if not is_language_model(context.arch):
        return Basis(of="speed", level="measured" if measured else "modelled", told=_own(evidence.told, measured))
    near = _near(context, best)
    rows = tuple(placed(_row(context, run), away) for run, away in near)
    same = bool(near) and near[0][1] <= SAME and evidence.level == "measured"
    level: EvidenceLevel = "measured" if measured or same else "near" if near and near[0][1] <= NEAR else "modelled"
    return Basis(of="speed", level=level, told=_own(evidence.told, measured), rows=rows)


def with_distance(context: Context, best: Option) -> Option:
    """That option, its evidence told as far where no measured run of a language model is near it."""
    evidence = best.evidence
    if evidence is None or not is_language_model(context.arch):
        return best
    near = _near(context, best)
    return best if near and near[0][1] <= NEAR else replace(best, evidence=far_from(evidence))


def _near(context: Context, best: Option) -> tuple[tuple[MeasuredRun, float], ...]:
    training = context.spec.training
    assert training is not None  # a training run is asked for
    return nearest_runs(
        Planned(
            parameters=context.arch.active_parameters,
            method=training.method,
            accelerator=best.accelerator,
            framework=best.framework,
            precision=best.precision,
            devices=best.count,
            sequence=training.sequence_length,
        )
    )


def _own(told: Finding, measured: bool) -> Finding:
    return finding("basis.speed.own") if measured else told


def _row(context: Context, run: MeasuredRun) -> Finding:
    device = context.market.devices.get(run.accelerator)
    return finding(
        f"row.{METHODS.get(run.method, run.method)}.{'slow' if run.error > 0 else 'fast'}",
        model=Typed(run.model),
        precision=Ref("precision", run.precision),
        count=run.devices,
        accelerator=device_ref(device) if device else Ref("accelerator", run.accelerator),
        framework=Typed(run.software),
        sequence=run.sequence,
        rate=Quantity(run.rate, "token/s"),
        off=Quantity(abs(run.error), "share"),
        source=Typed(run.source),
    )


def _programme(context: Context, best: Option, *, measured: bool) -> Iterator[Basis]:
    """Of what whole programmes take beyond their steps, where it is counted."""
    training = context.spec.training
    if training is None:
        return
    if beyond_steps(context.arch, training.method, best.count, context.assume, measured=measured) is None:
        return
    text = reads_text(context.arch)
    yield Basis(
        of="programme",
        level="near" if text else "assumed",
        told=finding("basis.programme.text" if text else "basis.programme.other"),
    )
