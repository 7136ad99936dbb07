"""Budget lines against the column rules of FOCUS 1.2, for plans of every kind, and what the command writes of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

import pytest
import yaml

from engine.inputs.currency import DIGITS
from planner.budget_files import focus_text
from planner.focus import COLUMNS, Origin, focus_rows
from planner.focus_services import SERVICES
from planner.money import accounts
from planner.snapshot import Plan
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.test_plan_command import TRAINING
from tests.exports.test_plan_command import plan as run

PLANS = ("train-8b-two-weeks", "serve-committed-year", "train-tpu-commitment", "finetune-consumer-card", "serve-buy-jpy",
         "buy-forty-runs", "batch-ten-million-eur", "owned-twelve-runs")  # fmt: skip
ALWAYS = ("BillingAccountId", "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart",
          "ChargePeriodEnd", "ChargeCategory", "ChargeDescription", "ChargeFrequency", "ListCost", "ContractedCost",
          "EffectiveCost", "BilledCost", "ProviderName", "PublisherName", "InvoiceIssuerName", "ServiceCategory",
          "ServiceSubcategory", "ServiceName")  # fmt: skip
PRICED = (
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "SkuId",
    "SkuPriceId",
    "ListUnitPrice",
    "ContractedUnitPrice",
)
COMMITMENT = ("CommitmentDiscountName", "CommitmentDiscountCategory", "CommitmentDiscountType", "CommitmentDiscountStatus",
              "CommitmentDiscountQuantity", "CommitmentDiscountUnit")  # fmt: skip
SUBCATEGORIES = {
    "Compute": {"Virtual Machines", "Other (Compute)"},
    "Storage": {"Object Storage", "Other (Storage)"},
    "Networking": {"Data Transfer", "Load Balancing"},
    "Management and Governance": {"Observability"},
    "Other": {"Other (Other)"},
}
"""Of the values that the specification allows, those that a plan can have."""


def rows_of(plan: Plan) -> list[dict[str, str]]:
    """The rows as a program reads them from the file."""
    return list(csv.DictReader(io.StringIO(focus_text(plan, Origin()))))


def total(rows: Iterable[dict[str, str]], column: str) -> Decimal:
    return sum((Decimal(row[column]) for row in rows), Decimal())


@pytest.mark.parametrize("name", PLANS)
def test_every_row_keeps_the_rules_of_its_columns(name: str) -> None:
    plan = gallery_plan(name)
    rows = rows_of(plan)
    assert rows
    unit = Decimal(10) ** -DIGITS[plan.recommendation.currency.code]
    for row in rows:
        assert tuple(row) == COLUMNS
        assert all(row[column] for column in ALWAYS), row
        assert row["ChargeCategory"] in {"Usage", "Purchase", "Adjustment"}
        assert row["ChargeClass"] == "", "nothing of a plan corrects a bill"
        assert row["ChargeFrequency"] in {"One-Time", "Recurring", "Usage-Based"}
        assert (row["ChargeCategory"], row["ChargeFrequency"]) != ("Purchase", "Usage-Based")
        assert row["ServiceSubcategory"] in SUBCATEGORIES[row["ServiceCategory"]]
        assert row["BillingPeriodStart"] == row["ChargePeriodStart"] < row["ChargePeriodEnd"]
        assert row["x_Planned"] == "true"
        if row["ChargeCategory"] in ("Usage", "Purchase"):
            assert all(row[column] for column in PRICED), row
            assert row["PricingCategory"] in {"Standard", "Dynamic", "Committed", "Other"}
            for cost, price in (("ListCost", "ListUnitPrice"), ("ContractedCost", "ContractedUnitPrice")):
                product = Decimal(row["PricingQuantity"]) * Decimal(row[price])
                assert abs(product - Decimal(row[cost])) <= unit * Decimal("0.51"), row
        if row["ChargeCategory"] == "Purchase":
            assert Decimal(row["EffectiveCost"]) == 0
        if row["ChargeCategory"] == "Adjustment":
            assert row["EffectiveCost"] == row["BilledCost"]
        consumed = row["ChargeCategory"] == "Usage" and row["CommitmentDiscountStatus"] != "Unused"
        assert bool(row["ConsumedQuantity"]) == bool(row["ConsumedUnit"]) == consumed
        assert not consumed or Decimal(row["ConsumedQuantity"]) > 0


@pytest.mark.parametrize("name", PLANS)
def test_a_commitment_is_named_on_what_it_covers_and_nowhere_else(name: str) -> None:
    plan = gallery_plan(name)
    rows = rows_of(plan)
    covered = [row for row in rows if row["CommitmentDiscountId"]]
    assert bool(covered) == (best_of(plan).cost.signed.what == "commitment")
    for row in rows:
        assert [bool(row[column]) for column in COMMITMENT] == [bool(row["CommitmentDiscountId"])] * len(COMMITMENT)
        assert (row["PricingCategory"] == "Committed") == bool(row["CommitmentDiscountId"])
    unused = [row for row in covered if row["CommitmentDiscountStatus"] == "Unused"]
    assert {row["x_CarriedBy"] for row in unused} <= {"nobody"}
    assert {row["BilledCost"] for row in covered} <= {"0.00", "0"}


@pytest.mark.parametrize("name", PLANS)
def test_billed_and_effective_costs_are_the_cash_and_what_this_work_carries_is_its_share(name: str) -> None:
    plan = gallery_plan(name)
    rows, found = rows_of(plan), accounts(plan)
    assert found
    views, code = found.views, plan.recommendation.currency.code
    assert total(rows, "BilledCost") == total(rows, "EffectiveCost") == Decimal(f"{views.paid:.{DIGITS[code]}f}")
    for month in views.cash:
        mine = [row for row in rows if row["ChargePeriodStart"].startswith(month.month)]
        assert total(mine, "BilledCost") == Decimal(f"{month.amount:.{DIGITS[code]}f}")
    back = sum(part.mine for part in found.ledger.carried if part.line in ("residual_value", "book_depreciation"))
    carried = total((row for row in rows if row["x_AllocatedCost"]), "x_AllocatedCost")
    assert carried == Decimal(f"{views.allocated - back / 10 ** DIGITS[code]:.{DIGITS[code]}f}")
    assert "cost_of_capital" not in {row["x_Line"] for row in rows}, "nothing imputed"


def test_servers_are_billed_whole_and_used_by_this_work_by_others_and_by_nobody() -> None:
    plan = gallery_plan("finetune-consumer-card")
    rows = [row for row in rows_of(plan) if row["x_Line"] == "purchase"]
    bought = [row for row in rows if row["ChargeCategory"] == "Purchase"]
    assert total(bought, "BilledCost") == Decimal(f"{best_of(plan).cost.signed.total:.2f}")
    assert {row["x_CarriedBy"] for row in rows if row["ChargeCategory"] == "Usage"} == {
        "this_work",
        "other_work",
        "nobody",
    }
    assert total(rows, "EffectiveCost") == total(bought, "BilledCost")


def test_every_line_that_is_paid_has_a_service_of_its_own() -> None:
    for name in PLANS:
        for row in rows_of(gallery_plan(name)):
            assert row["x_Line"] in SERVICES, row["x_Line"]


def test_the_command_writes_them_with_cost_centre_and_tags(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    spec = TRAINING | {"cost_centre": "R-42", "tags": {"team": "search", "app": "ranking"}, "as_of": "2026-11-22"}
    code, out, err = run(yaml.safe_dump(spec), "--json", "--focus", str(path))
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    body = json.loads(out)
    assert {row["x_CostCentre"] for row in rows} == {row["SubAccountId"] for row in rows} == {"R-42"}
    assert json.loads(rows[0]["Tags"]) == {"team": "search", "app": "ranking", "project": "Run"}
    assert total(rows, "BilledCost") == sum(Decimal(month["amount"]) for month in body["money"]["cash"])
    assert {row["x_ContentHash"] for row in rows} == {body["plan_sha256"]}


def test_a_file_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    code, out, err = run(TRAINING, "--focus", str(tmp_path / "none" / "lines.csv"))
    assert (code, out) == (2, "")
    assert err.count("\n") <= 1
    assert "lines.csv” cannot be written" in err


def test_what_is_infeasible_has_no_rows() -> None:
    assert focus_rows(gallery_plan("refused-budget"), Origin()) == []
