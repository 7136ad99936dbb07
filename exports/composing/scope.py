"""What the sum holds and what it does not: the first question of whoever pays."""

from __future__ import annotations

from engine.answer import CostLine, Option
from exports.composing.ask import taxes
from exports.composing.context import Context
from exports.cost_values import leaves
from exports.numbers import percent
from exports.text import clean_text, lower_first
from exports.wording import mark, tr

_MOST = 12
_SMALL = 0.02
"""Share of the sum from which on a line is named."""
_MISSING = {
    "staff": mark("people"),
    "experiments": mark("experiments and failed attempts"),
    "egress": mark("data transfer"),
    "tax": mark("value-added tax"),
    "reserve": mark("a reserve"),
}
"""What is asked for, by the name of the line that the engine's cost models give it; tax where none was stated, and a reserve have
none."""
_ALSO = {"egress": "transit"}
"""Lines of owned hardware that stand for one of those: its internet connection."""


def scope(context: Context, best: Option) -> str:
    """“Included: … Free of charge: … Not included: …”, by the lines of the cost model."""
    rows = leaves(best.cost.model)
    held = sorted((row for row in rows if row.amount > 0), key=lambda row: -row.amount)
    if not held:
        return ""
    named = [row for row in held if row.amount >= _SMALL * sum(line.amount for line in held)][:_MOST]
    rest = tr(" and lines under {share}", share=percent(_SMALL)) if len(held) > len(named) else ""
    shown = ", ".join(lower_first(clean_text(row.label, 80)) for row in named) + rest
    present = {row.name for row in rows}
    missing = [tr("the hardware, which is paid for already")] if best.kind == "owned" else []
    missing += [tr(text) for name, text in _MISSING.items() if not _present(name, present, context)]
    sentences = [tr("Included: {lines}.", lines=shown)]
    if drawn := best.cost.signed.drawn:
        sentences.append(
            tr("Taken off: {drawn} of a commitment that is paid anyway.", drawn=context.money.amount(drawn))
        )
    if free := [lower_first(clean_text(row.label, 80)) for row in rows if _free(row, best)]:
        sentences.append(tr("Free of charge: {lines}.", lines=", ".join(free)))
    sentences.append(tr("Not included: {missing}.", missing=", ".join(missing)))
    if told := taxes(context, best):
        sentences.append(tr("Tax: {told}", told=lower_first(told)))
    return " ".join(sentences)


def _present(name: str, present: set[str], context: Context) -> bool:
    training = context.spec.training
    if name == "tax":
        return context.spec.taxes is not None
    if name == "experiments":
        return training is None or training.runs > 1 or training.experiment_overhead > 0
    return name in present or _ALSO.get(name) in present


def _free(row: CostLine, best: Option) -> bool:
    """Does the provider charge nothing for data that leaves? A line of zero may also stand for work that is not done."""
    prices = {item.name: item.value for item in best.cost.model.inputs}
    return row.name == "egress" and row.amount == 0 and prices.get("egress_usd_per_gb") == 0
