"""What servers that are leased cost besides their rate: they stand in the team's own rooms, which power, connect and tend them."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Offer, System
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import Schedule, assumed, dollars, given

_SITE = ("busy_load", "pue", "usd_per_kwh", "maintenance_share", "usd_per_fte", "nodes_per_fte", "transit_usd_year")
SHORT_TERM_MONTHS = 12
"""A lease of no more months may be booked as expense alone (IFRS 16.5, ASC 842-20-25-2); a longer one is a right of use."""


def is_lease(offer: Offer | None) -> bool:
    return offer is not None and offer.option == "lease"


def with_own_storage(offer: Offer, assume: Assumptions) -> Offer:
    """The offer with what keeping data on the team's own storage costs; any other as it is."""
    if not is_lease(offer):
        return offer
    return replace(offer, storage_usd_per_gb_month=assume["onprem.storage_usd_per_tb_month"] / 1000.0)


def site_lines(
    inputs: list[CostInput], offer: Offer, system: System | None, assume: Assumptions, *, hours: str, schedule: Schedule
) -> list[CostLine]:
    """Energy, support, people and the internet connection for the hours of this work on leased servers; nothing for instances,
    whose price holds all that. `hours` is the expression of the hours of one accelerator times their number."""
    if not is_lease(offer) or system is None:
        return []
    value = (system.price_low_usd + system.price_high_usd) / 2.0
    inputs += [
        given("server_kw", "Maximum power of a server", system.max_power_w / 1000.0, "kW", system.source),
        given("server_value", "Price of such a server", value, "USD", system.source, date=system.price_date),
        *(assumed(name, f"onprem.{name}", assume) for name in _SITE),
    ]
    servers = f"({hours}) / devices_per_instance"
    lines = (
        ("energy", "Energy", f"{servers} * server_kw * busy_load * pue * usd_per_kwh"),
        ("maintenance", "Support and repair", f"{servers} * server_value * maintenance_share / {HOURS_PER_YEAR}"),
        ("staff", "Staff", f"{servers} / nodes_per_fte * usd_per_fte / {HOURS_PER_YEAR}"),
        ("transit", "Internet connection", f"{servers} / instances * transit_usd_year / {HOURS_PER_YEAR}"),
    )
    return [dollars(name, label, expression, schedule=schedule) for name, label, expression in lines]
