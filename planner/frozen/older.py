"""Plans that were frozen before a text in them became a code, as today's types hold them. Their own text and hash stay."""

from __future__ import annotations

import json
from typing import Any, Final

_GROUNDS: Final = {
    "request": "request",
    "plan": "plan",
    "engine": "engine",
    "engine: Poisson, 99 % sure": "engine.poisson",
    "plan: accelerator-hours of the service over all hours of the servers that its peak needs": "plan.load",
    "set in this plan": "set",
    "request: confidence": "asked.confidence",
}
"""Sources that programs go by and that were texts once; all others are told in the words of their day."""
_NOW: Final = b'"grid":{'
_BEFORE: Final = (b'"label":"', *(f'"source":"{text}"'.encode() for text in _GROUNDS))
"""In the text of every option of today, and in that of none: in a string their quotes would be escaped."""


def is_older(option: bytes) -> bool:
    """Was that option frozen before?"""
    return _NOW not in option or any(text in option for text in _BEFORE)


def option_from(text: bytes) -> dict[str, Any]:
    """An older option as JSON values of today."""
    option: dict[str, Any] = json.loads(text)
    renew(option)
    return option


def renew(option: dict[str, Any] | None) -> None:
    """Whose grid it is, and what pieces, lines and inputs are called, were texts: the words of their day are quoted as they stand."""
    found = option or {}
    energy = found.get("energy", {})
    if "grid" not in energy and "source" in energy:
        energy["grid"] = _told(energy.pop("source"))
    for place in ("memory", "time"):
        _name(found.get(place))
    model = found.get("cost", {}).get("model", {})
    for item in (*model.get("inputs", ()), *model.get("lines", ())):
        if "label" in item:
            item["told"] = _told(item.pop("label"))
        _ground(item)


def renew_rest(answer: dict[str, Any]) -> None:
    """The same of what stands beside the options: what moves the total, what would flip the choice, what stands behind prices,
    what is assumed."""
    for place in ("drivers", "flips", "backing"):
        _name(answer.get(place))
    for item in answer.get("assumptions", ()):
        _ground(item)


def _ground(item: dict[str, Any]) -> None:
    """Its source by the code of today, where programs go by it."""
    if (code := _GROUNDS.get(str(item.get("source")))) is not None:
        item["source"] = {"about": "", "code": f"origin.{code}", "values": {}}


def _name(value: Any) -> None:
    """Every label in that JSON as a finding."""
    if isinstance(value, dict):
        if isinstance(value.get("label"), str):
            value["label"] = _told(value["label"])
        for item in value.values():
            _name(item)
    elif isinstance(value, list):
        for item in value:
            _name(item)


def _told(text: str) -> dict[str, Any]:
    """That text as a finding."""
    return {"about": "", "code": "told", "values": {"text": {"text": text}}}
