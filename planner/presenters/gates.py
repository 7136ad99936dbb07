"""What is measured before the money, as texts: what it costs, what each result does, and whether it pays."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.text import capfirst

from engine.answer import Gate
from planner.presenters.words import chance
from planner.telling import told


@dataclass(frozen=True, kw_only=True)
class GateText:
    """The gate of a plan."""

    pays: bool
    first: str
    """What is approved now, or why nothing is measured first."""
    outcomes: list[tuple[str, str]]
    """What each result does, and how likely it is."""
    worth: str
    """Empty where the first sentence says it."""


def gate_text(gate: Gate | None) -> GateText | None:
    """Those texts; None where the plan says nothing of it."""
    if gate is None:
        return None
    outcomes = [(f"{capfirst(told(one.told))}.", chance(one.chance)) for one in gate.ordered] if gate.pays else []
    worth = told(gate.told[-1]) if gate.pays else ""
    return GateText(pays=gate.pays, first=told(gate.told[0]), outcomes=outcomes, worth=worth)
