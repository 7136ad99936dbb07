"""From which use of its hours on a way of having accelerators costs no more than renting them by the hour."""

from __future__ import annotations

from engine.answer import COMMITTED, LEASED, SAVED, CostModel
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import evaluate
from engine.money.own_around import STACK
from engine.money.rented import COVER, kept_beside

_CAPACITY = ("compute", "second_compute", "spares", "tax_instances")
_NO_USE = 1e-9


def even_use(way: str, model: CostModel, rent: CostModel, *, alike: bool) -> float | None:
    """What that way costs whether it is used or not, over what renting would cost in all of its hours beyond what use itself takes:
    a share, above 1 where no use suffices. None where nothing is paid without use, or a used hour saves nothing.

    `way`: buy, hybrid, commit or lease. `alike`: both have the same accelerator.
    """
    found = _parts(way, model, rent, alike=alike)
    if found is None:
        return None
    fixed, saved = found
    return fixed / saved if saved > 0 else None


def _parts(way: str, model: CostModel, rent: CostModel, *, alike: bool) -> tuple[float, float] | None:
    if way in ("buy", "hybrid"):
        return _of_purchase(model, rent)
    return _of_term(model, rent, alike=alike) if way in ("commit", "lease") else None


def _of_purchase(model: CostModel, rent: CostModel) -> tuple[float, float]:
    """Capital and operation of a year without use; hours × rented hour less what a year of full use takes more."""
    idle, busy = (evaluate(model, {"utilisation": share})["operation_year"] for share in (_NO_USE, 1.0))
    values = evaluate(model, {})
    rented = values["devices"] * HOURS_PER_YEAR * for_hours(rent) / values["accelerator_hours"]
    return values["capital_year"] + idle, rented - (busy - idle)


def _of_term(model: CostModel, rent: CostModel, *, alike: bool) -> tuple[float, float] | None:
    """All that is signed; its hours × (rented hour − what the work pays besides for each hour)."""
    values = evaluate(model, {})
    signed = next((values[name] for name in (COMMITTED, LEASED) if name in values), None)
    run = "runs" in values
    if signed is None or not (run or alike):
        return None  # of a service on another accelerator the hours that it needs are not known
    mine = _hours(values if run else evaluate(rent, {}))
    other = for_hours(model) - sum(values.get(name, 0.0) for name in _CAPACITY)
    hours = values["instances"] * values["paid_hours"] if run else values["instance_hours"]
    return signed, hours * values["devices_per_instance"] * (for_hours(rent) - other) / mine


def _hours(values: dict[str, float]) -> float:
    """The accelerator-hours of all that a rental does."""
    times = values["runs"] + values["experiment_overhead"] if "runs" in values else 1.0
    return values["accelerator_hours"] * times


def for_hours(model: CostModel) -> float:
    """The total without what is paid however many hours are rented: the stack of a service, and training data beside the hours of the
    work, each with its tax; and without a shortfall that is saved: what a commitment is drawn for lasts as long as the commitment."""
    values = evaluate(model, {})
    stack = sum(values.get(name, 0.0) for name in STACK if name != COVER)
    tax = values.get("tax_on_services", 0.0) * (1.0 - values.get("tax_recovered", 0.0))
    return (
        values[model.total]
        - values.get(COVER, 0.0)
        - (stack + kept_beside(values)) * (1.0 + tax)
        - values.get(SAVED, 0.0)
    )
