"""What would cost less and needs something first, with the button that takes it, and the one that takes it back."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Option, Recommendation
from engine.inputs.finding import Ref
from planner.telling import named, told

_REDUCED = "warning.reduced"
"""That weights are held in fewer bits than the publisher's."""


@dataclass(frozen=True, kw_only=True)
class LeverText:
    """A lever of a plan."""

    text: str
    precision: str
    """What the request then asks for; `auto` takes it back."""
    label: str
    """The format as people call it."""


def lever_texts(answer: Recommendation) -> list[LeverText]:
    """Those of that answer, the gentlest first."""
    return [
        LeverText(text=told(lever.told), precision=change.needed.id, label=named(change.needed))
        for lever in answer.levers
        for change in lever.changes
        if isinstance(change.needed, Ref)
    ]


def pulled(best: Option | None) -> LeverText | None:
    """The format of fewer bits that is planned with, to be taken back; None where it is the publisher's."""
    risk = next((one for one in best.warnings if one.code == _REDUCED), None) if best else None
    if best is None or risk is None:
        return None
    return LeverText(text=told(risk), precision="auto", label=named(Ref("precision", best.precision)))
