"""Levers of a version's plan: weighed once, by whoever needs them first, and kept beside it, so that every document of a version
says the same, also that prices have moved.
"""

from __future__ import annotations

from planner.frozen.snapshot import Plan
from planner.levers.weighed import Weighed, body_of, opened, weigh
from planner.models import PlanVersion
from planner.searches import SEARCHES
from planner.tables import KeptLevers
from planner.team_market import market_of


def weighed_of(version: PlanVersion, plan: Plan) -> Weighed:
    """What is kept of that version, whose plan is given; weighed now and kept where nothing is."""
    found = kept_of(version)
    if found is not None:
        return found
    body = body_of(weigh(plan, market_of(version.workload.team), known=SEARCHES))
    row, _ = KeptLevers.objects.get_or_create(version=version, defaults={"body": body})
    return opened(row.body)


def kept_of(version: PlanVersion) -> Weighed | None:
    """What was weighed beside that version; None where nobody needed it yet."""
    body = KeptLevers.objects.filter(version=version).values_list("body", flat=True).first()
    return None if body is None else opened(body)
