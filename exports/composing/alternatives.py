"""The best option of each way of having accelerators, for the workbook, with its own cost model and what is paid when."""

from __future__ import annotations

from collections.abc import Mapping

from engine.answer import RATE, UNPAID, CostInput, CostModel
from exports.composing.context import Context, option_name, terms, where
from exports.cost_values import CAPITAL, leaves
from exports.document import Alternative, CashColumn
from exports.wording import label, tr
from planner.rent_or_own import Considered, comparison

_ASKED = (
    "months",
    "horizon_months",
    "runs",
    "experiment_overhead",
    "utilisation",
    "tax_on_purchases",
    "tax_on_services",
    "tax_recovered",
    "duty_share",
    RATE,
)
"""Inputs of cost models that are a field of the request, and the rate of exchange."""
_ASSUMED = ("onprem.", "cost.")


def alternatives(context: Context) -> tuple[Alternative, ...]:
    """One for each way that has an option: the recommended one, else the first that keeps all limits, else the first."""
    found = comparison(context.plan)
    return tuple(_alternative(one) for one in found.ways) if found else ()


def _alternative(one: Considered) -> Alternative:
    option = one.option
    ratio = option.cost.suffices / option.cost.total.expected if option and option.cost.total.expected else 1.0
    return Alternative(
        way=one.way,
        name=option_name(option) if option else tr("Hosted API"),
        where=where(option) if option else "",
        terms=terms(option) if option else tr("by the token"),
        accelerator=option.accelerator if option else "",
        model=one.model,
        cash=cash_columns(one.model, {}),
        chosen=one.chosen,
        kept=one.kept,
        sure_ratio=ratio,
        irr=one.irr,
    )


def inputs_beside(context: Context) -> tuple[CostInput, ...]:
    """What the other ways need of the request and of assumptions, and the plan's own model does not; its rate of present values
    stands on Inputs already."""
    if context.best is None:
        return ()
    model, names = context.best.cost.model, common(context)
    known = {CAPITAL} | {item.name for item in model.inputs} | {line.name for line in model.lines}
    found: dict[str, CostInput] = {}
    for way in alternatives(context):
        for item in way.model.inputs:
            if item.name in names and item.name not in known:
                found.setdefault(item.name, item)
    return tuple(found.values())


def common(context: Context) -> tuple[str, ...]:
    """Names of inputs that mean the same in every cost model."""
    ids = (known.id for known in context.answer.assumptions)
    return (*_ASKED, *(id_.partition(".")[2] for id_ in ids if id_.startswith(_ASSUMED)))


def cash_columns(model: CostModel, booked: Mapping[str, str]) -> tuple[CashColumn, ...]:
    """One column for each line that is paid, and for what the books write off besides; `booked` has the schedules of the books."""
    paid = [line for line in leaves(model) if line.paid != UNPAID]
    besides = [line for line in model.lines if line.name in booked and line.schedule == "none"]
    return tuple(
        CashColumn(
            label=label(line.label),
            line=line.name,
            paid=(line.paid or line.name) if line.schedule != "none" else "",
            capex=line.kind == "capex",
            schedule=line.schedule,
            booked=booked.get(line.name, ""),
        )
        for line in (*paid, *besides)
    )
