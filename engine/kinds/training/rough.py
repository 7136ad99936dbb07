"""What a training run roughly costs from each source: the sums by which thousands of pairs are ranked before any is costed exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.answer import CostModel
from engine.choice.select import Bools, Floats, Ints
from engine.context import Context
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.arrays import over_arrays
from engine.money.buying import bought_model
from engine.money.cost import cash_needed, owned, total_of
from engine.money.drawing import drawing_of, relief
from engine.money.drift import fallback_band, log_sigma_of
from engine.money.rented import block_hours
from engine.money.signed import budgeted
from engine.money.spot import fallback_share
from engine.odds.normal import P90, upto
from engine.reliability.checkpoints import spare_nodes
from engine.supply import WHOLE_DAYS, Supplies, Supply

_MOST_NODES = 10_000_000
_NEARLY_ALL = 1.645
"""Standard deviations below the middle that 19 of 20 draws are above."""
_EXACT = 1e-9
"""Least standard deviation: what is known exactly has no other."""


@dataclass(frozen=True, kw_only=True)
class Billing:
    """How pairs of a source and a number of instances are billed; all arrays have one entry for each pair."""

    context: Context
    supplies: Supplies
    supply: Ints
    """The source of each pair."""
    nodes: Floats
    """Its instances."""

    def usd_of(self, *, count: Floats, programme_hours: Floats) -> tuple[Floats, Floats]:
        """Approximate cost of the programme, and what a budget must hold for it. `count`: accelerators."""
        usd, cash = self._rented(programme_hours)
        usd, cash = self._drawn(usd, cash, programme_hours)
        for place in np.flatnonzero(self._own):
            source = self.supplies.supplies[self.supply[place]]
            model = _own(self.context, source, float(count[place]), float(programme_hours[place]))
            usd[place] = total_of(model)
            cash[place] = cash_needed(budgeted(model, self.context.spec.constraints.budget_basis))
        return usd, cash

    def least_usd(self, *, programme_hours: Floats, log_sigma: Floats, usd: Floats) -> Floats:
        """What so many hours of a programme that nothing delays cost at least: no exact sum is lower. `usd`: the same of hardware
        of one's own. Of whole days and terms those that nearly every draw needs, and no less than the hours themselves. Nothing
        where a spend commitment pays part of it: how much depends on what is drawn."""
        hours = np.where(self._whole, programme_hours * np.exp(-_NEARLY_ALL * log_sigma), programme_hours)
        least, _ = self._rented(hours)
        steps = np.where(self._whole, self._hours_paid(hours), programme_hours)
        least *= np.maximum(steps, programme_hours) / steps
        pays = [drawing_of(self.context, source.offer) is not None for source in self.supplies.supplies]
        return np.where(np.array(pays, dtype=bool)[self.supply], 0.0, np.where(self._own, usd, least))

    def usd_sigmas(self, *, log_sigma: Floats, programme_hours: Floats) -> Floats:
        """Spread of the log of each cost: of its price, and of its time where that is what is paid for. Whole terms are paid however
        long a step takes, unless other work carries what is left of them: as many of them, or days of a block, as what is asked
        needs."""
        timed = ~(self._months > 0) | (self.context.spec.horizon_months > 0)
        of_price = self._price_sigmas
        sigma: Floats = np.hypot(of_price, log_sigma * timed)
        level = upto(self.context.assume["select.confidence"])
        if level <= 0 or not self._whole.any():
            return sigma
        # Price and time deviate together, each by its part of the spread; the time then moves what is paid for by whole steps.
        both = np.maximum(np.hypot(of_price, log_sigma), _EXACT)
        paid, longer = (self._hours_paid(programme_hours * np.exp(level * more)) for more in (0.0, log_sigma**2 / both))
        return np.where(self._whole, of_price**2 / both + np.log(longer / paid) / level, sigma)

    def _rented(self, programme_hours: Floats) -> tuple[Floats, Floats]:
        """Whole instances; a commitment is paid for its term, less what other work carries of it within the horizon, and a block of
        capacity in whole days. And what a budget must hold for them: whole terms."""
        context, nodes, price = self.context, self.nodes, self._price
        premium = 1.0 + context.assume["cost.managed_premium"]
        term = self._months * HOURS_PER_MONTH
        paid = np.ceil(np.round(programme_hours / np.maximum(term, 1.0), 9)) * term
        demand = np.minimum(context.spec.horizon_months * HOURS_PER_MONTH, paid)
        others = np.maximum(demand - programme_hours, 0.0) * context.use()[0].expected
        committed = paid * programme_hours / (programme_hours + others)
        hours = np.where(self._months > 0, committed, self._hours_paid(programme_hours))
        held = (nodes * premium + self._spares) * price * hours
        hourly = price * premium + self._missing() * (self._dear - price)
        taxed = 1.0 + context.taxes.owed_on_services
        usd: Floats = np.where(self._spot, nodes * programme_hours * hourly, held) * taxed
        if context.spec.constraints.budget_basis == "allocated":
            return usd, usd.copy()
        rest: Floats = taxed * (nodes + self._spares) * price * np.maximum(paid - committed, 0.0)
        return usd, usd + np.where(self._months > 0, rest, 0.0)

    def _drawn(self, usd: Floats, cash: Floats, programme_hours: Floats) -> tuple[Floats, Floats]:
        """The same less what each source draws of a spend commitment, which would be paid unused without this work."""
        context = self.context
        carried = context.spec.constraints.budget_basis == "allocated"
        taxed = 1.0 + context.taxes.owed_on_services
        for index, source in enumerate(self.supplies.supplies):
            drawing = drawing_of(context, source.offer)
            here = np.flatnonzero(self.supply == index) if drawing else ()
            if drawing is None or not len(here):
                continue
            term = source.offer.term_months * HOURS_PER_MONTH if source.offer else 0
            hours = np.ceil(programme_hours[here] / term) * term if term else programme_hours[here]
            mine, billed = usd[here], np.maximum(cash[here], usd[here])
            drawn, more = relief(drawing, billed=billed / taxed, instances=billed / taxed, hours=hours)
            more = more * taxed
            share = mine / np.maximum(billed, 1e-9)
            usd[here] = mine + (more - drawn) * share
            cash[here] = mine + more * share if carried else billed + more - drawn
        return usd, cash

    def _hours_paid(self, hours: Floats) -> Floats:
        """The hours that are paid for: those of the block or of the terms that hold them, where it is paid in whole steps."""
        term = self._months * HOURS_PER_MONTH
        terms = self._whole & (term > 0)
        paid = np.where(terms, np.ceil(np.round(hours / np.maximum(term, 1.0), 9)) * term, hours)
        for formula, here in self._blocks.items():
            paid[here] = over_arrays(formula)({"programme_hours": hours[here]})
        return paid

    @cached_property
    def _blocks(self) -> dict[str, Ints]:
        """The pairs of blocks of capacity, by what a block is made of."""
        found: dict[str, list[Ints]] = {}
        for index, source in enumerate(self.supplies.supplies):
            if source.offer is not None and source.offer.option == WHOLE_DAYS:
                found.setdefault(block_hours(source.offer), []).append(np.flatnonzero(self.supply == index))
        return {formula: np.concatenate(places) for formula, places in found.items()}

    @cached_property
    def _price(self) -> Floats:
        """Of an instance-hour [USD]; nothing of hardware of one's own."""
        return each(self.supplies, lambda s: s.offer.usd_per_hour if s.offer else 0.0)[self.supply]

    @cached_property
    def _dear(self) -> Floats:
        """Of an instance-hour on demand, for the hours without spot capacity [USD]; nothing where it is unknown."""
        return each(self.supplies, lambda s: s.fallback_usd_per_hour)[self.supply]

    @cached_property
    def _months(self) -> Floats:
        """Of a term."""
        return each(self.supplies, lambda s: float(s.offer.term_months) if s.offer else 0.0)[self.supply]

    @cached_property
    def _spot(self) -> Bools:
        found: Bools = each(self.supplies, lambda s: float(bool(s.offer and s.offer.option == "spot")))[self.supply] > 0
        return found

    @cached_property
    def _own(self) -> Bools:
        return np.array([source.offer is None for source in self.supplies.supplies], dtype=bool)[self.supply]

    @cached_property
    def _whole(self) -> Bools:
        sources = self.supplies.supplies
        return np.array([paid_whole(self.context, source) for source in sources], dtype=bool)[self.supply]

    @cached_property
    def _per_node(self) -> Floats:
        """Accelerators of an instance."""
        return each(self.supplies, lambda s: float(s.offer.devices) if s.offer else 0.0)[self.supply]

    @cached_property
    def _spares(self) -> Floats:
        """Spare instances; spot capacity has none."""
        per_node = np.where(self._spot, 0, self._per_node.astype(np.int64))
        codes, index = np.unique(per_node * _MOST_NODES + self.nodes.astype(np.int64), return_inverse=True)
        sizes = [divmod(int(code), _MOST_NODES) for code in codes]
        known = [spare_nodes(size, per, self.context.assume) if per else 0 for per, size in sizes]
        return np.array(known, dtype=float)[index]

    def _missing(self, share: float | None = None) -> Floats:
        """Share of the hours that spot capacity is not there and costs more on demand; nothing where it costs no more, or the price
        is unknown. `share`: what is assumed of a few accelerators, where it is not the usual."""
        dearer = self._spot & (self._dear > self._price)
        sizes, index = np.unique(np.where(dearer, self.nodes * self._per_node, 0.0), return_inverse=True)
        shares = [fallback_share(float(size), self.context.assume, share) if size else 0.0 for size in sizes]
        return np.array(shares, dtype=float)[index]

    @cached_property
    def _price_sigmas(self) -> Floats:
        """Spread of the log of what an hour costs: of the offer's own price, of the one on demand for the hours without spot capacity,
        and of how many of these there are."""
        assume, start, supply = self.context.assume, self.context.start, self.supply

        def own(source: Supply) -> float:
            return log_sigma_of(source.offer, assume, start=start) if source.offer else 0.0

        def twin(source: Supply) -> float:
            """Of the price on demand, times that price [USD/h]."""
            if source.offer is None or not source.fallback_usd_per_hour:
                return 0.0
            price = fallback_band(source.fallback or source.offer, source.fallback_usd_per_hour, assume, start=start)
            return price.expected * math.log(price.high / price.expected) / P90

        mine, missing = each(self.supplies, own)[supply], self._missing()
        if not missing.any():
            return mine
        price, dear = self._price, self._dear
        hour = np.maximum((1.0 - missing) * price + missing * dear, _EXACT)
        prices = np.hypot((1.0 - missing) * price * mine, missing * each(self.supplies, twin)[supply]) / hour
        more = self._missing(assume.get("cost.spot_fallback_share").high) - missing
        both: Floats = np.hypot(prices, np.log1p(more * np.maximum(dear - price, 0.0) / hour) / P90)
        return np.where(missing > 0, both, mine)


def paid_whole(context: Context, source: Supply) -> bool:
    """Is that source paid in whole steps however long the work takes: blocks of capacity, and terms that no other work carries?"""
    offer = source.offer
    return offer is not None and (
        offer.option == WHOLE_DAYS or bool(offer.term_months and not context.spec.horizon_months)
    )


def each(supplies: Supplies, value: Callable[[Supply], float]) -> Floats:
    """That number of every source."""
    return np.array([value(supply) for supply in supplies.supplies], dtype=float)


def _own(context: Context, supply: Supply, count: float, programme_hours: float) -> CostModel:
    """Exact, since these are few: what the work carries of owned or bought hardware."""
    if supply.kind == "owned":
        return owned(
            device=supply.device,
            devices=int(count),
            hours_needed=count * programme_hours,
            start=context.start,
            assume=context.assume,
            system=supply.system,
            holding=supply.holding,
            taxes=context.taxes,
            cash=False,
        )
    assert supply.system is not None
    return bought_model(context, supply.system, int(count), count * programme_hours, cash=False)
