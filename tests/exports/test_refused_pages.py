"""Refusals read to the end: every number is of what was tried, every word belongs to this kind of answer."""

from __future__ import annotations

import io
import re

import openpyxl
import pytest

from exports.compose import compose
from exports.document import Document, KeyFigures, Section, Table
from exports.render import render
from planner.charting.options import rejections
from planner.counting import kind_of
from tests.exports.real_plans import gallery_plan
from tests.exports.walking import parts, texts
from tests.told import told

REFUSED = (
    "refused-batch",
    "refused-budget",
    "refused-memory",
    "refused-no-price",
    "refused-promise",
    "refused-deadline",
)


def document(name: str) -> Document:
    return compose(gallery_plan(name))


def said(value: object) -> str:
    return " ".join(texts(value)).replace("\u00a0", " ")


def table(found: Document, key: str) -> Table | None:
    return next((part for part in parts(found.sections) if isinstance(part, Table) and part.id == key), None)


@pytest.mark.parametrize("name", REFUSED)
def test_what_was_tried_is_counted_and_nothing_else(name: str) -> None:
    """“0 searched” and “0 layouts fit into memory and were timed” stood beside 96 layouts that do not fit."""
    found = document(name)
    tried = next(item.detail for item in found.decision.figures.items if item.value == "0")
    assert re.fullmatch(r"[\d,]+.layouts? tried", tried)
    left_out = sum(item.count for item in gallery_plan(name).recommendation.rejected if kind_of(item) == "layout")
    assert bool(left_out) == (not tried.startswith("0"))
    assert not re.search(r"(?<![\d,])0 layouts", said(found.sections))


@pytest.mark.parametrize("name", REFUSED)
def test_by_how_much_it_fails_holds_a_measure(name: str) -> None:
    """Names alone of what is not allowed, or of what is too slow, say nothing of how much is missing."""
    missed = next((fact.text for fact in document(name).decision.facts if fact.key == "missed"), "")
    assert not missed or re.search(
        r"\d (?:GB|ms|hours|days|times)|times the (?:deadline|budget)", missed.replace("\u00a0", " ")
    )
    assert bool(missed) == (name != "refused-no-price")


@pytest.mark.parametrize("name", REFUSED)
def test_assumptions_that_no_number_of_it_rests_on_are_not_listed(name: str) -> None:
    """A refusal listed the first thirty of four hundred, a load balancer among them for a training run."""
    found, plan = document(name), gallery_plan(name)
    rows = table(found, "assumptions")
    if not plan.recommendation.alternatives:
        assert rows is None
        assert "The workbook lists" in said(
            next(s for s in parts(found.sections) if isinstance(s, Section) and s.id == "assumptions")
        )
    else:
        assert rows is not None
        assert len(rows.rows) < 25


@pytest.mark.parametrize("name", [*REFUSED, "serve-buy-jpy", "train-tpu-commitment"])
def test_the_glossary_explains_words_that_are_used(name: str) -> None:
    found = document(name)
    words = table(found, "glossary")
    rest = said((found.decision, tuple(section for section in found.sections if section.id != "glossary")))
    for row in words.rows if words else ():
        assert any(word.casefold() in rest.casefold() for word in row[0].text.split(", ")), row[0].text


@pytest.mark.parametrize("name", REFUSED)
def test_a_chart_of_reasons_counts_one_kind_of_thing(name: str) -> None:
    answer = gallery_plan(name).recommendation
    chart = rejections(answer)
    if chart is None:
        return
    kinds = {kind_of(item) for item in answer.rejected if told(item.reason) in chart.categories}
    assert {f"{kind}s" for kind in kinds} == {chart.y_label.lower()}
    assert chart.y_label.lower() in chart.finding


@pytest.mark.parametrize("name", ["refused-no-price", "refused-memory"])
def test_a_workbook_has_no_sheet_without_a_value(name: str) -> None:
    book = openpyxl.load_workbook(io.BytesIO(render(gallery_plan(name), "xlsx")))
    for sheet in book.worksheets:
        assert sheet.max_row > 4, sheet.title


def test_key_figures_name_what_is_needed_in_words() -> None:
    labels = {
        item.label
        for name in REFUSED
        for part in parts(document(name).decision)
        if isinstance(part, KeyFigures)
        for item in part.items
    }
    assert {"Number of accelerators needed", "Agreed price needed", "Kind of accelerator needed"} <= labels
    assert not [label for label in labels if label.startswith(("Max ", "Agreed needed"))]
