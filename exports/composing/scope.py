"""What the sum holds and what it does not: the first question of whoever pays."""

from __future__ import annotations

from exports.composing.context import Context
from exports.cost_values import leaves
from exports.text import clean_text, lower_first, shorten
from exports.wording import mark, tr
from planner.engine.result import Option

_PEOPLE = ("people", "staff", "operator", "operation", "engineer", "team")
_MOST = 6
_ROOM = 180
"""Characters of the lines that are named: page 1 has one row for them."""
_MISSING = {
    "people": mark("people"),
    "experiments": mark("experiments and failed attempts"),
    "network": mark("data transfer"),
    "tax": mark("value-added tax"),
    "reserve": mark("a reserve"),
}


def scope(context: Context, best: Option) -> str:
    """“Included: … Not included: …”, from the cost lines that are there and cost something."""
    rows = [row for row in leaves(best.cost.model) if row.amount > 0]
    if not rows:
        return ""
    held = [lower_first(clean_text(row.label, 44)) for row in rows]
    more = len(held) - _MOST
    shown = shorten(", ".join(held[:_MOST]), _ROOM) + (tr(" and {count} more", count=more) if more > 0 else "")
    words = " ".join(f"{row.name} {row.label}".lower() for row in rows)
    missing = [tr(text) for name, text in _MISSING.items() if not _present(name, words, context)]
    return tr("Included: {lines}. Not included: {missing}.", lines=shown, missing=", ".join(missing))


def _present(name: str, words: str, context: Context) -> bool:
    training = context.spec.training
    if name == "people":
        return any(word in words for word in _PEOPLE)
    if name == "experiments":
        return training is None or training.runs > 1 or training.experiment_overhead > 0
    return name == "network" and any(word in words for word in ("egress", "transfer"))
