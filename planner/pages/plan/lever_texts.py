"""Levers that were worked out on request, each with the button that takes it, and those that are taken already."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Lever, Levers
from engine.inputs.finding import Ref, finding
from planner.levers import steps
from planner.levers.words import idle, said
from planner.models import Workload
from planner.telling import named, told


@dataclass(frozen=True, kw_only=True)
class MoreText:
    """A lever that was worked out on request."""

    text: str
    name: str
    """What takes it."""
    label: str
    """What is planned with then: “a slower first token”."""


@dataclass(frozen=True, kw_only=True)
class MoreTexts:
    """All of them, and what of it saves nothing."""

    levers: tuple[MoreText, ...] = ()
    signed: MoreText | None = None
    """What the commitment of the plan saves, with the button that plans without one."""
    idle: str = ""


def more_texts(found: Levers | None) -> MoreTexts:
    """The levers of a request as texts; none where it has none."""
    if found is None:
        return MoreTexts()
    signed, nothing = _more(found.signed) if found.signed else None, idle(found)
    levers = tuple(_more(lever) for lever in found.levers)
    return MoreTexts(levers=levers, signed=signed, idle=told(nothing) if nothing else "")


def taken_texts(workload: Workload) -> tuple[MoreText, ...]:
    """The levers that the draft has taken, each to be given back."""
    return tuple(MoreText(text="", name=one.lever, label=_label(one.field, one.after)) for one in steps.taken(workload))


def _more(lever: Lever) -> MoreText:
    change = lever.changes[0]
    needed = change.needed.id if isinstance(change.needed, Ref) else ""
    return MoreText(text=told(said(lever)), name=steps.name_of(lever), label=_label(change.field, needed))


def _label(field: str, needed: object) -> str:
    """“a slower first token”, “FP8”, “no commitment”."""
    leaf = _leaf(field)
    if leaf == "precision":
        return named(Ref("precision", str(needed)))
    without = leaf == "commitments" and needed in ("no", False)
    return told(finding("idle.uncommitted" if without else f"idle.{leaf}"))


def _leaf(field: str) -> str:
    return field.rpartition(".")[2]
