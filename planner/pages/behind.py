"""The catalog's values behind a plan, for whoever shows where its figures come from."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import Team
from catalog.kept import Kept
from engine.inputs.hardware import Fact
from planner.frozen.snapshot import Plan
from planner.presenters.trail import Facts
from planner.team_market import market_of


def facts_of(plan: Plan, team: Team) -> Facts:
    """The catalog's values behind a plan, by what they are about; none when another release is loaded by now."""
    market = market_of(team)
    if market.release != plan.recommendation.catalog_release:
        return {}
    return _facts.of(market.release, lambda: _by_subject(market.facts))


_facts: Kept[Facts] = Kept(8)


def _by_subject(facts: Iterable[Fact]) -> Facts:
    grouped: dict[str, list[Fact]] = {}
    for fact in facts:
        grouped.setdefault(".".join(fact.id.split(".")[:2]), []).append(fact)
    return grouped
