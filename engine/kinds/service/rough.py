"""What a choice roughly costs from a source: the sum by which thousands of pairs are ranked before any is costed exactly."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device, Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.service import ServingChoice, ServingWork
from engine.kinds.service.costs import (
    DAYS_PER_MONTH,
    ServingFinalist,
    around_of,
    ends,
    mean_nodes,
    months_of,
    second_of,
    sent_gb,
    service_months,
    source_model,
    stored_gb,
)
from engine.kinds.service.load import size_sigma
from engine.kinds.service.work import is_batch
from engine.money.caused import caused
from engine.money.cost import cash_needed
from engine.money.decision import decision_of
from engine.money.drawing import Drawing, drawing_of, relief
from engine.money.drift import log_sigma_of
from engine.money.leased import with_own_storage
from engine.money.rented import cover_usd_month, stack_usd_month
from engine.money.second_site import alike
from engine.money.spot import between, fallback_share, measured
from engine.physics.token.step import Numbers
from engine.reliability.patterns import SECOND_SITE
from engine.supply import Supply


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What of a source's bill follows from no choice."""

    stored_usd_month: float
    """Of the weights, at one site."""
    egress_usd_per_gb: float
    drawing: Drawing | None


@dataclass(frozen=True, kw_only=True)
class Charges:
    """What rented sources charge for a service at one site, as columns: all that follows from no choice."""

    usd_per_hour: Numbers
    fallback_usd_per_hour: Numbers
    """Of an instance on demand, where it is dearer than the spot instance for which it stands in, else 0."""
    devices: Numbers
    """Accelerators of an instance."""
    short_share: Numbers
    """Of the hours in which `short_instances` spot instances are not there, as it was measured; 0 where it was not."""
    short_instances: Numbers
    slots: Numbers
    """Most accelerators that the source gives."""
    committed: NDArray[np.bool_]
    """Are instances of the peak paid at all hours?"""
    paid_months: Numbers
    monthly_usd: Numbers
    """Beside the instances: the stack and stored weights."""
    sent_usd: Numbers
    """For what is sent to users in all months."""
    sigma: Numbers
    """Standard deviation of the log of the price."""
    worth: Numbers
    """What one unit that is paid over all of its months is worth on the day of the request."""

    def of(self, places: NDArray[np.intp]) -> Charges:
        """Those of some of them, in that order."""
        return Charges(**{item.name: getattr(self, item.name)[places] for item in fields(Charges)})


