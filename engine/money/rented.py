"""The parts of a rental: what an instance costs, how long it runs, and for which hours the provider bills."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import date

from engine.answer import CostInput, CostLine, Estimate
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.drift import band_of
from engine.money.lines import Schedule, assumed, check_positive, dollars, given, quantity

BATCH_HOURS = "batch_hours"
"""Input that says how long a batch is paid for."""
BEYOND = "beyond_share"
"""Input that says how much longer a whole programme takes than its steps, failures and saving, as a share of these."""
NOTHING_BEYOND = Estimate(low=1.0, expected=1.0, high=1.0, unit="")
_DAY_BLOCK_HOURS, _WEEK_BLOCK_HOURS = 24.0, 168.0
_FRONT = (("balancer", "Load balancer"), ("gateway", "Gateway"))
_BEHIND = (("registry", "Model registry and cache"), ("monitoring", "Monitoring and logs"))


@dataclass(frozen=True, kw_only=True)
class DataStore:
    """Training data that is kept during a programme, and the price of a gigabyte for a month where it is kept [USD]."""

    gb: float
    place: str
    size_source: str
    usd_per_gb_month: float
    low: float
    high: float
    price_source: str


@dataclass(frozen=True, kw_only=True)
class Work:
    """A piece of work on hardware of one's own: its accelerator-hours with failures, and the share that is progress."""

    hours: Estimate
    goodput: Estimate
    beyond: Estimate | None = None
    """Hours over those of steps, failures and saving; None where nothing is added."""


def instance_inputs(offer: Offer, assume: Assumptions, *, start: date, days: float) -> list[CostInput]:
    """The price with its range in work that starts on that day and takes so many days."""
    check_positive(usd_per_hour=offer.usd_per_hour, devices=offer.devices)
    price = band_of(offer, assume, start=start, days=days)
    return [
        given(
            "price_per_instance_hour",
            "Price of one instance-hour",
            price.expected,
            "USD/h",
            offer.source,
            low=price.low,
            high=price.high,
            date=offer.price_date,
        ),
        given("devices_per_instance", "Accelerators in one instance", offer.devices, "", offer.source),
    ]


def time_inputs(days: Estimate, goodput: Estimate | float, beyond: Estimate | None = None) -> list[CostInput]:
    """Computing time [h], the share of wall time that is progress, and hours over both, of wall days that hold all three."""
    share = goodput if isinstance(goodput, Estimate) else Estimate(low=goodput, expected=goodput, high=goodput, unit="")
    check_positive(goodput=share.expected)
    over = beyond or NOTHING_BEYOND
    # The band of the days holds those of the goodput and of what lies beyond the steps, which are inputs of their own: what
    # is left is the computing time.
    apart_down = _log2(share.high, share.expected) + _log2(over.expected, over.low)
    apart_up = _log2(share.expected, share.low) + _log2(over.high, over.expected)
    down = math.sqrt(max(_log2(days.expected, days.low) - apart_down, 0.0))
    up = math.sqrt(max(_log2(days.high, days.expected) - apart_up, 0.0))
    expected = days.expected * 24.0 * share.expected / over.expected
    hours = [expected * math.exp(-down), expected, expected * math.exp(up)]
    return [
        given(
            "run_hours",
            "Time of one run without failures",
            hours[1],
            "h",
            "engine",
            low=hours[0],
            high=hours[2],
        ),
        given(
            "goodput",
            "Share of wall time that is progress",
            share.expected,
            "share",
            "engine",
            low=share.low,
            high=share.high,
        ),
        *_beyond_input(beyond),
    ]


def most_of(item: CostInput) -> float:
    """What an input is at most: a part of a whole is no more than that, hours beyond the steps may be more than they are."""
    return 1.0 if item.unit == "share" and item.name != BEYOND else math.inf


def _beyond_input(beyond: Estimate | None) -> list[CostInput]:
    if beyond is None:
        return []
    return [
        given(
            BEYOND,
            "Hours beyond those of steps, failures and saving, as a share of these",
            beyond.expected - 1.0,
            "share",
            "engine",
            low=beyond.low - 1.0,
            high=beyond.high - 1.0,
        )
    ]


def beyond_line(beyond: Estimate | None, label: str) -> tuple[list[CostLine], str]:
    """The hours beyond the steps as a line of their own, and what they add to an expression of hours; neither where
    nothing is added."""
    if beyond is None:
        return [], ""
    return [quantity("beyond_hours", label, f"run_hours / goodput * {BEYOND}", "h")], " + beyond_hours"


