"""Plans that were frozen before a field of an option became another one, as today's types hold them. Their text and hash stay."""

from __future__ import annotations

import json
from typing import Any, Final

_NOW: Final = b'"grid":{'
"""In the text of every option of today; in that of a string its quotes would be escaped."""


def is_older(option: bytes) -> bool:
    """Was that option frozen before?"""
    return _NOW not in option


def option_from(text: bytes) -> dict[str, Any]:
    """An older option as JSON values of today."""
    option: dict[str, Any] = json.loads(text)
    renew(option)
    return option


def renew(option: dict[str, Any] | None) -> None:
    """Whose grid it is was a text in the words of its day, which are quoted as they stand."""
    energy = option.get("energy", {}) if option else {}
    if "grid" not in energy and "source" in energy:
        energy["grid"] = {"about": "", "code": "grid.told", "values": {"text": {"text": energy.pop("source")}}}
