"""The feed of budgets: every approved plan, by change, with deltas and deletions; equal to what each plan says by itself."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from planner.budgets import parquet
from planner.budgets.focus import COLUMNS
from planner.budgets.focus_bands import HIGH, LOW
from planner.budgets.focus_days import SHARED, active_days
from planner.budgets.sheets.sheet import sheet_of
from planner.frozen.snapshot import opened
from planner.frozen.stored import body_bytes
from planner.models import PlanVersion
from planner.pages.home.shelving import restore
from tests.api.support import SERVING, TRAINING, Api, problem

pytestmark = pytest.mark.usefixtures("quick_engine")
FEED = "/budget-lines"


def approved(petra: Api, paula: Api, spec: dict[str, Any], **changes: Any) -> str:
    """A new plan whose first version is approved."""
    plan: str = petra.post("/plans", spec | changes).json()["id"]
    step(petra, paula, plan, 1)
    return plan


def step(petra: Api, paula: Api, plan: str, number: int) -> None:
    """Has that version approved."""
    for caller, action in ((petra, "submit"), (paula, "approve")):
        assert caller.post(f"/plans/{plan}/versions/{number}/approvals", {"action": action}).status_code == 200


def total(lines: list[dict[str, Any]], plan: str) -> Decimal:
    """What the lines of that plan add up to."""
    return sum((Decimal(line["amount"]) for line in lines if line["plan_id"] == plan), Decimal())


def test_it_works(petra: Api, paula: Api) -> None:
    plans = [approved(petra, paula, spec) for spec in (TRAINING, SERVING)]
    petra.post("/plans", TRAINING | {"name": "Not approved"})
    body = petra.get(FEED).json()
    assert {line["plan_id"] for line in body["data"]} == set(plans)
    assert (body["deleted"], body["next_cursor"]) == ([], None)
    for plan in plans:
        own = petra.get(f"/plans/{plan}/budget-lines").json()
        assert total(body["data"], plan) == Decimal(own["total"])
        lines = [line for line in body["data"] if line["plan_id"] == plan]
        assert [(line["period"], line["line"], line["amount"]) for line in lines] == [
            (line["month"], line["line"], line["amount"]) for line in own["data"]
        ]


def test_days_add_up_to_their_month(petra: Api, paula: Api) -> None:
    approved(petra, paula, SERVING)
    months, days = (petra.get(f"{FEED}?granularity={name}").json()["data"] for name in ("month", "day"))
    for end in ("amount", "low", "high"):
        for month in months:
            found = [
                Decimal(day[end])
                for day in days
                if (day["period"][:7], day["line"]) == (month["period"], month["line"])
            ]
            assert sum(found) == Decimal(month[end])
            assert max(found) - min(found) <= Decimal("0.01")
    assert len(days) > len(months)
    plan = PlanVersion.objects.get().plan
    assert min(day["period"] for day in days) >= plan.start.isoformat()


def test_a_run_of_a_few_days_costs_on_these_days(petra: Api, paula: Api) -> None:
    approved(petra, paula, TRAINING)
    version = PlanVersion.objects.get()
    plan, sheet = version.plan, sheet_of(version)
    best = plan.recommendation.recommended
    assert best is not None
    assert best.finish is not None
    for day in petra.get(f"{FEED}?granularity=day").json()["data"]:
        assert plan.start.isoformat() <= day["period"] <= best.finish.isoformat()
    for line in sheet.lines:
        first = date.fromisoformat(f"{line.month}-01")
        assert all(one.isoformat()[:7] == line.month for one in active_days(first, sheet.begins, sheet.ends))


def test_rows_of_focus_by_day_add_up_to_their_month(petra: Api, paula: Api) -> None:
    approved(petra, paula, SERVING)
    months, days = (
        list(csv.DictReader(io.StringIO(petra.get(f"{FEED}?format=focus-csv&granularity={name}").getvalue().decode())))
        for name in ("month", "day")
    )
    assert len(days) > 20 * len([row for row in months if row["ChargeCategory"] == "Usage"])
    same = ("x_Line", "BillingPeriodStart", "ChargeCategory", "x_CarriedBy", "CommitmentDiscountStatus", "SkuId")
    for name in (*SHARED, "EffectiveCost"):
        sums: tuple[Counter[Any], Counter[Any]] = (Counter(), Counter())
        for rows, found in zip((months, days), sums, strict=True):
            for row in rows:
                found[tuple(row[key] for key in same)] += Decimal(row[name] or 0)
        assert sums[0] == sums[1], name
    for row in days:
        begins, ends = (datetime.fromisoformat(row[f"ChargePeriod{end}"]) for end in ("Start", "End"))
        assert ends - begins == timedelta(days=1)
        assert row["BillingPeriodStart"] <= row["ChargePeriodStart"] < row["BillingPeriodEnd"]
        if row["ListUnitPrice"]:
            product = Decimal(row["PricingQuantity"]) * Decimal(row["ListUnitPrice"])
            assert abs(product - Decimal(row["ListCost"])) <= Decimal("0.0151")
    in_pages = petra.get(f"{FEED}?format=focus-json&granularity=day").json()["data"]
    assert [row["BilledCost"] for row in in_pages] == [row["BilledCost"] for row in days]


def test_the_bands_of_rows_add_up_to_those_of_the_plan(petra: Api, paula: Api) -> None:
    """In a plan whose cash is its cost."""
    approved(petra, paula, TRAINING)
    total = PlanVersion.objects.get().plan.recommendation.recommended.cost.total  # type: ignore[union-attr]
    rows = petra.get(f"{FEED}?format=focus-json").json()["data"]
    for name, end in (("BilledCost", total.expected), (LOW, total.low), (HIGH, total.high)):
        assert float(sum(Decimal(row[name]) for row in rows)) == pytest.approx(float(end), abs=0.02), name
    assert all(Decimal(row[LOW]) <= Decimal(row["BilledCost"]) <= Decimal(row[HIGH]) for row in rows)


def test_pages_hold_each_plan_once(petra: Api, paula: Api) -> None:
    plans = {approved(petra, paula, TRAINING, name=f"Plan {number}") for number in range(5)}
    seen: list[str] = []
    path: str | None = f"{FEED}?limit=2"
    while path:
        response = petra.get(path)
        body = response.json()
        seen += list(dict.fromkeys(line["plan_id"] for line in body["data"]))
        path = f"{FEED}?limit=2&cursor={body['next_cursor']}" if body["next_cursor"] else None
        assert ("Link" in response) is (path is not None)
    assert (len(seen), set(seen)) == (5, plans)


def test_a_delta_names_what_is_new_and_what_is_gone(petra: Api, paula: Api) -> None:
    first, second = (approved(petra, paula, TRAINING, name=name) for name in ("First", "Second"))
    since = petra.get(FEED).json()["updated_until"]
    # what happened within the last minute comes again
    assert datetime.fromisoformat(since) < datetime.now(UTC) - timedelta(seconds=50)
    PlanVersion.objects.update(decided_at=datetime.now(UTC) - timedelta(hours=1))
    nothing = petra.get(f"{FEED}?updated_since={since}").json()
    assert (nothing["data"], nothing["deleted"]) == ([], [])

    tag = petra.get(f"/plans/{first}")["ETag"]
    petra.patch(f"/plans/{first}", {"horizon_months": 12}, If_Match=tag)
    assert petra.post(f"/plans/{first}/versions").status_code == 201
    step(petra, paula, first, 2)
    petra.delete(f"/plans/{second}", If_Match=petra.get(f"/plans/{second}")["ETag"])

    delta = petra.get(f"{FEED}?updated_since={since}").json()
    assert {(line["plan_id"], line["version"]) for line in delta["data"]} == {(first, 2)}
    assert {(item["plan_id"], item["version"], item["why"]) for item in delta["deleted"]} == {
        (first, 1, "superseded"), (second, 1, "archived"),
    }  # fmt: skip
    whole = petra.get(FEED).json()
    assert {(line["plan_id"], line["version"]) for line in whole["data"]} == {(first, 2)}
    assert whole["deleted"] == []


def test_a_plan_that_comes_back_is_told_again(petra: Api, paula: Api) -> None:
    plan = approved(petra, paula, TRAINING)
    PlanVersion.objects.update(decided_at=datetime.now(UTC) - timedelta(hours=2))
    since = (datetime.now(UTC) - timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    petra.delete(f"/plans/{plan}", If_Match=petra.get(f"/plans/{plan}")["ETag"])
    gone = petra.get(f"{FEED}?updated_since={since}").json()
    assert [item["why"] for item in gone["deleted"]] == ["archived"]
    restore(petra.member, PlanVersion.objects.get().workload)
    back = petra.get(f"{FEED}?updated_since={since}").json()
    assert back["deleted"] == []
    assert total(back["data"], plan) == total(petra.get(FEED).json()["data"], plan) > 0


def test_who_has_it_all_is_told_so_without_work(petra: Api, paula: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    approved(petra, paula, TRAINING)
    tag = petra.get(FEED)["ETag"]
    with monkeypatch.context() as patch:
        patch.setattr("planner.api.feed.sheets", lambda _: pytest.fail("opened a plan"))
        assert petra.get(FEED, If_None_Match=tag).status_code == 304
    assert petra.get(f"{FEED}?granularity=day", If_None_Match=tag).status_code == 200
    approved(petra, paula, TRAINING, name="Another")
    assert petra.get(FEED, If_None_Match=tag).status_code == 200


def test_focus_names_the_same_money(petra: Api, paula: Api) -> None:
    plans = [approved(petra, paula, spec) for spec in (TRAINING, SERVING)]
    response = petra.get(f"{FEED}?format=focus-csv")
    assert response["Content-Type"].startswith("text/csv")
    text = b"".join(response.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    paged = petra.get(f"{FEED}?format=focus-json").json()
    assert [{key: value for key, value in row.items() if value} for row in rows] == [
        {key: value for key, value in row.items() if value} for row in paged["data"]
    ]
    for plan in plans:
        own = petra.get(f"/plans/{plan}/budget-lines?format=focus")
        assert [row for row in rows if row["x_PlanId"] == plan] == list(
            csv.DictReader(io.StringIO(own.content.decode()))
        )


def table(petra: Api) -> Any:
    """The feed as it is read from Parquet."""
    from pyarrow.parquet import read_table

    response = petra.get(f"{FEED}?format=parquet")
    assert response["Content-Type"] == "application/vnd.apache.parquet"
    return read_table(io.BytesIO(b"".join(response.streaming_content)))


def test_parquet_says_the_same_with_types(petra: Api, paula: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.budgets.parquet.GROUP", 3)  # several groups
    for spec in (TRAINING, SERVING):
        approved(petra, paula, spec)
    found = table(petra)
    text = b"".join(petra.get(f"{FEED}?format=focus-csv").streaming_content).decode()
    rows, paged = list(csv.DictReader(io.StringIO(text))), petra.get(f"{FEED}?format=focus-json").json()["data"]
    assert found.column_names == list(rows[0])
    assert found.num_rows == len(rows) == len(paged) > 3
    for cells, row, line in zip(found.to_pylist(), rows, paged, strict=True):
        assert {name: said(name, cell) for name, cell in cells.items() if cell is not None} == {
            name: value(name, cell.removeprefix("'")) for name, cell in row.items() if cell
        }
        assert {name: said(name, cell) for name, cell in cells.items() if cell is not None} == {
            name: value(name, cell) for name, cell in line.items()
        }


def value(name: str, text: str) -> Any:
    """A cell of text as what it means: a number where the column is one."""
    return Decimal(text) if name in parquet.DECIMALS else text


def said(name: str, cell: Any) -> Any:
    """A cell of Parquet as the text that CSV has; decimals as numbers, which have no trailing zeros to compare."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, datetime):
        assert cell.utcoffset() == timedelta()
        return cell.strftime("%Y-%m-%dT%H:%M:%SZ")
    return cell if isinstance(cell, Decimal) else str(cell)


