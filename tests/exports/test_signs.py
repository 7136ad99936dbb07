"""What is signed, row by row: the same figures on pages, in the API and on page 1 of documents, each a view of the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from django.template.loader import render_to_string
from django.utils.html import escape

from engine.money.entries import VIEWS
from exports.compose import compose
from exports.composing.ask import voice_of
from planner.asked import Issue, signs_of
from planner.body import estimate_body
from planner.frozen.snapshot import Plan
from planner.money import FEW_ENTRIES, accounts, ledger_body
from planner.presenters import currency_of, present
from planner.presenters.voice import page_voice
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.test_hazards import context_of

PLANS = ("train-8b-two-weeks", "train-tpu-commitment", "finetune-consumer-card", "serve-buy-jpy", "batch-ten-million-eur",
         "owned-twelve-runs", "buy-forty-runs")  # fmt: skip


def rows(plan: Plan, issue: Issue | None = None) -> dict[str, str]:
    voice = page_voice(currency_of(plan).amount)
    return {row.key: row.text for row in signs_of(plan, voice, issue or Issue())}


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_says_what_is_owed_paid_carried_and_until_when(name: str) -> None:
    plan = gallery_plan(name)
    found, told, money = accounts(plan), rows(plan), currency_of(plan)
    assert found
    assert {"committed", "cash", "share", "exit", "prices", "valid", "approver", "issued"} <= told.keys()
    signed = best_of(plan).cost.signed.total
    assert (money.amount(signed) in told["committed"]) == bool(signed)
    assert money.amount(found.views.allocated) in told["share"]
    rest = found.views.others + found.views.idle
    assert ("other work must carry" in told["share"]) == bool(rest)
    assert not rest or money.amount(rest) in told["share"]
    best = best_of(plan)
    assert ("come back" in told["exit"]) == bool(signed and best.kind != "on_prem")
    assert ("property" in told["exit"]) == (best.kind == "on_prem")
    lines = {line.name: line.amount for line in best.cost.model.lines}
    shared = best.kind == "on_prem" and lines["own_share"] < 1 - 1e-6
    assert ("others pay" in told["cash"]) == shared
    if best.kind == "on_prem":
        assert money.amount(lines["value_left"] - lines["disposal_cost"]) in told["exit"]
    if shared:
        operated = ("energy", "hosting", "maintenance", "staff", "software", "transit", "tax_operation")
        mine = sum(lines.get(name, 0.0) for name in operated)
        assert mine == pytest.approx(lines["own_share"] * lines["operation_year"] * lines["held_years"], abs=0.05)
        assert money.amount(lines["operation_year"] * lines["held_years"] - mine) in told["cash"]


@pytest.mark.parametrize("name", PLANS)
def test_page_api_and_document_say_the_same(name: str) -> None:
    plan = gallery_plan(name)
    told = rows(plan)
    page = render_to_string("planner/_signs.html", {"answer": present(plan)})
    for key, text in told.items():
        assert f'data-sign="{key}">{escape(text)}</dd>' in page, key
    body = estimate_body(plan)
    assert {row["key"]: row["text"] for row in body["signs"]} == told
    facts = {fact.key: fact.text for fact in compose(plan).decision.facts}
    in_documents = {row.key: row for row in signs_of(plan, voice_of(context_of(plan)), Issue())}
    assert in_documents.keys() == told.keys()
    memo = " ".join(fact.text for fact in compose(plan).decision.memo)
    for key, row in in_documents.items():
        if key != "backing":  # in a few words there, whole in its chapter
            assert row.text.rstrip(".") in memo, key
    assert facts["sign_committed"].partition(" Tax:")[0] == in_documents["committed"].text
    assert facts["sign_valid"].startswith(in_documents["valid"].text.rstrip("."))


@pytest.mark.parametrize("name", PLANS)
def test_the_body_carries_sums_and_entries_that_agree(name: str) -> None:
    plan = gallery_plan(name)
    body, best = estimate_body(plan), best_of(plan)
    money, ledger = body["money"], body["ledger"]
    code = best.cost.total.currency

    def total(view: str) -> float:
        return round(sum(float(entry["amount"]) for entry in ledger if entry["view"] == view), 2)

    for view in ("expense", "allocated", "economic"):
        assert total(view) == float(money[view]["amount"]), view
    assert total("economic") == round(best.cost.total.expected, 2)
    assert total("committed") == 0.0
    owed = sum(
        float(entry["amount"]) for entry in ledger if entry["view"] == "committed" and float(entry["amount"]) > 0
    )
    assert round(owed, 2) == float(money["committed"]["amount"])
    assert total("cash") == round(sum(float(month["amount"]) for month in money["cash"]), 2)
    assert {entry["currency"] for entry in ledger} == {money["npv"]["currency"]} == {code}
    assert money["as_of"] == plan.as_of.isoformat()


def test_a_long_ledger_is_told_by_year_and_whole_on_request() -> None:
    found = accounts(gallery_plan("serve-buy-jpy"))
    assert found
    entries = found.ledger.entries
    assert len(entries) > FEW_ENTRIES >= len(ledger_body(entries))
    for view in VIEWS:
        told = sum(float(entry["amount"]) for entry in ledger_body(entries) if entry["view"] == view)
        assert told == sum(entry.amount for entry in entries if entry.view == view), view
    assert len(ledger_body(entries, whole=True)) == len(entries)


def test_a_stored_plan_names_who_stands_behind_it() -> None:
    plan = gallery_plan("train-8b-two-weeks")
    told = rows(plan, Issue(owner="Petra", approver="Paula", on=date(2026, 12, 1)))
    assert (told["owner"], told["approver"]) == ("Petra", "Paula")
    assert "2026" in told["issued"]
    assert rows(plan)["approver"] == "nobody yet"
    named = replace(plan, spec=replace(plan.spec, cost_centre="R-42"))
    assert rows(named)["cost_centre"] == "R-42"


def test_an_old_price_holds_only_once_it_is_confirmed() -> None:
    """In writing where a letter is worth it; a list price for little is read again."""
    for name, said in (
        ("train-8b-two-weeks", "price has been read again"),
        ("train-tpu-commitment", "confirmed the price"),
    ):
        plan = gallery_plan(name)
        later = replace(plan, spec=replace(plan.spec, as_of=date(2029, 1, 1), start=date(2029, 2, 1)))
        assert said in rows(later)["valid"]


def test_what_is_infeasible_signs_nothing() -> None:
    plan = gallery_plan("refused-budget")
    assert rows(plan) == {}
    body = estimate_body(plan)
    assert (body["money"], body["ledger"], body["signs"]) == (None, [], [])
