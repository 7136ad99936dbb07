"""All numbers inside a value of the engine, so that a test can ask whether each of them is one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any


def endless(value: Any, where: str = "") -> list[str]:
    """Where in that value a number is none, or endless."""
    return [path for path, number in _numbers(value, where) if not math.isfinite(number)]


def _numbers(value: Any, where: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        yield where, value
    elif is_dataclass(value) and not isinstance(value, type):
        for item in fields(value):
            yield from _numbers(getattr(value, item.name), f"{where}.{item.name}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{where}.{key}")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{where}.{index}")
