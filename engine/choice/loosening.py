"""Levers that take a decision of the team: a looser promise, a signature, capacity that may be taken away, fewer bits.

A plan keeps what is asked. Each way here is the same request with one thing of it changed, answered as the panel answers it, so that
what is told of it is what one gets who takes it. Kinds of work say which ways they have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.answer import Change, Lever, Levers, Money, Option
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Value, finding
from engine.inputs.named import hardware_of
from engine.inputs.spec import Spec
from engine.money.signed import signed_beside

COMMITMENT = "commitment"
"""Key of the lever that signs for a term, and of what such a signature saves where the plan has one."""
MODEL = "model"
"""Key of the lever that takes another model."""
_YES, _NO = Ref("word", "yes"), Ref("word", "no")


@dataclass(frozen=True, kw_only=True)
class Way:
    """A request with one thing changed."""

    key: str
    change: Change
    spec: Spec
    needs: Finding
    """What must be done, or agreed to, first."""

    @property
    def says(self) -> dict[str, Value]:
        """What it changes, for a sentence."""
        assert self.change.now is not None
        assert self.change.needed is not None
        return {"now": self.change.now, "needed": self.change.needed}


def signature(spec: Spec) -> Way | None:
    """Commitments allowed, where they are not."""
    if spec.constraints.commitments:
        return None
    limits = replace(spec.constraints, commitments=True)
    change = Change(field="constraints.commitments", now=_NO, needed=_YES)
    return Way(key=COMMITMENT, change=change, spec=replace(spec, constraints=limits), needs=finding("needs.signature"))


def unsigned(spec: Spec) -> Way | None:
    """Commitments not allowed, where they are."""
    if not spec.constraints.commitments:
        return None
    limits = replace(spec.constraints, commitments=False)
    change = Change(field="constraints.commitments", now=_YES, needed=_NO)
    return Way(key=COMMITMENT, change=change, spec=replace(spec, constraints=limits), needs=finding("needs.nothing"))


def interruptible(spec: Spec, needs: Finding) -> Way | None:
    """Spot capacity allowed, where it is not."""
    if spec.constraints.spot:
        return None
    limits = replace(spec.constraints, spot=True)
    change = Change(field="constraints.spot", now=_NO, needed=_YES)
    return Way(key="spot", change=change, spec=replace(spec, constraints=limits), needs=needs)


def later(field: str, now: float, needed: float, unit: str, spec: Spec) -> Way:
    """More time for it: days of a run, hours of a batch."""
    change = Change(field=field, now=Quantity(now, unit), needed=Quantity(needed, unit))
    return Way(key="deadline", change=change, spec=spec, needs=finding("needs.agreement"))


def lever_of(context: Context, way: Way, base: Option, then: Option) -> Lever | None:
    """That way with what it saves; None where it saves no more than what counts as equal, or does not keep the limits."""
    equal = 1.0 - context.assume["select.near_equal"]
    cheaper = then.cost.at_confidence < base.cost.at_confidence * equal
    if not (then.keeps_limits and cheaper and then.cost.total.expected < base.cost.total.expected):
        return None
    code = "lever.format" if way.key == "precision" else f"lever.{way.key}"
    return _lever(way, then, difference(base.cost.total, then.cost.total), code)


def signature_of(context: Context, way: Way, base: Option, then: Option) -> Lever | None:
    """What the commitment of the plan saves over the best without one; None where it has none, or that costs as little."""
    term = base.offer.term_months if base.offer else 0
    if not (term and then.keeps_limits and then.cost.signed.total < base.cost.signed.total):
        return None
    saving = difference(then.cost.total, base.cost.total)
    if saving.expected <= base.cost.total.expected * context.assume["select.near_equal"]:
        return None
    own, code = base.cost.total, base.cost.total.currency
    signs = signed_beside(base.cost.signed, code)
    return _lever(way, then, saving, "lever.signed", signs=signs, own=Sum(own.expected, code))


def _lever(way: Way, then: Option, saving: Money, code: str, **more: Value) -> Lever:
    currency = then.cost.total.currency  # glances are converted already
    values: dict[str, Value] = {
        **way.says,
        "hardware": hardware_of(then),
        "cost": Sum(then.cost.total.expected, currency),
        "signed": signed_beside(then.cost.signed, currency),
        "saving": Sum(saving.expected, currency),
        "needs": way.needs,
        **more,
    }
    return Lever(
        key=way.key,
        changes=(way.change,),
        hardware=hardware_of(then),
        accelerator=then.accelerator,
        count=then.count,
        cost=then.cost.total,
        saving=saving,
        needs=way.needs,
        told=finding(code, **values),
        chance=then.chance.all if then.chance else None,
    )


def difference(now: Money, then: Money) -> Money:
    """By how much the second is less: the ends of the band are those of the two, compared one by one."""
    low, high = sorted((now.low - then.low, now.high - then.high))
    expected = now.expected - then.expected
    return Money(low=min(low, expected), expected=expected, high=max(high, expected), currency=now.currency)


def _outdone(lever: Lever, found: list[Lever]) -> bool:
    """Does a gentler change of the same thing save as much? Fewer bits than are needed for a saving are no lever."""
    return any(one.key == lever.key and one.saving.expected >= lever.saving.expected for one in found)


def weighed(context: Context, base: Option, ways: Iterator[tuple[Way, Option | None]]) -> Levers:
    """All of those ways against what is recommended: what saves, the most first; what does not; and what a signature saves."""
    found: list[Lever] = []
    idle: list[tuple[str, Change]] = []
    signed = None
    for way, then in ways:
        if way.key == COMMITMENT and context.spec.constraints.commitments:
            signed = signature_of(context, way, base, then) if then else None
        elif (lever := lever_of(context, way, base, then) if then else None) and not _outdone(lever, found):
            found.append(lever)
        else:
            idle.append((way.key, way.change))
    # Another model gives other answers, however much it saves: it stands behind what leaves them as they are asked.
    found.sort(key=lambda one: (one.key == MODEL, -one.saving.expected))
    saving = {lever.key for lever in found}  # of several formats only one may save
    left = tuple(change for key, change in idle if key not in saving)
    return Levers(cost=base.cost.total, levers=tuple(found), idle=left, signed=signed)
