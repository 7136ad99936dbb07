"""What to ask for to have the hardware of a plan, and by when: quotas, reservations, blocks, quotes, orders.

Dates are counted back from the first day of the work. What a provider's documentation does not say is called unknown, and
the time that answers take is an assumption.
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
from engine.money.site import lead_name

_JUDGEMENT = "planning judgement: no provider publishes it"
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
            meaning="from asking a provider for a higher limit to having it",
            source=_JUDGEMENT,
        ),
        Assumption(
            id="obtain.reserve_days",
            value=21.0,
            low=7.0,
            high=90.0,
            limits=Limits(0, 365),
            unit="day",
            meaning="from asking a provider to keep accelerators free to its answer",
            source=_JUDGEMENT,
        ),
        Assumption(
            id="obtain.quote_days",
            value=10.0,
            low=3.0,
            high=30.0,
            limits=Limits(0, 365),
            unit="day",
            meaning="from a request for quotation to the answers",
            source="planning judgement",
        ),
    )
}
_DAYS_PER_MONTH = 365.0 / 12.0


def obtaining_of(context: Context, best: Option) -> tuple[Finding, ...]:
    """The steps for that option, the earliest first; none for hardware that is owned."""
    if best.kind == "owned":
        return ()
    steps = tuple(_bought(context, best)) if best.offer is None else tuple(_rented(context, best, best.offer))
    return tuple(sorted(steps, key=_by))


def _by(step: Finding) -> date:
    day = step.values["by"]
    assert isinstance(day, date)
    return day


def access_of(context: Context, offer: Offer) -> Access:
    """What is known of how capacity of that offer is had: of its family of instances, else of its provider and option."""
    family = "".join(letter for letter in offer.instance.split(".")[0] if not letter.isdigit())[:1].lower()
    known, key = context.market.access, f"{offer.provider}/{offer.option}"
    return known.get(f"{key}/{family}") or known.get(key) or Access()


def _back(context: Context, days: float) -> date:
    """So many days before the work begins, never before the day of the request."""
    return max(context.start - timedelta(days=round(days)), context.as_of)


def _quote_by(context: Context, needed: date) -> date:
    return max(needed - timedelta(days=round(context.assume["obtain.quote_days"])), context.as_of)


def _rented(context: Context, best: Option, offer: Offer) -> Iterator[Finding]:
    if offer.option == "lease":  # it knows no quota: the servers must be delivered
        by = _quote_by(context, context.start)
        yield finding("obtain.lease", **_whom(best, offer), months=offer.term_months, start=context.start, by=by)
        return
    if any(far_below_lists(context, offer)):
        yield finding("obtain.confirm", provider=seller_ref(offer), devices=offer.devices, by=context.as_of)
    access = access_of(context, offer)
    for site in best.sites:
        there = access_of(context, site.offer)
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
            by=context.as_of,
        )
    if access.least_accelerators > best.count:
        yield finding("obtain.least", **_whom(best, offer), least=access.least_accelerators, by=context.as_of)
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
    """The limit that stands before what is rented at one site, as far as it is known."""
    days = context.assume["obtain.quota_days"] if access.lead_days is None else access.lead_days
    whom, by = _whom(best, site.offer, site.count), _back(context, days)
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
    """When a block can be booked, and what it may hold."""
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
            by=_back(context, context.assume["obtain.reserve_days"]),
        )
    instances = -(-best.count // offer.devices)
    if access.most_days and days > access.most_days:
        yield finding("obtain.block.long", **whom, days=round(days), most=access.most_days, by=context.as_of)
    if access.most_instances and instances > access.most_instances:
        yield finding("obtain.block.large", **whom, instances=instances, most=access.most_instances, by=context.as_of)


def _first_booking(context: Context, access: Access) -> date:
    """The first day on which a block can be booked; where that is not known, the day by which to ask for it."""
    days = access.ahead_days or context.assume["obtain.reserve_days"]
    return _back(context, days)


def _bought(context: Context, best: Option) -> Iterator[Finding]:
    """Quotes first, then the order, so that the servers stand there when the work begins."""
    system = next((one for one in context.market.systems if one.slug == best.on_prem), None)
    months = context.assume[f"onprem.{lead_name(system)}"] if system else 0.0
    order = _back(context, months * _DAYS_PER_MONTH)
    name = Ref("system", best.on_prem, best.system_name)
    if system is None or not system.quoted:
        yield finding("obtain.server_quote", system=name, by=_quote_by(context, order))
    late = context.start - timedelta(days=round(months * _DAYS_PER_MONTH)) < context.as_of
    arrive = order + timedelta(days=round(months * _DAYS_PER_MONTH))
    code = "obtain.order.late" if late else "obtain.order"
    yield finding(code, system=name, months=months, arrive=arrive, start=context.start, by=order)
