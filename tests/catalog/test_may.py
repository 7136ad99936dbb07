"""Steps of a team's catalog refuse by themselves, and one module says whom."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from django.core.exceptions import PermissionDenied

import catalog
from accounts.models import Membership
from accounts.roles import Role
from catalog import may, own, price_lists
from catalog.models import ImportBatch, TeamEntry
from catalog.store import catalog_or_files
from tests.conftest import People, make_member

TODAY = date(2026, 8, 22)
STEPS: dict[may.Step, list[Callable[[Membership], object]]] = {
    may.Step.ENTER: [
        lambda member: own.save_entry(
            member, catalog_or_files(member.team), kind="holding", slug="rack", texts={}, today=TODAY
        ),
        lambda member: own.withdraw(member, TeamEntry(team=member.team)),
        lambda member: own.restore(
            member,
            TeamEntry(team=member.team, kind="holding", slug="rack", facts={}),
            catalog_or_files(member.team),
            today=TODAY,
        ),
    ],
    may.Step.FILL: [
        lambda member: price_lists.create(member, "Quotes"),
        lambda member: price_lists.read_file(member, b"", "prices.csv"),
        lambda member: price_lists.request_import(
            member, ImportBatch(team=member.team), b"", name="p.csv", dry_run=False
        ),
    ],
    may.Step.PUBLISH: [lambda member: price_lists.publish(member, ImportBatch(team=member.team), accepted=True)],
    may.Step.ROLL_BACK: [lambda member: price_lists.roll_back(member, ImportBatch(team=member.team))],
    may.Step.DISCARD: [lambda member: price_lists.discard(member, ImportBatch(team=member.team))],
}


@pytest.mark.parametrize("step", may.Step)
def test_each_step_refuses_who_may_not_take_it(people: People, step: may.Step) -> None:
    members = {role: make_member(people.team, f"{step}-{role}", role) for role in Role}
    refused = {role for role, member in members.items() if not may.may(member, step)}

    assert refused == set(Role) - {*may.ROLES[step], Role.ADMIN}
    for take in STEPS[step]:
        for role in refused:
            with pytest.raises(PermissionDenied):
                take(members[role])


def test_no_door_of_the_catalog_names_a_role() -> None:
    room = Path(catalog.__file__).parent
    named = [
        str(path.relative_to(room))
        for path in room.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in ("require_role", "has_role", "Role."))
    ]

    assert named == ["may.py"]
