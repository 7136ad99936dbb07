"""What holds an availability that the recommendation misses: the answer in which other hardware, too, may stand at two sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Option
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, finding
from engine.kinds.service.alternatives import NONE_HOLDS
from engine.kinds.service.choice import CostedService
from engine.kinds.service.nearest import cheapest_of, named_service
from engine.kinds.service.standing import availability_from, work_of


def with_what_holds(context: Context, best: Option) -> Option:
    """The recommendation with what holds the availability elsewhere, where no pattern that is had on its own hardware does."""
    if not any(one.code == NONE_HOLDS for one in best.warnings):
        return best
    warnings = (told for one in best.warnings for told in (_told(context, best) if one.code == NONE_HOLDS else (one,)))
    return replace(best, warnings=tuple(warnings))


def _told(context: Context, best: Option) -> Iterator[Finding]:
    """What holds it with its price; that nothing does, where `auto` has no answer that would."""
    operations = replace(context.spec.operations, pattern="auto")
    free = replace(context, spec=replace(context.spec, operations=operations))
    found = cheapest_of(free)
    asked = Quantity(operations.availability, "availability")
    if found is None or (up := _up(free, found)) < operations.availability:
        yield finding("warning.unavailable.nothing", asked=asked)
        return
    yield finding(
        "warning.unavailable.elsewhere",
        asked=asked,
        pattern=Ref("word", f"pattern.{found.pair.choice.standby.pattern}"),
        hardware=named_service(found),
        availability=Quantity(up, "availability"),
        cost=Sum(found.usd),
        more=Sum(max(found.usd - best.cost.total.expected, 0.0)),
    )


def _up(context: Context, found: CostedService) -> float:
    return availability_from(context, work_of(context), found.pair.supply, found.pair.choice)