def test_columns_of_parquet_have_the_types_of_focus(petra: Api) -> None:
    found = table(petra)
    assert (found.num_rows, found.column_names) == (0, list(COLUMNS))
    types = {field.name: str(field.type) for field in found.schema}
    for name in ("BilledCost", "EffectiveCost", "ListUnitPrice", "PricingQuantity", "x_AllocatedCost", "x_SignedTotal"):
        assert types.pop(name) == "decimal128(38, 10)"
    for name in ("BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd"):
        assert types.pop(name) == "timestamp[ms, tz=UTC]"
    assert (types["x_PriceAsOf"], types["x_Planned"], types["x_PlanVersion"]) == ("date32[day]", "bool", "int32")
    assert {name for name, kind in types.items() if kind.startswith("decimal")} == {
        "ListCost", "ContractedCost", "ContractedUnitPrice", "ConsumedQuantity", "CommitmentDiscountQuantity", "x_ActualCost",
        "x_ContractCommitmentDrawnCost", LOW, HIGH,
    }  # fmt: skip
    assert types["Tags"] == types["BillingCurrency"] == types["x_ContentHash"] == "string"


def test_a_group_is_sent_before_the_next_is_asked_for() -> None:
    """Memory holds one group of rows: what was asked for when the second piece comes is two groups, not the feed."""
    asked = 0

    def rows() -> Iterator[dict[str, str]]:
        nonlocal asked
        for asked in range(1, 20 * parquet.GROUP + 1):
            yield {"BilledCost": f"{asked}.05", "ChargeDescription": f"Line {asked}"}

    pieces = parquet.parquet(rows())
    first, second = next(pieces), next(pieces)
    assert asked == 2 * parquet.GROUP
    assert len(first) > 10_000 < len(second)
    assert sum(1 for _ in pieces) == 19  # eighteen groups and the foot


