"""What many sizes of one purchase cost, all at once: the cost model of one of them, evaluated over arrays of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.answer import NEEDED, CostModel
from engine.context import Context
from engine.inputs.hardware import System
from engine.money.buying import bought_model
from engine.money.cash import ACCEPTANCE_HOURS, LEAD_HOURS, USED_HOURS, WORK_HOURS
from engine.money.caused import discounts
from engine.money.decision import Decision, decision_of
from engine.money.draws import evaluated
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import amount_of
from engine.money.signed import budgeted
from engine.reliability.checkpoints import spare_nodes

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Of each size what the work carries, what a budget must hold, and what the cash that it causes is worth on the day of the request."""

    usd: Floats
    cash: Floats
    worth: Floats


def bought_sums(context: Context, system: System, counts: Floats, programme_hours: Floats) -> Sums:
    """Those of so many accelerators of that system each, for work of so many hours [h] on all of them. Sizes that are alike in which lines
    their model has are evaluated together; days follow from amounts, within those of a month."""
    nodes = np.ceil(counts / system.devices)
    spares = np.array([spare_nodes(int(one), system.devices, context.assume) for one in nodes.tolist()], dtype=float)
    alike = (nodes == 1) * 4 + (spares > 0) * 2 + (counts == nodes * system.devices)
    found = Sums(usd=np.zeros(len(counts)), cash=np.zeros(len(counts)), worth=np.zeros(len(counts)))
    for group in np.unique(alike):
        here = np.flatnonzero(alike == group)
        model = _like(context, system, float(counts[here[0]]), float(programme_hours[here[0]]))
        hours = counts[here] * programme_hours[here]
        moved = {
            "servers": nodes[here],
            "devices": nodes[here] * system.devices,
            "accelerator_hours": hours,
            "busy_devices": counts[here],
            "spare_servers": spares[here],
            "horizon_years": hours / (nodes[here] * system.devices) / HOURS_PER_YEAR,
        }
        values = {item.name: moved.get(item.name, item.value) for item in model.inputs}
        values = dict(evaluated(model, values, {line.name for line in model.lines}))
        found.usd[here] = values[model.total]
        found.cash[here] = values.get(NEEDED, values[model.total])
        found.worth[here] = _worth(model, values, decision_of(context))
    return found


def _like(context: Context, system: System, count: float, programme_hours: float) -> CostModel:
    model = bought_model(context, system, int(count), count * programme_hours, cash=False)
    return budgeted(model, context.spec.constraints.budget_basis)


def _worth(model: CostModel, values: dict[str, Floats], decision: Decision) -> Floats:
    """What is caused at those values. Hardware that is bought again within a long demand is dated as in the model."""
    lead = values.get(LEAD_HOURS, np.float64(0.0))
    once = bool(np.all(values["held_years"] <= values["holding_years"] * (1.0 + 1e-9)))
    tested = values.get(ACCEPTANCE_HOURS, np.float64(0.0))
    spans = {
        "run": decision.spread(np.minimum(lead, values.get(WORK_HOURS, math.inf))),
        "used": decision.spread(values[USED_HOURS], after=lead),
    }
    if not np.all(values["held_years"] == amount_of(model, "held_years")):
        spans["held"] = decision.spread(values["held_years"] * HOURS_PER_YEAR, after=lead)
    if "held" in spans and once:
        spans["upfront"] = decision.later((lead - tested) / 24.0)
        spans["end"] = decision.later((lead + values["held_years"] * HOURS_PER_YEAR) / 24.0)
    known, schedules = discounts(model, decision), {line.name: line.schedule for line in model.lines}
    worth: Floats = np.zeros(np.shape(values[USED_HOURS]))
    for name, one in known.items():
        worth = worth + values[name] * spans.get(schedules[name], one)
    return worth
