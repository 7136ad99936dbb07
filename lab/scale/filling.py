"""A team with very many plans, of which a few were really answered and the others are copies under names and states of their own.

Copies are made inside the database, so that each row is as wide as a real one: what a list costs is much of what it reads past.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Final

from django.db import connection, transaction
from django.utils import timezone

from accounts.models import AuditEvent, Membership, Role
from lab.gallery.requests import requests
from planner import plans
from planner.estimate import estimate
from planner.frozen.snapshot import plain
from planner.market import market_from_rows
from planner.models import PlanComment, PlanVersion, Workload
from planner.versions import State

KINDS: Final = ("train-8b-two-weeks", "serve-committed-year", "buy-forty-runs", "serve-assistant-office-hours")
"""Rented and bought, a run and a service."""
SUBJECTS: Final = ("Assistant", "Search", "Translation", "Protein folding", "Support", "Speech", "Code review")
MODELS: Final = ("llama-3.1-8b", "qwen3-32b", "mixtral-8x7b", "deepseek-v3", "gpt-oss-120b")
_AT_ONCE: Final = 1_000
_STATES: Final = (State.APPROVED,) * 6 + (State.SUBMITTED, State.RETURNED) + (State.DRAFT,) * 12
"""Of twenty plans: six approved, one submitted, one returned."""
_OWN: Final = frozenset({"id", "public_id", "workload_id", "state", "decided_at", "decided_by_id", "submitted_by_id"})
"""Columns that a copy does not share with what it is a copy of."""


def fill(people: Mapping[str, Membership], count: int, *, progress: Callable[[int], None]) -> list[PlanVersion]:
    """Adds that many plans of one version each, an event for each and a comment for every tenth; the answered ones, one of each
    kind, which come first."""
    planner, approver = people[Role.PLANNER], people[Role.APPROVER]
    originals = [_answered(planner, kind) for kind in KINDS]
    done = len(originals)
    while done < count:
        here = range(done, min(count, done + _AT_ONCE))
        with transaction.atomic():
            rows = _workloads(planner, here, of=count)
            _copy(rows[0].pk, rows[-1].pk, originals, submitter=planner.user_id, decider=approver.user_id)
            _beside(planner, rows)
        done = here.stop
        progress(done)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # which the server does by itself a minute later
    return originals


def _answered(member: Membership, kind: str) -> PlanVersion:
    market = market_from_rows(member.team)
    (asked,) = (one for one in requests(market, only=kind) if one.name == kind)
    workload = plans.save_workload(member, name=asked.spec.name or kind, draft=plain(asked.spec))
    return plans.freeze_version(member, workload, estimate(asked.spec, market))


def _workloads(member: Membership, numbers: range, *, of: int) -> list[Workload]:
    """Plans under names that people search by, changed one minute after another up to now; every thirtieth archived."""
    now = timezone.now()
    draft = Workload.objects.earliest("pk").draft
    return Workload.objects.bulk_create(
        Workload(
            team=member.team,
            name=f"{SUBJECTS[number % len(SUBJECTS)]} on {MODELS[number % len(MODELS)]}, no. {number:06}",
            draft=draft,
            created_by=member.user,
            created_at=now - timedelta(minutes=of - number),
            updated_at=now - timedelta(minutes=(number * 7919) % of),
            archived_at=now if number % 30 == 0 else None,
        )
        for number in numbers
    )


def _copy(first: int, last: int, originals: list[PlanVersion], *, submitter: int, decider: int) -> None:
    """A version for each of the workloads with keys from the first to the last, in one statement."""
    shared = [field.column for field in PlanVersion._meta.concrete_fields if field.column not in _OWN]
    columns = ", ".join(f'"{name}"' for name in shared)
    values = ", ".join(f'o."{name}"' for name in shared)
    state = " ".join(f"WHEN {at} THEN '{name}'" for at, name in enumerate(_STATES))
    origin = " ".join(f"WHEN {at} THEN {row.pk}" for at, row in enumerate(originals))
    decided, waits = (_numbers(*states) for states in ((State.APPROVED, State.RETURNED), (State.SUBMITTED,)))
    statement = f"""
        INSERT INTO planner_planversion
            (public_id, workload_id, state, decided_at, decided_by_id, submitted_by_id, {columns})
        SELECT 'ver_' || substr(w.public_id, 5), w.id, CASE w.id % {len(_STATES)} {state} END,
            CASE WHEN w.id % {len(_STATES)} IN {decided} THEN w.updated_at END,
            CASE WHEN w.id % {len(_STATES)} IN {decided} THEN {decider} END,
            CASE WHEN w.id % {len(_STATES)} IN {waits} THEN {submitter} END, {values}
        FROM planner_workload w JOIN planner_planversion o ON o.id = CASE w.id % {len(originals)} {origin} END
        WHERE w.id BETWEEN {first} AND {last}"""  # noqa: S608 - names, states and keys of our own
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _numbers(*states: State) -> str:
    return "(" + ", ".join(str(at) for at, name in enumerate(_STATES) if name in states) + ")"


def _beside(member: Membership, rows: list[Workload]) -> None:
    AuditEvent.objects.bulk_create(
        AuditEvent(team=member.team, actor=member.user, verb="plan.frozen", subject=f"ver_{row.public_id[4:]}")
        for row in rows
    )
    tenth = {row.pk for row in rows if row.pk % 10 == 0}
    versions = PlanVersion.objects.filter(workload__in=tenth).values_list("pk", flat=True)
    PlanComment.objects.bulk_create(
        PlanComment(version_id=pk, text="Why so many?", author=member.user) for pk in versions
    )