def test_a_server_without_the_library_says_so(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planner.budgets.parquet.available", lambda: False)
    fault = problem(petra.get(f"{FEED}?format=parquet"), 400)["errors"][0]
    assert fault["parameter"] == "format"
    assert "focus-csv" in fault["detail"]


def test_an_empty_feed_has_its_columns(petra: Api) -> None:
    text = b"".join(petra.get(f"{FEED}?format=focus-csv").streaming_content).decode()
    assert text.startswith("BillingCurrency,") or "BillingCurrency" in text.splitlines()[0]
    assert len(text.splitlines()) == 1


def test_another_team_sees_none_of_it(petra: Api, paula: Api, charlie: Api) -> None:
    approved(petra, paula, TRAINING)
    assert charlie.get(FEED).json()["data"] == []
    assert charlie.get(f"{FEED}?updated_since=2020-01-01T00:00:00Z").json()["deleted"] == []


@pytest.mark.parametrize(
    ("query", "name"),
    [("status=draft", "status"), ("granularity=week", "granularity"), ("format=orc", "format"),
     ("updated_since=2027-01-01", "updated_since")],
)  # fmt: skip
def test_what_it_cannot_give_is_named(petra: Api, query: str, name: str) -> None:
    assert problem(petra.get(f"{FEED}?{query}"), 400)["errors"][0]["parameter"] == name


@pytest.mark.parametrize("spec", [TRAINING, SERVING])
def test_what_is_read_for_it_says_what_the_whole_plan_says(petra: Api, spec: dict[str, Any]) -> None:
    petra.post("/plans", spec)
    version = PlanVersion.objects.get()
    lean, whole = version.costed, opened(body_bytes(version))[0]
    assert lean.recommendation.recommended == whole.recommendation.recommended
    assert (lean.spec, lean.sha256) == (whole.spec, version.sha256)
    long = {"alternatives": (), "assumptions": (), "frontier": ()}
    assert lean.recommendation == replace(whole.recommendation, **long), "nothing else is left out"


def test_a_line_says_whose_it_is_and_what_was_approved(petra: Api, paula: Api) -> None:
    approved(petra, paula, TRAINING, cost_centre="AI-17", tags={"env": "prod"})
    lines = petra.get(FEED).json()["data"]
    plan = PlanVersion.objects.get().plan
    best = plan.recommendation.recommended
    assert best is not None
    assert {(line["cost_centre"], line["tags"]["env"], line["signed"]) for line in lines} == {("AI-17", "prod", None)}
    (asked,) = {line["authorised"] for line in lines}
    assert Decimal(asked) > total(lines, lines[0]["plan_id"])
    assert asked == f"{next(one.cost for one in plan.recommendation.certainty if one.asked):.2f}"


@pytest.mark.parametrize(
    "query", ["format=focus-csv&limit=1", "format=focus-csv&fields=amount", "format=focus-json&fields=amount"]
)
def test_nothing_that_is_asked_is_left_aside_in_silence(petra: Api, query: str) -> None:
    assert "leave it out" in problem(petra.get(f"{FEED}?{query}"), 400)["detail"]


def test_a_step_of_the_review_is_a_change_of_its_plan(petra: Api, paula: Api) -> None:
    plan = petra.post("/plans", TRAINING).json()["id"]
    since = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert petra.get(f"/plans?updated_since={since}").json()["data"] == []
    step(petra, paula, plan, 1)
    assert [row["id"] for row in petra.get(f"/plans?updated_since={since}").json()["data"]] == [plan]
