"""What findings say, in English with plain spaces, for tests that read a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.answer import Change, Lever, Nearest
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Value
from engine.inputs.spec import Constraints, FixedLayout, Spec
from voice.speech import say, say_all


def told(found: Finding | Iterable[Finding] | None) -> str:
    """The sentence of that finding, or of several as one paragraph; empty for None."""
    if found is None:
        return ""
    return (say(found) if isinstance(found, Finding) else say_all(found)).replace("\u00a0", " ")


def followed(spec: Spec, near: Nearest | Lever) -> Spec:
    """The request with every field that it proposes to change changed; “any” and “open” are as a request has it by default."""
    for change in near.changes:
        spec = _changed(spec, change)
    return spec


def _changed(spec: Spec, change: Change) -> Spec:
    first, _, name = change.field.partition(".")
    if first == "assumptions":
        return replace(spec, assumptions={**spec.assumptions, name: _number(change.needed)})
    if change.field == "fixed":
        return replace(spec, fixed=FixedLayout())
    if not name:
        return replace(spec, **{first: _number(change.needed)})
    block = getattr(spec, first)
    if name == "batch.deadline_hours":
        return replace(spec, serving=replace(block, batch=replace(block.batch, deadline_hours=_number(change.needed))))
    if isinstance(change.needed, Ref) and change.needed.kind == "precision":
        return replace(spec, **{first: replace(block, **{name: change.needed.id})})
    value = _number(change.needed) if isinstance(change.needed, Quantity | Sum) else getattr(Constraints(), name)
    whole = isinstance(getattr(block, name), int) and not isinstance(value, bool)
    return replace(spec, **{first: replace(block, **{name: int(value) if whole else value})})


def _number(value: Value | None) -> float:
    assert isinstance(value, Quantity | Sum)
    return value.value if isinstance(value, Quantity) else value.amount
