"""The example that keeps a database up to date with the budget feed, against a server that listens."""

from __future__ import annotations

import csv
import importlib.util
import io
import sqlite3
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from sextant_client import Sextant

from planner.models import PlanVersion
from tests.api.support import SERVING, TRAINING, Api
from tests.api.test_feed import approved, step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("quick_engine")]
FOLDER = Path(__file__).parents[2] / "examples/budget-feed"


@pytest.fixture(scope="module")
def example() -> Any:
    """What keeps a database up to date."""
    return module_of("pull")


def module_of(name: str) -> Any:
    """A file of the examples as a module."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def kept(database: sqlite3.Connection) -> dict[tuple[str, int], float]:
    """What the view says of each version."""
    return {(row[0], row[1]): row[2] for row in database.execute("SELECT plan_id, version, amount FROM budget_by_plan")}


def wanted(petra: Api, plan: str, version: int) -> float:
    """What the plan says by itself."""
    return float(Decimal(petra.get(f"/plans/{plan}/budget-lines?version={version}").json()["total"]))


def assert_bands(database: sqlite3.Connection, lines: list[dict[str, Any]]) -> None:
    """Of each month: plans that err together add up, plans that err apart add up as squares."""
    months: dict[str, dict[str, list[float]]] = {}
    for line in lines:
        plan = months.setdefault(line["period"], {}).setdefault(line["plan_id"], [0.0, 0.0, 0.0])
        for index, name in enumerate(("low", "amount", "high")):
            plan[index] += float(line[name])
    found = {row[0]: row[2:] for row in database.execute("SELECT * FROM budget_band")}
    assert found.keys() == months.keys()
    for month, plans in months.items():
        low, amount, high = (sum(plan[index] for plan in plans.values()) for index in range(3))
        down, up = (sum((plan[1] - plan[index]) ** 2 for plan in plans.values()) ** 0.5 for index in (0, 2))
        assert found[month] == pytest.approx((amount, low, high, amount - down, amount + up))
    assert max(len(plans) for plans in months.values()) == 2


def test_a_database_follows_the_plans(petra: Api, paula: Api, live_server: Any, example: Any) -> None:
    api, database = Sextant(live_server.url, petra.token), sqlite3.connect(":memory:")
    first, second = (approved(petra, paula, spec) for spec in ({**TRAINING, "tags": {"org": "nlp"}}, SERVING))
    assert example.pull(api, database) > 0
    assert kept(database) == pytest.approx({(plan, 1): wanted(petra, plan, 1) for plan in (first, second)})

    tags = set(database.execute("SELECT DISTINCT plan_id, tags FROM budget_line"))
    assert tags == {(first, '{"org": "nlp"}'), (second, "{}")}
    assert_bands(database, petra.get("/budget-lines").json()["data"])
    PlanVersion.objects.update(decided_at=datetime.now(UTC) - timedelta(hours=1))
    assert example.pull(api, database) == 0, "nothing changed, so nothing came"

    petra.patch(f"/plans/{first}", {"horizon_months": 12}, If_Match=petra.get(f"/plans/{first}")["ETag"])
    assert petra.post(f"/plans/{first}/versions").status_code == 201
    step(petra, paula, first, 2)
    petra.delete(f"/plans/{second}", If_Match=petra.get(f"/plans/{second}")["ETag"])
    example.pull(api, database)
    assert kept(database) == pytest.approx({(first, 2): wanted(petra, first, 2)})
    months = sum(row[2] for row in database.execute("SELECT * FROM budget_by_month"))
    assert months == pytest.approx(wanted(petra, first, 2))


def test_vantage_is_given_what_it_takes(petra: Api, paula: Api, live_server: Any) -> None:
    vantage, api = module_of("vantage"), Sextant(live_server.url, petra.token)
    plans = {approved(petra, paula, spec) for spec in (TRAINING, SERVING)}
    sent = list(csv.DictReader(api.budgets_csv()))
    rows = list(vantage.rows_of(api.budgets_csv()))
    assert {row["ResourceId"] for row in rows} == plans
    assert sum(Decimal(row["BilledCost"]) for row in rows) == sum(Decimal(row["BilledCost"]) for row in sent)
    (file,) = vantage.files_of(rows)
    assert list(csv.DictReader(io.StringIO(file))) == rows


@pytest.mark.parametrize(("limit", "most"), [("MOST_ROWS", 3), ("MOST_BYTES", 600)])
def test_vantage_is_given_as_many_files_as_it_takes(monkeypatch: pytest.MonkeyPatch, limit: str, most: int) -> None:
    vantage = module_of("vantage")
    monkeypatch.setattr(vantage, limit, most)
    lines = [",".join((*vantage.COLUMNS, "x_PlanId", "ChargeDescription")) + "\n"]
    for category in ("Usage", "Purchase", "Adjustment", "Tax") * 3:
        cells = {**dict.fromkeys(vantage.COLUMNS, "é"), "ChargeCategory": category, "BilledCost": "1.50"}
        lines.append(",".join((*cells.values(), "pln_1", "Servers")) + "\n")
    rows = list(vantage.rows_of(lines))
    assert {row["ChargeCategory"] for row in rows} == {"Usage", "Tax"}
    files = list(vantage.files_of(rows))
    assert len(files) > 1
    assert [row for file in files for row in csv.DictReader(io.StringIO(file))] == rows
    assert all(len(file.encode()) <= vantage.MOST_BYTES and file.count("\n") <= vantage.MOST_ROWS + 1 for file in files)


def test_opencost_is_given_the_price_of_the_approved_version(petra: Api, paula: Api, live_server: Any) -> None:
    opencost, api = module_of("opencost"), Sextant(live_server.url, petra.token)
    plan = approved(petra, paula, SERVING)
    values = yaml.safe_load(opencost.values_of(api, plan))["opencost"]["customPricing"]
    cost = petra.get(f"/plans/{plan}/versions/1").json()["estimate"]["recommended"]["cost"]
    assert values["costModel"]["GPU"] == pytest.approx(float(cost["price_per_accelerator_hour"]["amount"]))
    draft = petra.post("/plans", SERVING).json()["id"]
    with pytest.raises(ValueError, match="not approved"):
        opencost.values_of(api, draft)
