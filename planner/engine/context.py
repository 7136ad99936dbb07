"""What every part of one recommendation shares: the request, the market, the assumptions, the day it starts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.engine.architecture import Architecture
from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Market, Offer
from planner.engine.result import ModelSummary
from planner.engine.spec import Spec

SEED = 20260701
"""Of every Monte Carlo in a plan, so that two runs agree to the last digit."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One request on one market."""

    spec: Spec
    arch: Architecture
    market: Market
    assume: Assumptions

    @property
    def start(self) -> date:
        """The day on which work starts: as asked, else the date of the catalog release."""
        return self.spec.start or date.fromisoformat(self.market.release_date)

    @property
    def display(self) -> tuple[float, str]:
        """Units of the plan's currency for one US dollar, and the date of that rate."""
        if self.spec.currency == "USD":
            return 1.0, ""
        usd, day = self.market.fx_usd[self.spec.currency]
        return 1.0 / usd, day

    def grid(self, offer: Offer | None) -> tuple[float, str] | None:
        """Grams of CO₂e per kWh of the offer's region, else of its country, and which of them; None when unknown."""
        for key in (f"{offer.provider}/{offer.region}", offer.country) if offer else ():
            if key in self.market.carbon_g_per_kwh:
                return self.market.carbon_g_per_kwh[key], key
        return None


def summary_of(arch: Architecture) -> ModelSummary:
    """The model in numbers."""
    return ModelSummary(
        slug=arch.slug,
        name=arch.name,
        parameters=arch.parameters,
        active_parameters=arch.active_parameters,
        layers=arch.layers,
        hidden=arch.hidden,
        source=arch.source,
    )
