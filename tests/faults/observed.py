"""The rows of the installation, as the process that breaks it sees and asks for them.

Imported once Django knows the installation's database. Every look may meet a database that is away: it is tried again.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_PATIENCE_S = 120.0


def _patient(look: Callable[P, R]) -> Callable[P, R]:
    @wraps(look)
    def tried(*args: P.args, **kwargs: P.kwargs) -> R:
        from django.db import DatabaseError, connection

        until = time.monotonic() + _PATIENCE_S
        while True:
            try:
                return look(*args, **kwargs)
            except DatabaseError:
                if time.monotonic() > until:
                    raise
                connection.close()
                time.sleep(0.5)

    return tried


@dataclass(frozen=True, kw_only=True)
class Kill:
    """A job that ran in a worker when that worker, or one of its children, was killed."""

    job: int
    fence: int
    at: datetime
    """By the database's clock."""
    waiting: int
    """Jobs that stood in the queue then."""


@_patient
def about_to_die(worker: str) -> list[Kill]:
    """The jobs of that worker, just before it is killed."""
    from jobs.models import Job, State

    running = list(Job.objects.filter(state=State.RUNNING, worker__startswith=f"{worker}@").values_list("pk", "fence"))
    waiting = Job.objects.filter(state=State.QUEUED).count()
    return [Kill(job=pk, fence=fence, at=_now(), waiting=waiting) for pk, fence in running]


def _now() -> datetime:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        found = cursor.fetchone()[0]
    assert isinstance(found, datetime)
    return found


@_patient
def open_jobs() -> int:
    """Jobs that have not ended."""
    from jobs.models import Job, State

    return Job.objects.filter(state__in=(State.QUEUED, State.RUNNING)).exclude(kind="webhooks.deliver").count()


@_patient
def open_kinds() -> dict[str, int]:
    """How many jobs of each kind have not ended."""
    from jobs.models import Job, State

    rows = Job.objects.filter(state__in=(State.QUEUED, State.RUNNING)).values_list("kind", flat=True)
    return dict(Counter(rows).most_common())


@_patient
def ask_for(name: str) -> set[int]:
    """The key of a new job of that kind of `kinds`."""
    from jobs import queue

    return {queue.enqueue(f"faults.{name}", team=None, payload={}).pk}


@_patient
def ask_for_backlog(count: int) -> None:
    """So many short jobs at once."""
    from jobs import queue
    from tests.faults.kinds import QUICK, STEADY

    for number in range(count):
        queue.enqueue(STEADY if number < 6 else QUICK, team=None, payload={})


@_patient
def ring_many_times(times: int) -> None:
    """Delivers the message of one job again and again."""
    from jobs import queue
    from tests.faults.kinds import STEADY

    job = queue.enqueue(STEADY, team=None, payload={})
    for _ in range(times):
        queue.ring(job.pk)


@_patient
def ask_as_older_version() -> None:
    """A job whose message goes where versions without lanes sent theirs."""
    from celery import current_app

    from jobs import queue
    from jobs.lanes import BEFORE_LANES
    from tests.faults.kinds import QUICK

    job = queue.enqueue(QUICK, team=None, payload={})
    try:
        current_app.send_task("jobs.run", args=[job.pk], queue=BEFORE_LANES, retry=False, ignore_result=True)
    except Exception:  # Redis may be away: the message is lost, the job is not
        return


def ask_as_newer_version(*, until: Callable[[], None]) -> None:
    """A job that no worker knows; later one does. Asked for once, however often the database is away: a second one would never be known."""
    job_pk = _ask_for_what_is_unknown()
    until()
    _make_known(job_pk)


@_patient
def _ask_for_what_is_unknown() -> int:
    from jobs import queue
    from tests.faults.kinds import FUTURE

    return queue.enqueue(FUTURE, team=None, payload={}).pk


@_patient
def _make_known(job_pk: int) -> None:
    from jobs.models import Job
    from tests.faults.kinds import QUICK

    Job.objects.filter(pk=job_pk).update(kind=QUICK)


