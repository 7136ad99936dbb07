"""The parts of a rental: what an instance costs, how long it runs, and for which hours the provider bills."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.answer import CostInput, CostLine, Estimate
from engine.inputs.assumptions import Assumptions
from engine.inputs.cover import OFFICE_HOURS
from engine.inputs.finding import Ref, finding
from engine.inputs.hardware import Offer, Stated
from engine.inputs.origin import ENGINE, PLAN, POISSON, REQUEST, Origin, origin
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.added import SHARES, Added, added_inputs, added_lines, over_of
from engine.money.drift import band_of
from engine.money.leased import paid_by_month
from engine.money.lines import Schedule, assumed, check_positive, dollars, given, parsed, quantity

BATCH_HOURS = "batch_hours"
"""Input that says how long a batch is paid for."""
COVER, COVER_MANAGED = "cover", "cover_managed"
"""Lines of whoever answers for a service: people of one's own, or somebody else for a fee."""
COVER_FTE = f"cover_office_fte + max(cover_hours - {OFFICE_HOURS:g}, 0) / {OFFICE_HOURS:g} * cover_standby_share"
"""People whose time it takes: a part of one in office hours, and beyond their `OFFICE_HOURS` one who stands by for a share of what an hour
costs."""
_DAY_BLOCK_HOURS, _WEEK_BLOCK_HOURS = 24.0, 168.0
_FRONT, _BEHIND = ("balancer", "gateway"), ("registry", "monitoring")


@dataclass(frozen=True, kw_only=True)
class Tier:
    """A tier of storage, and the price of a gigabyte for a month on it [USD]."""

    name: str
    usd_per_gb_month: float
    low: float
    high: float
    source: Origin


@dataclass(frozen=True, kw_only=True)
class DataStore:
    """Training data that is kept before, during and after a programme, and prices of a gigabyte for a month [USD]."""

    gb: float
    size_source: Origin
    kept: Tier
    """Where it lies, from its upload to its removal."""
    copied: Tier | None = None
    """Where a fast copy lies while the work runs; None where it is read where it lies, or from drives that come with the node."""
    raw_tokens: float = 0.0
    """Of text that has to be tokenised first."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """A piece of work on hardware of one's own: its accelerator-hours with failures, and the share that is progress."""

    hours: Estimate
    goodput: Estimate
    added: tuple[Added, ...] = ()
    """Hours over those of steps, failures and saving."""


def instance_inputs(offer: Offer, assume: Assumptions, *, start: date, days: float) -> list[CostInput]:
    """The price with its range in work that starts on that day and takes so many days."""
    check_positive(usd_per_hour=offer.usd_per_hour, devices=offer.devices)
    price = band_of(offer, assume, start=start, days=days)
    return [
        given(
            "price_per_instance_hour",
            price.expected,
            "USD/h",
            offer.source,
            low=price.low,
            high=price.high,
            date=offer.price_date,
        ),
        given("devices_per_instance", offer.devices, "", offer.source),
    ]


def time_inputs(days: Estimate, goodput: Estimate | float, added: Sequence[Added] = ()) -> list[CostInput]:
    """Computing time [h], the share of wall time that is progress, and hours over both, of wall days that hold all three."""
    share = goodput if isinstance(goodput, Estimate) else Estimate(low=goodput, expected=goodput, high=goodput, unit="")
    check_positive(goodput=share.expected)
    over = over_of(added)
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
            hours[1],
            "h",
            ENGINE,
            low=hours[0],
            high=hours[2],
        ),
        given(
            "goodput",
            share.expected,
            "share",
            ENGINE,
            low=share.low,
            high=share.high,
        ),
        *added_inputs(added),
    ]


def most_of(item: CostInput) -> float:
    """What an input is at most: a part of a whole is no more than that, hours beyond the steps may be more than they are."""
    return 1.0 if item.unit == "share" and item.name not in SHARES else math.inf


def work_of(hours: float, work: Work | None) -> tuple[list[CostInput], list[CostLine]]:
    """The accelerator-hours of a piece of work on hardware of one's own: as they are, or computing over goodput."""
    if work is None:
        return [given("accelerator_hours", hours, "h", ENGINE)], []
    days = Estimate(low=work.hours.low, expected=work.hours.expected, high=work.hours.high, unit="h")
    days = replace(days, low=days.low / 24.0, expected=days.expected / 24.0, high=days.high / 24.0)
    busy, *rest = time_inputs(days, work.goodput, work.added)
    busy = replace(busy, told=finding("cost.run_hours.accelerators"))
    lines, more = added_lines(work.added, accelerators=True)
    all_of_it = quantity("accelerator_hours", f"run_hours / goodput{more}", "h")
    return [busy, *rest], [*lines, all_of_it]


def _log2(above: float, below: float) -> float:
    """The squared logarithm of a ratio; nothing where one is not above zero."""
    return math.log(above / below) ** 2 if above > 0 and below > 0 else 0.0


