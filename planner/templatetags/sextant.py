"""Filters that say things as the rest of the pages does."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

from planner.names import spelled as spelled_words

register = template.Library()


@register.filter
def spelled(sentence: str) -> str:
    """A stored sentence of the engine with providers' own names."""
    return spelled_words(str(sentence))


@register.filter
def of(counts: Mapping[str, int], key: str) -> int:
    """The count of that key; none is zero."""
    return counts.get(key, 0)
