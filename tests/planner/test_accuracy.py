"""The accuracy page shows what the last validation found, and says what to do while there is nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from charts.svg import svg
from planner.pages.accuracy import figures
from tests.conftest import People

FIGURES = {"predicted": 12, "median_ape": 0.079, "p90_ape": 0.21, "bias": -0.021, "band80_coverage": 0.84,
           "band80_median_width": 0.31}  # fmt: skip
BODY: dict[str, Any] = {
    "training": {
        **FIGURES,
        "rows": 14,
        "refused": {"no <such> model": 2},
        "by_source": {"small": {**FIGURES, "predicted": 3}, "large": {**FIGURES, "predicted": 9}},
        "by": {"accelerator": {"h100-sxm5": FIGURES}},
        "apart": {"lora": {"predicted": 0}},
        "points": [{"measured": 1, "predicted": 1.05, "label": "a"}, [10, 15, "b"], {"measured": 0, "predicted": 1}],
    },
    "memory": {},
    "weak": ["Mixtures of <b>experts</b>."],
    "peers": [{"tool": "one utilisation", "median_ape": 0.227}],
    "rankings": "nonsense",
    "serving": {"ttft_ms": {**FIGURES, "rows": 5}},
}


@pytest.fixture
def page(client: Client, people: People) -> Client:
    client.force_login(people.bob)
    return client


def test_without_a_file_the_page_says_how_to_make_one(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "FILE", Path("nowhere.json"))
    text = page.get("/accuracy").content.decode()
    assert "manage.py validate --docs" in text
    assert 'aria-current="page">Accuracy' in text


@pytest.mark.parametrize("body", ["not json", "[1]", "{}", '{"training": 5}'])
def test_a_file_that_cannot_be_read_is_no_fault(
    page: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str
) -> None:
    (tmp_path / "accuracy.json").write_text(body)
    monkeypatch.setattr(figures, "FILE", tmp_path / "accuracy.json")
    assert "manage.py validate --docs" in page.get("/accuracy").content.decode()


def test_figures_tables_and_chart(page: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "accuracy.json").write_text(json.dumps(BODY))
    monkeypatch.setattr(figures, "FILE", tmp_path / "accuracy.json")
    training, latency = figures.parts(figures.FILE)
    assert training.headline.median == "7.9%"
    assert training.headline.bias == "−2.1%"
    assert [(table.title, [row.name for row in table.rows]) for table in training.tables] == [
        ("Source", ["large", "small"]),
        ("Accelerator", ["h100-sxm5"]),
    ]
    assert latency.title == "Time to first token, median"
    assert training.chart is not None
    assert training.chart.finding.startswith("50% of the predictions")
    assert 'class="limit"' in svg(training.chart)
    text = page.get("/accuracy").content.decode()
    assert "no &lt;such&gt; model" in text
    assert "over 12 measured rows" in text
    assert "Mixtures of &lt;b&gt;experts" in text
    assert "22.7%" in text
    assert "Order of layouts" not in text


def test_the_page_thins_what_the_file_holds_whole(
    page: Client, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    many = {**BODY["training"], "points": [[1 + at, 1 + at, f"row {at}"] for at in range(1000)]}
    (tmp_path / "accuracy.json").write_text(json.dumps({"training": many}))
    monkeypatch.setattr(figures, "FILE", tmp_path / "accuracy.json")
    assert page.get("/accuracy").content.decode().count(">row ") < 400
    rows = page.get("/accuracy/charts/accuracy-training.csv").content.decode().splitlines()
    assert len(rows) == 1003


def test_the_page_asks_few_questions(page: Client, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(4):
        page.get("/accuracy")
