"""What differs between two frozen plans: the request, the answer and the prices it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from catalog.days import dated
from planner.asked.kinds import WORK
from planner.frozen.snapshot import Plan
from planner.money import carried
from planner.presenters.currency import currency_of
from planner.presenters.request import request_words
from planner.presenters.words import days, hardware, place
from planner.request.quantities import rounded


@dataclass(frozen=True)
class Change:
    """One thing that was different before."""

    part: str
    label: str
    before: str
    after: str
    difference: str = ""
    """Of an amount or a time: how much more or less it is now."""


def changes(before: Plan, after: Plan) -> list[Change]:
    """Changed inputs, then changed results; empty when the plans say the same."""
    old, new = request_words(before), request_words(after, before)
    inputs = [
        Change("Request", key, old.get(key, "not set"), new.get(key, "not set"))
        for key in dict.fromkeys((*old, *new))
        if old.get(key) != new.get(key)
    ]
    first, second, apart = dict(_results(before)), dict(_results(after)), dict(_differences(before, after))
    results = [
        Change("Answer", key, first.get(key, "none"), second.get(key, "none"), apart.get(key, ""))
        for key in dict.fromkeys((*first, *second))
        if first.get(key) != second.get(key)
    ]
    return inputs + results


def _differences(before: Plan, after: Plan) -> Iterator[tuple[str, str]]:
    """By label of a result: how much more or less it is, amounts in the newer plan's currency."""
    old, new, money = before.recommendation.recommended, after.recommendation.recommended, currency_of(after)
    if old is None or new is None:
        return
    scale = carried(before, after)
    yield "Total cost", money.change(new.cost.total.expected, old.cost.total.expected * scale)
    rates = new.cost.price_per_accelerator_hour, old.cost.price_per_accelerator_hour * scale
    yield "Price per accelerator-hour", money.change(*rates)
    took, takes = WORK[old.work].duration(old), WORK[new.work].duration(new)
    if took and takes:
        yield "Time to finish", _longer(took.expected, takes.expected)


def _longer(old: float, new: float) -> str:
    """“0.64 days more”: in days where both are told in days, else in the unit that reads best."""
    apart = abs(new - old)
    told = f"{rounded(apart, 2)} days" if min(old, new) >= 1 else days(apart)
    return f"{told} {'more' if new > old else 'less'}"


def _results(plan: Plan) -> Iterator[tuple[str, str]]:
    answer = plan.recommendation
    best, money = answer.recommended, currency_of(plan)
    yield "Feasible", "yes" if answer.feasible else "no"
    if best:
        yield "Hardware", hardware(best)
        yield "From", place(best)
        yield "Total cost", f"{money.amount(best.cost.total.expected)} ({money.range(best.cost.total)})"
        yield "Price per accelerator-hour", money.amount(best.cost.price_per_accelerator_hour)
        if takes := WORK[best.work].duration(best):
            yield "Time to finish", days(takes.expected)
    yield "Catalog", dated(f"{answer.catalog_release[:12]} of {answer.catalog_date}")
    yield "Engine", answer.engine_version
