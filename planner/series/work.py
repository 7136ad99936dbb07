"""Working a series: asked for in one step, done piece by piece by as many workers as there are, watched as one.

Each piece is a job of its own with a key that names it, so a worker that dies costs its piece a lease and nothing else. Market and
day are fixed when the series is asked for: whoever works a piece, and whenever, answers the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, QuerySet, Sum

from accounts import access, audit
from accounts.models import Membership, Role
from catalog import clock
from engine.inputs.hardware import Market
from engine.inputs.spec import Spec, SpecError
from jobs import queue
from jobs.models import Job, State
from jobs.registry import Running
from jobs.running import JobFailed
from planner import team_market
from planner.estimate import first_look
from planner.frozen.snapshot import plain
from planner.models import PlanVersion, Workload
from planner.money import amount_text
from planner.presenters.words import hardware, place
from planner.request.day import asked_again
from planner.request.merging import merged
from planner.request.parse import spec_from
from planner.searches import SEARCHES
from planner.series.grid import MOST
from planner.tables import Kind, Series
from rest import caps
from voice.speech import error_text

KIND: Final = "planner.series"
PIECE: Final = 25
"""Items of one job: a second of work for a narrow request, ten for a wide one, so that a bar moves and a lost worker costs little."""
MAY_ASK = (Role.PLANNER, Role.FINANCE)
_MOVED: Final = JobFailed("prices_changed", "Prices have changed since this series was asked for: ask for it again.")

Row = dict[str, Any]
"""One item: `feasible`, `cost`, `at_confidence` (what suffices as surely as it asks), `currency`, `hardware`, or `error`,
one sentence; of a re-pricing also `version` and `cost_before`."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a series is."""

    items: int
    done: int
    """Items that are answered."""
    percent: int
    pieces: Mapping[str, int]
    """State of jobs → how many."""

    @property
    def ended(self) -> bool:
        """Will nothing more happen unless somebody resumes it?"""
        return not (self.pieces.get(State.QUEUED) or self.pieces.get(State.RUNNING))


@transaction.atomic
def ask_scenarios(member: Membership, version: PlanVersion, changes: Sequence[Mapping[str, Any]]) -> Series:
    """A scenario of that version for each of the changes. ValueError for none or too many; SpecError when the first cannot be."""
    access.require_role(member, *MAY_ASK)
    _spec_with(asked_again(version.head.spec), changes[0] if changes else {})
    return _asked(member, Kind.SCENARIOS, [dict(change) for change in changes], version=version)


@transaction.atomic
def ask_repricing(member: Membership) -> Series:
    """Every plan of the team that is not archived, its newest version on today's market."""
    access.require_role(member, *MAY_ASK)
    workloads = access.rows_of(member.team, Workload).filter(archived_at=None).order_by("pk")
    newest = (workload.newest for workload in workloads)
    return _asked(member, Kind.REPRICING, [version.public_id for version in newest if version is not None])


