"""A workbook comes back: edited inputs are found by name, everything else that changed is refused by its address."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import openpyxl
import pytest
from openpyxl import Workbook

from engine.answer import CostInput
from exports.brand import Brand, Rate
from exports.composing.context import shown_in
from exports.render import render
from exports.round_trip.compare import difference_of, differences
from exports.round_trip.targets import changed_spec, target_of
from incoming.package import Refused
from incoming.workbook import MOST_BYTES
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.exports.real_plans import REQUESTS, best_of, plan_of
from tests.exports.samples import ALL


@dataclass(frozen=True)
class Version:
    """As much of a frozen version as the comparison reads."""

    plan: Plan


TRAINING = Version(ALL["training"]())


@cache
def exported(name: str = "training", state: str = "draft") -> bytes:
    return render(ALL[name](), "xlsx", state=state)


def edited(change: Callable[[Workbook], object], name: str = "training") -> bytes:
    """That workbook as another program saves it after one edit."""
    book = openpyxl.load_workbook(BytesIO(exported(name)))
    change(book)
    result = BytesIO()
    book.save(result)
    return result.getvalue()


def with_part(name: str, content: bytes, data: bytes | None = None) -> bytes:
    """The workbook with one part added or replaced."""
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(data or exported())) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            if part != name:
                new.writestr(part, old.read(part))
        new.writestr(name, content)
    return result.getvalue()


def put(sheet: str, cell: str, value: object) -> Callable[[Workbook], None]:
    def change(book: Workbook) -> None:
        book[sheet][cell] = value

    return change


@pytest.mark.parametrize("name", ["training", "serving", "tiny", "hostile"])
@pytest.mark.parametrize("state", ["draft", "approved"])
def test_an_untouched_workbook_has_no_differences(name: str, state: str) -> None:
    found = differences(Version(ALL[name]()), exported(name, state))
    assert found.differences == ()
    assert found.notes == ()


def test_an_edited_price_is_found_by_its_name() -> None:
    def change(book: Workbook) -> None:
        place = book.defined_names["in_price_per_instance_hour"].attr_text.rpartition("!")[2].replace("$", "")
        book["Inputs"][place] = 20.5

    found = differences(TRAINING, edited(change)).differences
    assert [(item.name, item.after, item.target.kind, item.taken) for item in found] == [
        ("price_per_instance_hour", 20.5, "price", True)
    ]
    best = TRAINING.plan.recommendation.recommended
    assert best
    assert best.offer
    assert found[0].before == pytest.approx(best.offer.usd_per_hour)
    price = found[0].target.price
    assert price
    assert (price.item, price.what) == (best.offer.id, "instance_hour")


def test_physics_is_shown_but_not_taken() -> None:
    model = TRAINING.plan.recommendation.recommended.cost.model  # type: ignore[union-attr]
    row = 5 + [item.name for item in model.inputs].index("goodput")
    found = differences(TRAINING, edited(put("Inputs", f"B{row}", 0.5))).differences
    assert [(item.name, item.taken) for item in found] == [("goodput", False)]
    assert "change the request" in found[0].target.why


def test_the_custom_scenario_in_use_is_taken() -> None:
    model = TRAINING.plan.recommendation.recommended.cost.model  # type: ignore[union-attr]
    names = [item.name for item in model.inputs]
    price, runs = names.index("price_per_instance_hour"), names.index("runs")

    def change(book: Workbook) -> None:
        book["Scenarios"]["B3"] = "Custom"
        book["Scenarios"][f"E{6 + price}"] = 20.5
        book["Inputs"][f"B{5 + price}"] = 21.5
        book["Scenarios"][f"E{6 + runs}"] = model.inputs[runs].value
        book["Inputs"][f"B{5 + runs}"] = 9

    found = differences(TRAINING, edited(change))
    assert [(item.name, item.after, item.address, item.target.kind) for item in found.differences] == [
        ("price_per_instance_hour", 20.5, f"Scenarios!E{6 + price}", "price")
    ], "the scenario in use wins over Inputs"
    assert "taken instead" in found.notes[0]


def test_a_custom_scenario_that_is_not_in_use_is_named_and_left_in_the_workbook() -> None:
    found = differences(TRAINING, edited(put("Scenarios", "E6", 1.0)))
    assert found.differences == ()
    assert "choose it in Scenarios!B3" in found.notes[0]
    assert "which no plan can hold" in differences(TRAINING, edited(put("Scenarios", "B3", "Low cost"))).notes[0]


@pytest.mark.parametrize(
    ("value", "said"), [("=2*3", "holds a formula"), ("cheap", "must hold a number"), (-2, "0 or more")]
)
def test_a_custom_scenario_holds_numbers_only(value: object, said: str) -> None:
    def change(book: Workbook) -> None:
        book["Scenarios"]["B3"] = "Custom"
        book["Scenarios"]["E6"] = value

    with pytest.raises(Refused, match=f"Scenarios!E6 {said}|Scenarios!E6 must be a number of {said}"):
        differences(TRAINING, edited(change))


def test_a_discount_rate_becomes_the_plans_cost_of_capital() -> None:
    def change(book: Workbook) -> None:
        place = book.defined_names["in_discount_rate"].attr_text.rpartition("!")[2].replace("$", "")
        capital = next(item for item in plan.recommendation.assumptions if item.id == "onprem.wacc")
        assert book["Inputs"][place].value == capital.value != 0.07
        book["Inputs"][place] = 0.07

    plan = TRAINING.plan
    (item,) = differences(TRAINING, edited(change)).differences
    assert (item.name, item.taken, item.target.kind, item.target.path) == (
        "discount_rate", True, "assumption", "onprem.wacc",
    )  # fmt: skip
    assert changed_spec(plan.spec, {item.target: item.after}).assumptions["onprem.wacc"] == 0.07


def share_on_demand(plan: Plan) -> CostInput:
    return next(item for item in best_of(plan).cost.model.inputs if item.name == "fallback_share")


def test_the_share_paid_on_demand_is_an_assumption() -> None:
    plan = plan_of("rented")
    target = target_of(plan, share_on_demand(plan))
    assert (target.kind, target.path) == ("assumption", "cost.spot_fallback_share")
    again = estimate(changed_spec(plan.spec, {target: 0.05}), market_from_files())
    assert share_on_demand(again).value == pytest.approx(0.05)


def test_beyond_what_a_provider_has_free_the_share_follows_from_the_count_too() -> None:
    large = {"training": {"tokens": 6e11}, "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"]}}
    plan = estimate(spec_from(REQUESTS["rented"] | large), market_from_files())
    target = target_of(plan, share_on_demand(plan))
    assert (target.kind, share_on_demand(plan).value > 0.15) == ("none", True)
    assert "change that assumption" in target.why


def test_a_plan_s_own_rate_of_exchange_comes_back_as_an_agreed_one() -> None:
    plan = shown_in(TRAINING.plan, Rate("EUR", 0.9, "2026-11-01", "treasury"))
    book = openpyxl.load_workbook(BytesIO(render(plan, "xlsx")))
    place = book.defined_names["in_fx_rate"].attr_text.rpartition("!")[2].replace("$", "")
    book["Inputs"][place] = 0.8
    result = BytesIO()
    book.save(result)
    (item,) = differences(Version(plan), result.getvalue()).differences
    assert item.taken
    (agreed,) = changed_spec(plan.spec, {item.target: 0.8}).agreed
    assert (agreed.item, agreed.what, agreed.usd) == ("EUR", "currency", 1.25), "dollars for one euro"


def test_a_plan_in_dollars_says_where_its_rate_of_exchange_is_set() -> None:
    rate = CostInput(name="fx_rate", value=0.9, unit="EUR/USD", low=0.9, high=0.9, source="treasury")
    target = target_of(TRAINING.plan, rate)
    assert target.kind == "none"
    assert "Branding" in target.why


def test_a_look_that_the_team_never_had_is_refused() -> None:
    with pytest.raises(Refused, match="never had"):
        differences(TRAINING, render(TRAINING.plan, "xlsx", brand=Brand(accent="96143C")))


@pytest.mark.parametrize(
    ("sheet", "cell", "value", "said"),
    [
        ("Cost model", "B6", "=1+1", "formula Cost model!B6"),
        ("Cost model", "B6", 5, "formula Cost model!B6"),
        ("Cost model", "A5", "Something else", "locked cell Cost model!A5"),
        ("Inputs", "D5", 0.01, "locked cell Inputs!D5"),
        ("Inputs", "Z9", "a remark", "locked cell Inputs!Z9"),
        ("Checks", "B6", '="ok"', "formula Checks!B6"),
        ("Inputs", "B5", "=2*3", "Inputs!B5 holds a formula"),
        ("Inputs", "B5", "cheap", "Inputs!B5 must hold a number"),
        ("Inputs", "B5", None, "Inputs!B5 must hold a number"),
        ("Inputs", "B5", -1, "Inputs!B5 must be a number of 0 or more"),
    ],
)
def test_other_changes_are_refused_by_address(sheet: str, cell: str, value: object, said: str) -> None:
    with pytest.raises(Refused, match=said.replace("+", r"\+")):
        differences(TRAINING, edited(put(sheet, cell, value)))


def test_changed_sheets_and_names_are_refused() -> None:
    with pytest.raises(Refused, match="“Mine” was added"):
        differences(TRAINING, edited(lambda book: book.create_sheet("Mine")))
    with pytest.raises(Refused, match="“Sources” was added, removed"):
        differences(TRAINING, edited(lambda book: book.remove(book["Sources"])))

    def swap(book: Workbook) -> None:
        names = book.defined_names
        first, second = names["in_runs"], names["in_goodput"]
        first.attr_text, second.attr_text = second.attr_text, first.attr_text

    with pytest.raises(Refused, match="defined name “in_"):
        differences(TRAINING, edited(swap))


def test_a_workbook_of_another_plan_is_refused() -> None:
    with pytest.raises(Refused, match=f"of plan {ALL['serving']().short_hash}"):
        differences(TRAINING, exported("serving"))
    with pytest.raises(Refused, match="names no plan"):
        differences(TRAINING, edited(lambda book: book.custom_doc_props.__delitem__("Plan")))


def test_a_workbook_of_other_writers_is_not_called_tampered_with() -> None:
    """Its labels and formulas may stand elsewhere: whoever uploads it has changed nothing."""

    def older(book: Workbook) -> None:
        book.custom_doc_props["Renderer"].value = "5"
        book["Summary"]["A3"] = "As it was said then"

    with pytest.raises(Refused, match=r"made by another version of Sextant.*export it again"):
        differences(TRAINING, edited(older))
    with pytest.raises(Refused, match="made by another version of Sextant"):
        differences(TRAINING, edited(lambda book: book.custom_doc_props.__delitem__("Renderer")))


_XXE = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]><a>&b;</a>'
_LINK = (
    b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    b'Type="x" Target="http://evil.example/a" TargetMode="External"/></Relationships>'
)
_FAR = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1048576">'
    b'<c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
)


_MERGED = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/><mergeCells count="1">'
    b'<mergeCell ref="A1:CV20000"/></mergeCells></worksheet>'
)


def _many() -> bytes:
    return b"<sst>" + b"".join(Random(1).choices((b"<si/>", b"<t/>"), k=2_200_000)) + b"</sst>"


@pytest.mark.parametrize(
    ("make", "said"),
    [  # made by the test that needs it: some are large
        (lambda: b"", "cannot be read"),
        (lambda: b"%PDF-1.7", "cannot be read"),
        (lambda: exported()[: len(exported()) // 2], "cannot be read"),
        (lambda: b"x" * (MOST_BYTES + 1), "at most 5 MiB"),
        (lambda: with_part("xl/worksheets/sheet99.xml", b" " * (60 * 1024 * 1024)), "unpacks to more than 48 MiB"),
        (lambda: with_part("docProps/core.xml", _XXE), "declares entities"),
        (lambda: with_part("xl/vbaProject.bin", b"\xd0\xcf\x11\xe0"), "macros"),
        (lambda: with_part("xl/externalLinks/externalLink1.xml", b"<a/>"), "links to other workbooks"),
        (lambda: with_part("xl/worksheets/_rels/sheet99.xml.rels", _LINK), "outside itself"),
        (lambda: with_part("xl/worksheets/sheet1.xml", _FAR), "outside its tables"),
        (lambda: with_part("xl/worksheets/sheet1.xml", _MERGED), "too many cells"),
        (lambda: with_part("xl/sharedStrings.xml", _many()), "elements of XML, too many"),
        (lambda: with_part("xl/embeddings/object.bin", b"MZ"), "embedded files"),
        (lambda: with_part("../evil.xml", b"<a/>"), "leads outside"),
        (lambda: with_part("xl/connections.xml", b"<a/>"), "data connections"),
        (lambda: with_part("xl/workbook.xml", b"<broken"), "damaged"),
    ],
    ids=["empty", "pdf", "half", "large", "bomb",
         "xxe", "macro", "external", "link", "far", "merged", "strings", "embedded", "path", "data",
         "damaged"],
)  # fmt: skip
def test_hostile_files_are_refused(make: Callable[[], bytes], said: str) -> None:
    data = make()
    with pytest.raises(Refused, match=said):
        differences(TRAINING, data)


@pytest.mark.needs_libreoffice
def test_what_libreoffice_saves_is_understood(tmp_path: Path) -> None:
    source = tmp_path / "plan.xlsx"
    source.write_bytes(edited(put("Inputs", "B5", 19.75)))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--norestore", "--convert-to", "xlsx", "--outdir", str(tmp_path / "o")]
    subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=120)
    found = differences(TRAINING, (tmp_path / "o" / "plan.xlsx").read_bytes())
    assert [(item.address, item.after) for item in found.differences] == [("Inputs!B5", 19.75)]


def test_what_only_another_way_needs_comes_back_as_well() -> None:
    """A delivery moves nothing of a rental, but buying beside it: the next plan takes it for every option."""
    plan = ALL["serving"]()
    assert "lead_months" not in {item.name for item in best_of(plan).cost.model.inputs}
    found = difference_of(plan, "lead_months", 9.0)
    assert (found.target.kind, found.target.path) == ("assumption", "onprem.lead_months")
    assert changed_spec(plan.spec, {found.target: found.after}).assumptions["onprem.lead_months"] == 9.0
    with pytest.raises(Refused, match="no input"):
        difference_of(plan, "price_per_server", 1.0)
