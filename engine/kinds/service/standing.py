"""How a service stands while hosts, sites and providers fail: what is left on the worst day, and what each pattern would cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Lost, PatternCost, Standing, StandingCase
from engine.context import Context
from engine.kinds.service.choices import host_of, restood, serving_replicas, standby_of, started_in
from engine.kinds.service.outcome import ServingChoice
from engine.kinds.service.starting import start_seconds
from engine.kinds.service.work import ServingWork, followed, is_batch, work_from
from engine.reliability.outages import DAYS_PER_YEAR, HOURS_PER_YEAR, Outages, outages_of
from engine.reliability.patterns import Host, availability_of, ceiling, resolved
from engine.reliability.standing import host_down
from engine.supply import Supply

_WINDOWS = 2
"""Windows of maintenance in a year, as `standby.maintenance_h` reckons."""


def work_of(context: Context) -> ServingWork:
    """The work of the request on its market: which outages are reckoned with, and what an automatic pattern stands for."""
    work = work_from(context.spec, context.arch)
    if is_batch(work):
        return work
    outages = outages_of(context.assume)
    if not followed(work):
        outages = replace(outages, morning_capacity=1.0)
    # Which pattern is taken is known before the precision: weights of 16 bits, if no other one is asked for.
    asked = context.spec.serving.precision if context.spec.serving else "auto"
    each = 2.0 if asked in ("auto", "fp16", "bf16") else context.assume[f"serving.bytes.{asked}"]
    outages = replace(outages, start_s=start_seconds(each * context.arch.parameters, context.assume))
    two_sites = any(one.second is not None for one in context.supplies.supplies)
    pattern = resolved(work.pattern, work.availability, outages, two_sites=two_sites)
    return replace(work, pattern=pattern, outages=outages)


def standing_of(
    context: Context, work: ServingWork, supply: Supply, choice: ServingChoice, *, normal_ms: float | None = None
) -> Standing | None:
    """How that choice stands from that source; None for a batch. `normal_ms`: p95 of the first token while all replicas serve."""
    if is_batch(work):
        return None
    outages, host = met_by(work, supply, choice), _host(context, work, choice)
    return Standing(
        pattern=work.pattern,
        asked=work.availability,
        availability=availability_from(context, work, supply, choice),
        ceiling=ceiling(work.pattern, outages),
        lost=tuple(_lost(choice, host, outages)),
        cases=tuple(_cases(context, work, supply, choice, host, outages, normal_ms)),
        second=supply.second if choice.standby.apart else None,
        second_replicas=choice.standby.second(choice.replicas),
    )


def availability_from(context: Context, work: ServingWork, supply: Supply, choice: ServingChoice) -> float:
    """Share of time for which all of the load is served by that choice from that source."""
    host, outages = _host(context, work, choice), met_by(work, supply, choice)
    return availability_of(choice.replicas, choice.standby, host, outages)


def met_by(work: ServingWork, supply: Supply, choice: ServingChoice) -> Outages:
    """The outages that strike its replicas from there, and after what start another one answers.

    A house of one's own has no provider, sites of two providers have none in common, and only what is rented by the hour is given back
    at night."""
    outages = started_in(work, choice.start_s).outages
    apart = choice.standby.apart and supply.offer and supply.second and supply.second.provider != supply.offer.provider
    if apart:  # each of both has its own, which then is an outage of its site
        own = outages.provider_per_year
        per_year = outages.site_per_year + own
        mean = (outages.site_per_year * outages.site_h + own * outages.provider_h) / per_year if per_year else 1.0
        outages = replace(outages, site_per_year=per_year, site_h=mean, provider_per_year=0.0)
    if supply.offer is None:
        outages = replace(outages, provider_per_year=0.0)
    if supply.offer is None or supply.offer.term_months:
        outages = replace(outages, morning_capacity=1.0)
    return outages


def _host(context: Context, work: ServingWork, choice: ServingChoice) -> Host:
    per_node = choice.cluster.devices_per_node
    return host_of(choice.accelerators_per_replica, per_node, host_down(per_node, context.assume), work)


def _lost(choice: ServingChoice, host: Host, outages: Outages) -> Iterator[Lost]:
    """Hours of a year in which less than all of the load is served, by what would have to be away for them to go."""
    free, nothing = replace(host, down=0.0, planned=0.0), choice.standby
    none = replace(outages, site_per_year=0.0, provider_per_year=0.0, morning_capacity=1.0)
    alone = {
        "hosts": (host, none),
        "site": (free, replace(none, site_per_year=outages.site_per_year)),
        "provider": (free, replace(none, provider_per_year=outages.provider_per_year)),
        "mornings": (free, replace(none, morning_capacity=outages.morning_capacity)),
    }
    for cause, (hosts, met) in alone.items():
        yield Lost(
            cause=cause,
            hours_per_year=(1.0 - availability_of(choice.replicas, nothing, hosts, met)) * HOURS_PER_YEAR,
        )


def _cases(
    context: Context,
    work: ServingWork,
    supply: Supply,
    choice: ServingChoice,
    host: Host,
    outages: Outages,
    normal_ms: float | None,
) -> Iterator[StandingCase]:
    """The normal day and the bad ones, the worst last."""
    yield _case("normal", carries=_share(work, choice, choice.replicas + choice.spare_replicas), ttft_p95_ms=normal_ms)
    per_node, repair = choice.cluster.devices_per_node, context.assume["reliability.repair_h"]
    failing = HOURS_PER_YEAR * choice.nodes * per_node / context.assume["reliability.device_mtbf_h"]
    # Rented, another host takes the place of one that is down; of one's own, there is none.
    start = outages.start_s if supply.offer is not None else None
    yield _host_away(
        "host", work, choice, host, per_year=failing, lasts_h=repair, gap_s=outages.failover_s, start_s=start
    )
    if outages.maintenance_h:
        lasts, windows = outages.maintenance_h / _WINDOWS, choice.nodes * _WINDOWS
        # It is announced: traffic goes before.
        yield _host_away("maintenance", work, choice, host, per_year=windows, lasts_h=lasts, gap_s=0.0, start_s=start)
    if choice.replicas_by_hour and outages.morning_capacity < 1.0:
        yield _morning(work, choice, outages)
    if outages.site_per_year:
        yield _site(work, choice, outages)
    if outages.provider_per_year:
        yield _case(
            "provider", per_year=outages.provider_per_year, lasts_h=outages.provider_h, carries=0.0, full_s=None
        )


def _host_away(
    case: str,
    work: ServingWork,
    choice: ServingChoice,
    host: Host,
    *,
    per_year: float,
    lasts_h: float,
    gap_s: float,
    start_s: float | None,
) -> StandingCase:
    """A host of the first site is away: what is left there serves and, where that is too little, a site that stands by beside it,
    once traffic has gone there."""
    left = serving_replicas(choice) - _fullest(choice, host)
    helped = left < choice.replicas and choice.standby.apart and choice.standby.pattern != "active-active"
    carries = _share(work, choice, left + (choice.standby.second(choice.replicas) if helped else 0))
    gap = gap_s if helped else 0.0
    full = gap if carries >= 1.0 else None if start_s is None else gap + start_s
    return _case(case, per_year=per_year, lasts_h=lasts_h, carries=carries, gap_s=gap, full_s=full)


def _case(
    case: str,
    *,
    carries: float,
    per_year: float | None = None,
    lasts_h: float | None = None,
    gap_s: float = 0.0,
    full_s: float | None = 0.0,
    full_chance: float = 1.0,
    ttft_p95_ms: float | None = None,
) -> StandingCase:
    return StandingCase(
        case=case,
        per_year=per_year,
        lasts_h=lasts_h,
        carries=carries,
        served=min(carries, 1.0),
        gap_s=gap_s,
        full_s=full_s,
        full_chance=full_chance,
        ttft_p95_ms=ttft_p95_ms,
    )


def _share(work: ServingWork, choice: ServingChoice, replicas: int) -> float:
    """What so many replicas carry, over the peak: each up to the rate at which it keeps its promises so surely as planned, which is the
    load that the plan tells its use against."""
    return replicas * choice.rate_per_replica / work.requests_per_s


def _fullest(choice: ServingChoice, host: Host) -> int:
    """The most replicas that one host holds, where they are spread evenly."""
    held = choice.standby.first(choice.replicas)
    return math.ceil(held / math.ceil(held / host.per_host))


def _morning(work: ServingWork, choice: ServingChoice, outages: Outages) -> StandingCase:
    """A morning on which nothing of what was given back is there: what was held at night carries what it can."""
    return _case(
        "morning",
        per_year=DAYS_PER_YEAR * (1.0 - outages.morning_capacity),
        lasts_h=outages.morning_h,
        carries=_share(work, choice, min(choice.replicas_by_hour)),
        full_s=outages.morning_h * 3600.0 + outages.start_s,
    )


def _site(work: ServingWork, choice: ServingChoice, outages: Outages) -> StandingCase:
    """The first site is down: what the second one serves, from when, and until when that is all."""
    standby, both = choice.standby, choice.standby.pattern == "active-active"
    carries = _share(work, choice, standby.second(choice.replicas))
    gap = (outages.detect_s if both else outages.failover_s) if standby.apart else 0.0
    missing = standby.apart and carries < 1.0
    return _case(
        "site",
        per_year=outages.site_per_year * (2.0 if both else 1.0),
        lasts_h=outages.site_h,
        carries=carries,
        gap_s=gap,
        full_s=(gap + (outages.start_s if missing else 0.0)) if standby.apart else None,
        full_chance=outages.capacity if missing else 1.0,
    )


def standing_by(context: Context, work: ServingWork, choice: ServingChoice, pattern: str) -> ServingChoice | None:
    """The same replicas in another pattern; None where more accelerators would be needed than may be had."""
    most = min(choice.cluster.max_devices, work.max_accelerators) // choice.accelerators_per_replica
    per_node, asked = choice.cluster.devices_per_node, replace(started_in(work, choice.start_s), pattern=pattern)
    down = host_down(per_node, context.assume)
    standby = standby_of(choice.replicas, choice.accelerators_per_replica, per_node, down=down, work=asked, most=most)
    return restood(choice, asked, standby) if standby.total(choice.replicas) <= most else None


def pattern_cost(
    context: Context, work: ServingWork, supply: Supply, choice: ServingChoice, *, cost: float | None, chosen: bool
) -> PatternCost:
    """A choice in its pattern at that cost; without one it cannot be had, so it holds nothing."""
    up = availability_from(context, work, supply, choice)
    return PatternCost(
        pattern=choice.standby.pattern,
        accelerators=choice.accelerators,
        availability=up,
        pattern_cost=cost,
        holds=cost is not None and up >= work.availability,
        chosen=chosen,
    )