def programme_inputs(runs: int, experiment_overhead: float) -> list[CostInput]:
    return [
        given("runs", runs, "", REQUEST),
        given(
            "experiment_overhead",
            experiment_overhead,
            "",
            REQUEST,
        ),
    ]


_USUAL = origin("usual_list")
_STORED_USD, _SENT_USD = (0.0147, 0.20), (0.0, 0.12)
"""Least and most that providers of the catalog ask for storage [USD/(GB month)] and data out [USD/GB]."""


def data_inputs(offer: Offer, *, storage_gb: float, egress_gb: float, per_month: bool = False) -> list[CostInput]:
    egress = ("egress_gb_month", "GB/month") if per_month else ("egress_gb", "GB")
    return [
        given("storage_gb", storage_gb, "GB", PLAN),
        _stock(
            given("storage_usd_per_gb_month", offer.storage_usd_per_gb_month, "USD/(GB month)", _USUAL),
            offer.storage_stated,
            _STORED_USD,
        ),
        given(egress[0], egress_gb, egress[1], PLAN),
        _stock(
            given("egress_usd_per_gb", offer.egress_usd_per_gb, "USD/GB", _USUAL),
            offer.egress_stated,
            _SENT_USD,
        ),
    ]


def _stock(item: CostInput, stated: Stated | None, usual: tuple[float, float]) -> CostInput:
    """That price with where it was read; where it was read nowhere, with the range of what others ask."""
    if stated:
        return replace(item, source=stated.source, date=stated.date)
    return replace(item, low=min(usual[0], item.value), high=max(usual[1], item.value))


def dataset_lines(inputs: list[CostInput], store: DataStore | None, assume: Assumptions) -> list[CostLine]:
    """The training data on its storage tiers, when there is any: billed from its upload to its removal, not for the hours of the work
    alone, half of it on average while it comes in; a fast copy for the hours of the work."""
    if store is None:
        return []
    inputs += [
        given("dataset_gb", store.gb, "GB", store.size_source),
        _price_of("dataset_usd_per_gb_month", store.kept),
        assumed("data.upload_bytes_per_s", assume),
        assumed("data.kept_days", assume),
    ]
    copy = []
    if store.copied:
        inputs.append(_price_of("copy_usd_per_gb_month", store.copied))
        amount = f"dataset_gb * copy_usd_per_gb_month * programme_hours / {HOURS_PER_MONTH:g}"
        copy.append(dollars("fast_copy", amount, schedule="run"))
    return [
        quantity(
            "stored_hours",
            "programme_hours + dataset_gb * 1000000000 / upload_bytes_per_s / 3600 / 2 + kept_days * 24",
            "h",
        ),
        dollars(
            "dataset",
            f"dataset_gb * dataset_usd_per_gb_month * stored_hours / {HOURS_PER_MONTH:g}",
            schedule="run",
        ),
        *copy,
    ]


def kept_beside(values: Mapping[str, float]) -> float:
    """What of those lines the training data cost beside the hours of the work [USD]: no hour of hardware is dearer for it."""
    stored = values.get("stored_hours", 0.0)
    return values["dataset"] * (1.0 - values["programme_hours"] / stored) if stored else 0.0


def _price_of(name: str, tier: Tier) -> CostInput:
    place = Ref("word", f"tier.{tier.name}")
    return given(
        name,
        tier.usd_per_gb_month,
        "USD/(GB month)",
        tier.source,
        low=tier.low,
        high=tier.high,
        told=finding(f"cost.{name}", place=place),
    )


def tokenising_lines(inputs: list[CostInput], store: DataStore | None, assume: Assumptions) -> list[CostLine]:
    """Processors that make token ids of the training data, where the request says that it is raw text."""
    if store is None or not store.raw_tokens:
        return []
    inputs += [
        given("raw_tokens", store.raw_tokens, "token", REQUEST),
        assumed("data.tokenised_per_cpu_s", assume),
        assumed("data.usd_per_cpu_hour", assume),
    ]
    return [
        quantity("cpu_hours", "raw_tokens / tokenised_per_cpu_s / 3600", "h"),
        dollars("tokenising", "cpu_hours * usd_per_cpu_hour", schedule="run"),
    ]


def spare_lines(inputs: list[CostInput], spares: int, schedule: Schedule) -> list[CostLine]:
    """Instances held ready for those that fail, paid like the others; nothing when there are none."""
    if not spares:
        return []
    inputs.append(given("spare_instances", spares, "", POISSON))
    line = dollars("spares", "compute * spare_instances / instances", schedule=schedule)
    committed = schedule in (
        "monthly",
        "instalments",
    )  # all of it is paid, of which the total holds the share of this work
    return [replace(line, paid="spare_instances * paid_hours * price_per_instance_hour") if committed else line]


def paid_when(offer: Offer) -> Schedule:
    """The schedule of the instances of a run."""
    if offer.term_months > 0:
        return paid_by_month(offer)
    return "upfront" if offer.option == "capacity_block" else "run"


