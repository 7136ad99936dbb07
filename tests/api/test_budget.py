"""Budget lines: exact sums by month, CSV that no spreadsheet runs, FOCUS columns."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from engine.inputs.agreed import with_agreed
from engine.inputs.currency import DIGITS
from engine.inputs.spec import AgreedPrice
from engine.money.cash import cash_by_month
from planner import planned
from planner.body import decimal_text
from planner.budgets.files import budget_csv, focus_csv, harmless
from planner.budgets.focus import COLUMNS
from planner.budgets.lines import budget_lines
from planner.frozen.snapshot import freeze
from planner.market import market_from_files
from planner.models import PlanVersion, Workload
from tests.api.support import SERVING, TRAINING, Api, problem
from tests.conftest import People
from tests.engine.small_market import spec
from tests.exports.real_plans import best_of, gallery_plan
from tests.planner.page_support import sample_answer

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
    for month in cash_by_month(model, plan.start):
        for kind, cash in (("opex", month.opex), ("capex", month.capex)):
            found = [Decimal(line["amount"]) for line in lines if (line["month"], line["kind"]) == (month.month, kind)]
            assert sum(found, Decimal()) == Decimal(f"{cash:.2f}")


def test_csv_has_the_same_rows(petra: Api) -> None:
    path = made(petra, TRAINING)
    told = [{name: cell or "" for name, cell in line.items()} for line in petra.get(path).json()["data"]]
    assert rows_of(petra.get(f"{path}?format=csv")) == told


def test_shapes_have_the_names_that_they_have_in_the_feed(petra: Api) -> None:
    path = made(petra, TRAINING)
    for name, older in (("focus-csv", "focus"), ("focus-json", "focus_json")):
        assert petra.get(f"{path}?format={name}").content == petra.get(f"{path}?format={older}").content


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


def offer_with(monkeypatch: pytest.MonkeyPatch, schedule: str = "", **fields: Any) -> None:
    """Estimates recommend the sample's offer with those fields, its compute paid by that schedule."""

    def answer(spec: Any, market: Any, **_known: Any) -> Any:
        plan = sample_answer(spec, market)
        best = plan.recommendation.recommended
        model = best.cost.model
        lines = tuple(
            replace(line, schedule=schedule or line.schedule) if line.name == "compute" else line
            for line in model.lines
        )
        cost = replace(best.cost, model=replace(model, lines=lines))
        best = replace(best, offer=replace(best.offer, **fields), cost=cost)
        return freeze(plan.spec, replace(plan.recommendation, recommended=best))

    monkeypatch.setattr(planned, "estimate", answer)


def focus_of(api: Api, spec: dict[str, Any]) -> tuple[list[dict[str, str]], Decimal]:
    """The rows under FOCUS names, and the total of the budget."""
    path = made(api, spec)
    return rows_of(api.get(f"{path}?format=focus")), Decimal(api.get(path).json()["total"])


