"""JSON as strictly as RFC 8259 allows: one object, small, flat enough, no key twice, finite numbers, real characters."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from rest.problems import Problem

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_VALUES = 100_000
"""Values of a body of MAX_BYTES, in proportion for others: an empty list of two bytes takes sixty in memory."""
MAX_KEYS = 20_000
"""Of one object: each may be a fault with a sentence of its own."""
MAX_DIGITS = 400
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
"""Possessive: what could be tried otherwise would be kept in memory for each character."""


def parse_object(body: bytes, *, limit: int = MAX_BYTES) -> dict[str, Any]:
    """The JSON object that those bytes are. Problem 413 above `limit` bytes, else 400 with one sentence."""
    if len(body) > limit:
        raise Problem(413, f"The body has {len(body):,} bytes: send at most {limit:,}.")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(400, f"The body is not UTF-8 text: byte {error.start} cannot be read.") from error
    most = MAX_VALUES * limit // MAX_BYTES
    if text.count(",") + text.count("[") + text.count("{") > 2 * most:
        raise Problem(413, f"The body has more than {most:,} values: send fewer.")
    _check_depth(text)
    data = _load(text)
    if not isinstance(data, dict):
        raise Problem(400, "The body must be a JSON object in braces.")
    if "\\u" in text:  # raw NULs and surrogates were refused already: only escapes can write them
        _check_texts(data)
    return data


def _load(text: str) -> Any:
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise Problem(
            400,
            f"The body is not valid JSON: {error.msg[0].lower()}{error.msg[1:]} "
            f"(line {error.lineno}, column {error.colno}).",
        ) from error


def _check_depth(text: str) -> None:
    """Counts brackets outside strings before anything recurses."""
    depth = 0
    for character in re.sub(r"[^][{}]+", "", _STRING.sub("", text)):
        depth += 1 if character in "[{" else -1
        if depth > MAX_DEPTH:
            raise Problem(400, f"The body is nested more than {MAX_DEPTH} levels deep: flatten it.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS:
        raise Problem(413, f"An object has {len(pairs):,} keys: send at most {MAX_KEYS:,}.")
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise Problem(400, f"The key “{_shown(key)}” stands twice in one object: keep one.")
        found[key] = value
    return found


def _constant(text: str) -> NoReturn:
    raise Problem(400, f"“{text}” is no JSON number: send a finite number.")


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Problem(400, f"The number “{text[:40]}” is too large to be stored: send a finite number.")
    return value


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise Problem(400, f"A number has {len(text):,} digits: send at most {MAX_DIGITS}.")
    return int(text)


def _check_texts(value: Any) -> None:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_text(key)
            _check_texts(item)
    elif isinstance(value, list):
        for item in value:
            _check_texts(item)


def _check_text(text: str) -> None:
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise Problem(400, f"The text “{_shown(text)}” holds a NUL or half a surrogate pair: remove it.")


def _shown(text: str) -> str:
    return text[:40].encode("ascii", "backslashreplace").decode().replace("\x00", "\\x00")
