"""Every message of the documents, found in the source: what a translator gets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polib

from exports.locales import NBSP
from voice.texts import texts

ROOM = Path(__file__).parent
ASKED = ROOM.parent / "planner" / "asked"
"""What pages and documents say in the same sentences."""
LETTERS = ROOM.parent / "planner" / "quotation"
"""What is said to sellers."""
_UNBROKEN = 100_000
"""Columns of a line of the template: a message is easier found in one piece."""


@dataclass(frozen=True, kw_only=True)
class Message:
    """One text, its plural where it has one, and the places where it stands (“composing/cost.py:34”)."""

    one: str
    many: str = ""
    places: tuple[str, ...] = ()


def messages(folders: tuple[Path, ...] = (ROOM, ASKED, LETTERS)) -> tuple[Message, ...]:
    """All messages in the modules of those folders, in the order of their first place."""
    found: dict[tuple[str, str], list[str]] = {}
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            for line, one, many in _in_module(path):
                found.setdefault((one, many), []).append(f"{path.relative_to(folder)}:{line}")
    for text in texts():
        found.setdefault((text, ""), []).append("voice:1")
    return tuple(Message(one=one, many=many, places=tuple(places)) for (one, many), places in found.items())


def _in_module(path: Path) -> Iterator[tuple[int, str, str]]:
    """Line, message and plural of every call that names a text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and (called := _called(node.func)):
            words = [item.value if isinstance(item, ast.Constant) else None for item in node.args]
            for one, many in _said(called, [word if isinstance(word, str) else "" for word in words]):
                if one:
                    yield node.lineno, one, many


def _called(function: ast.expr) -> str:
    """The name that is called; of methods, a voice's own way to say a message."""
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) and function.attr in {"tr", "trn"} else ""


def _said(name: str, words: list[str]) -> list[tuple[str, str]]:
    """The messages of one call, by the function that is called; a noun is counted as `exports.numbers.plural` does."""
    if name in {"tr", "mark"}:
        return [(words[0], "")]
    if name == "trn":
        return [(words[0], words[1])]
    if name in {"plural", "noun"}:
        noun, *more = words[1:] if name == "plural" else words
        counted = (f"{{count}}{NBSP}{word}" for word in (noun, (more or [""])[0] or f"{noun}s"))
        return [(next(counted), next(counted))] if noun else []
    return []


def template() -> str:
    """All messages as a .pot file: the head, then each message with its places and an empty translation."""
    file = polib.POFile(wrapwidth=_UNBROKEN)
    file.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    file.extend(_entry(item) for item in messages())
    return str(file)


def _entry(item: Message) -> polib.POEntry:
    plural = {"msgid_plural": item.many, "msgstr_plural": {0: "", 1: ""}} if item.many else {}
    places = [tuple(place.rsplit(":", 1)) for place in item.places]
    return polib.POEntry(msgid=item.one, occurrences=places, flags=["python-brace-format"], **plural)
