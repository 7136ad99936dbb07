"""YAML as we accept it."""

from __future__ import annotations

import pytest

from planner.request.yaml_file import YamlError, load_yaml


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


@pytest.mark.parametrize(
    "value",
    ["9" * 5_000, "-" + "9" * 5_000, "0x_", "0b_", "2026-13-45", "2026-02-30 10:00:00", "2026-01-01 25:00:00", "!!int x",
     "!!int ''", "!!float x", "!!float ''", "!!bool perhaps", "!!timestamp soon", "!!binary {}", "!!set 3", "!!omap 3",
     "!!pairs [1]", "!!map x", "[1, 2026-13-45]", "{b: 2026-13-45}", "{2026-13-45: 1}"],
    ids=lambda value: value[:20],
)  # fmt: skip
def test_a_value_that_is_none_is_refused_with_its_line(value: str) -> None:
    """Never a fault of ours, whatever a scalar looks like or a tag says it is."""
    with pytest.raises(YamlError, match="line 2"):
        load_yaml(f"name: x\na: {value}\n")
