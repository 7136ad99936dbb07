"""What every part of one recommendation shares: the request, the market, the assumptions, the day it starts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from planner.engine.architecture import Architecture
from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Market, Offer
from planner.engine.result import Estimate, ModelSummary
from planner.engine.spec import Spec

OWN_LOAD = "plan: accelerator-hours of the service over all hours of the servers that its peak needs"
"""Where a utilisation comes from that nobody stated."""
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

    def use(self, own_share: float = 0.0) -> tuple[Estimate, str]:
        """Share of hours in which bought hardware works, with its band, and who says so.

        What the request states; else `own_share`, the load of the service itself on the servers it needs at its peak;
        else the usual share. A stated or computed share keeps the relative width of the usual one.
        """
        usual = self.assume.get("onprem.utilisation")
        stated = self.spec.utilisation
        value, source = (stated, "request") if stated else (own_share, OWN_LOAD) if own_share else (0.0, "")
        if not value:
            value, source = usual.value, usual.source
        low, high = (min(value * end / usual.value, 1.0) for end in (usual.low, usual.high))
        return Estimate(low=low, expected=min(value, 1.0), high=high, unit="share"), source

    def grid(self, offer: Offer | None, country: str = "") -> tuple[float, str] | None:
        """Grams of CO₂e per kWh of the offer's region, else of its country, and which of them; None when unknown.

        `country` is that of hardware of one's own.
        """
        for key in (f"{offer.provider}/{offer.region}", offer.country) if offer else (country,):
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
