"""From the order of servers to work on them: what is rented meanwhile, how much is left for them, how long they are held."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import CostInput, CostLine, CostModel
from engine.inputs.assumptions import Assumptions
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.cash import ACCEPTANCE_HOURS, LEAD_HOURS, WORK_HOURS
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import assumed, check_positive, dollars, given, quantity

_SHORTEST_YEARS = 1 / 12
"""Servers that come when the demand is nearly over are held for a month."""


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """What an accelerator-hour costs that is rented until the servers are accepted [USD], and where that is from."""

    usd_per_hour: float
    label: str
    source: str
    date: str


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """How ordered servers come: the same accelerators are rented until then, or, without a `bridge`, the work waits."""

    bridge: Bridge | None = None
    ahead_months: float = 0.0
    """From the order to the start of the work."""
    lead: str = "lead_months"
    """The assumption on how long the order takes."""


def years_held(horizon_years: float, delivery: Delivery | None, assume: Assumptions) -> float:
    """Years for which servers are held within those years of demand: from delivery on, where the demand does not wait."""
    if delivery is None or delivery.bridge is None:
        return horizon_years
    lead = max(assume[f"onprem.{delivery.lead}"] - delivery.ahead_months, 0.0) / 12.0
    return max(horizon_years - lead, _SHORTEST_YEARS)


def waited_hours(model: CostModel) -> float:
    """Hours until servers are accepted for which the work waits; 0 where the same is rented meanwhile, or nothing bought."""
    amounts = {line.name: line.amount for line in model.lines}
    return 0.0 if WORK_HOURS in amounts else amounts.get(LEAD_HOURS, 0.0)


def tested_hours(model: CostModel) -> float:
    """The last of these, from delivery to acceptance; 0 in plans from before the two were told apart."""
    return next((line.amount for line in model.lines if line.name == ACCEPTANCE_HOURS), 0.0)


def phase_lines(
    inputs: list[CostInput], delivery: Delivery | None, assume: Assumptions, *, busy: int, devices: int, months: float
) -> list[CostLine]:
    """The hours until acceptance, and which hours of the work fall before and after it: `owned_hours` within `held_years`.

    Work runs at its full pace from its first hour on `busy` accelerators, a service for its `months`; so its date and its
    money speak of the same plan.
    """
    lead = _lead_lines(inputs, delivery, assume)
    if delivery is None or delivery.bridge is None:
        return [
            *lead,
            quantity("held_years", "Years in which the servers are held", "horizon_years", "year"),
            quantity("owned_hours", "Accelerator-hours on own servers", "accelerator_hours", "h"),
        ]
    if not months and busy != devices:
        inputs.append(given("busy_devices", "Accelerators that the work uses", busy, "", "plan"))
    used = "devices" if busy == devices else "busy_devices"
    return [
        *lead,
        quantity(
            "held_years",
            "Years in which the servers are held",
            f"max(horizon_years - lead_hours / {HOURS_PER_YEAR}, {_SHORTEST_YEARS!r})",
            "year",
        ),
        quantity(
            WORK_HOURS,
            "Hours from the start to the end of this work",
            f"months * {HOURS_PER_MONTH:g}" if months else f"accelerator_hours / {used}",
            "h",
        ),
        quantity(
            "rented_hours",
            "Accelerator-hours rented until acceptance",
            "accelerator_hours * min(1, lead_hours / work_hours)",
            "h",
        ),
        quantity("owned_hours", "Accelerator-hours on own servers", "accelerator_hours - rented_hours", "h"),
    ]


def bridge_lines(inputs: list[CostInput], delivery: Delivery | None) -> list[CostLine]:
    """The rent until the servers are accepted; nothing where nothing is rented."""
    bridge = delivery.bridge if delivery else None
    if bridge is None:
        return []
    check_positive(bridge_usd_per_hour=bridge.usd_per_hour)
    inputs.append(
        given("bridge_usd_per_hour", bridge.label, bridge.usd_per_hour, "USD/h", bridge.source, date=bridge.date)
    )
    return [dollars("bridge", "Rental until acceptance", "rented_hours * bridge_usd_per_hour", schedule="run")]


def _lead_lines(inputs: list[CostInput], delivery: Delivery | None, assume: Assumptions) -> list[CostLine]:
    if delivery is None:
        return []
    lead = delivery.lead
    inputs.append(assumed(lead, f"onprem.{lead}", assume))
    if delivery.ahead_months:
        inputs.append(
            given("ahead_months", "Months from the order to the start", delivery.ahead_months, "month", "request")
        )
        lead = f"max(0, {lead} - ahead_months)"
    hours = f"{lead} / 12 * {HOURS_PER_YEAR}"
    # What is rented ends with the demand; work that waits begins at delivery, however late.
    text = f"min({hours}, horizon_years * {HOURS_PER_YEAR})" if delivery.bridge else hours
    tested = f"min({LEAD_HOURS}, acceptance_months / 12 * {HOURS_PER_YEAR})"
    return [
        quantity(LEAD_HOURS, "Hours until acceptance", text, "h"),
        quantity(ACCEPTANCE_HOURS, "Of these, hours from delivery to acceptance", tested, "h"),
    ]
