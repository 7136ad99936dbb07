"""What of a training run a team may give up, or bring along, for less money: each way is the same request with one thing changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Change, Option
from engine.choice.loosening import Way, interruptible, later, signature, unsigned
from engine.context import Context
from engine.inputs.architecture import is_language_model
from engine.inputs.finding import Quantity, Ref, finding
from engine.inputs.spec import LONGEST_DEADLINE, Spec

_LATER = 1.5
"""Times the deadline."""
_BACKGROUND = "reliability.asynchronous"


def ways_of(context: Context, base: Option) -> Iterator[Way]:
    """All of them that this request has; `base` is what is recommended for it."""
    spec, limits = context.spec, context.spec.constraints
    if spec.training is None:
        return
    yield from filter(None, (signature(spec), unsigned(spec)))
    if way := interruptible(spec, finding("needs.interruptible")):
        yield way
    if limits.deadline_days:
        days = min(limits.deadline_days * _LATER, LONGEST_DEADLINE)
        longer = replace(spec, constraints=replace(limits, deadline_days=days))
        yield later("constraints.deadline_days", limits.deadline_days, days, "day", longer)
    yield from _eight_bits(context)
    yield from _background(spec, base)


def _eight_bits(context: Context) -> Iterator[Way]:
    """The products of a language model in FP8, where the format is left open: 16 bits are what is known to learn alike."""
    asked = context.spec.training
    if asked is None or asked.precision != "auto" or not is_language_model(context.arch):
        return
    change = Change(field="training.precision", now=Ref("precision", "auto"), needed=Ref("precision", "fp8"))
    spec = replace(context.spec, training=replace(asked, precision="fp8"))
    needs = finding("needs.evaluation.training", model=Ref("model", context.arch.slug, context.arch.name))
    yield Way(key="precision", change=change, spec=spec, needs=needs)


def _background(spec: Spec, base: Option) -> Iterator[Way]:
    """Checkpoints written while training goes on, where the framework waits for them."""
    if base.checkpoint is None or base.checkpoint.way != "waiting" or spec.assumptions.get(_BACKGROUND) == 0.0:
        return
    change = Change(field=f"assumptions.{_BACKGROUND}", now=Quantity(0.0, ""), needed=Quantity(1.0, ""))
    changed = replace(spec, assumptions={**spec.assumptions, _BACKGROUND: 1.0})
    needs = finding("needs.background", framework=Ref("software", base.framework))
    yield Way(key="background", change=change, spec=changed, needs=needs)
