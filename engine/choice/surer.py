"""Why what is expected to cost less was not taken: what options are ranked by is what they cost at most as surely as is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answer import Option
from engine.choice.sure import asked_of
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.named import hardware_of

_LESS = 0.99
"""Of what the choice is expected to cost, the share up to which another one is told."""


def surer_beside(context: Context, best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """The option that keeps all limits and is expected to cost least, where that is less than the choice is, but might come to more."""
    mine = best.cost
    able = [one for one in others if one.keeps_limits and one.cost.ranked_by > mine.ranked_by]
    able = [one for one in able if one.cost.at_confidence > mine.at_confidence]
    rival = min(able, key=lambda one: one.cost.total.expected, default=None)
    if rival is None or rival.cost.total.expected > best.cost.total.expected * _LESS:
        return
    yield finding(
        "reason.surer",
        rival=hardware_of(rival),
        expected=Sum(rival.cost.total.expected),
        rival_sure=Sum(rival.cost.at_confidence),
        sure=Sum(best.cost.at_confidence),
        chance=Quantity(asked_of(context.assume).all, "chance"),
    )
