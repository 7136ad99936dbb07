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
from lab.gallery import focus_rules
from lab.gallery.focus_rules import rows_of
from planner.budgets.focus import Origin, focus_rows
from planner.budgets.focus_services import SERVICES
from planner.estimate import estimate
from planner.market import market_from_files
from planner.money import accounts
from planner.request.parse import spec_from
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.test_plan_command import TRAINING
from tests.exports.test_plan_command import plan as run

PLANS = ("train-8b-two-weeks", "serve-committed-year", "train-tpu-commitment", "finetune-consumer-card", "serve-buy-jpy",
         "buy-forty-runs", "batch-ten-million-eur", "owned-twelve-runs", "buy-tax-not-recovered-gbp",
         "serve-committed-tax-eur")  # fmt: skip


def total(rows: Iterable[dict[str, str]], column: str) -> Decimal:
    return sum((Decimal(row[column]) for row in rows), Decimal())


@pytest.mark.parametrize("name", PLANS)
def test_every_row_keeps_the_rules_of_its_columns(name: str) -> None:
    plan = gallery_plan(name)
    assert rows_of(plan)
    assert focus_rules.broken(plan) == []


CHANGES = {
    "BilledCost": "0.01", "BillingCurrency": "usd", "ChargeCategory": "Tax", "ChargeClass": "Correction",
    "ChargeFrequency": "Daily", "ChargePeriodEnd": "2026-01-01T00:00:00Z", "CommitmentDiscountId": "another",
    "ConsumedQuantity": "", "ContractedCost": "1", "EffectiveCost": "-5.00", "ListUnitPrice": "1",
    "PricingCategory": "Committed", "PricingUnit": "", "ServiceCategory": "Storage", "x_Planned": "false",
}  # fmt: skip


@pytest.mark.parametrize("column", CHANGES)
def test_a_rule_that_is_broken_is_found(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = gallery_plan("train-8b-two-weeks")
    rows = rows_of(plan)
    assert rows[0]["ChargeCategory"] == "Usage"
    rows[0] = rows[0] | {column: CHANGES[column]}
    monkeypatch.setattr(focus_rules, "rows_of", lambda _: rows)
    assert focus_rules.broken(plan)


@pytest.mark.parametrize("name", PLANS)
def test_a_commitment_is_named_on_what_it_covers_and_nowhere_else(name: str) -> None:
    plan = gallery_plan(name)
    covered = [row for row in rows_of(plan) if row["CommitmentDiscountId"]]
    assert bool(covered) == (best_of(plan).cost.signed.what == "commitment")


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


def test_no_instance_is_used_for_more_hours_than_a_month_has() -> None:
    """A year from 30 December has two days in it: 48 hours of each instance, not 730."""
    asked = yaml.safe_load(Path("tests/plans/asked/serving.yaml").read_text(encoding="utf-8"))
    plan = estimate(spec_from(asked | {"start": "2026-12-30"}), market_from_files())
    count = next(item.value for item in best_of(plan).cost.model.inputs if item.name == "instances")
    used = {
        row["ChargePeriodStart"][:7]: float(row["ConsumedQuantity"])
        for row in rows_of(plan)
        if (row["x_Line"], row["ChargeCategory"]) == ("compute", "Usage")
    }
    assert used["2026-12"] == pytest.approx(48 * count, rel=1e-6)
    assert used["2027-02"] == pytest.approx(28 * 24 * count, rel=1e-6)


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


def test_leased_servers_stand_in_a_region_with_a_name() -> None:
    """Finance reads the name, `own-site` is its key."""
    rows = rows_of(gallery_plan("serve-leased-servers"))
    assert {(row["RegionId"], row["RegionName"]) for row in rows if row["RegionId"]} == {("own-site", "own site")}
