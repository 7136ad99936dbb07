"""What the house has too much of, counted file by file: `python -m tests.counted` writes counted.json anew.

A number may only fall. `test_counted.py` fails on the first new one and says where the thing belongs.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = Path(__file__).with_suffix(".json")
ROOMS = tuple(sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"))
MOST_LINES = 60
"""Of a function, its head and its docstring included."""
_WRITES = ("exports/writers/", "charts/", "voice/", "lab/")
"""Where a number is written for a file format or for whoever judges the product, or where `voice` itself writes it."""
_FIGURE = re.compile(r"[,+]?[.,]\{?[^}]*\}?[fg%]|^,$|^\+?\.?\d*%$|^g$")
_OF_KIND = {"training", "serving", "batch", "run", "service"}
_OTHERWISE = {"run", "service"}
"""Words of these that also mean something else: when a sum is paid, which line of a bill."""
_PARTS = {"training", "serving", "batch", "ends", "timed", "is_service", "is_batch", "is_run", "online"}
"""Of a request, an option or a context: they are there, or true, for some kinds of work only."""
_LOCAL = {"training", "serving", "batch", "service", "is_service", "is_batch"}
"""The same in a variable."""
_TYPES = {"Training", "Serving", "BatchJob", "ServingResult", "ServingChoice", "ServingWork", "TrainingWork"}
_OWN_KINDS = (
    "engine/kinds/",
    "accounts/",
    "catalog/",
    "charts/",
    "config/",
    "incoming/",
    "jobs/",
    "operations/",
    "rest/",
    "webhooks/",
)
"""Rooms that hold the kinds, or know of none (a batch of the catalog is one of prices)."""
Nodes = list[ast.AST]
_LOOKED_AT = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Compare, ast.IfExp, ast.If, ast.While, ast.BoolOp, ast.UnaryOp, ast.comprehension,
    ast.match_case, ast.Assert, ast.FormattedValue, ast.Call,
)  # fmt: skip
_TRIES = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}


@cache
def files() -> dict[str, Nodes]:
    """Every file of the product by its path, as the nodes of its syntax; Django wrote the migrations."""
    paths = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if "migrations" not in path.parts)
    return {str(path.relative_to(ROOT)): _nodes(path) for path in paths}


def _nodes(path: Path) -> Nodes:
    return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, _LOOKED_AT)]


def long_functions(path: str, nodes: Nodes) -> Iterator[tuple[str, int]]:
    """Functions of more than sixty lines, each with its length."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            if length > MOST_LINES:
                yield f"{path}: {node.name}", length


def branches_on_the_kind(path: str, nodes: Nodes) -> Iterator[tuple[str, int]]:
    """Outside `engine/kinds`: comparisons with the name of a kind, types of one asked for, and every decision by which part of a
    request or outcome is there, in whatever form: `if`, `and`, `or`, `not`, a filter, a bare comparison with None.

    A table with one entry for each kind (`engine.inputs.kind.PerKind`) is no branch, and neither is an `assert`.
    """
    if path.startswith(_OWN_KINDS):
        return
    asked = {id(term): term for node in nodes for term in _terms_of(node) if _asks_for_a_part(term)}
    inside = {id(part) for term in asked.values() for part in ast.walk(term) if part is not term}
    inside |= {id(part) for node in nodes if isinstance(node, ast.Assert) for part in ast.walk(node)}
    for node in nodes:
        names = isinstance(node, ast.Compare) and _compares_a_kind(node)
        matches = isinstance(node, ast.match_case) and any(map(_is_of_a_kind, ast.walk(node.pattern)))
        checked = isinstance(node, ast.Call) and _asks_for_a_type(node)
        bare = isinstance(node, ast.Compare) and _asks_for_a_part(node) and id(node) not in asked
        if id(node) not in inside and (names or matches or checked or bare):
            yield path, 1
    for _ in asked:
        yield path, 1


def _compares_a_kind(node: ast.Compare) -> bool:
    """Words that mean a kind alone wherever they stand; the others where a kind is compared with them."""
    sides = (node.left, *node.comparators)
    of_kind = any(isinstance(side, ast.Attribute) and side.attr in ("kind", "work") for side in sides)
    return any(_names_a_kind(side, _OF_KIND if of_kind else _OF_KIND - _OTHERWISE) for side in sides)


def _names_a_kind(side: ast.expr, words: Set[str]) -> bool:
    match side:
        case ast.Constant(value=str() as name):
            return name in words
        case ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.List(elts=parts):
            return any(_names_a_kind(part, words) for part in parts)
    return False


def _terms_of(node: ast.AST) -> Iterator[ast.expr]:
    """What a node decides by, taken apart to what is asked alone."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            yield from _terms(test)
        case ast.comprehension(ifs=tests):
            for test in tests:
                yield from _terms(test)
        case ast.BoolOp(values=values):  # the last is what comes of it
            for value in values[:-1]:
                yield from _terms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _terms(operand)


def _terms(test: ast.expr) -> Iterator[ast.expr]:
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _terms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _terms(operand)
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            yield from _terms(inner)
        case _:
            yield test


def _asks_for_a_part(test: ast.expr) -> bool:
    match test:
        case ast.Attribute(attr=name):
            return name in _PARTS
        case ast.Name(id=name):
            return name in _LOCAL
        case ast.Compare(left=ast.Attribute(attr=name), comparators=[ast.Constant(value=None)]):
            return name in _PARTS
        case ast.Compare(left=ast.Name(id=name), comparators=[ast.Constant(value=None)]):
            return name in _LOCAL
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in ("is_batch", "is_service", "batch_of")
    return False


def _asks_for_a_type(call: ast.Call) -> bool:
    """`isinstance` of what only one kind has."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "isinstance" and len(call.args) == 2):
        return False
    return any(map(_is_of_a_kind, ast.walk(call.args[1])))


def _is_of_a_kind(part: ast.AST) -> bool:
    match part:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _TYPES
        case ast.Constant(value=str() as name):
            return name in _OF_KIND - _OTHERWISE
    return False


def figures_outside_voice(path: str, nodes: Nodes) -> Iterator[tuple[str, int]]:
    """Numbers put into a text with a format of their own: 1,000, 12.5 or 40%, as only one language writes them."""
    if path.startswith(_WRITES):
        return
    for node in nodes:
        if isinstance(node, ast.FormattedValue) and isinstance(node.format_spec, ast.JoinedStr):
            spec = "".join(
                part.value if isinstance(part, ast.Constant) else "{}" for part in node.format_spec.values
            )  # fmt: skip
            if _FIGURE.search(spec):
                yield path, 1


def patterns(path: str, nodes: Nodes) -> Iterator[tuple[str, int]]:
    """Regular expressions."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)) if name in _TRIES:
                yield path, 1


Counted = Callable[[str, Nodes], Iterator[tuple[str, int]]]
COUNTED: dict[str, Counted] = {
    "functions of more than 60 lines": long_functions,
    "branches on the kind": branches_on_the_kind,
    "figures formatted outside voice": figures_outside_voice,
}


def count(what: Counted) -> dict[str, int]:
    """How many there are today, by file or function."""
    found: Counter[str] = Counter()
    for path, nodes in files().items():
        for name, number in what(path, nodes):
            found[name] += number
    return dict(sorted(found.items()))


def kept() -> dict[str, dict[str, int]]:
    """How many there were when counted.json was written."""
    found: dict[str, dict[str, int]] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    KEPT.write_text(
        json.dumps({name: count(what) for name, what in COUNTED.items()}, indent=1) + "\n", encoding="utf-8"
    )
