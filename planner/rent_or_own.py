"""The ways of having accelerators that a plan knows, side by side: of which documents, pages and the API print the same."""

from __future__ import annotations

from typing import Any

from engine.answer import CostModel, Option
from engine.inputs.finding import Finding, Quantity, finding
from engine.inputs.spec import NO_TAX
from engine.money.dated import sold_after as sold_after
from engine.money.forgone import KEPT as KEPT
from engine.money.forgone import LEFT as LEFT
from engine.money.forgone import SALE as SALE
from engine.money.hosted import hosted_model
from engine.money.views import RATE_ASSUMPTION
from engine.money.ways import WAYS as WAYS
from engine.money.ways import Comparison, compared
from engine.money.ways import Considered as Considered
from engine.money.ways import Way as Way
from engine.money.ways import best_of_each as best_of_each
from engine.money.ways import called as called
from engine.money.ways import keeps as keeps
from engine.money.ways import way_of as way_of
from planner.asked.kinds import WORK
from planner.frozen.snapshot import Plan
from planner.money import amount_text

Json = dict[str, Any]


def comparison(plan: Plan) -> Comparison | None:
    """All ways of that plan; None where nothing is feasible or there is one way only."""
    best = plan.recommendation.recommended
    if best is None:
        return None
    rate = next((item.value for item in plan.recommendation.assumptions if item.id == RATE_ASSUMPTION), 0.0)
    return compared(
        best,
        plan.recommendation.alternatives,
        start=plan.start,
        as_of=plan.as_of,
        rate=rate,
        hosted=hosted(plan, best),
    )


def hosted(plan: Plan, best: Option) -> CostModel | None:
    """What the same tokens cost on the hosted API that the request names, in the currency of the plan; None without one."""
    work = WORK[plan.spec.kind]
    asked, found = work.api_price(plan.spec), work.hosted(best)
    months = _months(best.cost.model)
    if asked is None or not found or not months:
        return None
    into, out = (found.values.get(name) for name in ("into", "out"))
    if not (isinstance(into, int | float) and isinstance(out, int | float)):
        return None
    return hosted_model(
        asked,
        into=float(into),
        out=float(out),
        months=months,
        taxes=plan.spec.taxes or NO_TAX,
        start=plan.start,
        currency=plan.recommendation.currency,
    )


def _months(model: CostModel) -> float:
    """How long the service lasts: an input, of a batch a line."""
    known = {line.name: line.amount for line in model.lines} | {item.name: item.value for item in model.inputs}
    return known.get("months", 0.0)


def payback_of(one: Considered, against: Way) -> Finding | None:
    """After how long that way stays no dearer than the one it is held against; None for that one itself."""
    if one.way == against:
        return None
    if one.payback is None:
        return finding("ways.never")
    return finding("ways.after", months=one.payback) if one.payback else finding("ways.at_once")


def even_use_of(one: Considered) -> Finding | None:
    """From which use on its hours cost no more than rented ones; None where that is not asked."""
    if one.even_use is None:
        return None
    return finding("ways.never") if one.even_use > 1 else finding("ways.from_use", use=Quantity(one.even_use, "share"))


def comparison_body(found: Comparison, *, whole: bool) -> Json:
    """The same as codes and values, but for what is told of it; without its rows unless `whole`."""
    return {
        "against": found.against,
        "rate": found.rate,
        "as_of": found.as_of.isoformat(),
        "ways": [_way_body(one, found.currency) for one in found.ways] if whole else [],
    }


def _way_body(one: Considered, code: str) -> Json:
    sums = {name: getattr(one, name) for name in ("committed", "cash", "npv", "saved")}
    return {
        "way": one.way,
        "option_id": one.option.id if one.option else None,
        "chosen": one.chosen,
        "kept": one.kept,
        **{name: amount_text(value, code) for name, value in sums.items()},
        "payback_months": one.payback,
        "irr": one.irr,
        "break_even_use": one.even_use,
        "chance": one.chance,
    }
