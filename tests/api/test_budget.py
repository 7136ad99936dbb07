"""Budget lines: exact sums by month, CSV that no spreadsheet runs, FOCUS columns."""

from __future__ import annotations

import csv
import io
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from planner.budget_files import harmless
from planner.engine.cash import cash_by_month
from planner.focus import COLUMNS
from planner.models import PlanVersion
from tests.api.support import SERVING, TRAINING, Api, problem

pytestmark = pytest.mark.usefixtures("quick_engine")


def made(api: Api, spec: dict[str, Any]) -> str:
    """The address of the budget of a new plan."""
    return f"/plans/{api.post('/plans', spec).json()['id']}/budget-lines"


def rows_of(response: Any) -> list[dict[str, str]]:
    """The rows of a CSV answer."""
    assert response["Content-Type"].startswith("text/csv")
    assert response["Content-Disposition"].startswith("attachment")
    return list(csv.DictReader(io.StringIO(response.content.decode())))


@pytest.mark.parametrize("spec", [TRAINING, SERVING])
def test_it_works(petra: Api, spec: dict[str, Any]) -> None:
    body = petra.get(made(petra, spec)).json()
    assert sum(Decimal(line["amount"]) for line in body["data"]) == Decimal(body["total"])
    assert [line["month"] for line in body["data"]] == sorted(line["month"] for line in body["data"])


def test_the_band_is_shared_out(petra: Api) -> None:
    plan = petra.post("/plans", TRAINING).json()["id"]
    total = petra.get(f"/plans/{plan}/versions/1").json()["estimate"]["recommended"]["cost"]["total"]
    lines = petra.get(f"/plans/{plan}/budget-lines").json()["data"]
    for end in ("low", "high"):
        assert sum(Decimal(line[end]) for line in lines) == Decimal(total[end])


def test_months_agree_with_the_cash_flow(petra: Api) -> None:
    lines = petra.get(made(petra, SERVING)).json()["data"]
    plan = PlanVersion.objects.get().plan
    model = plan.recommendation.recommended.cost.model
    for month in cash_by_month(model, date.fromisoformat(plan.recommendation.catalog_date)):
        for kind, cash in (("opex", month.opex), ("capex", month.capex)):
            found = [Decimal(line["amount"]) for line in lines if (line["month"], line["kind"]) == (month.month, kind)]
            assert sum(found, Decimal()) == Decimal(f"{cash:.2f}")


def test_csv_has_the_same_rows(petra: Api) -> None:
    path = made(petra, TRAINING)
    assert rows_of(petra.get(f"{path}?format=csv")) == petra.get(path).json()["data"]


def test_focus_has_its_columns_and_sums(petra: Api) -> None:
    path = made(petra, SERVING)
    rows = rows_of(petra.get(f"{path}?format=focus"))
    assert tuple(rows[0]) == COLUMNS
    assert sum(Decimal(row["BilledCost"]) for row in rows) == Decimal(petra.get(path).json()["total"])
    assert {row["BillingCurrency"] for row in rows} == {"USD"}
    first = rows[0]
    assert first["ChargePeriodStart"].endswith("-01T00:00:00Z")
    assert first["ChargePeriodEnd"] > first["ChargePeriodStart"]
    assert {row["ChargeCategory"] for row in rows} <= {"Usage", "Purchase", "Tax", "Credit"}


def test_no_cell_is_a_formula(petra: Api) -> None:
    path = made(petra, {**TRAINING, "name": '=HYPERLINK("http://evil.example")'})
    for kind in ("csv", "focus"):
        cells = [cell for row in rows_of(petra.get(f"{path}?format={kind}")) for cell in row.values()]
        assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]


def test_the_approved_version_comes_first(petra: Api, paula: Api) -> None:
    path = made(petra, TRAINING).removesuffix("/budget-lines")
    petra.post(f"{path}/versions/1/approvals", {"action": "submit"})
    paula.post(f"{path}/versions/1/approvals", {"action": "approve"})
    petra.patch(path, {"horizon_months": 12}, If_Match="*")
    petra.post(f"{path}/versions")
    chosen = {
        query: petra.get(f"{path}/budget-lines{query}").json()["version"]
        for query in ("", "?version=approved", "?version=newest", "?version=2", "?version=1")
    }
    assert list(chosen.values()) == [1, 1, 2, 2, 1]


@pytest.mark.parametrize(
    ("query", "status"),
    [("format=xml", 400), ("granularity=day", 400), ("version=x", 400), ("version=9", 404), ("version=approved", 404)],
)
def test_what_it_does_not_have(petra: Api, query: str, status: int) -> None:
    problem(petra.get(f"{made(petra, TRAINING)}?{query}"), status)


def test_what_is_infeasible_has_no_budget(petra: Api) -> None:
    problem(petra.get(made(petra, {**TRAINING, "name": "infeasible"})), 409)


def test_another_team_sees_nothing(petra: Api, charlie: Api) -> None:
    problem(charlie.get(made(petra, TRAINING)), 404)


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+cmd|x", "'+cmd|x"),
        ("-2+3", "'-2+3"),
        ("\tx", "'\tx"),
        ("-12.50", "-12.50"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_what_a_spreadsheet_would_run_is_text(cell: str, shown: str) -> None:
    assert harmless(cell) == shown
