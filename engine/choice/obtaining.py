"""What to ask for to have the hardware of a plan, and by when: quotas, reservations, blocks, quotes, orders.

Dates are counted back from the day on which what is asked for is needed: the first day of the work, of a block the first day on which
it can be booked, of a quote for servers the day of their order. Nothing is asked for on the day of the request itself nor at a
weekend. What a provider's documentation does not say is called unknown, and the time that answers take is an assumption.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from engine.answer import Option, Site
from engine.choice.peers import far_below_lists
from engine.context import Context
from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.finding import Finding, Quantity, Ref, Typed, Value, finding
from engine.inputs.hardware import Access, Offer
from engine.inputs.named import seller_ref
from engine.inputs.origin import origin
from engine.money.site import lead_name

_JUDGEMENT = origin("judgement.unpublished")
OBTAIN_ASSUMPTIONS = {
    item.id: item
    for item in (
        Assumption(
            id="obtain.quota_days",
            value=14.0,
            low=2.0,
            high=42.0,
            limits=Limits(0, 365),
            unit="day",
            source=_JUDGEMENT,
        ),
        Assumption(
            id="obtain.reserve_days",
            value=21.0,
            low=7.0,
            high=90.0,
            limits=Limits(0, 365),
            unit="day",
            source=_JUDGEMENT,
        ),
        Assumption(
            id="obtain.quote_days",
            value=10.0,
            low=3.0,
            high=30.0,
            limits=Limits(0, 365),
            unit="day",
            source=origin("obtain.quote_days"),
        ),
    )
}
_DAYS_PER_MONTH = 365.0 / 12.0
_FRIDAY = 4


def obtaining_of(context: Context, best: Option) -> tuple[Finding, ...]:
    """The steps for that option, the earliest first; none for hardware that is owned."""
    if best.kind == "owned":
        return ()
    steps = tuple(_bought(context, best)) if best.offer is None else tuple(_rented(context, best, best.offer))
    return tuple(sorted(steps, key=_by))


def _by(step: Finding) -> tuple[date, bool]:
    """By day; of one day what is asked before what is paid."""
    day = step.values["by"]
    assert isinstance(day, date)
    return day, step.code.startswith(("obtain.block", "obtain.order"))


def _back(context: Context, days: float, needed: date | None = None) -> date:
    """The last working day so many days before what is asked for is needed, by default when the work begins; never before the first
    working day after the request."""
    return max(_weekday((needed or context.start) - timedelta(days=round(days)), -1), first_working_day(context.as_of))


def first_working_day(asked: date) -> date:
    """The first day after that of the request on which somebody is asked; holidays are not known."""
    return _weekday(asked + timedelta(days=1), 1)


def _weekday(day: date, step: int) -> date:
    while day.weekday() > _FRIDAY:
        day += timedelta(days=step)
    return day


def _quote_by(context: Context, needed: date) -> date:
    return _back(context, context.assume["obtain.quote_days"], needed)


def _rented(context: Context, best: Option, offer: Offer) -> Iterator[Finding]:
    if offer.option == "lease":  # it knows no quota: the servers must be delivered
        by = _quote_by(context, context.start)
        yield finding("obtain.lease", **_whom(best, offer), months=offer.term_months, start=context.start, by=by)
        return
    if any(far_below_lists(context, offer)):
        yield finding(
            "obtain.confirm", provider=seller_ref(offer), devices=offer.devices, by=first_working_day(context.as_of)
        )
    access = context.market.access_of(offer)
    for site in best.sites:
        there = context.market.access_of(site.offer)
        yield _quota(context, best, site, there)
        if offer.option not in ("capacity_block", "spot") and site.count > context.assume["select.capacity_known"]:
            by = _back(context, context.assume["obtain.reserve_days"])
            yield finding("obtain.reserve", **_whom(best, site.offer, site.count), by=by, start=context.start)
    if offer.option == "capacity_block":
        yield from _block(context, best, offer, access)
    if offer.option == "spot" and not _interruption_read(context, offer):
        share = Quantity(offer.interruption_per_month, "share")
        yield finding(
            "obtain.interruption",
            provider=seller_ref(offer),
            devices=offer.devices,
            accelerator=Ref("accelerator", best.accelerator, best.accelerator_name),
            share=share,
            by=first_working_day(context.as_of),
        )
    if access.least_accelerators > best.count:
        yield finding(
            "obtain.least", **_whom(best, offer), least=access.least_accelerators, by=first_working_day(context.as_of)
        )
    if offer.basis != "quoted":
        booked = _first_booking(context, access) if offer.option == "capacity_block" else context.start
        alone = len(context.spec.constraints.providers) == 1
        code = "obtain.quote.alone" if alone else "obtain.quote"
        yield finding(code, provider=seller_ref(offer), by=_quote_by(context, booked))


def _interruption_read(context: Context, offer: Offer) -> bool:
    """Whether somebody has read how often such an instance is taken back; a rate of the whole provider is an estimate."""
    place = f"{offer.provider}/{offer.instance}"
    read = {
        f"spot.{place}/{offer.region}.interruption_per_month",
        f"instance.{place}.spot_interruption_per_month",
    }
    return any(fact.id in read for fact in context.market.facts)


def _whom(best: Option, offer: Offer, count: int = 0) -> dict[str, Value]:
    """Who is asked for what, and where; all of it unless for so many accelerators, those of one of two sites."""
    return {
        "provider": seller_ref(offer),
        "count": count or best.count,
        "accelerator": Ref("accelerator", best.accelerator, best.accelerator_name),
        "region": Ref("region", offer.region),
    }


def _quota(context: Context, best: Option, site: Site, access: Access) -> Finding:
    """The limit that stands before what is rented at one site, as far as it is known; a block is booked only within it."""
    days = context.assume["obtain.quota_days"] if access.lead_days is None else access.lead_days
    needed = _first_booking(context, access) if site.offer.option == "capacity_block" else context.start
    whom, by = _whom(best, site.offer, site.count), _back(context, days, needed)
    if not access.quota:
        return finding("obtain.quota.unknown", **whom, by=by)
    need = _counted(site, access)
    if need is None:
        return finding("obtain.quota.uncounted", **whom, quota=Typed(access.quota), by=by)
    code = "obtain.quota" if access.quota_default is None else "obtain.quota.from"
    words = {} if access.quota_default is None else {"usual": access.quota_default}
    unit = Ref("word", f"quota.{access.quota_counts}")
    return finding(code, **whom, quota=Typed(access.quota), need=need, unit=unit, by=by, **words)


def _counted(site: Site, access: Access) -> float | None:
    """How much of that limit the site needs; None where that is not known."""
    match access.quota_counts:
        case "accelerator":
            return float(site.count)
        case "instance":
            return float(site.instances)
        case "vcpu" if site.offer.vcpus:
            return site.instances * site.offer.vcpus
    return None


def _block(context: Context, best: Option, offer: Offer, access: Access) -> Iterator[Finding]:
    """When a block can be booked."""
    days = next((line.amount for line in best.cost.model.lines if line.name == "paid_hours"), 0.0) / 24.0
    whom = _whom(best, offer)
    if access.ahead_days:
        first = _first_booking(context, access)
        yield finding("obtain.block", **whom, days=round(days), first=first, ahead=access.ahead_days, by=first)
    else:
        yield finding(
            "obtain.block.unknown",
            **whom,
            days=round(days),
            by=_first_booking(context, access),
        )


def booked_ahead(context: Context, offer: Offer) -> float:
    """Days from the first day on which a block can be booked, and is paid, to the start; 0 for anything else."""
    if offer.option != "capacity_block":
        return 0.0
    return float((context.start - _first_booking(context, context.market.access_of(offer))).days)


def _first_booking(context: Context, access: Access) -> date:
    """The first day on which a block can be booked; where that is not known, the day by which to ask for it."""
    if not access.ahead_days:
        return _back(context, context.assume["obtain.reserve_days"])
    return max(context.start - timedelta(days=access.ahead_days), first_working_day(context.as_of))


def _bought(context: Context, best: Option) -> Iterator[Finding]:
    """Quotes first, then the order, so that the servers stand there when the work begins."""
    system = next((one for one in context.market.systems if one.slug == best.on_prem), None)
    months = context.assume[f"onprem.{lead_name(system)}"] if system else 0.0
    lead = timedelta(days=round(months * _DAYS_PER_MONTH))
    name, late = Ref("system", best.on_prem, best.system_name), context.start - lead < context.as_of
    order = _back(context, lead.days)
    if system is None or not system.quoted:
        yield finding("obtain.server_quote", system=name, by=_quote_by(context, order))
    arrive = context.as_of + lead if late else context.start
    code = "obtain.order.late" if late else "obtain.order"
    if late and context.spec.start is None:
        code = "obtain.order.unset"
    yield finding(code, system=name, months=months, arrive=arrive, start=context.start, by=order)
