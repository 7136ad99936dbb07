"""YAML as we accept it."""

from __future__ import annotations

import pytest

from planner.yaml_file import YamlError, load_yaml


def test_it_works() -> None:
    assert load_yaml("a: {b: 15e9}\nc: [1, x]") == {"a": {"b": "15e9"}, "c": [1, "x"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: 1\na: 2", "given twice, the second time in line 2"),
        ("a: &x 1\nb: *x", "aliases"),
        ("a: [", "line"),
        ("[" * 1000 + "]" * 1000, "nested too deeply"),
        ("1: 2", "is not text"),
        ("a: 1\n---\nb: 2", "another document"),
        ("x" * 1_000_001, "longer than"),
        ("!!python/object:os.system {}", "constructor"),
    ],
)
def test_what_is_refused(text: str, words: str) -> None:
    with pytest.raises(YamlError, match=words):
        load_yaml(text)
