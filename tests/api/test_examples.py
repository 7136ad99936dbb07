"""Each operation and each problem has an example that its schema takes; a good part of them is asked for real."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from rest import parts
from rest.problem_pages import KINDS, problems
from rest.problems import CODES, TITLES
from tests.api import examples
from tests.api.described import OPERATIONS, SCHEMA
from tests.api.examples import MOST_ROWS
from tests.api.support import Api
from tests.api.test_contract import faults

BODIES = [
    (name, media, content["schema"], content["example"])
    for name, (_, _, operation) in OPERATIONS.items()
    for media, content in operation.get("requestBody", {}).get("content", {}).items()
    if "example" in content
]
ANSWERS = [
    (name, status, response["content"]["application/json"])
    for name, (_, _, operation) in OPERATIONS.items()
    for status, response in operation["responses"].items()
    if "application/json" in response.get("content", {})
]
RENEW = (
    "run `python -m tests.api.examples` (with --estimates, when only estimates have changed) and write the description"
)
SENT_AS_FILES = {"import_prices", "import_workbook", "parse_model"}
"""Their bodies are files; examples/ has some."""


@pytest.mark.parametrize(("name", "media", "schema", "example"), BODIES, ids=[f"{one[0]} {one[1]}" for one in BODIES])
def test_what_is_sent_fits(name: str, media: str, schema: Any, example: Any) -> None:
    assert faults(schema, example) == []


@pytest.mark.parametrize(("name", "status", "content"), ANSWERS, ids=[f"{one[0]} {one[1]}" for one in ANSWERS])
def test_what_is_answered_has_an_example_that_fits(name: str, status: str, content: Any) -> None:
    assert "example" in content, f"{name} {status}: {RENEW}"
    assert faults(content["schema"], content["example"]) == [], RENEW


PARTS_AND_FILES = [
    (name, media, content)
    for name, (_, _, operation) in OPERATIONS.items()
    for media, content in operation["responses"].get("200", {}).get("content", {}).items()
    if media in (parts.MEDIA, "text/csv")
]


@pytest.mark.parametrize(
    ("name", "media", "content"), PARTS_AND_FILES, ids=[f"{one[0]} {one[1]}" for one in PARTS_AND_FILES]
)
def test_an_answer_in_part_and_a_file_have_an_example(name: str, media: str, content: Any) -> None:
    example = content["example"]
    if media == "text/csv":
        header, first, *_ = example.splitlines()
        assert header.count(",") >= 6
        assert first
        return
    whole = OPERATIONS[name][2]["responses"]["200"]["content"]["application/json"]["example"]
    rows, cut = (one["data"] if "next_cursor" in whole else [one] for one in (whole, example))
    assert len(rows) == len(cut)
    assert all(part and part.items() < row.items() for row, part in zip(rows, cut, strict=True))


def test_every_body_has_an_example() -> None:
    silent = {
        name
        for name, (_, _, operation) in OPERATIONS.items()
        if "requestBody" in operation and name not in {one[0] for one in BODIES} | SENT_AS_FILES
    }
    assert silent == set()


@pytest.mark.parametrize("code", sorted(TITLES))
def test_a_problem_has_a_page_and_an_example(client: Any, db: None, code: str) -> None:
    told = problems()[code]
    assert faults({"$ref": "#/components/schemas/ProblemBody"}, told) == []
    page = client.get(told["type"])
    assert page.status_code == 200
    assert TITLES[code] in page.content.decode()
    assert str(told["status"]) in page.content.decode()


@pytest.mark.parametrize(("argument", "status"), [("--help", 0), ("--nonsense", 2), ("tests/api", 2)])
def test_the_file_stays_when_its_command_is_only_asked(
    monkeypatch: pytest.MonkeyPatch, argument: str, status: int
) -> None:
    monkeypatch.setattr(examples, "_write", lambda _: pytest.fail("the examples were written"))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("tests were run"))
    with pytest.raises(SystemExit) as left:
        examples.main([argument])
    assert left.value.code == status


def test_the_file_stays_when_a_test_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "_write", lambda _: pytest.fail("the examples were written"))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1))
    assert examples.main([]) == 1


def test_every_problem_is_explained(client: Any, db: None) -> None:
    assert set(KINDS) == set(TITLES) >= set(CODES.values())
    assert client.get("/problems/").status_code == 200
    assert client.get("/problems/nonsense").status_code == 404


def test_examples_hold_no_secret_and_no_run() -> None:
    text = json.dumps(SCHEMA)
    assert "sxt_example00000_" in text
    assert "This is no secret" in text or "VGhpcyBpcyBubyBzZWNyZXQ=" in text


def test_an_example_of_an_estimate_is_what_is_answered(quick_engine: None, petra: Api) -> None:
    """The same keys in the same places: an example that has grown old fails here."""
    _, _, operation = OPERATIONS["create_estimate"]
    sent = operation["requestBody"]["content"]["application/json"]["example"]
    told = operation["responses"]["200"]["content"]["application/json"]["example"]
    answered = petra.post("/estimates", sent)
    assert answered.status_code == 200
    assert _keys(answered.json()) == _keys(told), RENEW


def _keys(value: Any, path: str = "") -> set[str]:
    if isinstance(value, dict):
        return {path}.union(*(_keys(item, f"{path}/{key}") for key, item in value.items()))
    if isinstance(value, list):
        return {path}.union(*(_keys(item, f"{path}/-") for item in value[:MOST_ROWS]))
    return {path}
