"""Whatever the engine finds has words, and only words: no code, no slug, no identifier reaches a reader."""

from __future__ import annotations

import ast
import csv
import dataclasses
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from catalog.presets import architectures
from engine.answer import Backing, CostInput, CostLine, Driver, Estimate, Flip, Part
from engine.defaults import default_assumptions
from engine.inputs.assumptions import Assumption
from engine.inputs.finding import Finding, Ref
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.physics.memory import MemoryParts
from engine.physics.step import StepTime
from lab.gallery.requests import requests
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, body_of, plain, thaw
from planner.market import market_from_files
from tests.exports.real_plans import gallery_plan
from voice import speech
from voice.sentences import SENTENCES
from voice.speech import say
from voice.terms import PARTS, TERMS

ROOT = Path(__file__).parents[2]
_MAKES = ("given", "quantity", "dollars", "sum_of_leaves", "_carried", "_taxed")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_WORDS = re.compile(r"[A-Za-z]{2,} [A-Za-z]{2,}")
_OF_OTHERS = ("name", "accelerator_name", "system_name", "seller", "unit")
"""Keys of a plan under which words stand that are no sentence of ours: what its owner calls a thing, and the symbols of units
(kg CO2e)."""
_QUOTED = ("source", "text")
"""Keys under which the words of publishers and people stand as they wrote them."""
_SOURCES = ("source", "size_source", "price_source", "use_source")
"""Arguments that say whose a number is."""
_OF_FILES = re.compile(r"\bhorizon_months\b|\bselect\.\w+|\w+(?:/[\w.-]+)+")
"""Names in the request and paths of files, which are spelt as they are."""
_OWN_WORDS = ("word", "topic", "terms", "runtime")
"""Kinds of things that have no name but ours."""


ASKED = (
    "batch-ten-million-eur",
    "buy-air-gapped",
    "finetune-amd",
    "owned-too-small-hybrid",
    "refused-context",
    "refused-deadline",
    "refused-memory",
    "refused-no-price",
    "refused-promise",
    "serve-apple",
    "serve-hosted-api",
    "serve-long-prompts-seldom",
    "serve-moe-inr",
    "serve-vendor-operated",
    "train-70b-on-demand-eur",
    "train-in-an-hour",
    "train-measured-step",
    "train-tpu-commitment",
    "vision-resnet",
)
"""Requests of the gallery that together meet nearly everything that can be said."""


@pytest.fixture(scope="module")
def market() -> Market:
    return market_from_files()


@pytest.fixture(scope="module", params=ASKED)
def plan(request: pytest.FixtureRequest) -> Plan:
    return gallery_plan(request.param)


def test_every_code_that_the_engine_names_has_its_words() -> None:
    named = {code for path in (ROOT / "engine").rglob("*.py") for code in _codes(path)}
    assert len(named) > 150
    assert named - set(SENTENCES) == set()


def test_every_piece_of_a_step_and_of_its_memory_has_its_word() -> None:
    for whole, pieces in (("time", StepTime), ("memory", MemoryParts)):
        assert {f"{whole}.{field.name}" for field in dataclasses.fields(pieces)} - set(PARTS) == set()


def test_every_assumption_says_what_it_means() -> None:
    assert {f"assumption.{item.id}" for item in default_assumptions().all()} - set(SENTENCES) == set()


def test_every_line_and_input_of_a_cost_has_its_name() -> None:
    """Also those that no answer of these tests has: read off the calls that make them."""
    named = {name for path in (ROOT / "engine" / "money").glob("*.py") for name in _lines_of(path)}
    assert len(named) > 100
    assert {f"cost.{name}" for name in named} - set(SENTENCES) == set()


def _lines_of(path: Path) -> Iterator[str]:
    """The names in that module's calls of lines and inputs: a text, or a constant of the module."""
    module = import_module(f"engine.money.{path.stem}")
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in _MAKES and call.args:
            match call.args[0]:
                case ast.Constant(value=str() as name):
                    yield name
                case ast.Name(id=constant) if constant.isupper():
                    yield getattr(module, constant)


def test_a_frozen_plan_holds_names_formulas_and_quotations_but_no_text_of_ours(plan: Plan, market: Market) -> None:
    """Whatever reads like words is a name, or stands so in the catalog, in a table of measured runs or in the request."""
    body = json.loads(body_of(plan))
    found = [(key, text) for key, text in _texts(body["recommendation"]) if _WORDS.search(text)]
    assert {key for key, _ in found} >= {"source"}
    theirs = {text for _, text in _texts(body["spec"])} | _written(market)
    assert [one for one in found if one[0] not in _OF_OTHERS and not (one[0] in _QUOTED and one[1] in theirs)] == []


@cache
def _written(market: Market) -> frozenset[str]:
    """Every text of the catalog and of the tables of measured runs."""
    held = {text for _, text in _texts(plain(market))} | {
        text for arch in architectures().values() for _, text in _texts(plain(arch))
    }
    rows = (
        row
        for path in (ROOT / "engine").rglob("*.csv")
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines())
    )
    held |= {text.rstrip(".") for text in held}
    return frozenset(held | {part for row in rows for text in row for part in (text, text.partition("@")[0].strip())})


def test_the_engine_writes_no_source_of_its_own() -> None:
    """A ground of ours is a code; a text that is quoted comes from somewhere else."""
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}"
        for path in sorted((ROOT / "engine").rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        for text in _own_words(call)
    ]
    assert found == []


