"""What the figures of a recommended service or batch rest on: measured replicas like it, and what is counted."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Basis, EvidenceLevel, Option
from engine.choice.basis import common_basis, placed
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Typed, finding
from engine.inputs.named import device_ref
from engine.kinds.service.measured import MeasuredRow, nearest_rows
from engine.kinds.service.outcome import ServingChoice
from engine.kinds.service.work import ServingWork
from engine.odds.evidence_told import far_from
from engine.odds.likeness import NEAR, SAME


def basis_of(context: Context, work: ServingWork, choice: ServingChoice, best: Option) -> tuple[Basis, ...]:
    """All of them."""
    return (
        _speed(context, work, choice, best),
        Basis(of="memory", level="modelled", told=finding("basis.memory.counted")),
        *common_basis(context, best),
    )


def _speed(context: Context, work: ServingWork, choice: ServingChoice, best: Option) -> Basis:
    evidence = best.evidence
    if evidence is None or evidence.told is None:
        return Basis(of="speed", level="unknown", told=finding("basis.unknown"))
    if not work.language:
        return Basis(of="speed", level=evidence.level, told=evidence.told)
    near = nearest_rows(work, choice)
    rows = tuple(placed(_row(context, one.row), one.distance) for one in near)
    same = bool(near) and near[0].distance <= SAME and evidence.level == "measured"
    level: EvidenceLevel = "measured" if same else "near" if near and near[0].distance <= NEAR else "modelled"
    return Basis(of="speed", level=level, told=evidence.told, rows=rows)


def with_distance(work: ServingWork, choice: ServingChoice, best: Option) -> Option:
    """That option, its evidence told as far where no measured replica of a language model is near it."""
    if best.evidence is None or not work.language:
        return best
    near = nearest_rows(work, choice)
    return best if near and near[0].distance <= NEAR else replace(best, evidence=far_from(best.evidence))


def _row(context: Context, row: MeasuredRow) -> Finding:
    device = context.market.devices.get(row.accelerator)
    return finding(
        "row.service",
        model=Typed(row.model),
        precision=Ref("precision", row.precision),
        count=row.devices,
        accelerator=device_ref(device) if device else Ref("accelerator", row.accelerator),
        engine=Ref("software", row.engine),
        into=round(row.input_tokens),
        out=round(row.output_tokens),
        rate=Quantity(row.value, "token/s"),
        source=Typed(row.source.partition("@")[0]),
    )
