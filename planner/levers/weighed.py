"""Levers of a frozen plan, for its documents: what could be given up, signed or brought along for less money.

A plan is frozen without them, since ten searches take about as long as a plan. They hold on its own market alone: once prices have
moved, what is saved is no longer saved beside the plan.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from engine.answer import Levers
from engine.entry import levers
from engine.inputs.currency import Currency
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.inputs.spec import SpecError
from engine.money.converted import levers_in
from planner.frozen.snapshot import Plan, canonical, plain

FORMAT = "sextant-levers/1"
_SAME = 1e-9
"""Share by which numbers of a stored plan, of 12 digits, may differ from those that are computed."""


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """What came of weighing what could be given up, signed or brought along beside one plan."""

    levers: Levers | None = None
    """None where nothing is recommended, where something else than cost decides, or where prices have moved."""
    moved: bool = False
    """Is the market, or the engine, no longer that of the plan?"""


def weigh(plan: Plan, market: Market, *, known: Known | None = None) -> Weighed:
    """The levers of that plan on the market that it was made on; nothing but that it has moved on any other."""
    best = plan.recommendation.recommended
    if market.release != plan.recommendation.catalog_release:
        return Weighed(moved=True)
    try:
        found = levers(plan.spec, market, known=known)
    except SpecError:
        return Weighed(moved=True)
    if best is None or found is None:
        return Weighed()
    if not math.isclose(found.cost.expected, best.cost.total.expected, rel_tol=_SAME):
        return Weighed(moved=True)  # the engine of today would plan otherwise
    return Weighed(levers=found)


def body_of(weighed: Weighed) -> str:
    """The canonical JSON of that, as it is kept."""
    return canonical({"format": FORMAT, "weighed": plain(weighed)})


def opened(body: str) -> Weighed:
    """What was kept as that text. ValueError when it is none of this format."""
    data = json.loads(body)
    if data.get("format") != FORMAT:
        raise ValueError(f"These are no levers of format {FORMAT}.")
    found: Weighed = _ADAPTER.validate_python(data["weighed"])
    return found


def shown_in(weighed: Weighed, currency: Currency) -> Weighed:
    """The same of a plan of US dollars that is shown in that currency."""
    return replace(weighed, levers=levers_in(weighed.levers, currency)) if weighed.levers else weighed


_ADAPTER: TypeAdapter[Weighed] = TypeAdapter(Weighed)
