"""A13: regular expressions. Each one of the product is fed with what makes a bad one slow; time may grow with length only.

The patterns are found in the source, with the functions that they are used with, so that a new one is taken in by
itself. One that is slower than its text is long must stand in BOUNDED, which says what keeps its texts short.
"""

from __future__ import annotations

import ast
import gc
import importlib
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from accounts import ids, tokens
from exports.text import clean_text, file_name
from planner.request.quantities import QuantityError, parse_quantity
from planner.review import sharing
from rest.problems import Problem
from rest.strict_json import parse_object

ROOT = Path(__file__).parents[2]
ROOMS = ("accounts", "catalog", "charts", "config", "exports", "jobs", "outgoing", "planner", "rest", "webhooks")
_FUNCTIONS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
BOUNDED = {
    "planner/request/quantities.py": "parse_quantity refuses a text of more than LONGEST characters before any pattern sees it",
    "planner/presenters/currency.py": "our own sentences, in which a name has at most 120 characters",
    "lab/validation/": "rows of our own data files, read by the validate command only",
    "catalog/importers/": "cells of price feeds, which the readers cut to 500 characters",
}
OF_OURS = {
    "catalog/aliases.py": "patterns of catalog/data/aliases.yaml, which comes with the program",
    "lab/validation/rows.py": "keys of a table of the same module",
}
# What bad patterns are slow on: one letter again and again, then something that does not fit; runs that overlap.
SEEDS = ("a", "A", "0", " ", "-", "_", ".", '"', "\\", "a ", "a-", "a.", "0.", "1,", ",", "\t", "x=", "()", "[", "{", "<", "aA0", "http://",
         "é", "\u202e", "$", "%", "/", "a/", "e1", "+1", "B4", "%s")  # fmt: skip
_SHORT, _TIMES = 1000, 8
_ASKS = re.compile(r"\bre\.\w")


@dataclass(frozen=True, order=True)
class Found:
    """One pattern of the product: where it stands, and how it is asked."""

    place: str
    pattern: str
    functions: tuple[str, ...]


