"""What rented hardware costs, as a list of named expressions; and the one door to all cost functions of the engine.

A programme is the final run, its repetitions and the experiments around it, one after the other: `total` is everything,
`final_run` the part of one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from engine.answer import CostInput, CostLine, CostModel, Estimate
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import finding
from engine.inputs.hardware import Offer, System
from engine.inputs.origin import PLAN, REQUEST, Origin
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.added import Added, added_lines
from engine.money.assumptions import COST_ASSUMPTIONS
from engine.money.buy_or_rent import break_even
from engine.money.cash import cash_by_month, completed, with_cash
from engine.money.drawing import Drawing, drawing_lines
from engine.money.draws import banded, draw, drivers, money_draws, probability
from engine.money.drift import Band, fallback_band
from engine.money.leased import is_lease, paid_by_month, site_lines, with_own_storage
from engine.money.lines import (
    CostError,
    amount_of,
    check_positive,
    dollars,
    evaluate,
    given,
    quantity,
    sum_of_leaves,
    total_of,
)
from engine.money.onprem import bought
from engine.money.owned import owned
from engine.money.rented import (
    DataStore,
    billing,
    cover_lines,
    data_inputs,
    dataset_lines,
    instance_inputs,
    length_lines,
    managed,
    paid_when,
    programme_inputs,
    spare_lines,
    stack_lines,
    time_inputs,
    tokenising_lines,
)
from engine.money.second_site import SECOND, SITES, Second, copied_line, instance_lines, second_inputs
from engine.money.signed import (
    COMMITTED_TAX,
    cash_needed,
    commitment_lines,
    committed_service,
    prepaid,
    signed_of,
)
from engine.money.spot import fallback_lines
from engine.money.taxes import service_taxes, tax_inputs

__all__ = [
    "COST_ASSUMPTIONS",
    "CostError",
    "amount_of",
    "banded",
    "bought",
    "break_even",
    "cash_by_month",
    "cash_needed",
    "draw",
    "drivers",
    "evaluate",
    "money_draws",
    "owned",
    "probability",
    "rented_serving",
    "rented_training",
    "signed_of",
    "total_of",
    "with_cash",
]

_OF_RUN, _PAID = finding("cost.accelerator_hours.run"), finding("cost.accelerator_hours.paid")


def rented_training(
    *,
    offer: Offer,
    nodes: int,
    days: Estimate,
    storage_gb: float,
    egress_gb: float,
    runs: int,
    experiment_overhead: float,
    start: date,
    horizon_months: float,
    assume: Assumptions,
    goodput: Estimate | float = 1.0,
    added: Sequence[Added] = (),
    utilisation: Estimate | float = 0.6,
    use_source: Origin = REQUEST,
    dataset: DataStore | None = None,
    spares: int = 0,
    fallback_usd_per_hour: float = 0.0,
    fallback: Offer | None = None,
    taxes: Taxes = NO_TAX,
    drawing: Drawing | None = None,
    system: System | None = None,
    cash: bool = True,
) -> CostModel:
    """The cost of a training run on rented instances.

    `days` is wall time of one run with failures in it, `goodput` the share of it that is progress, `added` the hours over those
    of steps, failures and saving, which `days` hold as well. Instances are whole. Committed capacity is paid for its whole term; within
    the horizon other work that is said to use it at `utilisation` (0: nobody is) carries its share. A capacity block is paid in
    whole days in advance. `storage_gb` are checkpoints, `dataset` the training data where it is priced apart, `spares` instances held
    ready for failed ones, `fallback_usd_per_hour` the price of an instance while spot capacity is not there, `fallback` whose price
    that is if not its seller's, `drawing` the spend commitment that it draws on, `system` the server of a lease. CostError on
    numbers that make no cost. Without `cash` the model has no cash flow.
    """
    check_positive(nodes=nodes, days=days.expected)
    length = days.expected * (runs + experiment_overhead)
    offer = with_own_storage(offer, assume)
    inputs = [
        *instance_inputs(offer, assume, start=start, days=length),
        given("instances", nodes, "", PLAN),
        *time_inputs(days, goodput, added),
        *programme_inputs(runs, experiment_overhead),
        *data_inputs(offer, storage_gb=storage_gb, egress_gb=egress_gb),
        *tax_inputs(taxes),
    ]
    added_hours, more = added_lines(added)
    lines = [
        *added_hours,
        quantity("wall_hours", f"run_hours / goodput{more}", "h"),
        quantity("programme_hours", "wall_hours * (runs + experiment_overhead)", "h"),
        *billing(offer, inputs, horizon_months=horizon_months, utilisation=utilisation, use_source=use_source),
        quantity("accelerator_hours", "instances * wall_hours * devices_per_instance", "h", told=_OF_RUN),
        *fallback_lines(
            inputs,
            offer,
            whose=fallback or offer,
            price=_fallback(offer, fallback_usd_per_hour, assume, start, length, whose=fallback),
            instances=nodes,
            hours="instances * paid_hours",
            assume=assume,
        ),
        *spare_lines(inputs, spares, paid_when(offer)),
        *managed(inputs, assume, paid_when(offer)),
        *dataset_lines(inputs, dataset, assume),
        *tokenising_lines(inputs, dataset, assume),
        dollars(
            "storage",
            f"storage_gb * storage_usd_per_gb_month * programme_hours / {HOURS_PER_MONTH:g}",
            schedule="run",
            told=finding("cost.storage.checkpoints") if dataset else None,
        ),
        dollars("egress", "egress_gb * egress_usd_per_gb * runs", schedule="run"),
        *site_lines(
            inputs, offer, system, assume, hours="instances * devices_per_instance * programme_hours", schedule="run"
        ),
    ]
    span = "paid_hours" if offer.term_months else "programme_hours"
    whole = COMMITTED_TAX if offer.term_months else ""
    lines += _owed(inputs, lines, offer, lines, drawing=drawing, taxes=taxes, span=span, whole=whole)
    leaves = tuple(lines)
    lines.append(sum_of_leaves("total", lines))
    lines.append(dollars("final_run", "total / (runs + experiment_overhead)", kind="total"))
    if offer.term_months > 0:
        lines += commitment_lines(leaves, lease=is_lease(offer))
    elif offer.option == "capacity_block":
        lines.append(prepaid(leaves))
    return completed(inputs, lines, start=start, cash=cash)


def _fallback(
    offer: Offer, usd_per_hour: float, assume: Assumptions, start: date, days: float, *, whose: Offer | None
) -> Band | None:
    """What a spot instance costs while there is no spot capacity; None where nothing is spot or no such price is known."""
    if offer.option != "spot" or not usd_per_hour:
        return None
    return fallback_band(whose or offer, usd_per_hour, assume, start=start, days=days)


def _owed(
    inputs: list[CostInput],
    lines: Sequence[CostLine],
    offer: Offer,
    billed: Sequence[CostLine],
    *,
    drawing: Drawing | None,
    taxes: Taxes,
    span: str,
    whole: str = "",
) -> list[CostLine]:
    """What those lines draw of a spend commitment, of which `billed` by its provider over the hours `span`, and the tax on them."""
    drawn = drawing_lines(inputs, billed, drawing, span=span)
    return [*drawn, *service_taxes(taxes, [*lines, *drawn], whole=whole, leased=is_lease(offer))]


def rented_serving(
    *,
    offer: Offer,
    nodes_by_hour: Sequence[float],
    nodes_peak: int,
    months: float,
    egress_gb_month: float,
    storage_gb: float,
    start: date,
    assume: Assumptions,
    interactive: bool = True,
    fallback_usd_per_hour: float = 0.0,
    fallback: Offer | None = None,
    taxes: Taxes = NO_TAX,
    drawing: Drawing | None = None,
    system: System | None = None,
    second: Second | None = None,
    cash: bool = True,
) -> CostModel:
    """The cost of a service on rented instances over so many months.

    On-demand and spot instances are paid by the hour as the autoscaler holds them (`nodes_by_hour`: one value, or one
    for each hour of a day); committed ones are paid at the peak, for all hours and whole terms. The stack around it
    (load balancer, gateway, registry, monitoring) has a line each; an offline batch (not `interactive`) needs less. `second`: the
    other site, where there are two; instances are then those of both.
    """
    check_positive(nodes=nodes_peak, months=months)
    offer = with_own_storage(offer, assume)
    committed = offer.term_months > 0
    held = float(nodes_peak) if committed else sum(nodes_by_hour) / max(1, len(nodes_by_hour))
    days = months * HOURS_PER_MONTH / 24.0
    inputs = [
        *instance_inputs(offer, assume, start=start, days=days),
        *_held(nodes_peak, held, interactive=interactive),
        *data_inputs(offer, storage_gb=storage_gb, egress_gb=egress_gb_month, per_month=True),
        *tax_inputs(taxes),
    ]
    length = length_lines(inputs, months, interactive=interactive)
    if committed:
        inputs.append(given("term_months", offer.term_months, "month", offer.source))
    if second:
        second_inputs(inputs, second, assume, first=offer, start=start, days=days)
    sites = SITES if second else ""
    paid = "ceil(months / term_months) * term_months" if committed else "months"
    lines = [
        *length,
        quantity("paid_months", paid, "month"),
        quantity("instance_hours", f"instances * paid_months * {HOURS_PER_MONTH:g}", "h"),
        quantity("accelerator_hours", "instance_hours * devices_per_instance", "h", told=_PAID),
        *(instance_lines(offer, second.offer) if second else [_instances(offer)]),
        *fallback_lines(
            inputs,
            offer,
            whose=fallback or offer,
            price=_fallback(offer, fallback_usd_per_hour, assume, start, days, whose=fallback),
            instances=nodes_peak,
            hours="instance_hours",
            assume=assume,
        ),
        *managed(inputs, assume, paid_by_month(offer), on=f"(compute + {SECOND})" if second else "compute"),
        *stack_lines(inputs, assume, interactive=interactive, sites=sites),
        dollars(
            "storage",
            f"storage_gb * storage_usd_per_gb_month * {f'{sites} * ' if second else ''}months",
            schedule="monthly",
            told=finding("cost.storage.service"),
        ),
        *([copied_line()] if second else []),
        dollars("egress", "egress_gb_month * egress_usd_per_gb * months", schedule="monthly"),
        *site_lines(inputs, offer, system, assume, hours="accelerator_hours", schedule="monthly"),
        *cover_lines(inputs, assume, interactive=interactive),
    ]
    billed = [line for line in lines if line.name != SECOND or (second and second.offer.provider == offer.provider)]
    span = f"paid_months * {HOURS_PER_MONTH:g}"
    lines += _owed(inputs, lines, offer, billed, drawing=drawing, taxes=taxes, span=span)
    lines.append(sum_of_leaves("total", lines))
    if interactive:
        lines.append(dollars("monthly", "total / months", kind="total"))
    if committed:
        lines.append(committed_service(lines, lease=is_lease(offer)))
    return completed(inputs, lines, start=start, cash=cash)


def _held(peak: int, mean: float, *, interactive: bool) -> list[CostInput]:
    """Instances at the peak and on average, which of a batch are the same."""
    if interactive:
        mean_told = finding("cost.instances.mean")
        return [given("instances_peak", peak, "", PLAN), given("instances", mean, "", PLAN, told=mean_told)]
    return [
        given("instances_peak", peak, "", PLAN, told=finding("cost.instances")),
        given("instances", mean, "", PLAN, told=finding("cost.instances.paid")),
    ]


def _instances(offer: Offer) -> CostLine:
    return dollars("compute", "instance_hours * price_per_instance_hour", schedule=paid_by_month(offer))
