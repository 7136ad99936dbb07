"""The audit trail is a chain: whoever owns the database cannot change it unseen."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from accounts import audit, sealing
from accounts.models import AuditEvent, AuditSeal
from jobs import queue
from tests.accounts.sign_in_support import proved
from tests.conftest import People


@pytest.fixture
def trail(people: People) -> list[AuditEvent]:
    """Five events of one team, one of another and one of none."""
    teams = [people.team] * 5 + [people.other_team, None]
    return [
        audit.record("plan.approved", f"pln_{at}", team=team, actor=people.alice, data={"was": None, "zahl": "ü"})
        for at, team in enumerate(teams)
    ]


def _printed(**options: Any) -> list[dict[str, Any]]:
    out = StringIO()
    call_command("audit_trail", stdout=out, **options)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_the_sweep_seals_each_event_once(trail: list[AuditEvent]) -> None:
    queue.sweep()
    queue.sweep()
    assert AuditSeal.objects.count() == len(trail)
    assert sealing.seal_new() == 0


def test_an_export_can_be_checked_without_us(trail: list[AuditEvent], people: People) -> None:
    rows = _printed(team="north")
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row["before"] for row in rows] == [sealing.FIRST, *(row["sha256"] for row in rows[:-1])]
    assert rows[0]["actor"] == people.alice.public_id
    assert len(_printed()) == 1


def _by_hand(sql: str, *values: Any) -> None:
    """What somebody does who owns the database."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_a_changed_event_is_found(trail: list[AuditEvent]) -> None:
    sealing.seal_new()
    _by_hand("UPDATE accounts_auditevent SET verb = 'plan.returned' WHERE id = %s", trail[2].pk)
    with pytest.raises(CommandError, match=f"Event 3 \\({trail[2].public_id}\\) is not what was sealed"):
        _printed(team="north")


def test_an_address_is_sealed_with_its_event(client: Client, people: People) -> None:
    client.force_login(people.alice)
    proved(client).post("/accounts/team/audit-trail", REMOTE_ADDR="192.0.2.7")
    row = _printed(team="north")[-1]
    assert (row["verb"], row["address"]) == ("audit_trail.downloaded", "192.0.2.7")
    _by_hand("UPDATE accounts_auditevent SET address = '192.0.2.8' WHERE public_id = %s", row["id"])
    with pytest.raises(CommandError, match="is not what was sealed"):
        _printed(team="north")


def test_what_was_sealed_before_addresses_were_kept_still_holds(trail: list[AuditEvent]) -> None:
    """Also by a sweeper of that release beside a newer server: the address is then in no hash, and is not told."""
    _by_hand("UPDATE accounts_auditevent SET address = '192.0.2.7' WHERE id = %s", trail[0].pk)
    before = sealing.FIRST
    for number, event in enumerate(trail[:2], start=1):
        said = sealing.said(event)
        del said["address"]
        before = sealing.hash_of(said, before)
        AuditSeal.objects.create(event=event, chain=event.team_id, number=number, sha256=before)
    rows = _printed(team="north")
    assert [row["number"] for row in rows] == [1, 2, 3, 4, 5]
    assert ["address" in row for row in rows] == [False, False, True, True, True]


def test_a_removed_event_is_found(trail: list[AuditEvent]) -> None:
    sealing.seal_new()
    _by_hand("DELETE FROM accounts_auditseal WHERE event_id = %s", trail[1].pk)
    _by_hand("DELETE FROM accounts_auditevent WHERE id = %s", trail[1].pk)
    with pytest.raises(CommandError, match="Event 2 of the chain is missing"):
        _printed(team="north")


def test_an_end_that_was_cut_off_is_found_by_whoever_kept_a_hash(trail: list[AuditEvent]) -> None:
    kept = _printed(team="north")[-1]["sha256"]
    assert _printed(team="north", check=kept)
    _by_hand("DELETE FROM accounts_auditseal WHERE event_id = %s", trail[4].pk)
    _by_hand("DELETE FROM accounts_auditevent WHERE id = %s", trail[4].pk)
    with pytest.raises(CommandError, match="does not hold the hash that was kept"):
        _printed(team="north", check=kept)