def test_an_agreed_price_stands_beside_the_list_price(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_with(monkeypatch, usd_per_hour=10.0, listed_usd_per_hour=12.5)
    rows, total = focus_of(petra, TRAINING)
    compute = [row for row in rows if row["x_Line"] == "compute"]
    assert compute
    for row in compute:
        assert (row["ListUnitPrice"], row["ContractedUnitPrice"]) == ("12.500000", "10.000000")
        assert Decimal(row["ContractedCost"]) == Decimal(row["BilledCost"]) == Decimal(row["EffectiveCost"])
        assert abs(Decimal(row["ListCost"]) - Decimal(row["BilledCost"]) * Decimal("1.25")) <= Decimal("0.01")
        quantity = Decimal(row["PricingQuantity"])
        assert abs(quantity * Decimal(row["ContractedUnitPrice"]) - Decimal(row["ContractedCost"])) < Decimal("0.01")
    assert sum(Decimal(row["BilledCost"]) for row in rows) == total


def test_a_commitment_is_no_part_of_the_contracted_price(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_with(monkeypatch, usd_per_hour=6.0, listed_usd_per_hour=10.0, term_months=12, option="commit_1y")
    rows, total = focus_of(petra, TRAINING)
    compute = [row for row in rows if row["CommitmentDiscountStatus"]]
    assert compute
    for row in compute:
        assert row["ListUnitPrice"] == row["ContractedUnitPrice"] == "10.000000"
        assert Decimal(row["ContractedCost"]) > Decimal(row["EffectiveCost"])
        assert (row["PricingCategory"], row["CommitmentDiscountType"]) == ("Committed", "12 months")
        assert row["BilledCost"] == "0.00"
    signed = [row for row in rows if row["ChargeCategory"] == "Purchase"]
    assert {(row["PricingCategory"], row["EffectiveCost"]) for row in signed} == {("Standard", "0.00")}
    assert sum(Decimal(row["EffectiveCost"]) for row in rows) == total


def test_what_is_paid_ahead_is_spread_over_its_use(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_with(monkeypatch, schedule="upfront", option="capacity_block")
    rows, total = focus_of(petra, {**TRAINING, "start": "2027-01-29"})
    paid = [row for row in rows if row["ChargeCategory"] == "Purchase"]
    used = [row for row in rows if (row["x_Line"], row["ChargeCategory"]) == ("compute", "Usage")]
    assert [row["EffectiveCost"] for row in paid] == ["0.00"]
    assert len(used) > 1
    assert {row["BilledCost"] for row in used} == {"0.00"}
    assert sum(Decimal(row["EffectiveCost"]) for row in used) == Decimal(paid[0]["BilledCost"])
    for column in ("BilledCost", "EffectiveCost"):
        assert sum(Decimal(row[column]) for row in rows) == total


@pytest.mark.parametrize(
    ("name", "kind"),
    [("train-tpu-commitment", "commitment"), ("finetune-consumer-card", "purchase"), ("serve-buy-jpy", "purchase"),
     ("finetune-7b-eur", ""), ("batch-owned", "")],
)  # fmt: skip
def test_a_share_has_all_that_is_signed_beside_it(people: People, name: str, kind: str) -> None:
    """In each form of the budget, and nowhere else."""
    plan = gallery_plan(name)
    best = best_of(plan)
    workload = Workload(team=people.team, name=plan.name, draft={})
    version = PlanVersion(workload=workload, number=1, sha256="x")
    lines, rows = budget_lines(plan), list(csv.DictReader(io.StringIO(focus_csv(version, plan))))
    shares = {line.line for line in lines if line.signed}
    assert bool(shares) == bool(kind)
    assert shares <= {"compute", "spares", "purchase"}
    signed = {line.signed for line in lines if line.signed}
    assert signed == (
        {decimal_text(best.cost.signed.total, DIGITS[plan.recommendation.currency.code])} if kind else set()
    )
    assert {(row["x_SignedKind"], row["x_SignedTotal"]) for row in rows if row["x_SignedTotal"]} == {
        (kind, total) for total in signed
    }
    paid = sum(Decimal(line.amount) for line in lines if line.signed)
    assert not kind or paid <= Decimal(signed.pop())
    text = budget_csv(plan)
    assert text.splitlines()[0].endswith(",currency,signed")


FOCUS_CATEGORIES = {
    "AI and Machine Learning", "Analytics", "Business Applications", "Compute", "Databases", "Developer Tools", "Multicloud",
    "Identity", "Integration", "Internet of Things", "Management and Governance", "Media", "Migration", "Mobile",
    "Networking", "Security", "Storage", "Web", "Other",
}  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["train-8b-two-weeks", "serve-committed-year", "train-tpu-commitment", "finetune-consumer-card", "batch-owned"],
)
def test_each_row_is_in_the_pool_that_pays_it(people: People, name: str) -> None:
    """Nothing of what is rented is the operation of own hardware, and hours of instances have their quantity and price."""
    plan = gallery_plan(name)
    version = PlanVersion(workload=Workload(team=people.team, name=plan.name, draft={}), number=1, sha256="x")
    rows = list(csv.DictReader(io.StringIO(focus_csv(version, plan))))
    kinds = {(row["ServiceCategory"], row["ServiceName"]) for row in rows}
    assert {category for category, _ in kinds} <= FOCUS_CATEGORIES
    assert ("Other", "Other") not in kinds, "a line of the cost model has no service"
    rented = best_of(plan).kind == "cloud"
    assert (("Other", "Operation of own hardware") in kinds) == (not rented)
    for row in rows:
        if rented and row["ChargeDescription"] in ("Instances", "Spare instances"):
            spent = Decimal(row["PricingQuantity"]) * Decimal(row["ContractedUnitPrice"])
            assert abs(spent - Decimal(row["ContractedCost"])) <= Decimal("0.01")


def test_focus_as_json_has_the_same_rows(petra: Api) -> None:
    path = made(petra, SERVING)
    body = petra.get(f"{path}?format=focus_json").json()
    rows = rows_of(petra.get(f"{path}?format=focus"))
    assert body["focus_version"] == "1.2"
    assert body["data"] == [{name: cell for name, cell in row.items() if cell} for row in rows]


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


def test_every_offer_knows_what_its_provider_lists() -> None:
    market = market_from_files()
    by_id = {offer.id: offer for offer in market.offers}
    committed = [offer for offer in market.offers if offer.term_months]
    listed = [(offer, by_id.get(offer.id.rpartition("/")[0] + "/on_demand")) for offer in committed]
    pairs = [(offer, sure) for offer, sure in listed if sure is not None]
    assert pairs
    assert all(offer.listed_usd_per_hour in (sure.usd_per_hour, 0.0) for offer, sure in pairs)
    assert any(offer.listed_usd_per_hour > offer.usd_per_hour for offer, _ in pairs)
    plain = next(offer for offer in market.offers if offer.option == "on_demand")
    agreed = with_agreed(market, replace(spec(), agreed=(AgreedPrice(item=plain.id, what="instance_hour", usd=1.0),)))
    found = next(offer for offer in agreed.offers if offer.id == plain.id)
    assert (plain.listed_usd_per_hour, found.usd_per_hour, found.listed_usd_per_hour) == (0.0, 1.0, plain.usd_per_hour)
