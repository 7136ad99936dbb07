"""Filters that say things as the rest of the pages does."""

from __future__ import annotations

from collections.abc import Mapping

from django import template

from catalog.days import dated as dated_words
from planner.models import PlanVersion, Scenario
from planner.presenters.currency import Currency

register = template.Library()


@register.filter
def dated(text: str) -> str:
    """A text with its ISO days as pages write days."""
    return dated_words(str(text))


@register.filter
def of(counts: Mapping[str, int], key: str) -> int:
    """The count of that key; none is zero."""
    return counts.get(key, 0)


@register.filter
def cost_of(row: PlanVersion | Scenario) -> str:
    """What a frozen plan or scenario costs, in its own currency: “EUR 21,300”; nothing where nothing is feasible."""
    if not row or row.cost is None:  # a workload that has no version yet is an empty text in templates
        return ""
    return Currency(code=row.currency).amount(float(row.cost))


@register.filter
def signed_of(row: PlanVersion | Scenario) -> str:
    """What is signed as a whole for it, in its own currency; nothing where nothing is."""
    return Currency(code=row.currency).amount(float(row.signed)) if row and row.signed is not None else ""


@register.filter
def typed_in_short(typed: Mapping[str, str]) -> str:
    """A kept form in a few words: its name or model, and how much work was typed."""
    name = typed.get("name") or typed.get("model") or "no model yet"
    keys = ("training.tokens", "training.samples", "serving.requests_per_s")
    work = next((typed[key] for key in keys if typed.get(key)), "")
    return f"{name[:60]}{f', {work[:30]}' if work else ''}"
