"""A stored plan read piece by piece is the plan read whole, in a part of the memory."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from string import Formatter
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from engine.answer import Option, Recommendation
from engine.inputs.finding import Finding, Typed
from planner.frozen import older
from planner.frozen.pieces import apart
from planner.frozen.snapshot import Plan, body_of, opened, settled, thaw
from tests.exports.samples import huge_plan, infeasible_plan, serving_plan, tiny_plan, training_plan
from voice.sentences import SENTENCES

OLD = Path(__file__).parent / "data/plan_of_format_2.json.gz"


def read_whole(body: str) -> Recommendation:
    """The answer as a reader gets it who takes the JSON as one."""
    answer = json.loads(body)["recommendation"]
    for option in (answer["recommended"], *answer["alternatives"]):
        older.renew(option)
    older.renew_rest(answer)
    found: Recommendation = TypeAdapter(Recommendation).validate_python(answer)
    return found


def with_alternatives(plan: Plan, *options: Option) -> Plan:
    return replace(plan, recommendation=replace(plan.recommendation, alternatives=options))


def best_of(plan: Plan) -> Option:
    best = plan.recommendation.recommended
    assert best
    return best


@pytest.mark.parametrize("plan", [training_plan(), serving_plan(), tiny_plan(), huge_plan(60), infeasible_plan()])
def test_a_plan_in_pieces_is_the_plan_as_a_whole(plan: Plan) -> None:
    body = body_of(plan)
    assert repr(thaw(body).recommendation) == repr(read_whole(body))
    assert thaw(body.encode()) == thaw(body)


def test_a_plan_of_each_format_too() -> None:
    body = gzip.decompress(OLD.read_bytes())
    rest, texts = apart(body)
    assert len(list(texts)) > 3
    assert b'"alternatives":[],' in rest
    assert repr(thaw(body).recommendation) == repr(read_whole(body.decode()))


def test_the_pieces_put_together_are_the_text() -> None:
    body = body_of(training_plan()).encode()
    rest, texts = apart(body)
    pieces = list(texts)
    assert len(pieces) == len(training_plan().recommendation.alternatives) > 1
    assert rest.replace(b'"alternatives":[]', b'"alternatives":[' + b",".join(pieces) + b"]") == body


def said(*texts: str) -> tuple[Finding, ...]:
    """Findings that quote those texts, which stand in their codes too."""
    return tuple(Finding(text, {"text": Typed(text), "list": (Typed(text), Typed(text))}, text) for text in texts)


def test_texts_that_look_like_the_structure_are_texts() -> None:
    marks = '"alternatives":[{"accelerator":"a"},{"accelerator":"b"}],"assumptions":\\"},{"accelerator":'
    plan = training_plan()
    options = tuple(
        replace(option, id=f"{marks}{index}", reasons=said(marks, "},{", "]"), warnings=said("{", marks))
        for index, option in enumerate(plan.recommendation.alternatives)
    )
    advice = tuple(replace(item, choice=said(marks)[0], reason=said("],")) for item in plan.recommendation.advice)
    strange = replace(plan, recommendation=replace(plan.recommendation, advice=advice, alternatives=options))
    body = body_of(strange)
    assert repr(thaw(body).recommendation) == repr(read_whole(body))
    assert [option.id for option in thaw(body).recommendation.alternatives] == [option.id for option in options]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_alternatives(count: int) -> None:
    plan = with_alternatives(training_plan(), *[best_of(training_plan())] * count)
    assert len(thaw(body_of(plan)).recommendation.alternatives) == count


def test_a_text_that_is_not_canonical_is_read_whole() -> None:
    body = json.dumps(json.loads(body_of(training_plan())), indent=1)
    assert next(apart(body.encode())[1], None) is None
    assert thaw(body).recommendation == settled(training_plan()).recommendation


def test_what_is_opened_has_no_alternatives_and_gives_them_one_by_one() -> None:
    body = body_of(training_plan())
    plan, alternatives = opened(body)
    assert plan.recommendation.alternatives == ()
    assert plan.sha256 == training_plan().sha256
    assert tuple(alternatives) == settled(training_plan()).recommendation.alternatives
    assert opened(body_of(infeasible_plan()))[0].recommendation.recommended is None


@pytest.mark.parametrize("broken", ['"count":"many"', '"count":12,"count":{}', '"count":12}'])
def test_a_broken_alternative_is_no_plan(broken: str) -> None:
    body = body_of(training_plan())
    first = body.index('"count":', body.index('"alternatives":['))
    end = body.index(",", first)
    with pytest.raises(ValueError, match="Option"):
        thaw(body[:first] + broken + body[end:])


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(10**15), 10**15))
def test_numbers_come_back_to_the_last_digit(number: float, whole: int) -> None:
    plan = training_plan()
    short = replace(plan, recommendation=replace(plan.recommendation, assumptions=(), frontier=(), advice=()))
    best = best_of(plan)
    estimate = replace(best.days, low=number, high=float(whole))
    stored = settled(with_alternatives(short, replace(best, days=estimate)))
    days = stored.recommendation.alternatives[0].days
    assert (days.low, days.high) == (float(f"{number:.12g}"), float(f"{float(whole):.12g}"))
    assert isinstance(days.high, float)
    assert body_of(settled(stored)) == body_of(stored)


def test_the_marks_are_where_they_are_looked_for() -> None:
    """A new field that came between them, or a list inside an option that began as an option does, would be found here."""
    answer = sorted(item.name for item in fields(Recommendation))
    assert answer[answer.index("alternatives") + 1] == "assumptions"
    inside = _kinds(Option, set())
    assert len(inside) > 15
    assert _first(Option) == "accelerator"
    assert [kind for kind in inside if _first(kind) == "accelerator"] == []
    named = [item.name for kind in (Option, *inside) for item in fields(kind)]
    assert not {"alternatives", "assumptions"} & set(named)
    values = {name for text in SENTENCES.values() for _, name, _, _ in Formatter().parse(text)}
    assert not {"alternatives", "assumptions"} & values  # what findings name their values


def _first(kind: Any) -> str:
    return min(item.name for item in fields(kind))


def _kinds(kind: Any, seen: set[Any]) -> set[Any]:
    """The dataclasses inside that one; a finding may hold findings, so each is looked into once."""
    for hint in get_type_hints(kind).values():
        for part in _parts(hint):
            if is_dataclass(part) and part not in seen:
                seen.add(part)
                _kinds(part, seen)
    return seen


def _parts(hint: Any) -> Iterator[Any]:
    """That type and all that it is made of."""
    yield hint
    for inner in get_args(hint):
        yield from _parts(inner)


def test_thousands_of_alternatives_take_little_memory() -> None:
    """What Python allocates for each against the same text as one tree of JSON, in the same process: texts that repeat are held once
    or not as pydantic's cache has room, so bytes alone differ from run to run."""
    count, best = 400, best_of(training_plan())
    options = (replace(best, id=f"option-{number}") for number in range(count))
    body = body_of(with_alternatives(training_plan(), *options)).encode()
    thaw(body)  # what is made once
    plan, held, peak = _allocated(lambda: thaw(body))
    _, tree, _ = _allocated(lambda: json.loads(body))
    assert len(plan.recommendation.alternatives) == count
    assert held < 0.45 * tree
    assert peak < 0.46 * tree


def _allocated(make: Callable[[], Any]) -> tuple[Any, int, int]:
    """What it makes, and the bytes that this holds and took at most."""
    tracemalloc.start()
    made = make()
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, held, peak
