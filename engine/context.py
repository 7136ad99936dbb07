"""What every part of one recommendation shares: the request, the market, the assumptions, the day it starts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from engine.answer import Estimate, ModelSummary
from engine.inputs.agreed import SOURCE
from engine.inputs.architecture import Architecture, counts_of
from engine.inputs.assumptions import Assumptions
from engine.inputs.currency import DOLLARS, Currency
from engine.inputs.hardware import Cluster, Market, Offer
from engine.inputs.known import Known
from engine.inputs.spec import NO_TAX, Spec, Taxes
from engine.supply import Supplies, sources_asked, supplies_for

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
    known: Known = field(default_factory=Known, compare=False, repr=False)
    """What the caller remembers of earlier searches; nothing, unless it said so."""

    @cached_property
    def supplies(self) -> Supplies:
        """Every source that the request allows."""
        asked = sources_asked(self.spec)
        return self.known.remembered(("supplies", self.market, asked), lambda: supplies_for(asked, self.market))

    def key(self, kind: str, work: Hashable, clusters: tuple[Cluster, ...]) -> Hashable:
        """Everything that a search of that kind depends on, in one value: no field of anything is left out."""
        return (kind, self.market.release, work, clusters, self.assume)

    @property
    def as_of(self) -> date:
        """The day of the request. Every door states it; the engine has no clock, and falls back on the catalog's date."""
        return self.spec.as_of or date.fromisoformat(self.market.release_date)

    @property
    def start(self) -> date:
        """The day on which work starts: as asked, else the day of the request."""
        return self.spec.start or self.as_of

    @property
    def taxes(self) -> Taxes:
        """What is owed on top of prices; nothing where nothing was stated."""
        return self.spec.taxes or NO_TAX

    @property
    def currency(self) -> Currency:
        """The currency that the answer is in; every sentence says its amounts through it."""
        if self.spec.currency == "USD":
            return DOLLARS
        usd, day = self.market.fx_usd[self.spec.currency]
        return Currency(code=self.spec.currency, rate=1.0 / usd, date=day, source="catalog" if day else SOURCE)

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
        counts=counts_of(arch),
    )
