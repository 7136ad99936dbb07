"""What must be authorised is one sum on every surface: all that is newly signed, and what is paid besides as surely as is asked."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from accounts.models import Role
from engine.money.lines import evaluate
from engine.money.signed import authorised_of
from planner.asked import approval_text
from planner.asked.approval import authorised
from planner.budgets.sheets.sheet import sheet_of
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.presenters.currency import currency_of
from planner.presenters.voice import page_voice
from planner.request.parse import spec_from
from tests.conftest import People, make_member
from tests.exports.real_plans import best_of
from tests.planner.versions import first_version

RUN = {
    "name": "Run",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": 2e11},
    "horizon_months": 36,
}
REQUESTS: dict[str, dict[str, Any]] = {
    "committed": {
        **RUN,
        "training": {"tokens": 2e12},
        "constraints": {"deadline_days": 300, "accelerators": ["tpu-v5e", "tpu-v6e"], "spot": False},
        "utilisation": 0.9,
    },
    "bought": {
        **RUN,
        "constraints": {"deadline_days": 200},
        "operations": {"security": ["air-gapped"]},
        "utilisation": 0.6,  # said of all: a basis that leaves the rest to others says by itself that there are some
    },
    "rented": {**RUN, "constraints": {"deadline_days": 60, "spot": False, "commitments": False}},
}


@cache
def plan(name: str, basis: str = "authorisation", sure: float = 0.8) -> Plan:
    request = REQUESTS[name]
    limits = request["constraints"] | {"budget_basis": basis}
    return estimate(spec_from({**request, "constraints": limits, "confidence": sure}), market_from_files())


def said(one: Plan) -> str:
    return approval_text(one, page_voice(currency_of(one).amount)).replace("\u00a0", " ")


def sums(text: str) -> list[float]:
    """Every amount of a sentence, as it is rounded there."""
    return [float(found.replace(",", "")) for found in re.findall(r"USD ([\d,]*\d)", text)]


def asked(one: Plan) -> float:
    """What the row of certainty that was asked for authorises."""
    row = next(row for row in one.recommendation.certainty if row.asked)
    assert row.authorised is not None
    return row.authorised


@pytest.mark.parametrize(("name", "what"), [("committed", "commitment"), ("bought", "purchase"), ("rented", "none")])
def test_the_samples_sign_what_they_should(name: str, what: str) -> None:
    assert best_of(plan(name)).cost.signed.what == what


@pytest.mark.parametrize("name", ["committed", "bought"])
@pytest.mark.parametrize("basis", ["authorisation", "cash", "allocated"])
def test_no_basis_of_the_budget_changes_what_is_signed_and_authorised(name: str, basis: str) -> None:
    """The basis says what a budget is held against; a signature is as large under each."""
    one, first = plan(name, basis), plan(name)
    best = best_of(one)
    assert best.id == best_of(first).id
    assert authorised_of(best.cost.model) == pytest.approx(authorised_of(best_of(first).cost.model))
    assert asked(one) == pytest.approx(asked(first))
    assert authorised(one, best) >= best.cost.signed.total


@pytest.mark.parametrize("name", ["committed", "bought"])
def test_the_sentence_says_the_sum_of_the_row(name: str) -> None:
    one = plan(name)
    best = best_of(one)
    most = authorised(one, best)
    assert most == asked(one)
    assert "Authorise USD" in said(one)
    assert any(abs(shown - most) <= 0.005 * most for shown in sums(said(one)))


@pytest.mark.parametrize("name", ["committed", "bought", "rented"])
def test_the_sheet_that_the_feed_reads_says_it_too(people: People, name: str) -> None:
    one = plan(name)
    assert (
        sheet_of(first_version(make_member(people.team, "Petra", Role.PLANNER), one)).authorised
        == f"{authorised(one, best_of(one)):.2f}"
    )


def test_where_nothing_is_signed_it_is_what_the_work_costs_at_most() -> None:
    one = plan("rented")
    row = next(row for row in one.recommendation.certainty if row.asked)
    assert authorised(one, best_of(one)) == row.cost == row.authorised
    assert "Authorise USD" not in said(one)


@pytest.mark.parametrize("name", ["committed", "bought", "rented"])
def test_more_confidence_never_asks_for_less(name: str) -> None:
    known = [row.authorised for row in plan(name).recommendation.certainty if row.authorised is not None]
    assert len(known) > 1
    assert all(less <= more for less, more in pairwise(known))


def test_a_purchase_authorises_its_running_costs_too() -> None:
    """Not only the order: power until the work is done."""
    best = best_of(plan("bought"))
    amounts = evaluate(best.cost.model, {})
    assert amounts["energy"] > 0
    assert authorised_of(best.cost.model) >= best.cost.signed.total + amounts["energy"]
