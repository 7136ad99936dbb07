"""What the house has too much of, counted file by file: `python -m tests.counted` writes counted.json anew.

A number may only fall. `test_counted.py` fails on the first new one and says where the thing belongs.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
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
_OF_KIND = {"training", "serving", "batch"}
Nodes = list[ast.AST]
_LOOKED_AT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Compare, ast.IfExp, ast.If, ast.FormattedValue, ast.Call)
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
    """Outside `engine/kinds`: comparisons with the name of a kind, and decisions by which part of a request or outcome is there."""
    if path.startswith(("engine/kinds/", "lab/")):
        return
    for node in nodes:
        if isinstance(node, ast.Compare) and any(map(_names_a_kind, (node.left, *node.comparators))):
            yield path, 1
        if isinstance(node, ast.IfExp | ast.If) and any(map(_asks_for_a_part, _terms(node.test))):
            yield path, 1


def _names_a_kind(side: ast.expr) -> bool:
    match side:
        case ast.Constant(value=str() as name):
            return name in _OF_KIND
        case ast.Tuple(elts=parts) | ast.Set(elts=parts) | ast.List(elts=parts):
            return any(map(_names_a_kind, parts))
    return False


def _terms(test: ast.expr) -> Iterator[ast.expr]:
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _terms(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _terms(operand)
        case _:
            yield test


def _asks_for_a_part(test: ast.expr) -> bool:
    match test:
        case ast.Attribute(attr=name):
            return name in _OF_KIND
        case ast.Compare(left=ast.Attribute(attr=name), comparators=[ast.Constant(value=None)]):
            return name in _OF_KIND
        case ast.Call(func=ast.Name(id=name)):
            return name == "is_batch"
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