def _own_words(call: ast.Call) -> Iterator[ast.expr]:
    """The texts in a call that are given as whose a number is, or as what somebody wrote."""
    given = [item.value for item in call.keywords if item.arg in _SOURCES]
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    given += call.args[3:4] if name == "given" else []
    yield from (part for value in given for part in _chosen(value) if _LETTERS.search("".join(_literal(part))))
    quoted = (
        call.args if name in ("Typed", "quoted") else []
    )  # a word that a request would hold may be quoted, prose may not
    yield from (part for value in quoted for part in _chosen(value) if _WORDS.search("".join(_literal(part))))


def _chosen(value: ast.expr) -> Iterator[ast.expr]:
    """The expression, or each of those that it chooses from."""
    match value:
        case ast.IfExp():
            yield from (*_chosen(value.body), *_chosen(value.orelse))
        case ast.BoolOp():
            for part in value.values:
                yield from _chosen(part)
        case _:
            yield value


def _literal(value: ast.expr) -> Iterator[str]:
    """What is written out in a text."""
    match value:
        case ast.Constant(value=str() as text):
            yield text
        case ast.JoinedStr():
            for part in value.values:
                yield from _literal(part)


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in that JSON with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, name)


def test_all_that_an_answer_says_is_said_in_words(plan: Plan) -> None:
    found = list(_findings(plan.recommendation))
    assert len(found) > 5
    for one in found:
        text = say(one)
        assert "_" not in _OF_FILES.sub("", text), text
        assert not re.search(r"\{|\}|\bNone\b|\bnan\b|  ", text), text
        for thing in _things(one):
            assert thing.kind not in _OWN_WORDS or thing.id in TERMS[thing.kind] or thing.name, (one.code, thing)


def test_what_an_estimate_follows_from_is_named_by_ids(plan: Plan) -> None:
    """A sentence there would be hashed, and nobody could say it in another language."""
    named = {ident for part in _reasoned(plan.recommendation) for ident in part.because}
    assert named or not plan.recommendation.feasible
    assert [ident for ident in named if not re.fullmatch(r"\S+", ident)] == []


def test_a_plan_comes_back_with_what_it_found(plan: Plan) -> None:
    again = thaw(body_of(plan))
    assert [say(one) for one in _findings(again.recommendation)] == [say(one) for one in _findings(plan.recommendation)]
    assert body_of(again) == body_of(plan)


@pytest.mark.parametrize("name", ["train-8b-two-weeks", "serve-moe-inr", "batch-ten-million-eur", "refused-deadline"])
def test_other_words_change_no_plan(name: str, market: Market, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sentence and every word of ours said otherwise: codes and values are hashed, never a text."""
    (asked,) = requests(market, only=name)
    known = Known()
    plan = estimate(asked.spec, market, known=known)
    before = _said(plan)
    monkeypatch.setattr(speech, "SENTENCES", {code: f"~{text}" for code, text in SENTENCES.items()})
    for table in TERMS.values():
        for key, text in table.items():
            monkeypatch.setitem(table, key, f"~{text}")

    again = estimate(asked.spec, market, known=known)
    after = _said(again)
    assert len(before) > 500
    assert [text for text in after if not text.startswith("~")] == []
    assert not {*before} & {*after}
    assert again.sha256 == plan.sha256


def _said(plan: Plan) -> list[str]:
    """All that the plan says, and what it calls lines, inputs and assumptions."""
    answer = plan.recommendation
    called = [one.label for one in _every(answer, CostInput | CostLine | Driver | Flip | Backing)]
    meant = [item.told for item in answer.assumptions]
    grounds = [item.source for item in _every(answer, CostInput | Assumption) if isinstance(item.source, Finding)]
    assert len(grounds) > len(answer.assumptions)
    return [say(one) for one in (*_findings(answer), *called, *meant, *grounds)]


def _reasoned(value: Any) -> Iterator[Estimate | Part]:
    """Every number of an answer that names what it follows from."""
    return _every(value, Estimate | Part)


def _findings(value: Any) -> Iterator[Finding]:
    """Every finding of an answer, those inside others left to them."""
    return _every(value, Finding)


def _every(value: Any, kind: Any) -> Iterator[Any]:
    """All values of that kind in an answer, none of those that are part of one."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _every(item, kind)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _every(getattr(value, field.name), kind)


def _things(value: Any) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, Finding):
        for item in value.values.values():
            yield from _things(item)
    elif isinstance(value, tuple):
        for item in value:
            yield from _things(item)


@cache
def _codes(path: Path) -> frozenset[str]:
    """The codes in the calls of that module that make findings; those put together from parts are met in answers."""
    calls = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    made = [
        call
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("finding", "Finding") and call.args
    ]
    return frozenset(
        part.value
        for call in made
        if not isinstance(call.args[0], ast.JoinedStr)
        for part in ast.walk(call.args[0])
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value
        and not _compared(call.args[0], part)
    )


def _compared(expression: ast.expr, part: ast.Constant) -> bool:
    """Is that text only what something is compared with, or part of a text that is put together?"""
    return any(part in ast.walk(node) for node in ast.walk(expression) if isinstance(node, ast.Compare | ast.JoinedStr))


def test_who_has_too_few_has_fewer_than_needed(plan: Plan) -> None:
    for group in plan.recommendation.rejected:
        if group.nearest is not None and group.nearest.code == "example.too_few":
            assert group.nearest.values["needed"] > group.nearest.values["have"], group
