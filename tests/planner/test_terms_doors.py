"""Discounts, spend commitments and leases through every door: the form, YAML, the API, page 1, FOCUS and the workbook."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from exports.compose import compose
from exports.render import render
from exports.round_trip.targets import changed_spec, target_of
from lab.gallery.focus_rules import broken, rows_of
from planner.body import estimate_body
from planner.estimate import estimate
from planner.market import market_from_files
from planner.money import accounts
from planner.pages.form.screens import TRAIN, fields_of, folds_of
from planner.presenters import currency_of
from planner.presenters.request import request_words
from planner.presenters.trail import price_words
from planner.request.drafts import draft_from, typed_from
from planner.request.parse import spec_from
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.recalculation import changed, grid, named_cells, recalculated
from tests.exports.test_signs import rows

DRAWS = ("train-draws-commitment-eur", "serve-savings-plan")
TYPED = {
    "currency": "EUR", "model": "llama-3.1-8b", "name": "Typed", "training.tokens": "2B",
    "discounts.0.at": "aws", "discounts.0.share": "0.12",
    "spend_commitments.0.provider": "aws", "spend_commitments.0.left_usd": "900k",
    "spend_commitments.0.until": "2027-06-30", "spend_commitments.0.others_usd_month": "20k",
    "leases.0.system": "dgx-h200", "leases.0.usd_month": "4100", "leases.0.months": "24",
}  # fmt: skip


@cache
def workbook(name: str) -> bytes:
    return render(gallery_plan(name), "xlsx", state="draft")


def test_the_form_has_a_row_for_each_and_reads_amounts_in_its_currency() -> None:
    fields = fields_of(TRAIN, TYPED)
    assert {"Discounts you have agreed", "Money you have committed", "Servers you can lease"} <= {
        fold.title for fold in folds_of(TRAIN, fields)
    }
    draft, faults = draft_from(TYPED, fields_of(TRAIN), workload="training")
    assert not faults
    rates = {"EUR": (1.1, "2026-11-20")}
    spec = spec_from(draft, text=True, rates=rates)
    assert spec.discounts[0].share == 0.12
    found = spec.spend_commitments[0]
    assert (found.left_usd, found.others_usd_month, found.lapses) == (990_000.0, 22_000.0, "at_end")
    assert spec.leases[0].usd_month == pytest.approx(4510.0)
    assert typed_from(draft)["spend_commitments.0.left_usd"] == "900k"


@pytest.mark.parametrize("name", DRAWS)
def test_page_one_says_what_is_drawn_and_that_nothing_new_is_signed(name: str) -> None:
    plan = gallery_plan(name)
    told, money, found = rows(plan), currency_of(plan), accounts(plan)
    assert found
    pool = found.views.pool
    assert pool
    assert pool.drawn > 0
    for amount in (pool.drawn, pool.left):
        assert money.amount(amount) in told["committed"]
    assert found.views.committed == 0
    assert "nothing new is signed" in told["committed"]
    assert money.amount(found.views.allocated) in told["share"]
    facts = {fact.key: fact.text for fact in compose(plan).decision.facts}
    assert told["committed"].partition(" remain until ")[0] in facts["sign_committed"], "days are spelled out there"
    assert "nothing new is signed" in facts["sign_committed"]
    body = estimate_body(plan)
    assert float(body["money"]["pool"]["drawn"]["amount"]) == pool.drawn
    assert float(body["recommended"]["cost"]["signed"]["drawn"]["amount"]) == pool.drawn


@pytest.mark.parametrize("name", [*DRAWS, "serve-leased-servers"])
def test_focus_bills_what_is_paid_and_names_what_draws(name: str) -> None:
    plan = gallery_plan(name)
    assert broken(plan) == []
    found, rows_ = accounts(plan), rows_of(plan)
    assert found
    assert not any(row["x_Line"] == "shortfall_saved" for row in rows_), "a charge that is not made is none"
    drawn = sum(float(row["x_ContractCommitmentDrawnCost"] or 0) for row in rows_)
    assert drawn == pytest.approx(found.views.pool.drawn if found.views.pool else 0.0)
    lapsed = sum(float(row["BilledCost"]) for row in rows_ if row["x_Line"] == "spend_unused")
    assert lapsed == pytest.approx(found.views.pool.unused if found.views.pool else 0.0)
    covered = [row for row in rows_ if row["CommitmentDiscountCategory"] == "Spend"]
    assert bool(covered) == (name == "serve-savings-plan")
    assert sum(float(row["CommitmentDiscountQuantity"]) for row in covered) == pytest.approx(drawn if covered else 0)


def test_the_price_trail_shows_each_step() -> None:
    plan = gallery_plan("train-draws-commitment-eur")
    offer, money = best_of(plan).offer, currency_of(plan)
    assert offer
    said = price_words(offer, money)
    assert [one.step for one in offer.steps] == ["list", "discount", "commitment"]
    assert f"{offer.steps[1].share * 100:g}% agreed" in said
    assert "6% for the spend commitment" in said
    for one in offer.steps:
        assert f"{money.of(one.usd_per_hour):,.2f}" in said
    sources = [row.source for row in compose(plan, sheets=True).workbook.sources if row.kind == "price"]
    assert any("% agreed: " in text and "less 6% for the spend commitment" in text for text in sources)


def test_the_request_is_told_row_by_row() -> None:
    told = request_words(gallery_plan("serve-savings-plan"))
    assert told["Commitment with aws"].startswith("USD 1.2 M until 2027-11-21")
    assert "hour by hour" in told["Commitment with aws"]
    lease = request_words(gallery_plan("serve-leased-servers"))
    assert "4 at GBP 4100 a month, 24 months" in lease["Leased dgx-h200"]


@pytest.mark.needs_libreoffice
@pytest.mark.parametrize("name", [*DRAWS, "serve-leased-servers"])
def test_the_workbook_agrees_when_it_is_calculated_anew(name: str, tmp_path: Path) -> None:
    data = workbook(name)
    (fresh,) = recalculated([changed(data, {})], tmp_path)
    for place, value in grid(data).items():
        again = fresh.get(place)
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and place[0] in ("Cost model", "Cash flow", "Summary")
        ):
            assert again == pytest.approx(value, rel=1e-9, abs=0.006), place


@pytest.mark.needs_libreoffice
def test_the_workbook_and_the_request_move_alike_with_what_is_left(tmp_path: Path) -> None:
    name = "serve-savings-plan"
    plan, data = gallery_plan(name), workbook(name)
    item = next(one for one in best_of(plan).cost.model.inputs if one.name == "spend_left")
    target = target_of(plan, item)
    assert (target.kind, target.path) == ("request", "spend_commitments.0.left_usd")
    more = 1_400_000.0
    again = best_of(estimate(changed_spec(plan.spec, {target: more}), market_from_files()))
    place = named_cells(data)["in_spend_left"]
    (fresh,) = recalculated([changed(data, {place: more})], tmp_path)
    same = {line.name: line.amount for line in again.cost.model.lines}
    for line in ("spend_drawn", "shortfall_saved", "full_price", "total"):
        assert fresh[named_cells(data)[line]] == pytest.approx(same[line], rel=1e-9), line
    assert openpyxl.load_workbook(BytesIO(data)).sheetnames


def test_an_edited_price_is_not_discounted_twice() -> None:
    plan = gallery_plan("train-draws-commitment-eur")
    offer = best_of(plan).offer
    assert offer
    item = next(one for one in best_of(plan).cost.model.inputs if one.name == "price_per_instance_hour")
    edited = changed_spec(plan.spec, {target_of(plan, item): 30.0})
    found = estimate(edited, market_from_files()).recommendation
    option = next(
        one for one in (found.recommended, *found.alternatives) if one and one.offer and one.offer.id == offer.id
    )
    assert option.offer
    assert option.offer.usd_per_hour == pytest.approx(30.0)
