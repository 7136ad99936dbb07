"""What would cost less stands in all four documents, is weighed once for a version, and is the same whenever a file is made."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from io import BytesIO
from zipfile import ZipFile

import openpyxl
import pptx
import pytest

from accounts.models import Membership, Role
from engine.entry import levers
from exports import work
from exports.brand import Brand, Rate, using
from exports.compose import compose
from exports.composing.context import currency_of
from exports.composing.proportion import weighs_levers
from exports.document import Document, Section, Table
from exports.models import Export
from exports.numbers import chance
from exports.render import render
from exports.round_trip.compare import differences
from exports.text import texts
from jobs.models import Job, State
from jobs.running import run_job
from planner.frozen.snapshot import Plan, settled
from planner.levers import kept as kept_levers
from planner.levers import weighed as weighing
from planner.levers.kept import weighed_of
from planner.levers.weighed import Weighed, weigh
from planner.market import market_from_files
from planner.models import PlanVersion
from planner.tables import KeptLevers
from tests.conftest import People, make_member
from tests.exports.real_plans import plan_of
from tests.exports.samples import tiny_plan
from tests.faults.observed import clean_hash
from tests.once import once
from tests.planner.versions import first_version


@cache
def rented() -> Plan:
    return settled(plan_of("rented"))


@cache
def of_rented() -> Weighed:
    return once("levers of rented", lambda: weigh(plan_of("rented"), market_from_files()))


def section_of(document: Document) -> Section | None:
    options = next(one for one in document.sections if one.id == "options")
    return next((one for one in options.sections if one.id == "levers"), None)


def table_of(document: Document) -> Table:
    section = section_of(document)
    assert section
    return next(one for one in section.blocks if isinstance(one, Table))


@pytest.fixture
def planner(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def version(planner: Membership) -> PlanVersion:
    return first_version(planner, rented())


def test_a_row_says_what_it_saves_what_it_takes_and_how_sure_it_is() -> None:
    found, document = of_rented().levers, compose(rented(), weighed=of_rented())
    assert found
    assert found.levers
    rows, money = table_of(document).rows, currency_of(rented())
    assert len(rows) == len(found.levers)
    for row, lever in zip(rows, found.levers, strict=True):
        said = [cell.text for cell in row]
        assert f"{money.bare(lever.saving.expected)} ({money.bare_range(lever.saving)})" in said
        assert money.bare(lever.cost.expected) in said
        assert lever.chance is not None
        assert chance(lever.chance) in said
        assert said[-1].endswith(".")
    savings = [row[2].value or 0.0 for row in rows]
    assert savings == sorted(savings, reverse=True)


def test_all_four_documents_have_them() -> None:
    plan, found = rented(), of_rented().levers
    assert found
    saving = currency_of(plan).bare(found.levers[0].saving.expected)
    made = {name: render(plan, name, weighed=of_rented()) for name in ("docx", "pptx", "xlsx")}
    with ZipFile(BytesIO(made["docx"])) as file:
        assert saving in file.read("word/document.xml").decode()
    slides = pptx.Presentation(BytesIO(made["pptx"])).slides
    cells = [
        cell.text for one in slides for shape in one.shapes if shape.has_table for cell in shape.table.iter_cells()
    ]
    assert saving in cells
    sheet = openpyxl.load_workbook(BytesIO(made["xlsx"]))["Levers"]
    assert round(found.levers[0].saving.expected, 2) in [cell.value for row in sheet.iter_rows() for cell in row]
    assert saving in " ".join(texts(compose(plan, weighed=of_rented()).chapters)), "as PDF and Word print"


def test_page_one_says_what_saves_most_and_where_the_rest_stands() -> None:
    document = compose(rented(), weighed=of_rented())
    fact = next(one for one in document.decision.facts if one.key == "levers")
    section, found = section_of(document), of_rented().levers
    assert section
    assert found
    assert section.title in fact.text
    assert currency_of(rented()).rounded(found.levers[0].saving.expected) in fact.text


def test_nothing_is_told_where_nothing_was_weighed() -> None:
    document = compose(rented())
    assert section_of(document) is None
    assert document.workbook.levers is None
    assert all(one.id != "levers" for one in document.slides)


def test_prices_that_have_moved_are_told_instead() -> None:
    section = section_of(compose(rented(), weighed=Weighed(moved=True)))
    assert section
    assert "prices have moved" in " ".join(texts(section.blocks))


def test_a_brand_shows_them_in_its_currency() -> None:
    with using(Brand(rate=Rate("EUR", 0.5, "2026-11-01", "treasury"))):
        shown = table_of(compose(rented(), weighed=of_rented())).rows[0][2].value
    bare = table_of(compose(rented(), weighed=of_rented())).rows[0][2].value
    assert shown == pytest.approx((bare or 0.0) / 2, rel=1e-6)


def test_a_small_sum_is_worth_no_weighing(planner: Membership) -> None:
    version = first_version(planner, tiny_plan())
    assert not weighs_levers(version.plan)
    run_job(work.request_export(planner, version, "docx").job.pk, worker="test")
    assert not KeptLevers.objects.exists()


def test_they_are_weighed_once_and_every_file_says_the_same(
    planner: Membership, version: PlanVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    export = work.request_export(planner, version, "docx")
    run_job(export.job.pk, worker="test")
    assert Job.objects.get(pk=export.job.pk).state == State.SUCCEEDED
    kept = KeptLevers.objects.get()
    assert weighing.opened(kept.body).levers
    monkeypatch.setattr(kept_levers, "weigh", lambda *_asked, **_known: pytest.fail("they are kept"))
    export.refresh_from_db()
    digest = export.sha256
    assert clean_hash(export.pk) == digest, "what the oracle of the faults makes anew is the whole file"
    Job.objects.update(state=State.QUEUED, attempts=0)
    run_job(export.job.pk, worker="another")
    assert Export.objects.get().sha256 == digest
    run_job(work.request_export(planner, version, "xlsx").job.pk, worker="test")
    assert KeptLevers.objects.get().body == kept.body


def test_a_workbook_with_them_comes_back(version: PlanVersion) -> None:
    kept = weighed_of(version, version.plan)
    data = render(version.plan, "xlsx", weighed=kept)
    assert differences(version, data).differences == ()
    KeptLevers.objects.all().delete()
    assert differences(version, data).differences == (), "as one of the command line, beside which nothing is kept"
    assert differences(version, render(version.plan, "xlsx")).differences == ()


def test_what_is_kept_is_what_the_engine_says(version: PlanVersion) -> None:
    kept, now = weighed_of(version, version.plan).levers, levers(version.plan.spec, market_from_files())
    assert kept
    assert now
    assert [one.changes for one in kept.levers] == [one.changes for one in now.levers]
    assert kept.levers[0].saving.expected == pytest.approx(now.levers[0].saving.expected)


def test_on_another_market_nothing_is_weighed_and_that_stays(version: PlanVersion) -> None:
    answer = replace(version.plan.recommendation, catalog_release="another")
    moved = replace(version.plan, recommendation=answer)
    assert weighed_of(version, moved) == Weighed(moved=True)
    assert weighed_of(version, version.plan) == Weighed(moved=True)


def test_an_engine_that_would_plan_otherwise_weighs_nothing() -> None:
    plan = rented()
    best = plan.recommendation.recommended
    assert best
    total = replace(best.cost.total, expected=best.cost.total.expected * 1.01)
    other = replace(best, cost=replace(best.cost, total=total))
    assert weigh(
        replace(plan, recommendation=replace(plan.recommendation, recommended=other)), market_from_files()
    ).moved


def test_what_was_kept_before_a_chance_was_told_opens() -> None:
    body = weighing.body_of(of_rented())
    found = weighing.opened(body)
    assert weighing.body_of(found) == body, "what is kept and what was just weighed print alike"
    data = json.loads(body)
    for lever in data["weighed"]["levers"]["levers"]:
        del lever["chance"]
    older = weighing.opened(json.dumps(data)).levers
    assert older
    assert all(one.chance is None for one in older.levers)
    with pytest.raises(ValueError, match="format"):
        weighing.opened(body.replace(weighing.FORMAT, "sextant-levers/0"))
