"""Levers of a saved request: worked out when somebody asks, taken by one step, given back by another.

What a field held before is kept beside the draft, so that anybody of the team can give a lever back; once somebody has typed
another value there, it is theirs, and there is nothing to give back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from django.db import transaction

from accounts.models import Membership, Team
from engine.answer import Change, Lever, Levers
from engine.entry import levers
from engine.inputs.finding import Quantity, Ref
from engine.inputs.spec import Spec
from planner import planned, plans, team_market
from planner.models import Workload
from planner.request.day import on_its_day
from planner.request.merging import merged
from planner.searches import SEARCHES

Json = dict[str, Any]
_YES_NO = {"yes": True, "no": False}


@dataclass(frozen=True, kw_only=True)
class Taken:
    """A lever that the draft has taken: what its field held before (None: nothing), and what it holds since."""

    lever: str
    field: str
    before: Any
    after: Any


def levers_for(spec: Spec, team: Team) -> Levers | None:
    """What of that request could be given up, signed or brought along for less money on the team's current market; None where nothing is
    recommended or something else than cost decides. SpecError when it names what the market lacks."""
    return levers(on_its_day(spec), team_market.market_of(team), known=SEARCHES)


def name_of(lever: Lever) -> str:
    """What a lever is called in an address: its key, and its format where it has one of several."""
    needed = lever.changes[0].needed
    return f"{lever.key}-{needed.id}" if isinstance(needed, Ref) and needed.kind == "precision" else lever.key


def take(member: Membership, workload: Workload, name: str) -> bool:
    """The draft with that lever taken; False where its request has none of that name (any more)."""
    found = levers_for(planned.read(workload.draft, workload.team), workload.team)
    able = (*found.levers, *((found.signed,) if found.signed else ())) if found else ()
    lever = next((one for one in able if name_of(one) == name), None)
    if lever is None:
        return False
    change = lever.changes[0]
    before, after = _held(workload.draft, change.field), _typed(change)
    rest = [one for one in taken(workload) if one.field != change.field]
    kept = Taken(lever=name, field=change.field, before=before, after=after)
    _save(member, workload, _patch(change.field, after), [*rest, kept])
    return True


def give_back(member: Membership, workload: Workload, name: str) -> bool:
    """The draft with what that lever changed as it was before; False where it has not taken it."""
    back = next((one for one in taken(workload) if one.lever == name), None)
    if back is None:
        return False
    _save(member, workload, _patch(back.field, back.before), [one for one in taken(workload) if one != back])
    return True


def taken(workload: Workload) -> tuple[Taken, ...]:
    """The levers that the draft holds as they were taken, in their order."""
    names = {item.name for item in fields(Taken)}
    found = workload.levers_taken if isinstance(workload.levers_taken, list) else []
    # A row of another version of this server says nothing.
    rows = [Taken(**row) for row in found if isinstance(row, dict) and row.keys() == names]
    return tuple(one for one in rows if _held(workload.draft, one.field) == one.after)


@transaction.atomic
def _save(member: Membership, workload: Workload, patch: Json, rows: list[Taken]) -> None:
    draft = merged(workload.draft, patch)
    saved = plans.save_workload(member, name=workload.name, draft=draft, workload=workload, revision=workload.revision)
    Workload.objects.filter(pk=saved.pk).update(levers_taken=[asdict(one) for one in rows])


def _patch(field: str, value: Any) -> Json:
    """A merge patch of that one field; None takes it away."""
    patch = value
    for part in reversed(tuple(_parts(field))):
        patch = {part: patch}
    return dict(patch)


def _held(draft: Mapping[str, Any], field: str) -> Any:
    """What the draft holds there; None for nothing."""
    found: Any = draft
    for part in _parts(field):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _parts(field: str) -> Iterator[str]:
    """The names on the way to it: that of an assumption is one, with its dots."""
    first, _, rest = field.partition(".")
    yield first
    if rest:
        yield from (rest,) if first == "assumptions" else rest.split(".")


def _typed(change: Change) -> Any:
    """What a draft holds for the value that is needed."""
    needed = change.needed
    if isinstance(needed, Quantity):
        return int(needed.value) if needed.value.is_integer() else needed.value
    assert isinstance(needed, Ref)
    return _YES_NO.get(needed.id, needed.id)
