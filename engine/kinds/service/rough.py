"""What a choice roughly costs from a source: the sum by which thousands of pairs are ranked before any is costed exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

from engine.context import Context
from engine.inputs.hardware import Device, Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.costs import (
    DAYS_PER_MONTH,
    ServingFinalist,
    ends,
    mean_nodes,
    months_of,
    second_of,
    sent_gb,
    source_model,
    stored_gb,
)
from engine.kinds.service.load import size_sigma
from engine.kinds.service.work import is_batch
from engine.money.cost import cash_needed, total_of
from engine.money.drawing import Drawing, drawing_of, relief
from engine.money.drift import log_sigma_of
from engine.money.leased import with_own_storage
from engine.money.rented import stack_usd_month
from engine.money.spot import fallback_share
from engine.supply import Supply


@dataclass(frozen=True, kw_only=True)
class _Terms:
    """What of a source's bill follows from no choice."""

    stored_usd_month: float
    """Of the weights, at one site."""
    egress_usd_per_gb: float
    drawing: Drawing | None


@dataclass(kw_only=True)
class Billing:
    """How one work is billed by any source: what all pairs have in common is worked out once, there are thousands."""

    context: Context
    work: ServingWork
    _terms: dict[str, _Terms] = field(default_factory=dict)
    _sigmas: dict[tuple[str, int], float] = field(default_factory=dict)
    _sizes: dict[str, float] = field(default_factory=dict)

    def roughly(self, supply: Supply, choice: ServingChoice) -> ServingFinalist:
        """That choice from that source, priced for ranking."""
        context = self.context
        if supply.offer is None:
            model = source_model(context, supply, choice, egress_gb_month=0.0)
            return ServingFinalist(supply=supply, choice=choice, usd=total_of(model), cash=cash_needed(model))
        terms = self._terms_of(supply, supply.offer)
        months = months_of(context, choice)
        paid, nodes = _paid_months(supply.offer, months), mean_nodes(supply, choice)
        hour, moving = self._hour(supply, supply.offer, choice)
        instances = nodes * hour * HOURS_PER_MONTH * paid
        usd = instances + self._around(terms, choice, months, nodes)
        usd_sigma = instances / usd * self._sigma_of(supply.offer, choice, months, moving / hour) if instances else 0.0
        drawn = 0.0
        if terms.drawing:
            found, more = relief(terms.drawing, billed=usd, instances=instances, hours=paid * HOURS_PER_MONTH)
            drawn, usd = float(found), usd + float(more)
        usd = usd * (1.0 + context.taxes.owed_on_services) - drawn
        return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=usd, usd_sigma=usd_sigma)

    def _terms_of(self, supply: Supply, offer: Offer) -> _Terms:
        if supply.id not in self._terms:
            held = with_own_storage(offer, self.context.assume)
            self._terms[supply.id] = _Terms(
                stored_usd_month=stored_gb(self.context) * held.storage_usd_per_gb_month,
                egress_usd_per_gb=held.egress_usd_per_gb,
                drawing=drawing_of(self.context, offer),
            )
        return self._terms[supply.id]

    def _hour(self, supply: Supply, offer: Offer, choice: ServingChoice) -> tuple[float, float]:
        """What an hour of an instance costs with the hours that spot capacity is not there, and how much of that moves with the offer's
        own price; the prices of two sites move apart [USD/h]."""
        price = apart = offer.usd_per_hour
        if second := second_of(supply, choice, 0.0):
            sites = ((1.0 - second.share) * offer.usd_per_hour, second.share * second.offer.usd_per_hour)
            price, apart = sum(sites), math.hypot(*sites)
        if supply.fallback_usd_per_hour <= price:
            return price * self._managed, apart * self._managed
        missing = fallback_share(choice.nodes * offer.devices, self.context.assume)
        dearer = missing * (supply.fallback_usd_per_hour - price)
        return price * self._managed + dearer, apart * (self._managed - missing)

    def _sigma_of(self, offer: Offer, choice: ServingChoice, months: float, moving: float) -> float:
        """Standard deviation of the log of what instances cost, of which so much moves with the price of the offer, and all of it with
        the time that a batch takes; a term is paid whole."""
        # Whole days: pairs of a batch then share what is remembered of a price.
        key = (offer.id, round(months * DAYS_PER_MONTH))
        if key not in self._sigmas:
            self._sigmas[key] = log_sigma_of(offer, self.context.assume, start=self.context.start, days=key[1])
        dear = self._sigmas[key] * moving
        lasts = is_batch(self.work) and not offer.term_months
        return math.hypot(dear, self._size_sigma(choice.cluster.device)) if lasts else dear

    def _size_sigma(self, device: Device) -> float:
        if device.slug not in self._sizes:
            self._sizes[device.slug] = size_sigma(device, self.work)
        return self._sizes[device.slug]

    def _around(self, terms: _Terms, choice: ServingChoice, months: float, nodes: float) -> float:
        """What is paid beside the instances, which does not follow their price: the stack, stored weights and what is sent to
        users [USD]. Which number of replicas of a batch is cheapest, and who is of two whose instances cost the same, depends on it."""
        stack, watched = self._stack
        sites = 2.0 if choice.standby.apart else 1.0
        month = sites * (stack + terms.stored_usd_month) + watched * nodes
        return month * months + self._sent_gb * terms.egress_usd_per_gb

    @cached_property
    def _ends(self) -> bool:
        return ends(self.context)

    @cached_property
    def _sent_gb(self) -> float:
        """What is sent to users: in a batch, or in all days of a service."""
        return sent_gb(self.context, self.work)

    @cached_property
    def _managed(self) -> float:
        """Times its own price that an instance costs."""
        return 1.0 + self.context.assume["cost.managed_premium"]

    @cached_property
    def _stack(self) -> tuple[float, float]:
        """What stands around a service at one site, and what watches an instance [USD/month]."""
        assume, interactive = self.context.assume, not self._ends
        return (
            stack_usd_month(assume, 0.0, interactive=interactive),
            stack_usd_month(assume, 1.0, interactive=interactive, sites=0.0),
        )


def _paid_months(offer: Offer, months: float) -> float:
    """Months that are paid of so many: whole terms of a commitment."""
    return math.ceil(months / offer.term_months) * offer.term_months if offer.term_months else months
