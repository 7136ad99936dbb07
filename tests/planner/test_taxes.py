"""Taxes from the request to every surface: what is owed, what is signed with it, what is billed, and what it decides."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from django.test import Client

from engine.answer import TAXES, Option
from engine.inputs.spec import SpecError
from engine.money.cost import evaluate
from planner.asked import signs_of
from planner.asked.signs import Issue
from planner.body import estimate_body
from planner.budgets.focus import Origin, focus_rows
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.money import accounts
from planner.presenters.voice import page_voice
from planner.request.parse import spec_from
from tests.conftest import People
from tests.exports.real_plans import best_of
from tests.planner.page_support import SERVING, quick_engine
from voice.speech import fault_text

__all__ = ["quick_engine"]
SERVICE: dict[str, Any] = {
    "name": "Answers", "workload": "serving", "model": "llama-3.1-70b", "horizon_months": 36, "as_of": "2026-11-22",
    "serving": {"requests_per_s": 30, "input_tokens": 1000, "output_tokens": 300, "ttft_p95_ms": 1000, "precision": "fp8"},
    "constraints": {
        "spot": False, "commitments": False, "providers": ["lambda"], "accelerators": ["h100-sxm5", "h200-sxm", "b200-sxm"],
    },
}  # fmt: skip
"""Bought or rented: which costs less is near enough for a tax to decide it."""
COMMITTED: dict[str, Any] = {
    "name": "Committed", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 2e12}, "horizon_months": 36,
    "utilisation": 0.9, "constraints": {"deadline_days": 300, "accelerators": ["tpu-v5e", "tpu-v6e"], "spot": False},
}  # fmt: skip
"""It carries a share of a commitment; the tax that is signed with it is on the whole."""


@cache
def plan(*, committed: bool = False, **taxes: float) -> Plan:
    """The answer with those taxes; nothing is stated without any."""
    request = COMMITTED if committed else SERVICE
    return estimate(spec_from(request | ({"taxes": taxes} if taxes else {})), market_from_files())


def amounts(option: Option) -> dict[str, float]:
    return {line.name: line.amount for line in option.cost.model.lines}


def said(one: Plan, key: str) -> str:
    voice = page_voice(lambda value: f"USD {value:,.0f}")
    return next(row.text for row in signs_of(one, voice, Issue()) if row.key == key)


def test_a_tax_on_hardware_alone_turns_buying_into_renting_and_one_on_both_does_not() -> None:
    assert best_of(plan()).kind == best_of(plan(purchases=0.2, services=0.2)).kind == "on_prem"
    rented = best_of(plan(purchases=0.4, import_duty=0.4))
    assert rented.kind == "cloud"
    assert rented.cost.on_prem
    assert rented.cost.on_prem.expected > rented.cost.total.expected
    assert rented.cost.break_even
    assert rented.cost.break_even.owning_pays is False


def test_what_is_recovered_whole_is_no_cost() -> None:
    free, back = best_of(plan()), best_of(plan(purchases=0.2, services=0.2, recovered=1.0))
    assert back.cost.total == free.cost.total
    assert not set(TAXES) & set(amounts(back))
    assert said(plan(), "tax") == "All sums are before tax; none was stated."
    text = said(plan(purchases=0.2, services=0.2, recovered=1.0), "tax")
    assert (
        text == "All sums are before tax, which is no cost: tax of 20% on purchases and services, 100% of it recovered."
    )


def test_a_purchase_is_signed_for_authorised_and_written_off_with_its_tax() -> None:
    one = plan(purchases=0.2, services=0.2)
    best = best_of(one)
    found, lines = accounts(one), amounts(best)
    assert found
    assert lines["capex_tax"] == pytest.approx(0.2 * lines["capex"], abs=0.01)
    assert found.views.committed == best.cost.signed.total == lines["ordered"] == lines["capex"] + lines["capex_tax"]
    assert best.cost.cash_needed >= lines["ordered"]
    tax = [entry for entry in found.ledger.entries if entry.line == "tax_purchase"]
    paid = [entry for entry in tax if entry.view == "cash"]
    booked = sorted(entry.date for entry in tax if entry.view == "expense")
    assert [entry.amount for entry in paid] == [lines["capex_tax"]]
    assert sum(entry.units for entry in tax if entry.view == "expense") == paid[0].units
    assert booked[0].strftime("%Y-%m") > paid[0].date.strftime("%Y-%m"), "paid on delivery, written off from acceptance"
    body = estimate_body(one)
    assert "tax included, to buy" in body["approval"]
    mine = sum(lines[name] for name in TAXES if name in lines)
    assert said(one, "tax") == (
        f"USD {mine:,.0f} of this cost is tax that is not recovered, and USD {lines['capex_tax']:,.0f} of what is signed: "
        "tax of 20% on purchases and services."
    )
    assert [row["text"] for row in body["signs"] if row["key"] == "tax"]


def test_a_commitment_is_signed_for_with_its_tax() -> None:
    free, one = plan(committed=True), plan(committed=True, services=0.19, recovered=0.4)
    before, best = best_of(free), best_of(one)
    assert before.cost.signed.what == best.cost.signed.what == "commitment"
    assert before.id == best.id
    assert before.cost.signed.rest > 0
    assert best.cost.signed.total == pytest.approx(before.cost.signed.total * 1.114, abs=0.02)
    assert best.cost.signed.rest == pytest.approx(before.cost.signed.rest * 1.114, abs=0.05)
    found = accounts(one)
    assert found
    assert found.views.committed == best.cost.signed.total
    assert best.cost.total.expected == pytest.approx(before.cost.total.expected * 1.114, abs=0.02)


@pytest.mark.parametrize("committed", [False, True])
def test_rows_of_tax_are_those_of_the_ledger(committed: bool) -> None:
    one = plan(committed=committed, purchases=0.2, services=0.2)
    rows, found = focus_rows(one, Origin()), accounts(one)
    taxed = [row for row in rows if row["ChargeCategory"] == "Tax"]
    assert found
    assert taxed
    paid = sum(entry.units for entry in found.ledger.entries if entry.view == "cash" and entry.line in TAXES)
    for column in ("BilledCost", "EffectiveCost"):
        assert sum(Decimal(row[column]) for row in taxed) * 100 == paid
    assert {(row["SkuId"], row.get("PricingQuantity", "")) for row in taxed} == {("", "")}
    assert {row["x_Line"] for row in taxed} == {row["x_Line"] for row in rows if row["x_Line"] in TAXES}


def test_a_rate_of_the_workbook_moves_every_amount_that_hangs_on_it() -> None:
    model = best_of(plan(purchases=0.2, services=0.2)).cost.model
    moved = evaluate(model, {"tax_on_purchases": 0.1, "tax_recovered": 0.5})
    assert moved["capex_tax"] == pytest.approx(moved["capex"] * 0.05, abs=0.01)
    untaxed = evaluate(model, {"tax_recovered": 1.0})
    assert untaxed[model.total] == pytest.approx(best_of(plan()).cost.total.expected, abs=0.05)


@pytest.mark.parametrize(
    ("taxes", "text"),
    [
        ({"purchases": 1.2}, "must be at most 1"),
        ({"services": -0.1}, "must be at least 0"),
        ({"recovered": 0.5}, "is a share of a tax that is not stated: give"),
        ({"sales_tax": 0.08}, "is not a known field"),
        ({"import_duty": "ten"}, "must be a number"),
        ([0.2], "must be an object"),
    ],
)
def test_a_tax_that_means_nothing_is_refused_at_its_field(taxes: Any, text: str) -> None:
    with pytest.raises(SpecError) as refused:
        spec_from(SERVICE | {"taxes": taxes})
    (fault,) = refused.value.faults
    assert fault.path.startswith("taxes")
    assert text in fault_text(fault)


def test_rates_are_said_as_they_were_stated() -> None:
    one = plan(purchases=0.2, services=0.2)
    stated = spec_from(SERVICE | {"taxes": {"purchases": 0.08875, "import_duty": 0.034}}).taxes
    text = said(replace(one, spec=replace(one.spec, taxes=stated)), "tax")
    assert "tax of 8.875% on purchases, import duty of 3.4% on hardware" in text


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_the_form_takes_taxes_as_people_write_them_and_the_page_says_them(client: Client, people: People) -> None:
    client.force_login(people.alice)
    typed = SERVING | {"taxes.purchases": "20%", "taxes.services": "8.875%", "taxes.recovered": "0.4"}
    page = client.get(client.post("/new/serve", typed)["Location"]).content.decode().replace("\u00a0", " ")
    assert "tax of 20% on purchases, tax of 8.875% on services, 40% of it recovered" in page
    wrong = client.post("/new/serve", SERVING | {"taxes.recovered": "30%"})
    assert wrong.status_code == 422
    assert "is a share of a tax that is not stated: give" in wrong.content.decode()


def test_what_is_told_of_tax_holds_the_duty_that_is_named_with_it() -> None:
    one = plan(purchases=0.2, services=0.2, import_duty=0.02)
    best = best_of(one)
    assert best.kind == "on_prem"
    lines = amounts(best)
    goods = lines["server_cost"] + lines["network"] + lines["storage_system"] + lines["spares"]
    assert lines["import_duty"] == pytest.approx(0.02 * goods, abs=0.01)
    mine = (
        sum(lines[name] for name in TAXES if name in lines) + lines["import_duty"] * lines["purchase"] / lines["capex"]
    )
    signed = lines["capex_tax"] + lines["import_duty"]
    assert said(one, "tax") == (
        f"USD {mine:,.0f} of this cost is tax and duty that does not come back, and USD {signed:,.0f} of what is signed: "
        "tax of 20% on purchases and services, import duty of 2% on hardware."
    )