def progress_of(series: Series) -> Progress:
    """One bar for all pieces."""
    rows = _jobs(series).order_by().values("state").annotate(count=Count("pk"), percent=Sum("progress"))
    pieces = {row["state"]: row["count"] for row in rows}
    count = -(-len(series.items) // series.piece)
    share = sum(100 * row["count"] if row["state"] == State.SUCCEEDED else row["percent"] for row in rows)
    answered = _jobs(series).filter(state=State.SUCCEEDED).values_list("key", flat=True)
    done = sum(min(series.piece, len(series.items) - int(key.rpartition(":")[2])) for key in answered)
    return Progress(items=len(series.items), done=done, percent=share // count, pieces=pieces)


@transaction.atomic
def cancel(member: Membership, series: Series) -> int:
    """Ends every piece that has not ended; how many. What is answered stays."""
    access.require_role(member, *MAY_ASK)
    ended = sum(queue.cancel(job) for job in _jobs(series).filter(state__in=(State.QUEUED, State.RUNNING)))
    audit.record("series.cancelled", series.public_id, team=member.team, actor=member.user, data={"pieces": ended})
    return ended


@transaction.atomic
def resume(member: Membership, series: Series) -> int:
    """Queues again what was cancelled or has failed; how many pieces. What is answered is not asked again."""
    access.require_role(member, *MAY_ASK)
    again = sum(queue.retry(job) for job in _jobs(series).filter(state__in=(State.CANCELLED, State.FAILED)))
    audit.record("series.resumed", series.public_id, team=member.team, actor=member.user, data={"pieces": again})
    return again


def results(series: Series) -> list[Row | None]:
    """The answers in the order of the items; None where there is none yet."""
    found: list[Row | None] = [None] * len(series.items)
    for job in _jobs(series).filter(state=State.SUCCEEDED):
        first = job.payload["first"]
        assert job.result is not None  # it succeeded
        found[first : first + len(job.result["rows"])] = job.result["rows"]
    return found


def recent(member: Membership, version: PlanVersion | None) -> list[Any]:
    """The newest series of that version, or of re-pricings: id, size and day."""
    rows = Series.objects.filter(team=member.team, version=version).order_by("-created_at", "-pk")
    return list(rows.values("public_id", "created_at", "created_by__email")[:5])


def work_piece(job: Running) -> dict[str, Any]:
    """The handler: answers the items of one piece."""
    series = Series.objects.select_related("team", "version").get(public_id=job.payload["series"])
    items = job.payload["items"]
    return {"rows": rows_of(series, items, progress=lambda done: job.progress(100 * done // len(items)))}


def rows_of(series: Series, items: Sequence[Any], *, progress: Callable[[int], None]) -> list[Row]:
    """The answers to those items. JobFailed when the market is another one by now."""
    market = team_market.market_of(series.team)
    if market.release != series.release:
        raise _MOVED
    base = asked_again(series.version.head.spec, series.day) if series.version else None
    rows = []
    for number, item in enumerate(items, start=1):
        rows.append(_row(series, base, item, market))
        progress(number)
    return rows


def _row(series: Series, base: Spec | None, item: Any, market: Market) -> Row:
    try:
        if base is not None:
            return _answered(_spec_with(base, item), market)
        version = access.one_of(series.team, PlanVersion, item)
        was = {"version": item, "cost_before": None if version.cost is None else str(version.cost)}
        return was | _answered(asked_again(version.head.spec, series.day), market)
    except SpecError as error:
        return {"error": error_text(error)}


def _answered(spec: Spec, market: Market) -> Row:
    # The head of a plan: the choice of the whole with its figures, in a twentieth of the time.
    found = first_look(spec, market, known=SEARCHES)
    best, code = found.best, found.currency.code
    return {
        "feasible": best is not None,
        "cost": amount_text(best.cost.total.expected, code)["amount"] if best else None,
        "at_confidence": amount_text(best.cost.at_confidence, code)["amount"] if best else None,
        "currency": code,
        "hardware": f"{hardware(best)}, {place(best)}" if best else "",
    }


def _spec_with(base: Spec, changes: Mapping[str, Any]) -> Spec:
    return spec_from(merged(plain(base), changes))


def _asked(member: Membership, kind: Kind, items: Sequence[Any], *, version: PlanVersion | None = None) -> Series:
    """The row and its jobs, in one transaction: all of it or nothing."""
    if not 0 < len(items) <= MOST:
        raise ValueError(f"A series holds 1 to {MOST:,} plans; this one holds {len(items):,}.")
    waiting = Job.objects.filter(kind=KIND, team=member.team, state__in=(State.QUEUED, State.RUNNING))
    caps.check(
        "pieces_of_team", waiting.count(), whose="The team", what="pieces of series that have not ended",
        instead="wait for them, or cancel a series",
    )  # fmt: skip
    series = Series.objects.create(
        team=member.team, kind=kind, version=version, items=list(items), day=clock.today(),
        release=team_market.market_of(member.team).release, piece=PIECE, created_by=member.user,
    )  # fmt: skip
    for first in range(0, len(items), PIECE):
        payload = {"series": series.public_id, "first": first, "items": list(items[first : first + PIECE])}
        queue.enqueue(KIND, team=member.team, payload=payload, key=f"{_prefix(series)}{first:06}")
    data = {"kind": str(kind), "items": len(items), "release": series.release}
    audit.record("series.asked", series.public_id, team=member.team, actor=member.user, data=data)
    return series


def _prefix(series: Series) -> str:
    return f"series:{series.public_id}:"


def _jobs(series: Series) -> QuerySet[Job]:
    return Job.objects.filter(kind=KIND, key__startswith=_prefix(series)).order_by("key")
