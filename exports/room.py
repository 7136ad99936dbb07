"""How many documents of a team may be in the making: each way that opens one more asks here first."""

from __future__ import annotations

from accounts.models import Team
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
