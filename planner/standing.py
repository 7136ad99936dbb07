"""How a service stands by, row by row as findings: pages and documents print the same table, each in its own voice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.answer import Standing, StandingCase
from engine.inputs.finding import Finding, Quantity, Ref, Sum, finding


@dataclass(frozen=True, kw_only=True)
class StandingRow:
    """One kind of day: what it is, how often it comes, what is served, and until when all is again."""

    case: Finding
    often: Finding
    served: Finding
    until: Finding


def standing_rows(standing: Standing) -> Iterator[StandingRow]:
    """The normal day first, the worst last."""
    for one in standing.cases:
        yield StandingRow(case=_case(one, standing), often=_often(one), served=_served(one), until=_until(one))


def keeping_sentence(standing: Standing, currency: str) -> Finding | None:
    """What it costs to give nothing back at night; None where nothing is."""
    if standing.keep_cost is None:
        return None
    return finding("standing.keep", cost=Sum(standing.keep_cost, currency))


def standing_sentence(standing: Standing) -> Finding:
    """How replicas stand by, and for how much of the time all of the load is served."""
    pattern, hours = Ref("word", f"pattern.{standing.pattern}"), (1.0 - standing.availability) * 8760.0
    code = "standing.second" if standing.second else "standing"
    where = {"region": Ref("region", standing.second.region)} if standing.second else {}
    return finding(
        code,
        pattern=pattern,
        availability=Quantity(standing.availability, "availability"),
        asked=Quantity(standing.asked, "availability"),
        hours=Quantity(hours, "hour"),
        **where,
    )


def _case(one: StandingCase, standing: Standing) -> Finding:
    code = "case.site.one" if one.case == "site" and standing.second else f"case.{one.case}"
    return finding(code)


def _often(one: StandingCase) -> Finding:
    if one.per_year is None or one.lasts_h is None:
        return finding("often.always")
    lasts = Quantity(one.lasts_h, "hour")
    if one.per_year >= 1.0:
        return finding("often.year", times=round(one.per_year, 1), lasts=lasts)
    return finding("often.years", years=1.0 / one.per_year if one.per_year > 0 else 0.0, lasts=lasts)


def _served(one: StandingCase) -> Finding:
    if one.case == "normal":
        values = {"carries": Quantity(one.carries, "share")}
        if one.ttft_p95_ms is None:
            return finding("served.normal", **values)
        return finding("served.normal.first", **values, first=Quantity(one.ttft_p95_ms, "ms"))
    if one.served <= 0.0:
        return finding("served.none")
    if one.served < 1.0:
        return finding("served.part", share=Quantity(one.served, "share"))
    return finding("served.all", carries=Quantity(one.carries, "share"))


def _until(one: StandingCase) -> Finding:
    """When all of the peak is served again."""
    gap = Quantity(one.gap_s, "s")
    if one.full_s is None:
        return finding("until.over")
    if one.full_s <= 0.0:
        return finding("until.never")
    if one.served >= 1.0 or one.gap_s >= one.full_s:
        return finding("until.gap", gap=Quantity(one.full_s, "s"))
    full = Quantity(one.full_s, "s")
    if one.gap_s <= 0.0:
        return finding("until.full", full=full)
    if one.full_chance >= 1.0:
        return finding("until.started", gap=gap, full=full)
    return finding("until.started.chance", gap=gap, full=full, chance=Quantity(one.full_chance, "chance"))