def work_of(hours: float, work: Work | None) -> tuple[list[CostInput], list[CostLine]]:
    """The accelerator-hours of a piece of work on hardware of one's own: as they are, or computing over goodput."""
    if work is None:
        return [given("accelerator_hours", "Accelerator-hours of this work", hours, "h", "engine")], []
    days = Estimate(low=work.hours.low, expected=work.hours.expected, high=work.hours.high, unit="h")
    days = replace(days, low=days.low / 24.0, expected=days.expected / 24.0, high=days.high / 24.0)
    busy, *rest = time_inputs(days, work.goodput, work.beyond)
    busy = replace(busy, label="Accelerator-hours of this work without failures")
    lines, more = beyond_line(work.beyond, "Accelerator-hours of restarts, ramp, evaluation and idle time")
    all_of_it = quantity("accelerator_hours", "Accelerator-hours of this work", f"run_hours / goodput{more}", "h")
    return [busy, *rest], [*lines, all_of_it]


def _log2(above: float, below: float) -> float:
    """The squared logarithm of a ratio; nothing where one is not above zero."""
    return math.log(above / below) ** 2 if above > 0 and below > 0 else 0.0


def programme_inputs(runs: int, experiment_overhead: float) -> list[CostInput]:
    return [
        given("runs", "Runs", runs, "", "request"),
        given(
            "experiment_overhead",
            "Experiments and failed attempts, as a share of one run",
            experiment_overhead,
            "",
            "request",
        ),
    ]


def data_inputs(offer: Offer, *, storage_gb: float, egress_gb: float, per_month: bool = False) -> list[CostInput]:
    egress = (
        ("egress_gb_month", "Data transfer out per month", "GB/month")
        if per_month
        else ("egress_gb", "Data transfer out", "GB")
    )
    return [
        given("storage_gb", "Data, weights and checkpoints stored", storage_gb, "GB", "plan"),
        given(
            "storage_usd_per_gb_month",
            "Price of storage",
            offer.storage_usd_per_gb_month,
            "USD/(GB month)",
            offer.source,
            date=offer.price_date,
        ),
        given(egress[0], egress[1], egress_gb, egress[2], "plan"),
        given(
            "egress_usd_per_gb",
            "Price of data transfer out",
            offer.egress_usd_per_gb,
            "USD/GB",
            offer.source,
            date=offer.price_date,
        ),
    ]


def dataset_lines(inputs: list[CostInput], store: DataStore | None) -> list[CostLine]:
    """The training data on its storage tiers, when there is any."""
    if store is None:
        return []
    inputs += [
        given("dataset_gb", "Training data stored", store.gb, "GB", store.size_source),
        given(
            "dataset_usd_per_gb_month",
            f"Price of {store.place}",
            store.usd_per_gb_month,
            "USD/(GB month)",
            store.price_source,
            low=store.low,
            high=store.high,
        ),
    ]
    return [
        dollars(
            "dataset",
            "Storage of the training data",
            f"dataset_gb * dataset_usd_per_gb_month * programme_hours / {HOURS_PER_MONTH:g}",
            schedule="run",
        )
    ]


def spare_lines(inputs: list[CostInput], spares: int, schedule: Schedule) -> list[CostLine]:
    """Instances held ready for those that fail, paid like the others; nothing when there are none."""
    if not spares:
        return []
    inputs.append(given("spare_instances", "Spare instances", spares, "", "engine: Poisson, 99 % sure"))
    line = dollars("spares", "Spare instances", "compute * spare_instances / instances", schedule=schedule)
    committed = schedule == "monthly"  # all of it is paid, of which the total holds the share of this work
    return [replace(line, paid="spare_instances * paid_hours * price_per_instance_hour") if committed else line]


def paid_when(offer: Offer) -> Schedule:
    if offer.term_months > 0:
        return "monthly"
    return "upfront" if offer.option == "capacity_block" else "run"


def billing(
    offer: Offer, inputs: list[CostInput], *, horizon_months: float, utilisation: Estimate | float
) -> list[CostLine]:
    """Hours paid for each instance, and the compute line, by the way the offer is sold."""
    if offer.term_months > 0:
        return _committed(offer, inputs, horizon_months=horizon_months, utilisation=utilisation)
    block = offer.option == "capacity_block"
    return [
        quantity("paid_hours", "Hours paid for each instance", block_hours(offer) if block else "programme_hours", "h"),
        dollars(
            "compute",
            "Instances",
            "instances * paid_hours * price_per_instance_hour",
            schedule="upfront" if block else "run",
        ),
    ]


