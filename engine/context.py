"""What every part of one recommendation shares: the request, the market, the assumptions, the day it starts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from engine.answer import Estimate, ModelSummary
from engine.inputs.architecture import Architecture, counts_of
from engine.inputs.assumptions import Assumptions
from engine.inputs.currency import DOLLARS, Currency
from engine.inputs.hardware import Cluster, Market, Offer
from engine.inputs.known import Known
from engine.inputs.origin import AGREED, CATALOG, REQUEST, Origin, origin
from engine.inputs.spec import NO_TAX, Spec, Taxes
from engine.supply import Supplies, sources_asked, supplies_for

OWN_LOAD = origin("plan.load")
"""Where a utilisation comes from that nobody stated."""
ALONE = origin("plan.alone")
"""Where the use of hardware comes from that nobody else is said to use."""
NOBODY = origin("plan.nobody")
"""Where it comes from that other work uses nothing of what is committed."""
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
    late: bool = False
    """May a service begin only when its servers come? Only where nothing that serves from its start keeps what is asked: who begins later
    serves less, and would look cheaper for it."""

    @cached_property
    def supplies(self) -> Supplies:
        """Every source that the request allows."""
        asked = sources_asked(self.spec)
        # A market is held by whoever asks, and one with agreed prices shares nearly all of it with that.
        key = ("supplies", self.market, asked)
        return self.known.remembered(key, lambda: supplies_for(asked, self.market), beside=self.market)

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
        return Currency(code=self.spec.currency, rate=1.0 / usd, date=day, source=CATALOG if day else AGREED)

    def use(self, own_share: float = 0.0) -> tuple[Estimate, Origin]:
        """Share of hours in which bought hardware works, with its band, and who says so.

        What the request states; else `own_share`, the load of the service itself on the servers it needs at its peak;
        else the usual share. A stated one keeps the relative width of the usual one; that of the service itself has none: it carries
        all of its servers, whatever of them it uses.
        """
        usual = self.assume.get("onprem.utilisation")
        stated = self.spec.utilisation
        usually: tuple[float, Origin] = (usual.value, usual.source)
        value, source = (stated, REQUEST) if stated else (own_share, OWN_LOAD) if own_share else usually
        if source == OWN_LOAD:
            return Estimate(low=value, expected=value, high=value, unit="share"), source
        low, high = (min(value * end / usual.value, 1.0) for end in (usual.low, usual.high))
        return Estimate(low=low, expected=min(value, 1.0), high=high, unit="share"), source

    @property
    def shared(self) -> bool:
        """Does the request say that other work uses what is bought or committed, and carries that part of it: by how much of all hours it
        is used, or because the budget holds this work's share only? A horizon alone says that there is demand, not that it pays."""
        stated = self.spec.utilisation or "onprem.utilisation" in self.spec.assumptions
        return bool(stated) or self.spec.constraints.budget_basis == "allocated"

    @property
    def others(self) -> tuple[Estimate, Origin]:
        """Share of the hours that this work leaves in which other work uses what is committed, with who says so; none where nobody does."""
        return self.use() if self.shared else (Estimate(low=0.0, expected=0.0, high=0.0, unit="share"), NOBODY)

    def grid(self, offer: Offer | None, country: str = "") -> tuple[float, str] | None:
        """Grams of CO₂e per kWh of the offer's region, else of its country, and which of them; None when unknown.

        `country` is that of hardware of one's own where its entry says it; else it stands on the request's own site.
        """
        for key in (
            (f"{offer.provider}/{offer.region}", offer.country) if offer else (country or self.spec.site.country,)
        ):
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
