"""From a draft to its frozen plan while somebody waits: parse, then estimate, on the team's current market."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts.models import Team
from catalog.kept import Kept
from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, canonical, plain
from planner.request.day import on_its_day
from planner.request.parse import spec_from
from planner.request.suggested import named
from planner.searches import SEARCHES
from planner.team_market import market_of


def plan_for(draft: Mapping[str, Any], team: Team) -> Plan:
    """The frozen plan for that draft on the team's current market. SpecError lists every fault."""
    market = market_of(team)
    return _plan_on(market, spec_of(draft, market))


def plan_of(spec: Spec, team: Team) -> Plan:
    """The frozen plan for that spec on the team's current market. SpecError when it names what the market lacks."""
    return _plan_on(market_of(team), spec)


def read(draft: Mapping[str, Any], team: Team) -> Spec:
    """That draft in numbers, its amounts of money at the rates of the team's market. SpecError lists every fault."""
    return spec_of(draft, market_of(team))


def spec_of(draft: Mapping[str, Any], market: Market) -> Spec:
    """That draft in numbers, its amounts of money at the rates of that market. SpecError lists every fault."""
    return spec_from(named(draft), text=True, rates=market.fx_usd)


def _plan_on(market: Market, spec: Spec) -> Plan:
    dated = on_its_day(spec)
    key = f"{canonical(plain(dated))} {market.release}"
    return _recent.of(key, lambda: estimate(dated, market, known=SEARCHES))


_recent: Kept[Plan] = Kept(64)
"""The last plans of this process: the form, its answer and saving it ask for the same one."""