def billing(
    offer: Offer,
    inputs: list[CostInput],
    *,
    horizon_months: float,
    utilisation: Estimate | float,
    use_source: Origin = REQUEST,
) -> list[CostLine]:
    """Hours paid for each instance, and the compute line, by the way the offer is sold."""
    if offer.term_months > 0:
        return _committed(offer, inputs, horizon_months=horizon_months, utilisation=utilisation, use_source=use_source)
    block = offer.option == "capacity_block"
    return [
        quantity("paid_hours", block_hours(offer) if block else "programme_hours", "h"),
        dollars(
            "compute",
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
    offer: Offer, inputs: list[CostInput], *, horizon_months: float, utilisation: Estimate | float, use_source: Origin
) -> list[CostLine]:
    use = certain(utilisation)
    inputs += [
        given("term_months", offer.term_months, "month", offer.source),
        given("horizon_months", horizon_months, "month", REQUEST),
        given(
            "utilisation",
            use.expected,
            "share",
            use_source,
            low=use.low,
            high=use.high,
            told=finding("cost.utilisation.others"),
        ),
    ]
    return [
        quantity(
            "paid_hours",
            f"ceil(programme_hours / (term_months * {HOURS_PER_MONTH:g})) * term_months * {HOURS_PER_MONTH:g}",
            "h",
        ),
        quantity("paid_months", f"paid_hours / {HOURS_PER_MONTH:g}", "month"),
        quantity(
            "other_hours",
            f"max(0, min(horizon_months * {HOURS_PER_MONTH:g}, paid_hours) - programme_hours) * utilisation",
            "h",
        ),
        quantity(
            "own_share",
            "programme_hours / (programme_hours + other_hours)",
            "share",
            told=finding("cost.own_share.commitment"),
        ),
        replace(
            dollars(
                "compute",
                "instances * paid_hours * price_per_instance_hour * own_share",
                schedule=paid_when(offer),
            ),
            paid="instances * paid_hours * price_per_instance_hour",
        ),
    ]


def managed(inputs: list[CostInput], assume: Assumptions, schedule: Schedule, *, on: str = "compute") -> list[CostLine]:
    """The surcharge of a managed service on those lines, when there is one."""
    if not assume["cost.managed_premium"]:
        return []
    inputs.append(assumed("cost.managed_premium", assume))
    return [dollars("managed", f"{on} * managed_premium", schedule=schedule)]


def length_lines(inputs: list[CostInput], months: float, *, interactive: bool) -> list[CostLine]:
    """How long it is paid for: a service the months that were asked, a batch the hours until it is done."""
    if interactive:
        inputs.append(given("months", months, "month", REQUEST))
        return []
    inputs.append(given(BATCH_HOURS, months * HOURS_PER_MONTH, "h", ENGINE))
    return [quantity("months", f"{BATCH_HOURS} / {HOURS_PER_MONTH:g}", "month", told=finding("cost.months.batch"))]


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
    inputs += [assumed(f"cost.{name}_usd_month", assume) for name in parts]
    each = {"monitoring": f"monitoring_usd_month * {instances} * months"}
    often = f"{sites} * months" if sites else "months"
    return [dollars(name, each.get(name, f"{name}_usd_month * {often}"), schedule="monthly") for name in parts]


def cover_lines(inputs: list[CostInput], assume: Assumptions, *, interactive: bool) -> list[CostLine]:
    """Who answers for a service in the hours that the request states: people of one's own by the hours they are bound, half asleep or not,
    or a managed service by its fee; nothing where nothing is stated."""
    if not interactive:
        return []
    lines: list[CostLine] = []
    if assume["cost.cover_hours"]:
        known = {item.name for item in inputs}
        keys = ("cost.cover_hours", "cost.cover_office_fte", "cost.cover_standby_share", "onprem.usd_per_fte")
        inputs += [assumed(key, assume) for key in keys if key.partition(".")[2] not in known]
        lines += [
            quantity("cover_fte", COVER_FTE, "FTE"),
            dollars(COVER, "cover_fte * usd_per_fte / 12 * months", schedule="monthly"),
        ]
    if assume["cost.cover_managed_usd_month"]:
        inputs.append(assumed("cost.cover_managed_usd_month", assume))
        lines.append(dollars(COVER_MANAGED, "cover_managed_usd_month * months", schedule="monthly"))
    return lines


def cover_usd_month(assume: Assumptions) -> tuple[float, float]:
    """What those lines of a service come to in a month: people of one's own, and somebody else's fee [USD]."""
    names = ("cover_hours", "cover_office_fte", "cover_standby_share")
    hours = assume["cost.cover_hours"]
    people = parsed(COVER_FTE).evaluate({name: assume[f"cost.{name}"] for name in names}) if hours else 0.0
    return people * assume["onprem.usd_per_fte"] / 12.0, assume["cost.cover_managed_usd_month"]


def stack_usd_month(assume: Assumptions, instances: float, *, interactive: bool, sites: float = 1.0) -> float:
    """What those lines come to in a month [USD]."""
    parts = (*_FRONT, *_BEHIND) if interactive else _BEHIND
    each = {"monitoring": instances}
    return sum(assume[f"cost.{name}_usd_month"] * each.get(name, sites) for name in parts)
