"""What a service or a batch costs from one source: how long it is paid for, what stands around it, the model and its draws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.answer import CostModel, Estimate
from engine.context import SEED, Context
from engine.inputs.architecture import counts_of
from engine.inputs.assumptions import Assumption, Limits, resting_on
from engine.inputs.hardware import Offer
from engine.inputs.origin import origin
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.kinds.service import ServingChoice, ServingWork, answered
from engine.kinds.service.choices import nodes_of
from engine.kinds.service.load import size_sigma
from engine.kinds.service.work import is_batch
from engine.money.buying import own_model
from engine.money.cost import draw, rented_serving
from engine.money.decision import decision_of
from engine.money.drawing import drawing_of
from engine.money.draws import Draws
from engine.money.own_around import Around
from engine.money.rented import BATCH_HOURS
from engine.money.second_site import Second
from engine.money.signed import budgeted
from engine.money.spot import with_share
from engine.odds.normal import P90, upto
from engine.supply import Supply

_VERSIONS = 2.0
"""Versions of the weights that are kept."""
DAYS_PER_MONTH = HOURS_PER_MONTH / 24.0
SERVICE_ASSUMPTIONS: Mapping[str, Assumption] = {
    item.id: item
    for item in (
        Assumption(
            id="service.months",
            value=12.0,
            low=6.0,
            high=36.0,
            limits=Limits(1, 240),
            unit="month",
            source=origin("service.months"),
        ),
        Assumption(
            id="service.bytes_per_token",
            value=5.0,
            low=3.5,
            high=8.0,
            limits=Limits(0, 1000),
            unit="byte",
            source=origin("service.bytes_per_token"),
        ),
        Assumption(
            id="service.bytes_per_picture",
            value=1.0e6,
            low=2.0e5,
            high=3.0e6,
            limits=Limits(0, 1e9),
            unit="byte",
            source=origin("service.bytes_per_picture"),
        ),
        Assumption(
            id="service.bytes_per_vector",
            value=4.0e3,
            low=1.5e3,
            high=2.0e4,
            limits=Limits(0, 1e9),
            unit="byte",
            source=origin("service.bytes_per_vector"),
        ),
        Assumption(
            id="service.bytes_per_answer",
            value=5.0e2,
            low=5.0e1,
            high=5.0e3,
            limits=Limits(0, 1e9),
            unit="byte",
            source=origin("service.bytes_per_answer"),
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class ServingFinalist:
    """One source with one choice of replica, and roughly what it costs."""

    supply: Supply
    choice: ServingChoice
    usd: float
    """What the cash that the whole batch, or all months of the service, cause is worth on the day of the request."""
    cash: float
    """What a budget must hold for it [USD]."""
    usd_sigma: float = 0.0
    """Standard deviation of the log of it."""

    def kept(self, sure: float) -> float:
        """What it comes to at most with that probability [USD]."""
        return self.at(upto(sure))

    def at(self, deviations: float) -> float:
        """What it comes to so many standard deviations above the middle [USD]."""
        return self.usd * math.exp(deviations * self.usd_sigma)


def months_of(context: Context, choice: ServingChoice) -> float:
    """Months that are costed: the horizon, else the assumed year; for a batch its own length."""
    return choice.hours / HOURS_PER_MONTH if ends(context) else service_months(context)


def service_months(context: Context) -> float:
    """Months of a service that are costed, whatever is chosen for it."""
    return context.spec.horizon_months or context.assume["service.months"]


def spans_of(context: Context) -> float:
    """How often the hours of a choice are costed: once for a batch, each day of a service."""
    return 1.0 if ends(context) else service_months(context) * DAYS_PER_MONTH


def ends(context: Context) -> bool:
    """Is it a batch, which is done some day?"""
    return bool(context.spec.serving and context.spec.serving.batch)


def stored_gb(context: Context) -> float:
    """Weights in two versions [GB]."""
    return context.arch.parameters * 2.0 / 1e9 * _VERSIONS


def second_offer(supply: Supply, choice: ServingChoice) -> Offer | None:
    """What is rented at the second site of that choice; None without one."""
    return supply.second if choice.standby.apart else None


def second_of(supply: Supply, choice: ServingChoice, weights_gb: float = 0.0) -> Second | None:
    """The second site of that choice, and the weights that are copied there, which only its cost asks for; None without one."""
    if supply.second is None or not choice.standby.apart:
        return None
    per_node = choice.cluster.devices_per_node
    first, second = nodes_of(choice.accelerators_per_replica, choice.standby, choice.replicas, per_node)
    return Second(offer=supply.second, share=second / (first + second), weights_gb=weights_gb)


def around_of(context: Context, choice: ServingChoice) -> Around:
    """What stands around the service on own hardware."""
    return Around(
        stored_gb=stored_gb(context),
        months=months_of(context, choice),
        interactive=not ends(context),
        joined=choice.accelerators_per_replica > choice.cluster.devices_per_node,
    )


def _nodes_by_hour(choice: ServingChoice) -> Sequence[float]:
    """Whole instances in each hour of the load curve, or one value for a flat load."""
    if not choice.replicas_by_hour:
        return (float(choice.nodes),)
    peak = choice.replicas + choice.spare_replicas
    return tuple(float(math.ceil(choice.nodes * held / peak)) for held in choice.replicas_by_hour)


def mean_nodes(supply: Supply, choice: ServingChoice) -> float:
    """Instances that are paid on average over the day; of a commitment those of the peak."""
    if supply.offer is not None and supply.offer.term_months:
        return float(choice.nodes)
    hours = _nodes_by_hour(choice)
    return sum(hours) / len(hours)


def service_model(context: Context, work: ServingWork, pair: ServingFinalist) -> CostModel:
    """The exact cost of the service, without cash flow and without the band of its size. CostError when it has none."""
    sent = sent_gb(context, work)
    return source_model(context, pair.supply, pair.choice, egress_gb_month=sent / months_of(context, pair.choice))


def priced_model(context: Context, work: ServingWork, pair: ServingFinalist) -> CostModel:
    """The exact cost with its bands. How long a batch takes is uncertain; what a service needs was decided, as surely as
    was asked, and is paid for. CostError when it has none."""
    model = service_model(context, work, pair)
    return _uncertain_size(model, size_sigma(pair.choice.cluster.device, work)) if is_batch(work) else model


def cost_draws(context: Context, work: ServingWork, pair: ServingFinalist) -> Draws:
    """What it costs in each draw, from which every sum at a confidence is taken. CostError when it has no cost."""
    return draw(priced_model(context, work, pair), assume=context.assume, seed=SEED, decision=decision_of(context))


def sent_gb(context: Context, work: ServingWork) -> float:
    """What is sent to users in all that is costed [GB]."""
    return answered(work) * spans_of(context) * context.assume[_sent(work)] / 1e9


def _sent(work: ServingWork) -> str:
    """The assumption on the bytes of one unit of what is answered."""
    if work.arch.modality == "diffusion":
        return "service.bytes_per_picture"
    found = {"token": "service.bytes_per_token", "text": "service.bytes_per_vector"}
    return found.get(counts_of(work.arch), "service.bytes_per_answer")


def source_model(context: Context, supply: Supply, choice: ServingChoice, *, egress_gb_month: float) -> CostModel:
    """The cost model; months that nobody asked for are told as the assumption that they are."""
    model = budgeted(_costed(context, supply, choice, egress_gb_month), context.spec.constraints.budget_basis)
    if context.spec.horizon_months:
        return model
    known = SERVICE_ASSUMPTIONS["service.months"]
    inputs = (replace(one, source=resting_on(known)) if one.name == "months" else one for one in model.inputs)
    return replace(model, inputs=tuple(inputs))


def _costed(context: Context, supply: Supply, choice: ServingChoice, egress_gb_month: float) -> CostModel:
    months = months_of(context, choice)
    if supply.offer is None:
        hours = choice.accelerator_hours * spans_of(context)
        around = around_of(context, choice)
        return own_model(context, supply, choice.accelerators, hours, around=around, cash=False)
    return rented_serving(
        offer=supply.offer,
        nodes_by_hour=_nodes_by_hour(choice),
        nodes_peak=choice.nodes,
        months=months,
        egress_gb_month=egress_gb_month,
        storage_gb=stored_gb(context),
        start=context.start,
        assume=with_share(supply.missing, choice.nodes, context.assume),
        interactive=not ends(context),
        fallback_usd_per_hour=supply.fallback_usd_per_hour,
        fallback=supply.fallback,
        taxes=context.taxes,
        drawing=drawing_of(context, supply.offer),
        system=supply.system,
        second=second_of(supply, choice, stored_gb(context) / _VERSIONS),
        cash=False,
    )


def _uncertain_size(model: CostModel, log_sigma: float) -> CostModel:
    """The model with the band of what follows from throughput: how long a batch takes."""
    spread, sized = math.exp(P90 * log_sigma), {BATCH_HOURS, "accelerator_hours"}
    inputs = tuple(
        replace(item, low=item.value / spread, high=item.value * spread) if item.name in sized else item
        for item in model.inputs
    )
    return replace(model, inputs=inputs)


def batch_days(choice: ServingChoice, log_sigma: float, because: tuple[str, ...] = ()) -> Estimate:
    """Days of a batch once its hardware is there; they spread as the throughput does."""
    days, spread = choice.hours / 24.0, math.exp(P90 * log_sigma)
    return Estimate(low=days / spread, expected=days, high=days * spread, unit="day", because=because)
