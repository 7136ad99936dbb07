"""What rented sources of one cluster charge for a batch, for many numbers of replicas at once: a batch may be given any of fifty numbers
of each of two thousand replicas, while somebody is typing.

The sums are those of `rough.Billing.roughly`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.inputs.hardware import Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.service.choices import BatchSizes
from engine.kinds.service.costs import DAYS_PER_MONTH
from engine.kinds.service.rough import Billing
from engine.money.decision import decision_of
from engine.odds.normal import upto
from engine.physics.token.step import Numbers
from engine.supply import Supply

_Made = Callable[[Supply, Offer, float], float]


@dataclass(kw_only=True)
class Rented:
    """Sources that are billed by their price alone, and what of their bills follows from no number of replicas; a row each."""

    billing: Billing
    rented: Sequence[tuple[Supply, Offer]]
    size_sigma: float
    """Standard deviation of the log of the time that the batch takes on their accelerators."""
    _sigmas: dict[float, Numbers] = field(default_factory=dict)
    """Standard deviations of the log of their prices, by the days that they are paid for."""
    _short: dict[float, Numbers] = field(default_factory=dict)
    """Shares of hours that spot capacity is not there and costs more on demand, by instances; of `_spot`."""

    def __post_init__(self) -> None:
        billing, offers = self.billing, [offer for _, offer in self.rented]
        self._price = _column(offer.usd_per_hour for offer in offers)
        self._dearer = _column(max(one.fallback_usd_per_hour - offer.usd_per_hour, 0.0) for one, offer in self.rented)
        self._spot = np.flatnonzero(self._dearer[:, 0])
        self._term = _column(offer.term_months for offer in offers)
        self._slots = _column(one.slots or math.inf for one, _ in self.rented)
        terms = [billing.terms_of(one, offer) for one, offer in self.rented]
        self._stored = _column(one.stored_usd_month for one in terms)
        self._sent = _column(billing.sent_gb * one.egress_usd_per_gb for one in terms)

    def least(self, sizes: Sequence[BatchSizes]) -> float:
        """The least that any of those sizes costs from any of the sources, as surely as is asked [USD]; infinite where none may be had."""
        if not sizes or not self.rented:
            return math.inf
        nodes, accelerators, hours = (
            np.concatenate([getattr(one, name) for one in sizes]) for name in ("nodes", "accelerators", "hours")
        )
        if not len(hours):  # none ends in time
            return math.inf
        return float(self._kept(nodes, accelerators, hours).min())

    def within(self, size: BatchSizes, most: float) -> NDArray[np.bool_]:
        """Which of those sizes cost no more than that from one of the sources."""
        found: NDArray[np.bool_] = self._kept(size.nodes, size.accelerators, size.hours).min(axis=0) <= most
        return found

    def _kept(self, nodes: Numbers, accelerators: Numbers, hours: Numbers) -> Numbers:
        """A row for each source, a column for each size; infinite where a source cannot hold it."""
        billing, assume = self.billing, self.billing.context.assume
        months, term, managed = hours / HOURS_PER_MONTH, self._term, billing.managed
        stack, watched = billing.stack
        paid = np.where(term > 0, np.ceil(months / np.where(term > 0, term, 1.0)) * term, months)
        missing = np.zeros((len(self.rented), len(nodes)))
        if len(self._spot):
            spot = [self.rented[at] for at in self._spot.tolist()]
            missing[self._spot] = _columns(spot, nodes, self._short, self.billing.missing)
        hour, moving = self._price * managed + missing * self._dearer, self._price * (managed - missing)
        instances = nodes * hour * HOURS_PER_MONTH * paid
        usd = instances + (((stack + self._stored) + watched * nodes) * months + self._sent)
        days = np.round(months * DAYS_PER_MONTH)
        dear = _columns(self.rented, days, self._sigmas, self._price_sigma) * (moving / np.where(hour > 0, hour, 1.0))
        lasts = np.where(term > 0, dear, np.hypot(dear, self.size_sigma))
        sigma = instances / np.where(usd > 0, usd, 1.0) * lasts
        taxed = usd * (1.0 + billing.context.taxes.owed_on_services)
        worth = decision_of(billing.context).spread(paid * HOURS_PER_MONTH)
        kept = taxed * worth * np.exp(upto(assume["select.confidence"]) * sigma)
        return np.where(accelerators <= self._slots, kept, math.inf)

    def _price_sigma(self, _: Supply, offer: Offer, days: float) -> float:
        return self.billing.price_sigma(offer, int(days))


def _columns(
    sources: Sequence[tuple[Supply, Offer]], values: Numbers, known: dict[float, Numbers], made: _Made
) -> Numbers:
    """That number of each source at each of those values; worked out once for each of these."""
    distinct, place = np.unique(values, return_inverse=True)
    for one in distinct.tolist():
        if one not in known:
            known[one] = np.array([made(supply, offer, one) for supply, offer in sources], dtype=float)
    return np.stack([known[one] for one in distinct.tolist()], axis=1)[:, place]


def _column(values: Iterable[float]) -> Numbers:
    return np.array(list(values), dtype=float)[:, None]


def rented_of(billing: Billing, sources: Sequence[Supply]) -> Rented | None:
    """Those sources of one cluster, all of them rented; None where there are none."""
    rented = [(one, one.offer) for one in sources if one.offer is not None]
    if not rented:
        return None
    return Rented(billing=billing, rented=rented, size_sigma=billing.size_sigma(rented[0][0].device))
