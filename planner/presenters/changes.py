"""What differs between two frozen plans: the request, the answer and the prices it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planner.presenters.currency import currency_of
from planner.presenters.request import request_words
from planner.presenters.words import days, hardware, place
from planner.snapshot import Plan


@dataclass(frozen=True)
class Change:
    """One thing that was different before."""

    part: str
    label: str
    before: str
    after: str


def changes(before: Plan, after: Plan) -> list[Change]:
    """Changed inputs, then changed results; empty when the plans say the same."""
    old, new = request_words(before), request_words(after, before)
    inputs = [
        Change("Request", key, old.get(key, "not set"), new.get(key, "not set"))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    ]
    first, second = dict(_results(before)), dict(_results(after))
    results = [
        Change("Answer", key, first.get(key, "none"), second.get(key, "none"))
        for key in dict.fromkeys((*first, *second))
        if first.get(key) != second.get(key)
    ]
    return inputs + results


def _results(plan: Plan) -> Iterator[tuple[str, str]]:
    answer = plan.recommendation
    best, money = answer.recommended, currency_of(plan)
    yield "Feasible", "yes" if answer.feasible else "no"
    if best:
        yield "Hardware", hardware(best)
        yield "From", place(best)
        yield "Total cost", f"{money.amount(best.cost.total.expected)} ({money.range(best.cost.total)})"
        yield "Price per accelerator-hour", money.amount(best.cost.usd_per_accelerator_hour)
        if not best.serving:
            yield "Time to finish", days(best.days.expected)
    yield "Catalog", f"{answer.catalog_release[:12]} of {answer.catalog_date}"
    yield "Engine", answer.engine_version
