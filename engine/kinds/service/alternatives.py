"""Every pattern on the recommended hardware with what it costs, and the cheapest way to be up for as long as is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.answer import Option, PatternCost, Standing
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, finding
from engine.inputs.hardware import Offer
from engine.inputs.spec import Serving
from engine.kinds.service.costs import ServingFinalist, service_model
from engine.kinds.service.held import may_hold
from engine.kinds.service.options import UNAVAILABLE
from engine.kinds.service.standing import pattern_cost, standing_by
from engine.kinds.service.work import ServingWork, followed
from engine.money.cost import CostError, total_of
from engine.reliability.patterns import PATTERNS, SECOND_SITE

NONE_HOLDS = "warning.unavailable.none"
"""That no pattern which is had on the hardware of an option holds what is asked."""
SPARED = "reason.spared"
"""That the availability which is asked would hold without what is kept spare."""


@dataclass(frozen=True)
class _Way:
    """A pattern on the same hardware, with the replicas of the peak at all hours or not."""

    work: ServingWork
    told: PatternCost


def with_patterns(context: Context, work: ServingWork, pair: ServingFinalist, best: Option) -> Option:
    """The recommendation with all patterns beside its own and, where it is up for less than is asked, the way that would hold."""
    standing = best.standing
    if best.serving is None or standing is None:
        return best
    cost = best.cost.total.expected
    ways = list(_ways(context, work, pair))
    kept = replace(work, keeps=True, outages=replace(work.outages, morning_capacity=1.0))
    gives = bool(followed(work)) and bool(pair.supply.offer) and bool(pair.choice.replicas_by_hour)
    keeping = list(_ways(context, kept, pair)) if gives else []
    own = next((way.told.pattern_cost for way in keeping if way.told.pattern == work.pattern), None)
    standing = replace(
        standing, patterns=tuple(way.told for way in ways), keep_cost=None if own is None else max(own - cost, 0.0)
    )
    warnings = [*_told(best.warnings, standing, _cheapest([*ways, *keeping]), work, pair.supply.second, cost)]
    return replace(
        best,
        serving=replace(best.serving, standing=standing),
        warnings=tuple(warnings),
        reasons=(*best.reasons, *_unneeded(context, standing, best.serving.spare_replicas, cost)),
    )


def _unneeded(context: Context, standing: Standing, spare: int, cost: float) -> Iterator[Finding]:
    """That what is asked holds without the spare replicas too, and what these cost: one is kept unless the request says otherwise."""
    alone = next((one for one in standing.patterns if one.pattern == "n" and one.holds), None)
    if standing.pattern != "spares" or not spare or alone is None or alone.pattern_cost is None:
        return
    saving = cost - alone.pattern_cost
    if saving > cost * context.assume["select.near_equal"]:
        asked = context.spec.serving
        usual = asked is None or asked.spare_replicas == Serving().spare_replicas
        yield finding(
            SPARED if usual else f"{SPARED}.asked",
            count=spare,
            asked=Quantity(standing.asked, "availability"),
            without=Quantity(alone.availability, "availability"),
            saving=Sum(saving),
        )


def _ways(context: Context, work: ServingWork, pair: ServingFinalist) -> Iterator[_Way]:
    """Every pattern for which there are enough accelerators; without a cost where nobody rents them in a second region."""
    for pattern in PATTERNS:
        asked = replace(work, pattern=pattern)
        choice = standing_by(context, asked, pair.choice, pattern)
        if choice is not None:
            cost = _cost(context, asked, replace(pair, choice=choice))
            told = pattern_cost(context, asked, pair.supply, choice, cost=cost, chosen=pattern == work.pattern)
            yield _Way(asked, told)


def _cost(context: Context, work: ServingWork, pair: ServingFinalist) -> float | None:
    if not may_hold(context, pair.supply, pair.choice):
        return None
    try:
        return total_of(service_model(context, work, pair))
    except CostError:
        return None


def _cheapest(ways: list[_Way]) -> _Way | None:
    able = [way for way in ways if way.told.holds and way.told.pattern_cost is not None]
    return min(able, key=lambda way: way.told.pattern_cost or 0.0, default=None)


def _told(
    warnings: tuple[Finding, ...],
    standing: Standing,
    way: _Way | None,
    work: ServingWork,
    second: Offer | None,
    cost: float,
) -> Iterator[Finding]:
    """Those warnings, and behind the one on the time that the service is up what would mend it."""
    for warning in warnings:
        yield warning
        if warning.code == UNAVAILABLE:
            yield from _mended(standing, way, work, second, cost)


def _mended(
    standing: Standing, way: _Way | None, work: ServingWork, second: Offer | None, cost: float
) -> Iterator[Finding]:
    if way is None or way.told.pattern_cost is None:
        yield finding(NONE_HOLDS, asked=Quantity(standing.asked, "availability"))
        return
    keeps, apart = way.work.keeps and not work.keeps, way.told.pattern != work.pattern
    parts = []
    if apart:
        name = f"pattern.{way.told.pattern}"
        code = "way.pattern.second" if second and _apart(way) else "way.pattern"
        region = {"region": Ref("region", second.region)} if second and _apart(way) else {}
        parts.append(finding(code, pattern=Ref("word", name), **region))
    if keeps:
        parts.append(finding("way.keep"))
    yield finding(
        "warning.unavailable.way",
        ways=tuple(parts),
        availability=Quantity(way.told.availability, "availability"),
        more=Sum(max(way.told.pattern_cost - cost, 0.0)),
        count=way.told.accelerators,
    )


def _apart(way: _Way) -> bool:
    return way.told.pattern in SECOND_SITE
