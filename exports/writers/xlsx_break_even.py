"""From which use of its hours on a way of having accelerators costs no more than renting them by the hour: formula and value."""

from __future__ import annotations

from typing import Protocol

from engine.answer import COMMITTED, LEASED, SAVED, CostLine
from engine.inputs.currency import DIGITS
from exports.cost_values import parsed, values_of
from exports.document import Alternative
from exports.writers.xlsx_model import Model
from planner.money import COVER, HOURS_PER_YEAR, STACK

_CAPACITY = ("compute", "second_compute", "spares", "tax_instances")
Term = tuple[str, float]
"""A formula and its value."""


class Costed(Protocol):
    """A way with its model on a sheet."""

    @property
    def what(self) -> Alternative: ...

    @property
    def model(self) -> Model: ...


def break_even(way: Costed, rent: Costed) -> tuple[Term, Term] | None:
    """What a way costs whether it is used or not, over what renting would cost in all of its hours beyond what use itself takes:
    the share of the hours from which on it costs no more. None where nothing is paid for without use."""
    if way.what.way in ("buy", "hybrid"):
        return _of_purchase(way.model, rent.model)
    if way.what.way in ("commit", "lease"):
        return _of_term(way, rent)
    return None


def _of_purchase(model: Model, rent: Model) -> tuple[Term, Term]:
    """(capital and operation of a year without use) over (hours × rented hour − what a year of full use takes more)."""
    names, values = model.names, model.values
    idle, busy = (_replaced(model, "operation_year", "utilisation", share) for share in (0, 1))
    alike, hours = _alike(rent), values["accelerator_hours"]
    fixed = (f"{names['capital_year']}+{idle[0]}", values["capital_year"] + idle[1])
    rented = f"{names['devices']}*{HOURS_PER_YEAR}*{alike[0]}/{names['accelerator_hours']}"
    saved = values["devices"] * HOURS_PER_YEAR * alike[1] / hours - (busy[1] - idle[1])
    return fixed, (f"({rented}-({busy[0]}-{idle[0]}))", saved)


def _of_term(way: Costed, rent: Costed) -> tuple[Term, Term] | None:
    """(all that is signed) over (its hours × (rented hour − what the work pays besides for each hour))."""
    model, names, values = way.model, way.model.names, way.model.values
    signed = next((name for name in (COMMITTED, LEASED) if name in names), None)
    run = "programme_hours" in names and "runs" in names
    if signed is None or (not run and way.what.accelerator != rent.what.accelerator):
        return None  # of a service on another accelerator the hours that it needs are not known
    mine = _hours(model) if run else _hours(rent.model)
    alike, own = _alike(rent.model), _alike(model)
    share = [name for name in _CAPACITY if name in names]
    other = f"({own[0]}-({'+'.join(names[name] for name in share)}))"
    other_now = own[1] - sum(values[name] for name in share)
    each = names["devices_per_instance"]
    if run:
        hours = f"{names['instances']}*{names['paid_hours']}*{each}"
        hours_now = values["instances"] * values["paid_hours"] * values["devices_per_instance"]
    else:
        hours, hours_now = (
            f"{names['instance_hours']}*{each}",
            values["instance_hours"] * values["devices_per_instance"],
        )
    below = f"({hours}*({alike[0]}-{other})/{mine[0]})"
    return (names[signed], values[signed]), (below, hours_now * (alike[1] - other_now) / mine[1])


def _hours(model: Model) -> Term:
    """The accelerator-hours of all that a rental does."""
    names, values = model.names, model.values
    if "runs" not in names:
        return names["accelerator_hours"], values["accelerator_hours"]
    times = f"({names['accelerator_hours']}*({names['runs']}+{names['experiment_overhead']}))"
    return times, values["accelerator_hours"] * (values["runs"] + values["experiment_overhead"])


def _alike(model: Model) -> Term:
    """What of a rental is paid for its hours: without the stack of a service, training data beside the hours of the work, and a shortfall
    that is saved."""
    names, values = model.names, model.values
    beside = [(names[name], values[name]) for name in STACK if name in names]
    if "stored_hours" in names:
        part = 1.0 - values["programme_hours"] / values["stored_hours"]
        text = f"{names['dataset']}*(1-{names['programme_hours']}/{names['stored_hours']})"
        beside.append((text, values["dataset"] * part))
    parts = [names[model.model.total], *(f"-{text}" for text, _ in beside)]
    value = values[model.model.total] - sum(now for _, now in beside)
    if SAVED in names:
        parts.append(f"-{names[SAVED]}")
        value -= values[SAVED]
    taxed = [one for one in beside if one[0] != names.get(COVER)]
    if taxed and "tax_on_services" in names:
        rate = f"{names['tax_on_services']}*(1-{names['tax_recovered']})"
        parts.append(f"-{rate}*({'+'.join(text for text, _ in taxed)})")
        value -= values["tax_on_services"] * (1 - values["tax_recovered"]) * sum(now for _, now in taxed)
    return f"({''.join(parts)})", value


def _replaced(model: Model, name: str, moved: str, value: float) -> Term:
    """The formula of that line with a number in the place of one input, and its value."""
    lines = {line.name: line for line in model.model.lines}

    def moves(one: str) -> bool:
        return one == moved or (one in lines and any(moves(inner) for inner in parsed(lines[one].expression).names))

    def reference(one: str) -> str:
        if one == moved:
            return f"{value:g}"
        return f"({formula(lines[one])})" if one in lines and moves(one) else model.names[one]

    def formula(line: CostLine) -> str:
        text = parsed(line.expression).excel(reference)
        return f"ROUND({text},{DIGITS[line.unit]})" if line.unit in DIGITS else text

    return formula(lines[name]), values_of(model.model, {moved: value})[name]
