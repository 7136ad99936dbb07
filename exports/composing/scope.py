"""What the sum holds and what it does not: the first question of whoever pays."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answer import CostLine, Option
from exports.composing.ask import taxes
from exports.composing.context import Context
from exports.composing.kinds import PRINTED
from exports.cost_values import leaves
from exports.numbers import percent
from exports.text import lower_first
from exports.wording import label, mark, tr

_UNNAMED = 0.02
"""Share of the total that lines without a name may be together."""
_MISSING = {
    "staff": mark("people"),
    "cover": mark("people on call"),
    "experiments": mark("experiments and failed attempts"),
    "egress": mark("data transfer"),
    "tax": mark("value-added tax"),
    "reserve": mark("a reserve"),
}
"""What is asked for, by the name of the line that the engine's cost models give it; tax where none was stated, and a reserve have
none."""
_SERVED = "gateway"
"""Line that only a service has, for which somebody may be on call."""
_ALSO = {"egress": "transit"}
"""Lines of owned hardware that stand for one of those: its internet connection."""


def scope(context: Context, best: Option) -> str:
    """“Included: … Free of charge: … Not included: …”, by the lines of the cost model."""
    rows = leaves(best.cost.model)
    held = sorted((row for row in rows if row.amount > 0), key=lambda row: -row.amount)
    if not held:
        return ""
    named = _named(held, sum(row.amount for row in rows))
    rest = tr(" and smaller lines, together under {share}", share=percent(_UNNAMED)) if len(held) > len(named) else ""
    shown = ", ".join(lower_first(label(row.label, 80)) for row in named) + rest
    present = {row.name for row in rows}
    missing = [tr("the hardware, which is paid for already")] if best.kind == "owned" else []
    missing += [tr(text) for name, text in _MISSING.items() if not _present(name, present, context)]
    sentences = [tr("Included: {lines}.", lines=shown)]
    if drawn := best.cost.signed.drawn:
        sentences.append(
            tr("Taken off: {drawn} of a commitment that is paid anyway.", drawn=context.money.amount(drawn))
        )
    if free := [lower_first(label(row.label, 80)) for row in rows if _free(row, best)]:
        sentences.append(tr("Free of charge: {lines}.", lines=", ".join(free)))
    sentences.append(tr("Not included: {missing}.", missing=", ".join(missing)))
    if told := taxes(context, best):
        sentences.append(tr("Tax: {told}", told=lower_first(told)))
    return " ".join(sentences)


def _named(held: Sequence[CostLine], total: float) -> Sequence[CostLine]:
    """The largest of those lines, largest first, that leave no more without a name than may be. `total` is what is left after what comes
    back or is drawn of a commitment: the sum of which the table of lines gives shares."""
    unnamed = 0.0
    for count in range(len(held), 0, -1):
        unnamed += held[count - 1].amount
        if unnamed >= _UNNAMED * total:
            return held[:count]
    return held[:1]


def _present(name: str, present: set[str], context: Context) -> bool:
    if name == "tax":
        return context.spec.taxes is not None
    if name == "experiments":
        return context.several_runs or not PRINTED[context.kind].experiments
    if name == "cover":
        return _SERVED not in present or not present.isdisjoint(("cover", "cover_managed"))
    return name in present or _ALSO.get(name) in present


def _free(row: CostLine, best: Option) -> bool:
    """Does the provider charge nothing for data that leaves? A line of zero may also stand for work that is not done."""
    prices = {item.name: item.value for item in best.cost.model.inputs}
    return row.name == "egress" and row.amount == 0 and prices.get("egress_usd_per_gb") == 0
