"""What a lever changes, what does the work then, and what saves nothing: as findings, for page, documents and command line alike."""

from __future__ import annotations

from engine.answer import Lever, Levers
from engine.choice.loosening import MODEL as MODEL  # the lever that takes another model
from engine.inputs.finding import Finding, Quantity, finding


def changed(lever: Lever) -> Finding:
    """“1,600 ms to the first token instead of 800 ms”."""
    change = lever.changes[0]
    values = {name: value for name, value in (("now", change.now), ("needed", change.needed)) if value is not None}
    return finding(f"changed.{change.field}", **values)


def said(lever: Lever) -> tuple[Finding, ...]:
    """What it saves and what it takes, and how likely all limits that are left hold together then."""
    if lever.chance is None:
        return (lever.told,)
    return (lever.told, finding("lever.chance", chance=Quantity(lever.chance, "chance")))


def idle(found: Levers) -> Finding | None:
    """What was weighed and saves nothing worth telling; None where that is nothing."""
    names = tuple(dict.fromkeys(change.field.rpartition(".")[2] for change in found.idle))
    return finding("lever.idle", changes=tuple(finding(f"idle.{name}") for name in names)) if names else None
