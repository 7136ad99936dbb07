"""Filters that say things as the rest of the pages does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal

from django import template

from catalog.days import dated as dated_words
from planner.models import PlanVersion, Scenario
from planner.names import spelled as spelled_words
from planner.presenters.currency import Currency

register = template.Library()


@register.filter
def spelled(sentence: str) -> str:
    """A stored sentence of the engine with providers' own names."""
    return spelled_words(str(sentence))


@register.filter
def dated(text: str) -> str:
    """A text with its ISO days as pages write days."""
    return dated_words(str(text))


@register.filter
def of(counts: Mapping[str, int], key: str) -> int:
    """The count of that key; none is zero."""
    return counts.get(key, 0)


@register.filter
def amount_in(usd: Decimal | float, money: Currency) -> str:
    """An amount of US dollars in that currency: “EUR 21,300”."""
    return money.amount(float(usd))


@register.filter
def told_in(sentence: str, money: Currency) -> str:
    """A stored sentence of the engine with its amounts in that currency and providers' own names."""
    return money.told(str(sentence))


@register.filter
def headline_in(version: PlanVersion | Scenario, money: Currency) -> str:
    """The headline of a stored plan or scenario with its amounts in that currency."""
    cost = float(version.cost_usd or 0)
    return replace(money, exact=(cost, cost / 12)).told(version.headline)


@register.filter
def typed_in_short(typed: Mapping[str, str]) -> str:
    """A kept form in a few words: its name or model, and how much work was typed."""
    name = typed.get("name") or typed.get("model") or "no model yet"
    keys = ("training.tokens", "training.samples", "serving.requests_per_s")
    work = next((typed[key] for key in keys if typed.get(key)), "")
    return f"{name[:60]}{f', {work[:30]}' if work else ''}"
