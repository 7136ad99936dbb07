"""Once a day: approved plans whose market has changed are asked again, and what a budget must know of it is told.

`plan.repriced` when today's cost leaves the frozen band or comes back into it, `plan.drifted` when another choice would be made.
A version is asked again once for each release of its team's market (a new catalog, prices of its own), so a day on which nothing
changed costs one look at an index. Both events are written whoever listens: `GET /events` tells them later too. Members are
written to (planner/outlook/letters.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import access
from accounts.models import Team
from catalog import clock
from engine.inputs.hardware import Market
from engine.inputs.spec import SpecError
from jobs import queue
from jobs.registry import Running
from planner import events, team_market
from planner.body import money_body
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion, Workload
from planner.outlook import letters
from planner.outlook.compare import changed, side_of
from planner.request.day import asked_again
from planner.searches import SEARCHES
from planner.tables import Outlook

KIND: Final = "planner.outlook"
PIECE_KIND: Final = "planner.outlook.piece"
PIECE: Final = 10
"""Versions of one job: some seconds of work."""


def request_check() -> None:
    """At each sweep: one job a day, if any plan counts."""
    if PlanVersion.objects.counting().exists():
        queue.enqueue(KIND, team=None, payload={}, key=f"{KIND}:{clock.today().isoformat()}")


def request_letters() -> None:
    """At each sweep: members are written to once all of a team's plans are asked again."""
    letters.request(PIECE_KIND)


def check(job: Running) -> dict[str, Any]:
    """The handler of the day: pieces of work for each team whose market is another one than that of its approved plans."""
    asked = 0
    teams = PlanVersion.objects.counting().values("workload__team")
    for team in Team.objects.filter(pk__in=teams).order_by("pk"):
        release = team_market.market_of(team).release
        waiting = list(_due(team, release).order_by("pk").values_list("public_id", flat=True))
        for first in range(0, len(waiting), PIECE):
            piece = waiting[first : first + PIECE]
            queue.enqueue(
                PIECE_KIND, team=team, payload={"versions": piece, "release": release},
                key=f"{PIECE_KIND}:{clock.today().isoformat()}:{piece[0]}",
            )  # fmt: skip
        asked += len(waiting)
        job.progress(0)
    return {"asked": asked}


def work_piece(job: Running) -> dict[str, Any]:
    """The handler of a piece: asks its versions again. A market that has moved on meanwhile is left to the next day's look."""
    assert job.team_id is not None  # each piece is of a team
    team = Team.objects.get(pk=job.team_id)
    market = team_market.market_of(team)
    if market.release != job.payload["release"]:
        return {"told": 0}
    names: Sequence[str] = job.payload["versions"]
    told = 0
    for done, version in enumerate(_due(team, market.release).filter(public_id__in=names), start=1):
        told += _look(version, market)
        job.progress(100 * done // len(names))
    return {"told": told}


def _due(team: Team, release: str) -> QuerySet[PlanVersion]:
    """Versions of the team that count and were neither frozen nor asked again on that release."""
    rows = access.within(team, PlanVersion.objects.counting()).select_related("workload__team")
    return rows.exclude(catalog_release=release).exclude(outlook__release=release)


def _look(version: PlanVersion, market: Market) -> int:
    """Asks that version again and keeps what came of it; how many events it told."""
    frozen = version.head
    try:
        today = estimate(asked_again(frozen.spec), market, known=SEARCHES)
    except SpecError:  # it names what the catalog has no more
        today = None
    side, parts = side_of(frozen, today), changed(frozen, today)
    news: tuple[tuple[bool, str, dict[str, Any]], ...]
    with transaction.atomic():
        # A step of its review waits meanwhile: what counts no more is not told of.
        list(Workload.objects.select_for_update().filter(pk=version.workload_id).values("pk"))
        if not PlanVersion.objects.counting().filter(pk=version.pk).exists():
            return 0
        last = Outlook.objects.filter(version=version).first() or Outlook(version=version)
        news = (
            (side != last.cost, "plan.repriced", {"cost": side}),
            (parts != last.changed, "plan.drifted", {"changed": parts}),
        )
        for new, type_, data in news:
            if new:
                data["catalog_release"] = market.release
                events.version_told(version, type_, figures=_figures(frozen, today), **data)
        if any(new for new, _, _ in news):
            last.unmailed = letters.said(
                frozen, today, side=side if side != last.cost else None, parts=parts if parts != last.changed else None
            )
        last.release, last.cost, last.changed, last.looked_at = market.release, side, parts, timezone.now()
        last.save()
    return sum(new for new, _, _ in news)


def _figures(frozen: Plan, today: Plan | None) -> dict[str, Any]:
    """What it was to cost and would cost today, for those who are told money."""
    plans = {"band": frozen, "band_today": today}
    best = {name: plan.recommendation.recommended if plan else None for name, plan in plans.items()}
    return {name: money_body(option.cost.total) if option else None for name, option in best.items()}
