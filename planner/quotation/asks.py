"""Who is asked for what: the seller of the recommended option, then rivals that keep the same limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.answer import Option
from engine.inputs.hardware import Offer
from planner.frozen.snapshot import Plan

MOST_RIVALS = 3


class NothingToAsk(ValueError):
    """A plan that buys and rents nothing; the message says what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """One seller who is asked for one option."""

    option: Option
    recommended: bool
    site: int = 0
    """Which of its sites this seller has: the second may be another's."""

    @property
    def ident(self) -> str:
        """The option's id; of its second site with the seller behind it."""
        return f"{self.option.id}@{self.seller}" if self.site else self.option.id

    @property
    def offer(self) -> Offer | None:
        """What is rented of that seller; None of servers that are bought."""
        return self.option.sites[self.site].offer if self.site else self.option.offer

    @property
    def item(self) -> str:
        """What a price is agreed for: the offer as provider/instance/region/option, or the slug of a server. Nobody quotes
        spot: what is asked for in its place is the same instance on demand."""
        offer = self.offer
        if offer is None:
            return self.option.on_prem
        return f"{offer.id.removesuffix('/spot')}/on_demand" if offer.option == "spot" else offer.id

    @property
    def seller(self) -> str:
        """The provider's key; of servers that of the server itself, which several resell."""
        return self.offer.provider if self.offer else self.option.on_prem

    @property
    def what(self) -> str:
        """What the price is for, as an agreed price says it."""
        return "instance_hour" if self.offer else "server"

    @property
    def planned_usd(self) -> float:
        """What the plan was made with [USD for one of what the price is for]."""
        if self.offer:
            return self.offer.usd_per_hour
        return next(item.value for item in self.option.cost.model.inputs if item.name == "price_per_server")

    @property
    def listed_usd(self) -> float:
        """What the seller lists for what is asked for: of spot, what the same costs on demand."""
        offer = self.offer
        spot = offer.on_demand_usd_per_hour if offer and offer.option == "spot" else 0.0
        public = offer.public.usd_per_hour if offer and offer.public else 0.0
        return spot or public or self.planned_usd


def asks_of(plan: Plan) -> tuple[Ask, ...]:
    """Those who can be asked, the recommended one first. NothingToAsk where nothing is bought or rented."""
    best = plan.recommendation.recommended
    if best is None:
        raise NothingToAsk("Nothing is recommended, so there is nothing to ask a quote for: change the request first.")
    if best.kind == "owned":
        raise NothingToAsk("This plan runs on hardware that the team owns: there is no seller to ask for a quote.")
    chosen = tuple(_sellers(best))
    return (*chosen, *_rivals(plan, best, {ask.seller for ask in chosen}))


def _sellers(best: Option) -> Iterator[Ask]:
    """Whoever sells what is recommended: two where the second site is another's."""
    yield Ask(option=best, recommended=True)
    for at, site in enumerate(best.sites):
        if at and best.offer and site.offer.provider != best.offer.provider:
            yield Ask(option=best, recommended=True, site=at)


def _rivals(plan: Plan, best: Option, seen: set[str]) -> Iterator[Ask]:
    """The best option of each other seller that keeps the limits, those with the same accelerator first."""
    able = [option for option in plan.recommendation.alternatives if option.kind != "owned" and option.keeps_limits]
    able.sort(key=lambda option: (option.accelerator != best.accelerator, option.kind != best.kind))
    firsts: dict[str, Ask] = {}
    for option in able:
        one = Ask(option=option, recommended=False)
        if one.seller not in seen:
            firsts.setdefault(one.seller, one)
    yield from islice(firsts.values(), MOST_RIVALS)
