"""The audit trail as a chain: each event of a team is sealed with the hash of the one before, so that a change, a removal or an
insertion by whoever owns the database is found by whoever kept an export, or only its last hash.

Sealing is a step of its own a few seconds after the event (the sweep calls it): steps that write events at the same moment
neither wait for each other nor deadlock, and an event that commits late is sealed late, not left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django.db import IntegrityError, transaction

from accounts.models import AuditEvent, AuditSeal

BATCH: Final = 500
FIRST: Final = "0" * 64


class BrokenChain(Exception):
    """An event is not what was sealed, or is missing; the message says which and what."""


def seal_new() -> int:
    """Seals the events that are not yet; how many. Of two who do so at once one succeeds, the other has nothing to do."""
    waiting = AuditEvent.objects.filter(seal__isnull=True).select_related("actor", "team").order_by("pk")[:BATCH]
    last: dict[int, tuple[int, str]] = {}
    rows = []
    for event in waiting:
        chain = event.team_id or 0
        if chain not in last:
            newest = AuditSeal.objects.filter(chain=chain).order_by("-number").first()
            last[chain] = (newest.number, newest.sha256) if newest else (0, FIRST)
        number, before = last[chain]
        last[chain] = (number + 1, hash_of(said(event), before))
        rows.append(AuditSeal(event=event, chain=chain, number=number + 1, sha256=last[chain][1]))
    try:
        with transaction.atomic():
            AuditSeal.objects.bulk_create(rows)
    except IntegrityError:  # another sweeper was faster
        return 0
    return len(rows)


def said(event: AuditEvent) -> dict[str, Any]:
    """The event as it is sealed and exported."""
    return {
        "address": event.address or None,
        "id": event.public_id,
        "at": event.at.isoformat(),
        "team": event.team.public_id if event.team else None,
        "actor": event.actor.public_id if event.actor else None,
        "token": event.token_id or None,
        "verb": event.verb,
        "subject": event.subject,
        "data": event.data,
    }


def _sealed_as(row: AuditSeal, before: str) -> dict[str, Any] | None:
    """The event as it was sealed, None where it is not what was. Before addresses were kept, and by a sweeper of that
    release beside a newer server, it was sealed without one, and is exported so: what no hash holds is not told."""
    now = said(row.event)
    older = {name: value for name, value in now.items() if name != "address"}
    return next((form for form in (now, older) if hash_of(form, before) == row.sha256), None)


def hash_of(event: Mapping[str, Any], before: str) -> str:
    """SHA-256 of the hash before and what is said of the event as canonical JSON."""
    body = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(f"{before}\n{body}".encode()).hexdigest()


def exported(chain: int) -> Iterator[dict[str, Any]]:
    """The sealed events of a team (0: those of no team) in order, each with its number and hash. BrokenChain."""
    before, expected = FIRST, 1
    rows = AuditSeal.objects.filter(chain=chain).select_related("event__actor", "event__team").order_by("number")
    for row in rows.iterator(chunk_size=BATCH):
        if row.number != expected:
            raise BrokenChain(f"Event {expected} of the chain is missing.")
        event = _sealed_as(row, before)
        if event is None:
            raise BrokenChain(f"Event {row.number} ({row.event.public_id}) is not what was sealed.")
        yield {"number": row.number, **event, "before": before, "sha256": row.sha256}
        before, expected = row.sha256, expected + 1
