"""The live panel while somebody types: the draft's first look, as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.inputs.hardware import Market
from planner.estimate import first_look
from planner.planned import spec_of
from planner.presenters.glance import GlanceView, present_glance
from planner.searches import SEARCHES


def glance_for(draft: Mapping[str, Any], market: Market, *, settle: bool) -> GlanceView:
    """The live panel for that draft on that market; see `first_look`. SpecError lists every fault."""
    spec = spec_of(draft, market)
    return present_glance(spec, first_look(spec, market, settle=settle, known=SEARCHES), market)