def _sources() -> Iterator[tuple[Path, str]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path, path.read_text(encoding="utf-8")


def _calls(source: str) -> Iterator[tuple[ast.Call, str]]:
    """Every call of the module re, with the name of its function."""
    for node in ast.walk(ast.parse(source)):
        function = node.func if isinstance(node, ast.Call) else None
        if (
            isinstance(node, ast.Call)
            and isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id == "re"
            and function.attr in ("compile", *_FUNCTIONS)
        ):
            yield node, function.attr


def _constant(node: ast.expr, module: ModuleType) -> str | None:
    """The text of that expression, when it is built of constants of its module alone."""
    try:
        value = eval(compile(ast.Expression(node), "pattern", "eval"), dict(vars(module)))  # noqa: S307 - our own source
    except NameError:
        return None
    value = getattr(value, "pattern", value)
    return value.decode("latin-1") if isinstance(value, bytes) else value


@cache
def _found() -> tuple[list[Found], list[str]]:
    """All patterns, and the places where one is built of something else than constants. Read by whoever runs these tests: each
    process of a run collects them, and reading takes seconds."""
    found, built = [], []
    for path, source in _sources():
        calls = list(_calls(source)) if _ASKS.search(source) else []  # most files ask no pattern
        if not calls:
            continue
        place = path.relative_to(ROOT).as_posix()
        module = importlib.import_module(
            ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        )
        named = dict(re.findall(r"^(\w+)(?:: [^=\n]+)? = re\.compile\(\n? *(.{12})", source, re.MULTILINE))
        for node, function in calls:
            text = _constant(node.args[0], module)
            if text is None:
                built.append(place)
                continue
            start = (ast.get_source_segment(source, node) or "").removeprefix("re.compile(").strip()[:12]
            names = [name for name, begin in named.items() if begin == start]
            used = {one for name in names for one in re.findall(rf"\b{name}\.({'|'.join(_FUNCTIONS)})\(", source)}
            asked = (function,) if function != "compile" else tuple(sorted(used)) or ("fullmatch", "search", "sub")
            found.append(Found(place, text, asked))
    return sorted(set(found)), built


PLACES = tuple(path.relative_to(ROOT).as_posix() for path, source in _sources() if _ASKS.search(source))
"""Every file that may ask a pattern, read off its text."""


def _seconds(work: Callable[[], object]) -> float:
    best = math.inf
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _ask(compiled: re.Pattern[str], functions: tuple[str, ...], text: str) -> Callable[[], object]:
    def work() -> None:
        for name in functions:
            answer = getattr(compiled, name)("", text) if name in ("sub", "subn") else getattr(compiled, name)(text)
            if name == "finditer":
                list(answer)

    return work


def _slowest(found: Found) -> str:
    """The text on which that pattern takes more than in proportion; empty when there is none."""
    compiled = re.compile(found.pattern)
    for seed in SEEDS:
        for end in ("!", "\n"):
            texts = (seed * (_SHORT * times) + end for times in (_TIMES, 1))
            long = _seconds(_ask(compiled, found.functions, next(texts)))
            if long > 0.004 and long > _TIMES * _TIMES / 2 * _seconds(_ask(compiled, found.functions, next(texts))):
                return f"{seed!r} × {_SHORT * _TIMES}, then {end!r}: {long:.4f} s"
    return ""


def test_the_patterns_are_found() -> None:
    found, _ = _found()
    assert len(found) > 60
    assert {one.place for one in found} <= set(PLACES)
    assert {one.place.split("/")[0] for one in found} >= {
        "accounts",
        "catalog",
        "config",
        "exports",
        "planner",
        "rest",
    }
    assert any(one.functions == ("fullmatch",) for one in found)
    assert _slowest(Found("a test", r"a*!!", ("search",))), "the measure knows a bad pattern"


@pytest.mark.parametrize("place", [place for place in PLACES if not place.startswith(tuple(BOUNDED))])
def test_time_grows_with_the_length_only(place: str) -> None:
    """Of every pattern of that file."""
    asked = [found for found in _found()[0] if found.place == place]
    gc.disable()
    try:
        slow = {found: _slowest(found) for found in asked}
    finally:
        gc.enable()
    assert not any(slow.values()), "\n".join(
        f"{found.place} {found.pattern!r} ({', '.join(found.functions)}) is slow on {text}: bound its text."
        for found, text in slow.items()
        if text
    )


def test_no_pattern_comes_from_a_visitor() -> None:
    """What is handed to re is a constant of its module; the two that are built are built of our own data."""
    _, built = _found()
    assert set(built) <= OF_OURS.keys(), "A pattern that is built of something else than constants."


READERS: dict[str, Callable[[str], object]] = {
    "parse_quantity": lambda text: parse_quantity(text, "token"),
    "clean_text": lambda text: clean_text(text),
    "file_name": lambda text: file_name(text, "v1"),
    "is_id": lambda text: ids.is_id(text),
    "tokens": lambda text: tokens._SHAPE.fullmatch(text),
    "links": lambda text: sharing._SHAPE.fullmatch(text),
    "parse_object": lambda text: parse_object(text.encode("utf-8", "replace")),
}


@pytest.mark.parametrize("name", READERS)
def test_what_people_type_is_read_in_no_time(name: str) -> None:
    """100,000 characters of whatever is slow elsewhere: at most 50 ms of this process."""

    def read(text: str) -> None:
        try:
            READERS[name](text)
        except (QuantityError, Problem):
            return

    for seed in SEEDS:
        text = seed * (100_000 // len(seed)) + "!"
        spent = _seconds(lambda text=text: read(text))  # type: ignore[misc]
        assert spent < 0.05, f"{name} on {seed!r}: {spent:.3f} s"
