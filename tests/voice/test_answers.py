"""Whatever the engine finds has words, and only words: no code, no slug, no identifier reaches a reader."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.answer import Estimate, Part
from engine.inputs.finding import Finding, Ref
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from lab.gallery.requests import requests
from planner.estimate import estimate
from planner.market import market_from_files
from planner.snapshot import Plan, body_of, thaw
from voice import speech
from voice.sentences import SENTENCES
from voice.speech import say
from voice.terms import TERMS

ROOT = Path(__file__).parents[2]
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
def plan(request: pytest.FixtureRequest, market: Market) -> Plan:
    (asked,) = requests(market, only=request.param)
    return estimate(asked.spec, market)


def test_every_code_that_the_engine_names_has_its_words() -> None:
    named = {code for path in (ROOT / "engine").rglob("*.py") for code in _codes(path)}
    assert len(named) > 150
    assert named - set(SENTENCES) == set()


def test_all_that_an_answer_says_is_said_in_words(plan: Plan) -> None:
    found = list(_findings(plan.recommendation))
    assert len(found) > 5
    for one in found:
        text = say(one)
        assert "_" not in re.sub(r"\b(horizon_months|select\.\w+)", "", text), text
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
    before = [say(one) for one in _findings(plan.recommendation)]
    monkeypatch.setattr(speech, "SENTENCES", {code: f"~{text}" for code, text in SENTENCES.items()})
    for table in TERMS.values():
        for key, text in table.items():
            monkeypatch.setitem(table, key, f"~{text}")

    again = estimate(asked.spec, market, known=known)
    after = [say(one) for one in _findings(again.recommendation)]
    assert len(before) > 5
    assert [text for text in after if not text.startswith("~")] == []
    assert not {*before} & {*after}
    assert again.sha256 == plan.sha256


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
