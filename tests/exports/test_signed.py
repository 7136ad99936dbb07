"""What is signed stands on every surface beside the share, for each commitment and each server of the market."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from io import BytesIO

import openpyxl
import pytest
from sextant_client.show import estimate_lines

from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from exports.compose import compose
from exports.document import Document, Table
from exports.render import render
from planner.body import estimate_body
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.presenters import present
from planner.request.parse import spec_from
from planner.request.quantities import whole_units
from planner.summary import summary_lines
from tests.exports.real_plans import best_of
from tests.exports.test_compose import every_section

_RUN = {
    "name": "Run", "workload": "training", "model": "llama-3.2-1b", "training": {"tokens": 3e10},
    "horizon_months": 48, "utilisation": 0.8, "constraints": {"deadline_days": 300},
}  # fmt: skip
_SERVICE = {
    "name": "Service", "workload": "serving", "model": "llama-3.2-1b", "horizon_months": 12,
    "serving": {"requests_per_s": 5, "input_tokens": 500, "output_tokens": 100},
}  # fmt: skip


def request(data: dict[str, object], **changed: object) -> Spec:
    """That request on a day when servers that are ordered for it are there in time."""
    return spec_from({**data, "as_of": "2026-11-22", "start": "2027-09-01", **changed})


@cache
def sold() -> tuple[Market, ...]:
    """Markets that sell one thing only: a commitment of one accelerator and term, or one server."""
    whole = market_from_files()
    found = {}
    for offer in whole.offers:
        if offer.term_months and whole.devices[offer.device].plannable:
            found.setdefault((offer.device, offer.option), replace(whole, offers=(offer,), systems=()))
    servers = [replace(whole, offers=(), systems=(item,)) for item in whole.systems if item.price_low_usd > 0]
    return (*found.values(), *servers)


@cache
def plans() -> tuple[Plan, ...]:
    every = [estimate(request(data), market) for data in (_RUN, _SERVICE) for market in sold()]
    return tuple(plan for plan in every if plan.recommendation.recommended)


def surfaces(plan: Plan) -> dict[str, str]:
    """What each surface says, with plain spaces."""
    page, document, body = present(plan), compose(plan), estimate_body(plan)
    first = next(slide for slide in document.slides if slide.id == "decision")
    texts = {
        "approval on the page": page.approval,
        "figure on the page": " ".join(page.figures[0].notes),
        "row on the page": page.rows[0].signed,
        "approval over the API": str(body["approval"]),
        "page 1 of the documents": fact(document, "ask"),
        "figures of the documents": document.decision.figures.items[0].detail,
        "the slide that asks": f"{first.headline} {first.blocks}",
        "command line": "\n".join(summary_lines(plan)),
        "the client": "\n".join(estimate_lines(json.loads(json.dumps(body)))),
    }
    return {name: text.replace("\u00a0", " ").replace("\\xa0", " ") for name, text in texts.items()}


def fact(document: Document, key: str) -> str:
    return next((row.text for row in document.decision.facts if row.key == key), "")


def test_both_kinds_are_among_them() -> None:
    kinds = {(plan.spec.workload, best_of(plan).cost.signed.what) for plan in plans()}
    assert kinds == {(work, what) for work in ("training", "serving") for what in ("commitment", "purchase")}
    assert len(plans()) > 30


def test_every_surface_names_the_whole_sum() -> None:
    for plan in plans():
        signed = best_of(plan).cost.signed
        lacking = [name for name, text in surfaces(plan).items() if f"USD {whole_units(signed.total)}" not in text]
        assert not lacking, best_of(plan).id


def test_the_api_has_it_as_amounts() -> None:
    for plan in plans():
        cost, body = best_of(plan).cost, estimate_body(plan)["recommended"]["cost"]
        assert body["signed"]["total"] == {"amount": f"{cost.signed.total:.2f}", "currency": "USD"}
        assert body["cash_needed"]["amount"] == f"{cost.cash_needed:.2f}"


def test_a_share_has_a_risk_of_who_carries_the_rest() -> None:
    for plan in plans():
        signed = best_of(plan).cost.signed
        told = next((row for row in compose(plan).decision.facts if "who carries the rest" in row.label), None)
        assert (told is not None) == bool(signed.rest), best_of(plan).id
        if told is not None:
            assert whole_units(signed.rest) in told.text


def test_tables_of_options_name_it_beside_the_cost() -> None:
    for plan in plans():
        signed, document = best_of(plan).cost.signed, compose(plan)
        blocks = [block for section in every_section(document) for block in section.blocks]
        blocks += [block for slide in document.slides for block in slide.blocks]
        tables = [block for block in blocks if isinstance(block, Table) and block.id in ("options", "slide-options")]
        assert {table.id for table in tables} >= {"options"}
        for table in tables:
            at = [column.title for column in table.columns].index("Signed as a whole, USD")
            assert table.rows[0][at].text == whole_units(signed.total), best_of(plan).id


@pytest.mark.parametrize("what", ["commitment", "purchase"])
def test_the_summary_of_the_workbook_names_it(what: str) -> None:
    plan = next(plan for plan in plans() if best_of(plan).cost.signed.what == what and plan.spec.training)
    cost = best_of(plan).cost
    sheet = openpyxl.load_workbook(BytesIO(render(plan, "xlsx")), data_only=True)["Summary"]
    rows = {str(row[0].value): row[1].value for row in sheet.iter_rows(max_col=2)}
    assert rows[f"Signed: the whole {what}, USD"] == pytest.approx(cost.signed.total)
    assert rows["What a budget must hold, USD"] == pytest.approx(cost.cash_needed)


def test_plain_rental_says_nothing_of_it() -> None:
    whole = market_from_files()
    hourly = replace(whole, offers=tuple(offer for offer in whole.offers if not offer.term_months), systems=())
    plan = estimate(request(_RUN), hourly)
    assert best_of(plan).cost.signed.what == "none"
    for name, text in surfaces(plan).items():
        assert "signed" not in text, name
        assert " to sign" not in text, name
    titles = [
        column.title
        for section in every_section(compose(plan))
        for block in section.blocks
        if isinstance(block, Table)
        for column in block.columns
    ]
    assert "Signed as a whole, USD" not in titles
