"""What a choice roughly costs from a source: the sum by which thousands of pairs are ranked before any is costed exactly."""

from __future__ import annotations

import math

from engine.context import Context
from engine.inputs.hardware import Offer
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
from engine.money.drawing import drawing_of, relief
from engine.money.drift import log_sigma_of
from engine.money.leased import with_own_storage
from engine.money.rented import stack_usd_month
from engine.money.spot import fallback_share
from engine.supply import Supply


def roughly(context: Context, work: ServingWork, supply: Supply, choice: ServingChoice) -> ServingFinalist:
    """That choice from that source, priced for ranking."""
    if supply.offer is None:
        model = source_model(context, supply, choice, egress_gb_month=0.0)
        usd = total_of(model)
        return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=cash_needed(model))
    paid, around = _paid_months(supply.offer, months_of(context, choice)), _around(context, work, supply, choice)
    hour, moving = _hour(context, supply, supply.offer, choice)
    instances = mean_nodes(supply, choice) * hour * HOURS_PER_MONTH * paid
    usd = instances + around
    usd_sigma = instances / usd * _sigma_of(context, work, supply.offer, choice, moving / hour) if instances else 0.0
    drawing, drawn = drawing_of(context, supply.offer), 0.0
    if drawing:
        found, more = relief(drawing, billed=usd, instances=instances, hours=paid * HOURS_PER_MONTH)
        drawn, usd = float(found), usd + float(more)
    usd = usd * (1.0 + context.taxes.owed_on_services) - drawn
    return ServingFinalist(supply=supply, choice=choice, usd=usd, cash=usd, usd_sigma=usd_sigma)


def _hour(context: Context, supply: Supply, offer: Offer, choice: ServingChoice) -> tuple[float, float]:
    """What an hour of an instance costs with the hours that spot capacity is not there, and how much of that moves with the offer's
    own price; the prices of two sites move apart [USD/h]."""
    second = second_of(supply, choice, 0.0)
    share = second.share if second else 0.0
    sites = ((1.0 - share) * offer.usd_per_hour, share * second.offer.usd_per_hour if second else 0.0)
    price, apart = sum(sites), math.hypot(*sites)
    missing = fallback_share(choice.nodes * offer.devices, context.assume)
    more = missing * max(supply.fallback_usd_per_hour - price, 0.0)
    premium = context.assume["cost.managed_premium"]
    return price * (1.0 + premium) + more, apart * (1.0 + premium - (missing if more else 0.0))


def _sigma_of(context: Context, work: ServingWork, offer: Offer, choice: ServingChoice, moving: float) -> float:
    """Standard deviation of the log of what instances cost, of which so much moves with the price of the offer, and all of it with
    the time that a batch takes; a term is paid whole."""
    # Whole days: pairs of a batch then share what is remembered of a price.
    days = round(months_of(context, choice) * DAYS_PER_MONTH)
    dear = log_sigma_of(offer, context.assume, start=context.start, days=days) * moving
    lasts = is_batch(work) and not offer.term_months
    return math.hypot(dear, size_sigma(choice.cluster.device, work)) if lasts else dear


def _around(context: Context, work: ServingWork, supply: Supply, choice: ServingChoice) -> float:
    """What is paid beside the instances, which does not follow their price: the stack, stored weights and what is sent to
    users [USD]. Which number of replicas of a batch is cheapest, and who is of two whose instances cost the same, depends on it."""
    assert supply.offer is not None
    offer, assume, months = with_own_storage(supply.offer, context.assume), context.assume, months_of(context, choice)
    sites = 2.0 if choice.standby.apart else 1.0
    stack = stack_usd_month(assume, mean_nodes(supply, choice), interactive=not ends(context), sites=sites)
    stored = sites * stored_gb(context) * offer.storage_usd_per_gb_month
    return (stack + stored) * months + sent_gb(context, work, choice) * offer.egress_usd_per_gb


def _paid_months(offer: Offer, months: float) -> float:
    """Months that are paid of so many: whole terms of a commitment."""
    return math.ceil(months / offer.term_months) * offer.term_months if offer.term_months else months
