"""Asking a question backwards, and answering it: the two ends of its job."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from accounts.models import Membership, Team
from engine.inputs.spec import SpecError
from jobs import queue
from jobs.models import Job, State
from jobs.registry import Running
from jobs.running import JobFailed
from planner import team_market
from planner.backwards.answer import Ask, as_json, solve
from rest import caps
from voice.speech import error_text

KIND = "planner.backwards"
"""As jobs have it in the database: it stays, whatever this module is called."""


def request_answer(member: Membership, ask: Ask) -> Job:
    """The job that answers; any member may ask, since nothing of the team changes. CapReached when many wait."""
    waiting = Job.objects.filter(kind=KIND, team=member.team, state__in=(State.QUEUED, State.RUNNING)).count()
    caps.check(
        "questions_of_team",
        waiting,
        whose="The team",
        what="searches that have not ended",
        instead="wait for one of them",
    )
    return queue.enqueue(KIND, team=member.team, payload=asdict(ask))


def answer(job: Running) -> dict[str, Any]:
    """Answers the question on the team's current market."""
    if job.team_id is None:
        raise JobFailed("team", "A question belongs to a team.")
    team = Team.objects.get(pk=job.team_id)
    try:
        return as_json(solve(Ask(**job.payload), team_market.market_of(team), job.progress))
    except SpecError as error:
        raise JobFailed("request", error_text(error)) from error
