"""Whose turn it is in a lane: one team's thousand files make another team wait for one of them, not for all.

A message is a bell for the lane, and whoever hears it takes the job whose turn it is:

1. what a dead worker left behind,
2. then the oldest job of the team with the fewest running,
3. of several such teams that which was served longest ago.

A worker that is free is never kept waiting: a team alone in its lane has all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Now

from jobs import queue
from jobs.lanes import Lane
from jobs.models import Job, State, Turn
from jobs.registry import kinds_in

_RACES: Final = 10
_NEVER: Final = datetime(1, 1, 2, tzinfo=UTC)


def take(lane: Lane, *, worker: str) -> Job | None:
    """Claims the job whose turn it is; None when none waits, or when others were faster each time."""
    for _ in range(_RACES):
        found = _next(lane)
        if found is None:
            return None
        if job := queue.claim(found.pk, worker=worker):
            # What is tried again is no turn of its team, and no sign that its lane lives: it may be what kills the workers.
            if job.attempts == 1:
                _served(lane, job.team_id)
            return job
    return None


def _next(lane: Lane) -> Job | None:
    waiting = waiting_in(lane)
    left_behind = waiting.filter(attempts__gt=0).order_by("created_at", "pk").first()
    if left_behind is not None:
        return left_behind
    teams = list(waiting.order_by().values_list("team_id", flat=True).distinct())
    if not teams:
        return None
    mine = Q(team_id__isnull=True) if (team := _whose_turn(lane, teams)) is None else Q(team_id=team)
    return waiting.filter(mine).order_by("created_at", "pk").first()


def waiting_in(lane: Lane) -> QuerySet[Job]:
    """Queued jobs of the lane that may begin now; one that a passing fault gave back waits for its pause to end."""
    begun = Q(held_until__isnull=True) | Q(held_until__lte=Now())
    return Job.objects.filter(begun, state=State.QUEUED, kind__in=kinds_in(lane), attempts__lt=queue.MAX_ATTEMPTS)


def _whose_turn(lane: Lane, teams: Sequence[int | None]) -> int | None:
    """The team with the fewest running, then the one served longest ago; None is the machine's own work."""
    if len(teams) == 1:
        return teams[0]
    running = Job.objects.filter(state=State.RUNNING, kind__in=kinds_in(lane)).order_by()
    busy = dict(running.values_list("team_id").annotate(count=Count("pk")))
    served = dict(Turn.objects.filter(lane=lane).values_list("team", "served_at"))
    return min(teams, key=lambda team: (busy.get(team, 0), served.get(team or 0, _NEVER), team or 0))


def _served(lane: Lane, team_id: int | None) -> None:
    Turn.objects.update_or_create(lane=lane, team=team_id or 0, defaults={"served_at": Now()})
