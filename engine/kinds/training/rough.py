"""What a training run roughly costs from each source: the sums by which thousands of pairs are ranked before any is costed exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.answer import CostModel
from engine.choice.obtaining import booked_ahead
from engine.choice.select import Bools, Floats, Ints
from engine.context import Context
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.training.scatter import POINTS, deviations, used, within
from engine.money.arrays import over_arrays
from engine.money.bought_many import bought_sums
from engine.money.caused import caused
from engine.money.cost import cash_needed, owned, total_of
from engine.money.decision import decision_of
from engine.money.drawing import drawing_of, relief
from engine.money.drift import fallback_band, log_sigma_of
from engine.money.forgone import sale_of
from engine.money.rented import block_hours
from engine.money.signed import budgeted
from engine.money.spot import fallback_share, share_at
from engine.odds.normal import P90, upto
from engine.reliability.checkpoints import spare_nodes
from engine.supply import WHOLE_DAYS, Supplies, Supply

_MOST_NODES = 10_000_000
_NEARLY_ALL = 1.645
"""Standard deviations below the middle that 19 of 20 draws are above."""
_EXACT = 1e-9
"""Least amount where logarithms are compared, and least price of an hour."""


@dataclass(frozen=True, kw_only=True)
class Billing:
    """How pairs of a source and a number of instances are billed; all arrays have one entry for each pair."""

    context: Context
    supplies: Supplies
    supply: Ints
    """The source of each pair."""
    nodes: Floats
    """Its instances."""

    def usd_of(self, *, count: Floats, programme_hours: Floats) -> tuple[Floats, Floats, Floats]:
        """Approximate cost of the programme, what a budget must hold for it, and what the cash that it causes is worth on the day of the
        request. `count`: accelerators."""
        usd, cash = self._rented(programme_hours)
        usd, cash, worth = self._drawn(usd, cash, programme_hours)
        for at in np.unique(self.supply[self._own]).tolist():
            here, source = np.flatnonzero(self.supply == at), self.supplies.supplies[at]
            if source.kind == "on_prem" and source.system is not None:
                sums = bought_sums(self.context, source.system, count[here], programme_hours[here])
                usd[here], cash[here], worth[here] = sums.usd, sums.cash, sums.worth
                continue
            for place in here.tolist():
                model = _owned(self.context, source, float(count[place]), float(programme_hours[place]))
                usd[place], worth[place] = total_of(model), caused(model, decision_of(self.context))
                cash[place] = cash_needed(budgeted(model, self.context.spec.constraints.budget_basis))
        return usd, cash, worth

    def _discounts(self, programme_hours: Floats) -> Floats:
        """What one unit is worth that is paid for so many hours: in each month of them, or of the term, or when a block is booked."""
        decision, blocks = decision_of(self.context), np.zeros(len(programme_hours))
        ahead = [booked_ahead(self.context, one.offer) if one.offer else 0.0 for one in self.supplies.supplies]
        term = self._months * HOURS_PER_MONTH
        terms = np.ceil(np.round(programme_hours / np.maximum(term, 1.0), 9)) * term
        spread = decision.spread(np.where(term > 0, terms, programme_hours))
        for here in self._blocks.values():
            blocks[here] = 1.0
        once = decision.later(-np.array(ahead, dtype=float)[self.supply])
        found: Floats = np.where(blocks > 0, once, spread)
        return found

    def least_usd(self, *, programme_hours: Floats, log_sigma: Floats, worth: Floats) -> Floats:
        """What so many hours of a programme that nothing delays are worth at least: no exact sum is lower. `worth`: the same of hardware
        of one's own. Of whole days and terms those that nearly every draw needs, and no less than the hours themselves. Nothing
        where a spend commitment pays part of it: how much depends on what is drawn."""
        hours = np.where(self._whole, programme_hours * np.exp(-_NEARLY_ALL * log_sigma), programme_hours)
        least, _ = self._rented(hours)
        steps = np.where(self._whole, self._hours_paid(hours), programme_hours)
        least *= np.maximum(steps, programme_hours) / steps * self._discounts(programme_hours)
        pays = [drawing_of(self.context, source.offer) is not None for source in self.supplies.supplies]
        return np.where(np.array(pays, dtype=bool)[self.supply], 0.0, np.where(self._own, worth, least))

    def usd_sigmas(self, *, log_sigma: Floats, programme_hours: Floats) -> Floats:
        """Spread of the log of each cost: of its price, and of its time where that is what is paid for. Of what is paid in whole days
        or terms the one that leads to the cost at the asked confidence, since a cost in steps is not log-normal."""
        sigma: Floats = np.hypot(self._price_sigmas, log_sigma)
        level = upto(self.context.assume["select.confidence"])
        stepped = np.flatnonzero(self._stepped)
        if level > 0 and len(stepped):
            sigma[stepped] = self._over(stepped, programme_hours, log_sigma) / level
        return sigma

    def _over(self, stepped: Ints, programme_hours: Floats, log_sigma: Floats) -> Floats:
        """Logarithm of what those pairs cost at the asked confidence, over what they cost at their central price and time: price, time
        and use by other work deviate each by itself, and each time is billed as it falls among the steps."""
        longer, busier = deviations()
        many = Billing(
            context=self.context,
            supplies=self.supplies,
            supply=np.repeat(self.supply[stepped], POINTS),
            nodes=np.repeat(self.nodes[stepped], POINTS),
        )
        hours = programme_hours[stepped, None] * np.exp(log_sigma[stepped, None] * longer)
        use = np.tile(used(self.context.others[0], busier), len(stepped))
        billed = np.log(np.maximum(many._rented(hours.reshape(-1), use)[0], _EXACT)).reshape(hours.shape)
        sure = within(billed, self._price_sigmas[stepped], self.context.assume["select.confidence"])
        over: Floats = sure - np.log(np.maximum(self._rented(programme_hours)[0][stepped], _EXACT))
        return over

    def _rented(self, programme_hours: Floats, use: Floats | None = None) -> tuple[Floats, Floats]:
        """Whole instances; a commitment is paid for its term, less what other work carries of it within the horizon, and a block of
        capacity in whole days. And what a budget must hold for them: whole terms. `use`: the share of its other hours that other work
        uses, where it is not the expected one."""
        context, nodes, price = self.context, self.nodes, self._price
        premium = 1.0 + context.assume["cost.managed_premium"]
        term = self._months * HOURS_PER_MONTH
        paid = np.ceil(np.round(programme_hours / np.maximum(term, 1.0), 9)) * term
        demand = np.minimum(context.spec.horizon_months * HOURS_PER_MONTH, paid)
        others = np.maximum(demand - programme_hours, 0.0) * (context.others[0].expected if use is None else use)
        committed = paid * programme_hours / (programme_hours + others)
        hours = np.where(self._months > 0, committed, self._hours_paid(programme_hours))
        held = (nodes * premium + self._spares) * price * hours
        hourly = price * premium + self._missing * (self._dear - price)
        taxed = 1.0 + context.taxes.owed_on_services
        usd: Floats = np.where(self._spot, nodes * programme_hours * hourly, held) * taxed
        if context.spec.constraints.budget_basis == "allocated":
            return usd, usd.copy()
        rest: Floats = taxed * (nodes + self._spares) * price * np.maximum(paid - committed, 0.0)
        return usd, usd + np.where(self._months > 0, rest, 0.0)

    def _drawn(self, usd: Floats, cash: Floats, programme_hours: Floats) -> tuple[Floats, Floats, Floats]:
        """The same less what each source draws of a spend commitment, which would be paid unused without this work; and the worth of it,
        with what is saved on the last day of that."""
        context, discounts = self.context, self._discounts(programme_hours)
        worth = usd * discounts
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
            saved = discounts[here] if drawing.hourly else decision_of(context).on(drawing.until)
            worth[here] = ((mine + more * share) * discounts[here]) - drawn * share * saved
            cash[here] = mine + more * share if carried else billed + more - drawn
        return usd, cash, worth

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
    def _stepped(self) -> Bools:
        """Paid in whole days or terms, whoever else carries what is left of them."""
        return self._whole | (self._months > 0)

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

    @cached_property
    def _missing(self) -> Floats:
        return self._shares_missing(most=False)

    def _shares_missing(self, *, most: bool) -> Floats:
        """Share of the hours that spot capacity is not there and costs more on demand; nothing where it costs no more, or the price
        is unknown. `most`: at the upper end of what is assumed of a few."""
        dearer = self._spot & (self._dear > self._price)
        pairs = np.where(dearer, self.supply * _MOST_NODES + self.nodes.astype(np.int64), -1)
        codes, index = np.unique(pairs, return_inverse=True)
        shares = [self._share(*divmod(int(code), _MOST_NODES), most=most) if code >= 0 else 0.0 for code in codes]
        return np.array(shares, dtype=float)[index]

    def _share(self, at: int, nodes: int, *, most: bool) -> float:
        """The same of so many instances of one source."""
        source, assume = self.supplies.supplies[at], self.context.assume
        per = source.offer.devices if source.offer else 0
        return fallback_share(float(nodes * per), assume, share_at(source.missing, nodes, assume, most=most))

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

        mine, missing = each(self.supplies, own)[supply], self._missing
        if not missing.any():
            return mine
        price, dear = self._price, self._dear
        hour = np.maximum((1.0 - missing) * price + missing * dear, _EXACT)
        prices = np.hypot((1.0 - missing) * price * mine, missing * each(self.supplies, twin)[supply]) / hour
        more = self._shares_missing(most=True) - missing
        both: Floats = np.hypot(prices, np.log1p(more * np.maximum(dear - price, 0.0) / hour) / P90)
        return np.where(missing > 0, both, mine)


def paid_whole(context: Context, source: Supply) -> bool:
    """Is that source paid in whole steps however long the work takes: blocks of capacity, and terms that no other work carries?"""
    offer = source.offer
    return offer is not None and (
        offer.option == WHOLE_DAYS or bool(offer.term_months and not (context.spec.horizon_months and context.shared))
    )


def each(supplies: Supplies, value: Callable[[Supply], float]) -> Floats:
    """That number of every source."""
    return np.array([value(supply) for supply in supplies.supplies], dtype=float)


def _owned(context: Context, supply: Supply, count: float, programme_hours: float) -> CostModel:
    """Exact, since these are few: what the work carries of owned hardware."""
    return owned(
        device=supply.device,
        devices=int(count),
        hours_needed=count * programme_hours,
        start=context.start,
        assume=context.assume,
        system=supply.system,
        holding=supply.holding,
        taxes=context.taxes,
        sale=sale_of(supply.owned, supply.holding, context.assume, as_of=context.as_of, start=context.start),
        cash=False,
    )
