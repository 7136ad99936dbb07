"""Estimates: one, many, and how far a cost moves."""

from __future__ import annotations

from typing import Any

import pytest

from planner.models import Workload
from tests.api.support import SERVING, TRAINING, Api, pointers, problem

pytestmark = pytest.mark.usefixtures("quick_engine")

BATCH = {**SERVING, "serving": {"batch": {"requests": 1e5, "deadline_hours": 24}}}


def usd(amount: dict[str, str]) -> float:
    """That amount of money, in US dollars."""
    assert amount["currency"] == "USD"
    return float(amount["amount"])


def test_it_works(petra: Api) -> None:
    body = petra.post("/estimates", TRAINING).json()
    assert body["feasible"] is True
    assert len(body["plan_sha256"]) == 64
    assert body["recommended"]["cost"]["total"]["currency"] == "USD"
    assert isinstance(body["recommended"]["cost"]["total"]["expected"], str)
    assert not Workload.objects.exists()


def floats_of_money(value: Any, path: str = "") -> list[str]:
    """Where a JSON number is money: by the unit beside it, or by its own name."""
    if isinstance(value, list):
        return [place for index, item in enumerate(value) for place in floats_of_money(item, f"{path}/{index}")]
    if not isinstance(value, dict):
        return []
    unit = str(value.get("unit", ""))
    named = {key for key in value if "usd" in key or key in ("cost", "total") or unit.startswith("USD")}
    wrong = [f"{path}/{key}" for key in named if type(value[key]) in (int, float)]
    return wrong + [place for key, item in value.items() for place in floats_of_money(item, f"{path}/{key}")]


@pytest.mark.parametrize("spec", [TRAINING, SERVING])
def test_money_is_never_a_number(petra: Api, spec: dict[str, Any]) -> None:
    body = petra.post("/estimates", spec).json()
    assert floats_of_money(body) == []
    assert floats_of_money(petra.post("/estimates/sensitivity", {"spec": spec}).json()) == []
    assert usd(body["frontier"][0]["cost"]) > 0
    prices = [item["value"] for item in body["recommended"]["cost"]["inputs"] if item["unit"] == "USD/h"]
    assert usd(prices[0]) > 0


def test_equal_requests_give_equal_bytes(petra: Api, charlie: Api) -> None:
    assert petra.post("/estimates", SERVING).content == charlie.post("/estimates", SERVING).content


def test_what_the_catalog_lacks_is_named(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the real names of the catalog
    body = {**TRAINING, "constraints": {"accelerators": ["h100-sxm5", "h1000"]}}
    response = petra.post("/estimates", body)
    assert pointers(response) == ["/constraints/accelerators/1"]
    assert "h100" in response.json()["detail"]


def test_rules_across_fields_name_them(petra: Api) -> None:
    assert pointers(petra.post("/estimates", {**TRAINING, "serving": {"requests_per_s": 1}})) == ["/serving"]


@pytest.mark.parametrize("spec", [TRAINING, SERVING, BATCH], ids=["training", "service", "batch"])
@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("carbon.load", 0.0, "a number from 0.05 to 1 (share)."),
        ("onprem.life_years", 0.0, "a number from 0.5 to 30 (year)."),
        ("reliability.near_share", 1e6, "a number from 0.01 to 0.99 (share)."),
        (
            "reliability.fleet",
            1.5,
            "a whole number from 0 to 3 (Preset of failure rates: 0 = as listed here, 1 = new fleet, ",
        ),
    ],
)
def test_an_assumption_beyond_its_limits_is_named_with_what_is_allowed(
    petra: Api, spec: dict[str, Any], name: str, value: float, allowed: str
) -> None:
    response = petra.post("/estimates", {**spec, "assumptions": {name: value}})
    detail = problem(response, 422)["errors"][0]["detail"]
    assert pointers(response) == [f"/assumptions/{name}"]
    assert detail.startswith(f"“assumptions.{name}” is {value:g}: give {allowed}")


def test_a_viewer_may_estimate(bob: Api) -> None:
    assert bob.post("/estimates", TRAINING).status_code == 200


def test_a_batch_answers_each_on_its_own(petra: Api) -> None:
    answer = petra.post("/estimates:batch", {"items": [TRAINING, {"name": 1}, SERVING, 7]})
    data = answer.json()["data"]
    assert [(item["index"], item["status"]) for item in data] == [(0, 200), (1, 422), (2, 200), (3, 422)]
    assert data[0]["estimate"] == petra.post("/estimates", TRAINING).json()
    assert data[1]["problem"]["errors"][0]["pointer"].startswith("/items/1/")
    assert data[3]["problem"]["errors"][0]["pointer"] == "/items/3"


@pytest.mark.parametrize("items", [[], [TRAINING] * 101, "x", None, {}])
def test_a_batch_has_1_to_100_items(petra: Api, items: Any) -> None:
    assert pointers(petra.post("/estimates:batch", {"items": items})) == ["/items"]


def test_each_item_of_a_batch_counts(petra: Api, settings: Any) -> None:
    settings.API_PER_MINUTE = {"read": 1, "estimate": 2, "export": 1}
    problem(petra.post("/estimates:batch", {"items": [TRAINING] * 3}), 429)


def test_the_tornado_moves_one_input_at_a_time(petra: Api) -> None:
    body = petra.post("/estimates/sensitivity", {"spec": TRAINING}).json()
    widths = [round(abs(usd(bar["high_total"]) - usd(bar["low_total"])), 2) for bar in body["bars"]]
    assert widths == sorted(widths, reverse=True)
    assert len(widths) > 1
    for bar in body["bars"]:
        ends = sorted((usd(bar["low_total"]), usd(bar["high_total"])))
        assert ends[0] <= usd(body["total"]) <= ends[1]


def test_the_band_is_seeded(petra: Api) -> None:
    first, again, other = (
        petra.post("/estimates/sensitivity", {"spec": TRAINING, "method": "monte_carlo", "seed": seed}).json()["band"]
        for seed in (1, 1, 2)
    )
    assert first == again != other
    assert float(first["p10"]) < float(first["p50"]) < float(first["p90"])


def test_only_the_named_inputs_move(petra: Api) -> None:
    bars = petra.post("/estimates/sensitivity", {"spec": TRAINING}).json()["bars"]
    name = bars[1]["name"]
    only = petra.post("/estimates/sensitivity", {"spec": TRAINING, "inputs": [name]}).json()["bars"]
    assert [bar["name"] for bar in only] == [name]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"inputs": ["nothing"]}, "/inputs/0"),
        ({"method": "guess"}, "/method"),
        ({"seed": "1"}, "/seed"),
        ({"draws": 10**9}, "/draws"),
        ({"spec": {**TRAINING, "training": {"tokens": -1}}}, "/spec/training/tokens"),
        ({"spec": {**TRAINING, "name": "infeasible"}}, "/spec"),
        ({"nonsense": 1}, "/nonsense"),
    ],
)
def test_what_sensitivity_refuses(petra: Api, change: dict[str, Any], where: str) -> None:
    assert pointers(petra.post("/estimates/sensitivity", {"spec": TRAINING, **change})) == [where]
