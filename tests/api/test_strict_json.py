"""Bodies: what JSON may say, and the one sentence for what it may not."""

from __future__ import annotations

import pytest

from rest.problems import Problem
from rest.strict_json import MAX_BYTES, parse_object
from tests.api.support import TRAINING, Api, pointers, problem


def test_it_works() -> None:
    assert parse_object(b'{"a": [1, 2.5, true, null, "\\u00e9\\ud83d\\ude80"]}') == {"a": [1, 2.5, True, None, "é🚀"]}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"a": 1, "a": 2}', "stands twice"),
        (b'{"a": {"b": 1, "b": 1}}', "stands twice"),
        (b'{"a": NaN}', "no JSON number"),
        (b'{"a": -Infinity}', "no JSON number"),
        (b'{"a": 1e400}', "too large"),
        (b'{"a": ' + b"9" * 5000 + b"}", "digits"),
        (b'{"a": 1} x', "not valid JSON"),
        (b'{"a": 1}{"b": 2}', "not valid JSON"),
        (b'{"a": 1,}', "not valid JSON"),
        (b"{'a': 1}", "not valid JSON"),
        (b'{"a": 01}', "not valid JSON"),
        (b'{"a": "\n"}', "not valid JSON"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b'{"a": ["\\u0000"]}', "NUL"),
        (b'{"a": "\xff"}', "UTF-8"),
        (b"\xef\xbb\xbf{}", "not valid JSON"),
        (b"[]", "object"),
        (b'"text"', "object"),
        (b"null", "object"),
        (b"[" * 100_000, "nested"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested"),
        (b'{"a": "' + b"[" * 50, "nested"),
    ],
)
def test_what_is_refused(body: bytes, words: str) -> None:
    with pytest.raises(Problem, match=words) as caught:
        parse_object(body)
    assert caught.value.status == 400


def test_brackets_inside_text_are_no_depth() -> None:
    assert parse_object(b'{"a": "' + b"[{" * 500 + b'\\"["}')["a"].startswith("[{")


def test_a_long_body_is_refused() -> None:
    with pytest.raises(Problem) as caught:
        parse_object(b" " * (MAX_BYTES + 1))
    assert caught.value.status == 413


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'{"name": "\\u0000"}', b'{"a": NaN}'])
def test_every_door_refuses_it(petra: Api, body: bytes) -> None:
    for path in ("/estimates", "/plans", "/models:parse", "/tokens", "/estimates:batch"):
        assert problem(petra.post(path, body), 400)["type"] == "/problems/malformed"


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"]
)
def test_other_media_are_refused(petra: Api, media: str) -> None:
    assert "Content-Type" in problem(petra.post("/estimates", TRAINING, Content_Type=media), 415)["detail"]


@pytest.mark.parametrize("value", ["15e9", "1_000", "١٥", True, [1], {"a": 1}, None])
def test_no_number_is_guessed(petra: Api, value: object) -> None:
    body = {**TRAINING, "training": {"tokens": value}}
    assert pointers(petra.post("/estimates", body)) == ["/training/tokens"]


def test_every_fault_is_named_at_once(petra: Api) -> None:
    body = {**TRAINING, "nmae": 1, "training": {"tokens": -1, "runs": 1.5}, "model": "llama-99"}
    assert pointers(petra.post("/estimates", body)) == ["/nmae", "/model", "/training/tokens", "/training/runs"]


@pytest.mark.parametrize("field", ["team", "status", "state", "approved_by", "owner", "id", "revision", "created_by"])
def test_no_row_field_can_be_assigned(petra: Api, field: str) -> None:
    assert pointers(petra.post("/plans", {**TRAINING, field: "x"})) == [f"/{field}"]
