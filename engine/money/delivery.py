"""From the order of servers to work on them: what is rented meanwhile, how much is left for them, how long they are held."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import CostInput, CostLine, CostModel
from engine.inputs.assumptions import Assumptions
from engine.inputs.origin import PLAN, REQUEST, Origin
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.money.cash import ACCEPTANCE_HOURS, LEAD_HOURS, USED_HOURS, WORK_HOURS
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import amount_of, assumed, check_positive, dollars, given, quantity
from engine.odds.waits import Wait, sure_wait

LEADS = ("lead_months", "desktop_lead_months")
"""Inputs of a cost model that say how long an order takes [month]."""
_SHORTEST_YEARS = 1 / 12
"""Servers that come when the demand is nearly over are held for a month."""


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """What an accelerator-hour costs that is rented until the servers are accepted [USD], and where that is from."""

    usd_per_hour: float
    source: Origin
    date: str


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """How ordered servers come: the same accelerators are rented until then, or, without a `bridge`, the work waits."""

    bridge: Bridge | None = None
    ahead_months: float = 0.0
    """From the order to the start of the work."""
    lead: str = "lead_months"
    """The assumption on how long the order takes."""


def waited_hours(model: CostModel) -> float:
    """Hours until servers are accepted for which the work waits; 0 where the same is rented meanwhile, or nothing bought."""
    return amount_of(model, LEAD_HOURS) if waits_for_servers(model) else 0.0


def waits_for_servers(model: CostModel) -> bool:
    """Does the work begin only once ordered servers are there, if they are not expected by its start already?"""
    names = {line.name for line in model.lines}
    return LEAD_HOURS in names and WORK_HOURS not in names


def wait_of_model(model: CostModel) -> Wait:
    """That wait with the spread of the delivery, in a model that says of which; else as it is expected."""
    known = {item.name: item for item in model.inputs}
    lead = next((known[name] for name in LEADS if name in known), None)
    if not waits_for_servers(model) or lead is None:
        return sure_wait(waited_hours(model) / 24.0)
    month = HOURS_PER_YEAR / 12 / 24
    ahead = known["ahead_months"].value * month if "ahead_months" in known else 0.0
    low, high = min(lead.low, lead.value), max(lead.high, lead.value)
    return Wait(low=low * month, expected=lead.value * month, high=high * month, ahead=ahead)


def tested_hours(model: CostModel) -> float:
    """The last of these, from delivery to acceptance; 0 in plans from before the two were told apart."""
    return next((line.amount for line in model.lines if line.name == ACCEPTANCE_HOURS), 0.0)


def phase_lines(
    inputs: list[CostInput], delivery: Delivery | None, assume: Assumptions, *, busy: int, devices: int, months: float
) -> list[CostLine]:
    """The hours until acceptance, and which hours of the work fall before and after it: `owned_hours` within `held_years`, of which the
    work runs for `used_hours`.

    Work runs at its full pace from its first hour on `busy` accelerators, a service for its `months`; so its date and its
    money speak of the same plan.
    """
    lead = _lead_lines(inputs, delivery, assume)
    if not months and busy != devices:
        inputs.append(given("busy_devices", busy, "", PLAN))
    used = "devices" if busy == devices else "busy_devices"
    whole = f"months * {HOURS_PER_MONTH:g}" if months else f"accelerator_hours / {used}"
    if delivery is None or delivery.bridge is None:
        return [
            *lead,
            quantity("held_years", "horizon_years", "year"),
            quantity("owned_hours", "accelerator_hours", "h"),
            quantity(USED_HOURS, whole, "h"),
        ]
    return [
        *lead,
        quantity(
            "held_years",
            f"max(horizon_years - lead_hours / {HOURS_PER_YEAR}, {_SHORTEST_YEARS!r})",
            "year",
        ),
        quantity(
            WORK_HOURS,
            whole,
            "h",
        ),
        quantity(
            "rented_hours",
            "accelerator_hours * min(1, lead_hours / work_hours)",
            "h",
        ),
        quantity("owned_hours", "accelerator_hours - rented_hours", "h"),
        quantity(USED_HOURS, f"max({WORK_HOURS} - {LEAD_HOURS}, 0)", "h"),
    ]


def bridge_lines(inputs: list[CostInput], delivery: Delivery | None) -> list[CostLine]:
    """The rent until the servers are accepted; nothing where nothing is rented."""
    bridge = delivery.bridge if delivery else None
    if bridge is None:
        return []
    check_positive(bridge_usd_per_hour=bridge.usd_per_hour)
    inputs.append(given("bridge_usd_per_hour", bridge.usd_per_hour, "USD/h", bridge.source, date=bridge.date))
    return [dollars("bridge", "rented_hours * bridge_usd_per_hour", schedule="run")]


def _lead_lines(inputs: list[CostInput], delivery: Delivery | None, assume: Assumptions) -> list[CostLine]:
    if delivery is None:
        return []
    lead = delivery.lead
    inputs.append(assumed(f"onprem.{lead}", assume))
    if delivery.ahead_months:
        inputs.append(given("ahead_months", delivery.ahead_months, "month", REQUEST))
        lead = f"max(0, {lead} - ahead_months)"
    hours = f"{lead} / 12 * {HOURS_PER_YEAR}"
    # What is rented ends with the demand; work that waits begins at delivery, however late.
    text = f"min({hours}, horizon_years * {HOURS_PER_YEAR})" if delivery.bridge else hours
    tested = f"min({LEAD_HOURS}, acceptance_months / 12 * {HOURS_PER_YEAR})"
    return [
        quantity(LEAD_HOURS, text, "h"),
        quantity(ACCEPTANCE_HOURS, tested, "h"),
    ]
