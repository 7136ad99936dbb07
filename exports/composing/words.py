"""Sentences that the engine wrote, as a document prints them: names as their owners spell them, singular and plural right."""

from __future__ import annotations

import re

from exports.text import clean_text
from planner.names import spelled

_ONE = re.compile(
    r"(?<![\d.,])1([ \u00a0-])(day|hour|minute|second|week|month|year|server|accelerator|replica|run|option|candidate|"
    r"failure|provider|price|step|node|GPU)s\b"
)
_CERTAIN = re.compile(r"\b100(?:\.0+)?[ \u00a0]?% (probability|chance)")
_NEVER = re.compile(r"(?<![\d.,])0(?:\.0+)?[ \u00a0]?% (probability|chance)")


def engine_text(value: object, limit: int) -> str:
    """That sentence, clean and at most so long; a model's guess is never certain."""
    text = _ONE.sub(r"1\1\2", spelled(clean_text(value, limit)))
    return _NEVER.sub(r"under 1% \1", _CERTAIN.sub(r"over 99% \1", text))
