"""How many documents of a team may be in the making: each way that opens one more goes through here."""

from __future__ import annotations

from accounts.models import Team
from exports.models import Export
from jobs import queue
from jobs.models import Job, State
from rest import caps

KIND = "exports.render"


def check_room(team: Team) -> None:
    """CapReached when as many of the team's documents wait or are being made as may."""
    waiting = Job.objects.filter(kind=KIND, team=team, state__in=(State.QUEUED, State.RUNNING)).count()
    caps.check(
        "documents_of_team",
        waiting,
        whose="The team",
        what="documents that are being made",
        instead="wait for some of them",
    )


def retried(export: Export) -> bool:
    """Queues again what failed or was cancelled; False when it did neither. CapReached."""
    if export.job.state not in (State.FAILED, State.CANCELLED):
        return False
    check_room(export.version.workload.team)
    return queue.retry(export.job)
