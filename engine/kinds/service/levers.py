"""Levers of a service or a batch: what would cost less, and needs something first that a plan does not take for granted.

A plan holds the weights as their publisher does. Fewer bits are a decision about quality, so they are no part of the choice
itself: each lever is the same request with one format asked for, answered as the panel answers it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.answer import Change, Lever, Option
from engine.choice.loosening import difference
from engine.context import Context
from engine.inputs.architecture import Weights
from engine.inputs.finding import Ref, Sum, finding
from engine.inputs.named import hardware_of
from engine.inputs.spec import ServingPrecision, Spec
from engine.kinds.service import ServingWork
from engine.kinds.service.options import build_serving_option
from engine.kinds.service.ranks import by_cost
from engine.kinds.service.settled import settled
from engine.kinds.service.sizing import Tries
from engine.kinds.service.standing import work_of
from engine.kinds.service.surest import surest

FEWER_BITS: Mapping[Weights, tuple[ServingPrecision, ...]] = {"bf16": ("fp8", "int4"), "fp8": ("int4",), "mxfp4": ()}
"""Formats that engines make of published weights, the gentlest first."""


def levers_of(context: Context, work: ServingWork, best: Option) -> Iterator[Lever]:
    """Each format of fewer bits that costs less than all gentler ones by more than what counts as equal; none where a format is asked
    for, or another objective than cost decides."""
    if work.precision != "auto" or not work.language or not by_cost(context, work):
        return
    least = best
    for precision in FEWER_BITS[work.arch.published_format]:
        option = _held_in(context, precision)
        if option and option.cost.ranked_by < least.cost.ranked_by * (1.0 - context.assume["select.near_equal"]):
            least = option
            yield _lever(context, best, option, precision)


def held_in(spec: Spec, precision: ServingPrecision) -> Spec:
    """The same request with the weights in that format."""
    assert spec.serving is not None
    return replace(spec, serving=replace(spec.serving, precision=precision))


def format_change(precision: ServingPrecision) -> Change:
    """The weights in that format, where it was left open."""
    now, needed = Ref("precision", "auto"), Ref("precision", precision)
    return Change(field="serving.precision", now=now, needed=needed)


def _held_in(context: Context, precision: ServingPrecision) -> Option | None:
    """What would be recommended with weights in that format; None where nothing keeps the request."""
    asked = replace(context, spec=held_in(context.spec, precision))
    tries = Tries(left=math.inf)
    _, found = surest(work_of(asked), lambda each: settled(asked, each, tries), lambda one: one.best is not None)
    if found.best is None:
        return None
    option = build_serving_option(asked, found.field.work, found.best.pair, whole=False)
    return option if option.keeps_limits else None


def _lever(context: Context, best: Option, option: Option, precision: ServingPrecision) -> Lever:
    saving = difference(best.cost.total, option.cost.total)
    needs = finding("needs.evaluation", model=Ref("model", context.arch.slug, context.arch.name))
    return Lever(
        key="precision",
        changes=(format_change(precision),),
        hardware=hardware_of(option),
        accelerator=option.accelerator,
        count=option.count,
        cost=option.cost.total,
        saving=saving,
        needs=needs,
        told=finding(
            "lever.precision",
            precision=Ref("precision", precision),
            hardware=hardware_of(option),
            cost=Sum(option.cost.total.expected),
            saving=Sum(saving.expected),
            needs=needs,
        ),
        chance=option.chance.all if option.chance else None,
    )
