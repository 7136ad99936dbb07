"""What servers that are leased cost besides their rate: they stand in the team's own rooms, which power, connect and tend them."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Offer, Stated, System
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import Schedule, assumed, dollars, given, quantity
from engine.money.site import connected, staff_formula, staff_names

_SITE = (
    "busy_load",
    "pue",
    "usd_per_kwh",
    "maintenance_share",
    "usd_per_fte",
    *staff_names(desks=False),
    "transit_usd_year",
)
SHORT_TERM_MONTHS = 12
"""A lease of no more months may be booked as expense alone (IFRS 16.5, ASC 842-20-25-2); a longer one is a right of use."""


def is_lease(offer: Offer | None) -> bool:
    return offer is not None and offer.option == "lease"


def paid_by_month(offer: Offer) -> Schedule:
    """The schedule of instances that are paid every month: a lessor asks for as much in each, a provider for its hours."""
    return "instalments" if is_lease(offer) else "monthly"


def with_own_storage(offer: Offer, assume: Assumptions) -> Offer:
    """The offer with what keeping data on the team's own storage costs; any other as it is."""
    if not is_lease(offer):
        return offer
    own = assume.get("onprem.storage_usd_per_tb_month")
    return replace(
        offer, storage_usd_per_gb_month=own.value / 1000.0, storage_stated=Stated(source=own.source, date="")
    )


def site_lines(
    inputs: list[CostInput], offer: Offer, system: System | None, assume: Assumptions, *, hours: str, schedule: Schedule
) -> list[CostLine]:
    """Energy, support, people and the internet connection for the hours of this work on leased servers; nothing for instances,
    whose price holds all that. People follow the number of servers as on bought ones. `hours` is the expression of the hours of one
    accelerator times their number."""
    if not is_lease(offer) or system is None:
        return []
    value = (system.price_low_usd + system.price_high_usd) / 2.0
    inputs += [
        given("server_kw", system.max_power_w / 1000.0, "kW", system.source),
        given("server_value", value, "USD", system.source, date=system.price_date),
        *(assumed(f"onprem.{name}", assume) for name in _SITE),
    ]
    servers = f"({hours}) / devices_per_instance"
    lines = (
        ("energy", f"{servers} * server_kw * busy_load * pue * usd_per_kwh"),
        ("maintenance", f"{servers} * server_value * maintenance_share / {HOURS_PER_YEAR}"),
        ("staff", f"staff_fte * usd_per_fte * {servers} / instances / {HOURS_PER_YEAR}"),
        ("transit", f"{servers} / instances * transit_usd_year / {HOURS_PER_YEAR}"),
    )
    paid = lines if connected(assume) else lines[:-1]
    people = quantity("staff_fte", staff_formula(desks=False, servers="instances"), "FTE")
    return [people, *(dollars(name, expression, schedule=schedule) for name, expression in paid)]