@dataclass(kw_only=True)
class Billing:
    """How one work is billed by any source: what all pairs have in common is worked out once, there are thousands."""

    context: Context
    work: ServingWork
    _terms: dict[str, Terms] = field(default_factory=dict)
    _sigmas: dict[tuple[str, int], float] = field(default_factory=dict)
    _sizes: dict[str, float] = field(default_factory=dict)
    _worths: dict[float, float] = field(default_factory=dict)
    _owned: dict[Hashable, tuple[float, float]] = field(default_factory=dict)

    def roughly(self, supply: Supply, choice: ServingChoice) -> ServingFinalist:
        """That choice from that source, priced for ranking."""
        context = self.context
        if supply.offer is None:
            usd, cash = self._own(supply, choice)
            return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=cash)
        terms = self.terms_of(supply, supply.offer)
        months = months_of(context, choice)
        paid, nodes = _paid_months(supply.offer, months), mean_nodes(supply, choice)
        hour, moving = self._hour(supply, supply.offer, choice)
        instances = nodes * hour * HOURS_PER_MONTH * paid
        usd = instances + self._around(terms, choice, months, nodes)
        usd_sigma = instances / usd * self._sigma_of(supply.offer, choice, months, moving / hour) if instances else 0.0
        drawn, worth = 0.0, self.worth(paid)
        saved = worth
        if terms.drawing:
            found, more = relief(terms.drawing, billed=usd, instances=instances, hours=paid * HOURS_PER_MONTH)
            drawn, usd = float(found), usd + float(more)
            saved = worth if terms.drawing.hourly else decision_of(context).on(terms.drawing.until)
        usd = usd * (1.0 + context.taxes.owed_on_services)
        return ServingFinalist(
            supply=supply,
            choice=choice,
            usd=usd * worth - drawn * saved,
            cash=usd - drawn,
            usd_sigma=usd_sigma,
        )

    def _own(self, supply: Supply, choice: ServingChoice) -> tuple[float, float]:
        """Exact, since these are few: what own hardware costs and what a budget must hold, worked out once for all choices that take the
        same of it."""
        around = around_of(self.context, choice)
        key = (supply.id, choice.accelerators, choice.accelerator_hours, around)
        if key not in self._owned:
            model = source_model(self.context, supply, choice, egress_gb_month=0.0)
            self._owned[key] = caused(model, decision_of(self.context)), cash_needed(model)
        return self._owned[key]

    def plain(self, supply: Supply) -> bool:
        """Is it billed by its price alone, for a service at one site, so that `kept` can say what it costs? Own hardware and what a
        spend commitment is drawn for are not."""
        return not self._ends and self.work.pattern not in SECOND_SITE and self.alone(supply)

    def alone(self, supply: Supply) -> bool:
        """Is it billed by its price alone?"""
        offer = supply.offer
        if offer is None or supply.owned is not None or supply.waits:
            return False
        return self.terms_of(supply, offer).drawing is None

    def charges(self, supplies: Sequence[Supply]) -> Charges:
        """Those of sources that are `plain`."""
        months, days = self._months, round(self._months * DAYS_PER_MONTH)
        rented = [(one, one.offer, self.terms_of(one, one.offer)) for one in supplies if one.offer is not None]
        columns = [
            (
                offer.usd_per_hour,
                one.fallback_usd_per_hour if one.fallback_usd_per_hour > offer.usd_per_hour else 0.0,
                offer.devices,
                *_short(one, self.context.assume),
                one.slots or math.inf,
                bool(offer.term_months),
                _paid_months(offer, months),
                self.stack[0] + self.cover + terms.stored_usd_month,
                self.sent_gb * terms.egress_usd_per_gb,
                self.price_sigma(offer, days),
                self.worth(_paid_months(offer, months)),
            )
            for one, offer, terms in rented
        ]
        names = [item.name for item in fields(Charges)]
        table = np.array(columns, dtype=float).reshape(-1, len(names))
        found = dict(zip(names, table.T, strict=True))
        return Charges(**{**found, "committed": found["committed"] > 0})

    def kept(self, charges: Charges, *, nodes: Numbers, mean_nodes: Numbers, deviations: float) -> Numbers:
        """`roughly` of so many pairs at once, so many standard deviations above the middle [USD]."""
        price, fallback, months = charges.usd_per_hour, charges.fallback_usd_per_hour, self._months
        hour = moving = price * self.managed
        if (spot := np.flatnonzero(fallback)).size:
            columns = (nodes, charges.devices, charges.short_share, charges.short_instances)
            asked = zip(*(one[spot].tolist() for one in columns), strict=True)
            missing = np.zeros(len(price))
            missing[spot] = [self._share_of(*one) for one in asked]
            hour = np.where(fallback > 0, hour + missing * (fallback - price), hour)
            moving = np.where(fallback > 0, price * (self.managed - missing), moving)
        paid = np.where(charges.committed, nodes, mean_nodes)
        instances = paid * hour * HOURS_PER_MONTH * charges.paid_months
        usd = instances + ((charges.monthly_usd + self.stack[1] * paid) * months + charges.sent_usd)
        sigma = (
            instances / np.where(instances > 0, usd, 1.0) * (charges.sigma * (moving / np.where(hour > 0, hour, 1.0)))
        )
        above = np.array([math.exp(deviations * one) for one in sigma.tolist()])
        found: Numbers = usd * (1.0 + self.context.taxes.owed_on_services) * charges.worth * above
        return found

    def terms_of(self, supply: Supply, offer: Offer) -> Terms:
        """What of that source's bill follows from no choice."""
        if supply.id not in self._terms:
            held = with_own_storage(offer, self.context.assume)
            self._terms[supply.id] = Terms(
                stored_usd_month=stored_gb(self.context) * held.storage_usd_per_gb_month,
                egress_usd_per_gb=held.egress_usd_per_gb,
                drawing=drawing_of(self.context, offer),
            )
        return self._terms[supply.id]

    def _hour(self, supply: Supply, offer: Offer, choice: ServingChoice) -> tuple[float, float]:
        """What an hour of an instance costs with the hours that spot capacity is not there, and how much of that moves with the offer's
        own price; of two sites the prices of two sellers, or of two instances, move apart [USD/h]."""
        price = apart = offer.usd_per_hour
        if second := second_of(supply, choice, 0.0):
            sites = ((1.0 - second.share) * offer.usd_per_hour, second.share * second.offer.usd_per_hour)
            price = sum(sites)
            apart = price if alike(offer, second.offer) else math.hypot(*sites)
        if supply.fallback_usd_per_hour <= price:
            return price * self.managed, apart * self.managed
        missing = self.missing(supply, offer, choice.nodes)
        dearer = missing * (supply.fallback_usd_per_hour - price)
        return price * self.managed + dearer, apart * (self.managed - missing)

    def missing(self, supply: Supply, offer: Offer, nodes: float) -> float:
        """Share of the hours in which so many spot instances of that source are paid on demand."""
        return self._share_of(nodes, offer.devices, *_short(supply, self.context.assume))

    def _share_of(self, nodes: float, devices: float, many: float, at: float) -> float:
        """Share of the hours in which so many spot instances are paid on demand; `many` of `at` instances is what was measured."""
        assume = self.context.assume
        one = assume["cost.spot_fallback_share"]
        return fallback_share(nodes * devices, assume, between(one, many, at=at, instances=nodes) if at else one)

    def _sigma_of(self, offer: Offer, choice: ServingChoice, months: float, moving: float) -> float:
        """Standard deviation of the log of what instances cost, of which so much moves with the price of the offer, and all of it with
        the time that a batch takes; a term is paid whole."""
        # Whole days: pairs of a batch then share what is remembered of a price.
        dear = self.price_sigma(offer, round(months * DAYS_PER_MONTH)) * moving
        lasts = is_batch(self.work) and not offer.term_months
        return math.hypot(dear, self.size_sigma(choice.cluster.device)) if lasts else dear

    def price_sigma(self, offer: Offer, days: int) -> float:
        """Standard deviation of the log of the price of an hour that is paid for so many days."""
        key = (offer.id, days)
        if key not in self._sigmas:
            self._sigmas[key] = log_sigma_of(offer, self.context.assume, start=self.context.start, days=days)
        return self._sigmas[key]

    def worth(self, months: float) -> float:
        """What one unit is worth that is paid in parts over so many months from the start."""
        hours = float(months) * HOURS_PER_MONTH
        if hours not in self._worths:
            self._worths[hours] = float(decision_of(self.context).spread(hours))
        return self._worths[hours]

    def size_sigma(self, device: Device) -> float:
        """Standard deviation of the log of the time that a batch takes there."""
        if device.slug not in self._sizes:
            self._sizes[device.slug] = size_sigma(device, self.work)
        return self._sizes[device.slug]

    def _around(self, terms: Terms, choice: ServingChoice, months: float, nodes: float) -> float:
        """What is paid beside the instances, which does not follow their price: the stack, stored weights and what is sent to
        users [USD]. Which number of replicas of a batch is cheapest, and who is of two whose instances cost the same, depends on it."""
        stack, watched = self.stack
        sites = 2.0 if choice.standby.apart else 1.0
        month = sites * (stack + terms.stored_usd_month) + self.cover + watched * nodes
        return month * months + self.sent_gb * terms.egress_usd_per_gb

    @cached_property
    def _ends(self) -> bool:
        return ends(self.context)

    @cached_property
    def _months(self) -> float:
        """Months of a service that are costed."""
        return service_months(self.context)

    @cached_property
    def sent_gb(self) -> float:
        """What is sent to users: in a batch, or in all days of a service."""
        return sent_gb(self.context, self.work)

    @cached_property
    def managed(self) -> float:
        """Times its own price that an instance costs."""
        return 1.0 + self.context.assume["cost.managed_premium"]

    @cached_property
    def cover(self) -> float:
        """Who answers for a service, at however many sites [USD/month], before the tax that the sum bears: wages bear none."""
        if self._ends:
            return 0.0
        own, managed = cover_usd_month(self.context.assume)
        return own / (1.0 + self.context.taxes.owed_on_services) + managed

    @cached_property
    def stack(self) -> tuple[float, float]:
        """What stands around a service at one site, and what watches an instance [USD/month]."""
        assume, interactive = self.context.assume, not self._ends
        return (
            stack_usd_month(assume, 0.0, interactive=interactive),
            stack_usd_month(assume, 1.0, interactive=interactive, sites=0.0),
        )


def _paid_months(offer: Offer, months: float) -> float:
    """Months that are paid of so many: whole terms of a commitment."""
    return math.ceil(months / offer.term_months) * offer.term_months if offer.term_months else months


def _short(supply: Supply, assume: Assumptions) -> tuple[float, float]:
    """How often many instances of that spot capacity are not there, and how many they were; 0 where nothing was measured."""
    found = measured(supply.missing, assume)
    return (found.share, float(found.instances)) if found else (0.0, 0.0)
