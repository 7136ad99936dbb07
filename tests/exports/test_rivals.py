"""Why a cheaper option was not chosen, and which comes next: the limit that keeps it out, and never a rank it would win by."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from engine.answer import Option
from exports.composing.context import Context, Release, currency_of
from exports.composing.rivals import rejected, rejected_label
from planner.frozen.snapshot import Plan
from tests.exports.real_plans import REQUESTS, best_of, plan_of
from tests.exports.samples import training_plan


def context_of(plan: Plan, *others: Option) -> Context:
    told = replace(plan, recommendation=replace(plan.recommendation, alternatives=others)) if others else plan
    return Context(plan=told, release=Release(), money=currency_of(plan))


def said(plan: Plan, *others: Option) -> str:
    return rejected(context_of(plan, *others), best_of(plan)).replace("\u00a0", " ")


def priced(option: Option, factor: float) -> Option:
    """The option at that many times its cost."""
    total = option.cost.total
    money = replace(total, low=total.low * factor, expected=total.expected * factor, high=total.high * factor)
    cost = replace(
        option.cost,
        total=money,
        cash_needed=money.expected,
        at_confidence=option.cost.at_confidence * factor,
        npv_at_confidence=option.cost.npv_at_confidence * factor,
    )
    return replace(option, cost=cost)


def late(option: Option, days: float) -> Option:
    found = replace(option.days, low=days, expected=days, high=days)
    return replace(option, days=found, meets_deadline=False)


def test_of_cheaper_options_that_are_late_the_one_that_is_least_late_is_named() -> None:
    plan = training_plan()
    best, limit = best_of(plan), plan.spec.constraints.deadline_days
    years, soon = late(priced(best, 0.3), 50 * limit), late(priced(best, 0.6), 4 * limit)
    assert f"it takes {4 * limit:g} days, 4 times the deadline" in said(plan, years, soon)
    assert "misses the deadline by" in said(plan, late(priced(best, 0.6), 1.5 * limit), years)


def test_a_cheaper_option_within_all_limits_comes_before_any_that_breaks_one() -> None:
    plan = training_plan()
    best = best_of(plan)
    larger = replace(priced(best, 0.99), count=2 * best.count)
    late_one = late(priced(best, 0.2), 10_000.0)
    assert f"needs {best.count} accelerators more, and costs so near each other count as equal" in said(
        plan, late_one, larger
    )


def test_an_option_that_breaks_a_limit_is_no_next_best() -> None:
    plan = training_plan()
    best = best_of(plan)
    kept, broken = priced(best, 1.5), late(priced(best, 1.1), 1000.0)
    assert " more in present value at 80% confidence at the same pace. " in said(plan, broken, kept)
    assert "times the deadline" not in said(plan, broken, kept)
    assert "times the deadline" in said(plan, broken), "named with its limit where it is all there is"


def test_options_that_differ_only_in_their_terms_are_told_apart() -> None:
    plan = training_plan()
    best = best_of(plan)
    assert best.offer
    dearer = priced(replace(best, offer=replace(best.offer, option="commit_1y")), 1.4)
    assert "one-year commitment: USD" in said(plan, dearer)


@pytest.mark.parametrize("name", REQUESTS)
def test_cost_is_never_why_a_cheaper_option_was_left(name: str) -> None:
    """A plan ranked by cost that passes a cheaper option names the limit or the accelerators that it would need."""
    plan = plan_of(name)
    text, label = said(plan), rejected_label(context_of(plan), best_of(plan))
    assert "ranked by cost" not in text.replace("ranked by cost times days", "")
    if label == "Why not cheaper":
        assert re.search(r"cheaper in present value at \d+% confidence, but", text)
    else:
        assert not re.search(r"cheaper in present value at \d+% confidence, but", text)


def test_a_larger_cluster_that_costs_less_is_not_denied() -> None:
    """The chart has every number of accelerators, the alternatives one of each: page 1 must not deny what the chart shows."""
    plan = training_plan()
    best = best_of(plan)
    dearer = priced(best, 1.4)
    point = replace(plan.recommendation.frontier[0], option_id="larger", feasible=True)
    for share, says in (
        (0.999_9, "No option is cheaper at that confidence."),
        (0.99, "which counts as equal"),
        (0.5, " less."),
    ):
        cheaper = replace(
            point,
            at_confidence=share * best.cost.at_confidence,
            npv_at_confidence=share * best.cost.npv_at_confidence,
        )
        chart = replace(plan, recommendation=replace(plan.recommendation, frontier=(cheaper,)))
        assert says in said(chart, dearer)
        assert ("No option is cheaper" in said(chart, dearer)) == (share > 0.999)


@pytest.mark.parametrize("name", REQUESTS)
def test_what_is_said_of_cheaper_options_is_true_of_all_that_are_drawn(name: str) -> None:
    plan = plan_of(name)
    best = best_of(plan)
    cheaper = [
        one for one in plan.recommendation.frontier if one.feasible and one.ranked_by < 0.999 * best.cost.ranked_by
    ]
    assert not (cheaper and "No option is cheaper" in said(plan))


def test_a_chance_that_falls_short_is_not_told_as_the_one_that_is_asked() -> None:
    """“It keeps its limits with a chance of 80%, and 80% is asked.”"""
    plan = training_plan()
    cheap = priced(best_of(plan), 0.6)
    assert cheap.chance
    short = replace(cheap, sure=False, chance=replace(cheap.chance, all=0.797))
    assert "a chance of 79%, and 80% is asked" in said(plan, short)
