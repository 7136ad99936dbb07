"""Models, accelerators, prices: facts with their sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from catalog.importers.quotes import REQUIRED
from tests.api.support import Api, pointers, problem

CONFIG = json.loads((Path(__file__).parents[2] / "examples/llama-3.1-70b.config.json").read_text())


def all_of(api: Api, path: str) -> list[dict[str, Any]]:
    """Every row of a list, page by page."""
    rows: list[dict[str, Any]] = []
    sign = "&" if "?" in path else "?"
    page = api.get(f"{path}{sign}limit=200").json()
    while page["next_cursor"]:
        rows += page["data"]
        page = api.get(f"{path}{sign}limit=200&cursor={page['next_cursor']}").json()
    return rows + page["data"]


def test_it_works(petra: Api) -> None:
    models = all_of(petra, "/models")
    assert len(models) >= 40
    assert [model["slug"] for model in models] == sorted({model["slug"] for model in models})
    assert all(model["source"] for model in models)


def test_a_model_by_any_of_its_names(petra: Api) -> None:
    assert petra.get("/models/Llama 3.1 70B").json() == petra.get("/models/llama-3.1-70b").json()
    assert "llama-3.1" in problem(petra.get("/models/llama-3.1-700b"), 404)["detail"]


def test_a_config_is_read(petra: Api) -> None:
    parsed = petra.post("/models:parse", CONFIG).json()
    assert parsed["parameters"] == petra.get("/models/llama-3.1-70b").json()["parameters"]


def test_a_config_that_is_none(petra: Api) -> None:
    problem(petra.post("/models:parse", b"[]"), 400)
    problem(petra.post("/models:parse", {**CONFIG, "x": "y" * 300_000}), 413)
    assert pointers(petra.post("/models:parse", {**CONFIG, "hidden_size": -1}))[0].startswith("/")


def test_every_fact_has_unit_source_and_date(petra: Api) -> None:
    accelerators = all_of(petra, "/accelerators")
    assert len(accelerators) > 20
    for accelerator in accelerators:
        for group in ("facts", "dense_flops", "sparse_flops"):
            assert all(fact["source"] and fact["date"] for fact in accelerator[group].values())


def test_dense_and_sparse_stand_apart(petra: Api) -> None:
    h100 = petra.get("/accelerators/h100-sxm5").json()
    dense, sparse = (float(h100[kind]["bf16"]["value"]) for kind in ("dense_flops", "sparse_flops"))
    assert sparse == pytest.approx(2 * dense, rel=0.01)
    problem(petra.get("/accelerators/h1000"), 404)


def test_prices_are_filtered(petra: Api) -> None:
    rows = all_of(petra, "/prices?accelerator=h100-sxm5&provider=aws&mode=spot")
    assert rows
    assert {(row["accelerator"], row["provider"], row["mode"]) for row in rows} == {("h100-sxm5", "aws", "spot")}
    region = rows[0]["region"]
    assert {row["region"] for row in all_of(petra, f"/prices?provider=aws&region={region}")} == {region}
    assert len({row["id"] for row in rows}) == len(rows)
    assert all(isinstance(row["amount"], str) for row in rows)


def test_a_price_has_the_names_of_the_columns_of_an_import(petra: Api) -> None:
    rows = all_of(petra, "/prices?accelerator=h100-sxm5&provider=aws&option=spot")
    assert rows == all_of(petra, "/prices?accelerator=h100-sxm5&provider=aws&mode=spot") != []
    assert {*REQUIRED, "zone"} <= rows[0].keys()
    for row in rows:
        assert (row["count"], row["option"], row["date"]) == (row["accelerators"], row["mode"], row["valid_from"])


def test_prices_as_of_a_day(petra: Api) -> None:
    assert all_of(petra, "/prices?accelerator=h100-sxm5&as_of=2001-01-01") == []
    assert all_of(petra, "/prices?accelerator=h100-sxm5&as_of=2100-01-01")


@pytest.mark.parametrize(
    "query",
    ["mode=cheap", "option=spot&mode=on_demand", "as_of=today", "as_of=2026-02-30", "accelerator=a&accelerator=b"],
)
def test_a_strange_filter_is_refused(petra: Api, query: str) -> None:
    problem(petra.get(f"/prices?{query}"), 400)