@_patient
def change_table(statement: str) -> None:
    """Runs DDL as a migration should: it waits for a lock for two seconds, and comes again."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '2s'")
        cursor.execute(
            statement.replace("ADD COLUMN", "ADD COLUMN IF NOT EXISTS").replace("DROP COLUMN", "DROP COLUMN IF EXISTS")
        )


@_patient
def any_document(rng: random.Random) -> tuple[str, str, str] | None:
    """Some finished document: its id, its team, and the hash that is the name of its file."""
    from exports.models import Export
    from jobs.models import State

    made = Export.objects.filter(job__state=State.SUCCEEDED).exclude(sha256="")
    named = made.values_list("public_id", "version__workload__team__slug", "sha256")
    found: list[tuple[str, str, str]] = list(named.order_by("-pk")[:50])
    if not found:
        return None
    return rng.choice(found)


@_patient
def people(hook: str) -> dict[str, str]:
    """Two teams with an admin each, the first with a webhook: team → token."""
    from accounts import tokens
    from accounts.models import Membership, Role, Team, User
    from webhooks import endpoints, outbox

    found: dict[str, str] = {}
    for slug in ("north", "south"):
        team, _ = Team.objects.get_or_create(slug=slug, defaults={"name": slug.title()})
        user = User.objects.filter(email=f"ann@{slug}.example").first()
        user = user or User.objects.create_user(f"ann@{slug}.example", name="Ann")
        member, _ = Membership.objects.get_or_create(team=team, user=user, defaults={"role": Role.ADMIN})
        found[slug] = tokens.issue(team, user, name="Faults", scopes=tokens.SCOPES)[1]
        if slug == "north":
            endpoints.create(member, name="Faults", url=hook, events=tuple(outbox.TYPES))
    return found


def rows(model: Any) -> Any:
    """All rows of a model, patiently."""
    return _patient(lambda: list(model.objects.all()))()


@_patient
def stuck() -> list[str]:
    """What has not ended, in words."""
    from jobs.models import Job, State

    found = Job.objects.filter(state__in=(State.QUEUED, State.RUNNING)).exclude(kind="webhooks.deliver")[:20]
    return [
        f"{job.kind} {job.public_id} {job.state}, attempt {job.attempts}, rung {job.published} times, "
        f"next at {job.ring_again_at:%H:%M:%S}, held until {job.held_until and f'{job.held_until:%H:%M:%S}'}, "
        f"lease until {job.lease_until and f'{job.lease_until:%H:%M:%S}'}, worker {job.worker}"
        for job in found
    ]


def clean_hash(export_pk: int) -> str:
    """The hash of the document as this process makes it from the frozen plan and what is kept beside it."""
    import hashlib

    from exports.models import Export
    from exports.work import contents

    export = Export.objects.select_related("version__workload__team", "look").get(pk=export_pk)
    return hashlib.sha256(contents(export, progress=lambda *_: None)).hexdigest()


def new_database(name: str) -> str:
    """The address of a new empty database on the same server."""
    from django.conf import settings
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    given = settings.DATABASES["default"]
    return f"postgresql://{given['USER']}@{given['HOST']}:{given['PORT']}/{name}"


_COUNTS = """
import json
from accounts.models import AuditEvent
from exports.models import Export
from jobs.models import Job
from planner.models import PlanVersion
print(json.dumps({
    "versions": sorted(PlanVersion.objects.values_list("public_id", "sha256")),
    "documents": sorted(Export.objects.values_list("public_id", "sha256")),
    "jobs": sorted(Job.objects.exclude(kind="webhooks.deliver").values_list("public_id", "state")),
    "events": AuditEvent.objects.count(),
}))
"""


def compared(site: Any, other: str) -> list[tuple[str, str, str]]:
    """Each kind of row with what both databases hold of it, shortened to a hash."""
    import hashlib
    import json

    here, there = (json.loads(site.ask(_COUNTS, **where))
                   for where in ({}, {"DATABASE_URL": other}))  # fmt: skip
    short = {
        name: [hashlib.sha256(repr(rows).encode()).hexdigest()[:12] for rows in (here[name], there[name])]
        for name in here
    }
    return [(name, *pair) for name, pair in short.items()]
