"""Who is asked for what: the seller of the recommended option, then rivals that keep the same limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.answer import Option
from planner.snapshot import Plan

MOST_RIVALS = 3


class NothingToAsk(ValueError):
    """A plan that buys and rents nothing; the message says what to do."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask:
    """One seller who is asked for one option."""

    option: Option
    recommended: bool

    @property
    def item(self) -> str:
        """What a price is agreed for: the offer as provider/instance/region/option, or the slug of a server. Nobody quotes
        spot: what is asked for in its place is the same instance on demand."""
        offer = self.option.offer
        if offer is None:
            return self.option.on_prem
        return f"{offer.id.removesuffix('/spot')}/on_demand" if offer.option == "spot" else offer.id

    @property
    def seller(self) -> str:
        """The provider's key; of servers that of the server itself, which several resell."""
        return self.option.offer.provider if self.option.offer else self.option.on_prem

    @property
    def what(self) -> str:
        """What the price is for, as an agreed price says it."""
        return "instance_hour" if self.option.offer else "server"

    @property
    def planned_usd(self) -> float:
        """What the plan was made with [USD for one of what the price is for]."""
        if self.option.offer:
            return self.option.offer.usd_per_hour
        return next(item.value for item in self.option.cost.model.inputs if item.name == "price_per_server")

    @property
    def listed_usd(self) -> float:
        """What the seller lists for what is asked for: of spot, what the same costs on demand."""
        offer = self.option.offer
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
    return (Ask(option=best, recommended=True), *_rivals(plan, best))


def _rivals(plan: Plan, best: Option) -> Iterator[Ask]:
    """The best option of each other seller that keeps the limits, those with the same accelerator first."""
    able = [option for option in plan.recommendation.alternatives if option.kind != "owned" and option.keeps_limits]
    able.sort(key=lambda option: (option.accelerator != best.accelerator, option.kind != best.kind))
    seen = {Ask(option=best, recommended=True).seller}
    for option in able:
        one = Ask(option=option, recommended=False)
        if one.seller in seen:
            continue
        seen.add(one.seller)
        yield one
        if len(seen) > MOST_RIVALS:
            return