def block_hours(offer: Offer) -> str:
    """The hours of a block that holds work of `programme_hours`, as a formula: whole days, and where its seller says so, beyond some
    days whole weeks."""
    days = f"ceil(programme_hours / {_DAY_BLOCK_HOURS:g}) * {_DAY_BLOCK_HOURS:g}"
    if not offer.day_steps_until:
        return days
    weeks = f"ceil(programme_hours / {_WEEK_BLOCK_HOURS:g}) * {_WEEK_BLOCK_HOURS:g}"
    return f"if_(programme_hours > {offer.day_steps_until * _DAY_BLOCK_HOURS:g}, {weeks}, {days})"


def certain(value: Estimate | float, unit: str = "share") -> Estimate:
    """That number as an estimate; a plain one is certain."""
    return value if isinstance(value, Estimate) else Estimate(low=value, expected=value, high=value, unit=unit)


def _committed(
    offer: Offer, inputs: list[CostInput], *, horizon_months: float, utilisation: Estimate | float
) -> list[CostLine]:
    use = certain(utilisation)
    inputs += [
        given("term_months", "Months of one commitment", offer.term_months, "month", offer.source),
        given("horizon_months", "Months of demand, this run included", horizon_months, "month", "request"),
        given(
            "utilisation",
            "Share of the other hours that other work uses",
            use.expected,
            "share",
            "request",
            low=use.low,
            high=use.high,
        ),
    ]
    return [
        quantity(
            "paid_hours",
            "Hours paid for each instance",
            f"ceil(programme_hours / (term_months * {HOURS_PER_MONTH:g})) * term_months * {HOURS_PER_MONTH:g}",
            "h",
        ),
        quantity("paid_months", "Months paid", f"paid_hours / {HOURS_PER_MONTH:g}", "month"),
        quantity(
            "other_hours",
            "Hours in which other work uses an instance",
            f"max(0, min(horizon_months * {HOURS_PER_MONTH:g}, paid_hours) - programme_hours) * utilisation",
            "h",
        ),
        quantity(
            "own_share",
            "Share of the commitment that this work carries",
            "programme_hours / (programme_hours + other_hours)",
            "share",
        ),
        replace(
            dollars(
                "compute",
                "Instances",
                "instances * paid_hours * price_per_instance_hour * own_share",
                schedule="monthly",
            ),
            paid="instances * paid_hours * price_per_instance_hour",
        ),
    ]


def managed(inputs: list[CostInput], assume: Assumptions, schedule: Schedule, *, on: str = "compute") -> list[CostLine]:
    """The surcharge of a managed service on those lines, when there is one."""
    if not assume["cost.managed_premium"]:
        return []
    inputs.append(assumed("managed_premium", "cost.managed_premium", assume))
    return [dollars("managed", "Managed service", f"{on} * managed_premium", schedule=schedule)]


def length_lines(inputs: list[CostInput], months: float, *, interactive: bool) -> list[CostLine]:
    """How long it is paid for: a service the months that were asked, a batch the hours until it is done."""
    if interactive:
        inputs.append(given("months", "Months of service", months, "month", "request"))
        return []
    inputs.append(given(BATCH_HOURS, "Length of the batch", months * HOURS_PER_MONTH, "h", "engine"))
    return [quantity("months", "Months of the batch", f"{BATCH_HOURS} / {HOURS_PER_MONTH:g}", "month")]


def stack_lines(
    inputs: list[CostInput],
    assume: Assumptions,
    *,
    interactive: bool,
    instances: str = "instances",
    sites: str = "",
) -> list[CostLine]:
    """What stands around a service; an offline batch has neither load balancer nor gateway. `instances` names what is
    monitored, `sites` how often the rest stands; once without."""
    parts = (*_FRONT, *_BEHIND) if interactive else _BEHIND
    inputs += [assumed(f"{name}_usd_month", f"cost.{name}_usd_month", assume) for name, _ in parts]
    each = {"monitoring": f"monitoring_usd_month * {instances} * months"}
    often = f"{sites} * months" if sites else "months"
    return [
        dollars(name, label, each.get(name, f"{name}_usd_month * {often}"), schedule="monthly") for name, label in parts
    ]


def stack_usd_month(assume: Assumptions, instances: float, *, interactive: bool, sites: float = 1.0) -> float:
    """What those lines come to in a month [USD]."""
    parts = (*_FRONT, *_BEHIND) if interactive else _BEHIND
    each = {"monitoring": instances}
    return sum(assume[f"cost.{name}_usd_month"] * each.get(name, sites) for name, _ in parts)
