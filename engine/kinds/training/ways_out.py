"""Ways out of a refused training request that need the plan made again: more accelerators, or less work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from engine.answer import Change, Nearest
from engine.choice.patience import longest_run
from engine.context import Context
from engine.inputs.architecture import is_language_model
from engine.inputs.finding import Finding, Quantity, Sum, Value, finding
from engine.inputs.named import device_ref, hardware, source_of
from engine.inputs.spec import Training
from engine.kinds.training.choice import Field, best_of, costed_finalists, pace_in, survey
from engine.kinds.training.costed import Costed, needs
from engine.kinds.training.work import TrainingWork
from engine.money.signed import signed_beside, signed_of

_LEAST_SHARE = 1e-4
"""Share of the work below which another request is meant, not a smaller one."""
_LARGER = (4, 8)
"""How many times the usual batch of images is tried: ResNet-50 learns as well with 8,192 (arXiv 1706.02677)."""
_LEAST_STEPS = 1000
"""Steps that a run must keep for a larger batch to be offered."""
_SURE = 0.9
"""Part of what the limits would allow that is offered: overheads do not shrink with the work."""


def more_accelerators(context: Context, most: int) -> tuple[Costed | None, Context, Field]:
    """The best with so many accelerators allowed, None where still none keeps the limits; the request that was tried."""
    limits = replace(context.spec.constraints, max_accelerators=most)
    changed = replace(context, spec=replace(context.spec, constraints=limits))
    field = survey(changed)
    found = costed_finalists(changed, field, pace_in(changed, field), all_of_them=False)
    return best_of(changed, found), changed, field


def does_it(best: Costed) -> Finding:
    """“64 × H100 (Nebius on demand) then does it in 12 days, for about USD 41,000”, with what is signed for it."""
    time = Quantity(best.days.expected, "day")
    return finding("way.does", hardware=hardware_named(best), time=time, **cost_values(best))


def cost_values(best: Costed) -> dict[str, Value]:
    """Its cost, and the whole of what is signed."""
    return {"cost": Sum(best.usd), "signed": signed_beside(signed_of(best.model))}


def hardware_named(best: Costed) -> Finding:
    """“64 × H100 (Nebius on demand)”."""
    return hardware(best.pair.count, device_ref(best.pair.supply.device), source_of(best.pair.supply))


def less_work(context: Context, able: Sequence[Costed]) -> Iterator[Nearest]:
    """How much of the training fits the limits, found among `able`, each tried before it is offered."""
    asked, limits = context.spec.training, context.spec.constraints
    if asked is None:
        return
    shares = [
        min(
            limits.deadline_days / time if limits.deadline_days else math.inf,
            limits.budget_usd / cash if limits.budget_usd else math.inf,
            longest_run(context) / one.run_days,
        )
        for one in able
        if one.pair.supply.kind != "on_prem"
        for time, cash in (needs(one, context),)
    ]
    share = max(shares, default=0.0) * _SURE
    if not _LEAST_SHARE < share < 1:
        return
    for name, less in _smaller(asked, share):
        changed = replace(context, spec=replace(context.spec, training=less))
        field = survey(changed)
        best = best_of(changed, costed_finalists(changed, field, pace_in(changed, field)))
        if best is not None:
            now, needed = (_counted(one, name) for one in (asked, less))
            change = Change(field=f"training.{name}", now=now, needed=needed)
            told = finding(f"way.less.{name}", needed=needed.value, now=now.value, does=does_it(best))
            yield Nearest(changes=(change,), told=(told,))


def larger_batch(context: Context, work: TrainingWork) -> Iterator[Nearest]:
    """More images in a step, where nobody said how many: accelerators beyond the batch have nothing to do. Tried before it is
    offered; what it does to learning is for the team to say."""
    asked, limits = context.spec.training, context.spec.constraints
    if asked is None or not limits.deadline_days or asked.global_batch_size or asked.global_batch_tokens:
        return
    if (
        is_language_model(work.arch) or work.arch.tables
    ):  # the batch follows a law of what still pays, or is large as it is
        return
    for factor in _LARGER:
        batch = work.global_batch * factor
        if batch * _LEAST_STEPS > work.total / work.sequence:
            return
        changed = replace(context, spec=replace(context.spec, training=replace(asked, global_batch_size=batch)))
        field = survey(changed)
        best = best_of(changed, costed_finalists(changed, field, pace_in(changed, field)))
        if best is not None:
            now, needed = (Quantity(float(value), "sample") for value in (work.global_batch, batch))
            change = Change(field="training.global_batch_size", now=now, needed=needed)
            told = finding("way.batch", needed=batch, now=work.global_batch, does=does_it(best))
            yield Nearest(changes=(change,), told=(told,))
            return


def _smaller(asked: Training, share: float) -> Iterator[tuple[str, Training]]:
    """Which field is lowered, and the training with less of it: fewer runs, or less in each."""
    fewer = math.floor(asked.runs * share)
    if fewer >= 1:
        yield "runs", replace(asked, runs=fewer)
    if asked.tokens:
        yield "tokens", replace(asked, tokens=_round_down(asked.tokens * share))
    else:
        yield "samples", replace(asked, samples=_round_down(asked.samples * share))


def _round_down(value: float) -> float:
    """Two digits, never more than the value."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.floor(value / step) * step


def _counted(training: Training, name: str) -> Quantity:
    """“12 runs”, “3.1 billion tokens”."""
    return Quantity(float(getattr(training, name)), name.removesuffix("s"))
