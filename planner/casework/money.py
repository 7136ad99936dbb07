"""Cases of cost, each answered by the engine's own functions and reference model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from planner.casework.quantities import Answer, Inputs
from planner.engine import money_math as mm
from planner.engine.assumptions import Assumptions
from planner.engine.cost import COST_ASSUMPTIONS, amount_of, bought
from planner.engine.hardware import System
from planner.engine.result import CostModel

_SERVER_USD = 270_000.0
"""A server of eight H100, lowest dated listing (Epoch hardware prices, 2023-05)."""
_SERVER_DEVICES = 8
_SERVER_KW = 10.2
_FLEET_SERVERS = 1000
_EPOCH_OVERHEAD = 1.64
_EPOCH_INTERCONNECT = 0.19
_EPOCH_STAFF = 0.39
"""Middle of the published 29–49 % of development cost."""


def simple_breakeven(given: Inputs) -> Answer:
    """Hours after which a purchase is cheaper than renting."""
    hours = mm.break_even_hours(
        given.number("capex_usd", "capex"),
        owned_per_hour=given.number("onprem_usd_per_h", default=0.0),
        rented_per_hour=given.number("cloud_usd_per_h"),
    )
    return Answer(times={"breakeven": hours * 3600.0})


def five_year_total(given: Inputs) -> Answer:
    """Both totals over so many hours."""
    hours = given.number("hours", default=5 * mm.HOURS_PER_YEAR)
    own = given.number("capex_usd", "capex") + given.number("onprem_usd_per_h", default=0.0) * hours
    rent = given.number("cloud_usd_per_h") * hours
    return Answer(numbers={"onprem_usd": own, "cloud_usd": rent, "savings_usd": rent - own})


def server_overhead(given: Inputs) -> Answer:
    """Price of a server per chip from the price of the chip."""
    price = given.number("chip_price_usd") * given.number("server_overhead", default=_EPOCH_OVERHEAD)
    return Answer(numbers={"server_price_per_chip_usd": price}, guesses={"dgx_a100_2020_price_per_chip_usd": price})


def epoch_amortisation(given: Inputs) -> Answer:
    """Hourly cost of a chip by decay of its value, with network and energy (Epoch, arXiv 2405.21015)."""
    price = given.maybe("server_price_per_chip_usd")
    if price is None:
        price = given.number("chip_price_usd") * given.number("server_overhead", default=_EPOCH_OVERHEAD)
    hardware = mm.decay_per_hour(
        price,
        oom_per_year=given.number("oom_per_year", default=0.14),
        hours_per_year=given.number("hours_per_year", default=8766.0),
    )
    network = mm.share_on_top(hardware, given.number("interconnect_fraction", default=_EPOCH_INTERCONNECT))
    power = (
        given.number("chip_tdp_kw")
        * given.number("chip_to_server", default=1.0)
        * given.number("avg_power_fraction", default=0.75)
    )
    energy = power * given.number("pue", default=1.25) * given.number("usd_per_kwh")
    return Answer(
        numbers={
            "hw_usd_per_chip_h": hardware,
            "interconnect_usd_per_chip_h": network,
            "energy_usd_per_chip_h": energy,
            "total_usd_per_chip_h": hardware + network + energy,
        }
    )


def training_run_cost(given: Inputs) -> Answer:
    """Rental, purchase and amortised cost of a run, as far as rates are given; else what our defaults say."""
    chips, hours = given.maybe("chips", "gpus"), given.maybe("chip_hours", "gpu_hours")
    rates = {
        "cloud_cost_usd": (hours, given.maybe("cloud_usd_per_chip_h", "usd_per_chip_h")),
        "acquisition_usd": (chips, given.maybe("acquisition_per_chip_usd", "price_per_chip_usd")),
        "amortised_capex_energy_usd": (hours, given.maybe("amortised_usd_per_chip_h")),
    }
    numbers = {name: amount * rate for name, (amount, rate) in rates.items() if amount and rate}
    return Answer(numbers=numbers, guesses=_default_run_cost(chips, hours))


def _default_run_cost(chips: float | None, hours: float | None) -> dict[str, float]:
    """Our default server per chip with network, and its amortised hour, without knowing the chip."""
    model = _reference(Inputs({"servers": _FLEET_SERVERS}))
    per_chip = amount_of(model, "capex") / _SERVER_DEVICES / _FLEET_SERVERS
    hourly = epoch_amortisation(
        Inputs(
            {
                "server_price_per_chip_usd": _SERVER_USD / _SERVER_DEVICES,
                "chip_tdp_kw": _SERVER_KW / _SERVER_DEVICES,
                "usd_per_kwh": 0.0771,
            }
        )
    ).numbers["total_usd_per_chip_h"]
    found = {"acquisition_per_chip_usd": per_chip, "amortised_usd_per_chip_h": hourly}
    if chips:
        found["acquisition_usd"] = chips * per_chip
    if hours:
        found["amortised_capex_energy_usd"] = hours * hourly
    return found


def cost_shares(given: Inputs) -> Answer:
    """Shares of a frontier run by our defaults, research staff at the middle of the published range."""
    parts = epoch_amortisation(
        Inputs(
            {
                "server_price_per_chip_usd": _SERVER_USD / _SERVER_DEVICES,
                "chip_tdp_kw": _SERVER_KW / _SERVER_DEVICES,
                "usd_per_kwh": 0.0771,
            }
        )
    ).numbers
    scale = 100.0 * (1.0 - _EPOCH_STAFF) / parts["total_usd_per_chip_h"]
    chips = parts["hw_usd_per_chip_h"] / _EPOCH_OVERHEAD
    return Answer(
        guesses={
            "ai_chips_pct": chips * scale,
            "server_components_pct": (parts["hw_usd_per_chip_h"] - chips) * scale,
            "interconnect_pct": parts["interconnect_usd_per_chip_h"] * scale,
            "energy_pct": parts["energy_usd_per_chip_h"] * scale,
            "staff_pct": 100.0 * _EPOCH_STAFF,
        }
    )


def tco_per_gpu_hour(given: Inputs) -> Answer:
    """Our reference cost of an available hour, for publications that give results without their inputs."""
    kilowatts = given.number("all_in_kw_per_gpu", default=_SERVER_KW / _SERVER_DEVICES)
    # All-in power has cooling in it already; a published cost is that of a large fleet.
    fleet = {"servers": _FLEET_SERVERS, "server_kw": kilowatts * _SERVER_DEVICES, "pue": 1.0}
    own = amount_of(_reference(Inputs(fleet)), "usd_per_available_hour")
    return Answer(guesses={"own_hyperscaler_usd_per_gpu_h": own, "own_neocloud_usd_per_gpu_h": own})


def rental(given: Inputs) -> Answer:
    """Hours times price."""
    total = given.number("gpu_hours", "chip_hours", "hours") * given.number(
        "usd_per_gpu_h", "usd_per_chip_h", "usd_per_h"
    )
    return Answer(numbers={"total_usd": total, "cloud_cost_usd": total})


def reference_onprem(given: Inputs) -> Answer:
    """The engine's model of bought servers over their whole life, with every coefficient from the inputs."""
    model = _reference(given)
    names = {
        "capex_usd": "capex",
        "annualised_capex_usd": "capital_year",
        "energy_usd_per_y": "energy_year",
        "hosting_usd_per_y": "hosting_year",
        "maintenance_usd_per_y": "maintenance_year",
        "staff_usd_per_y": "staff_year",
        "software_usd_per_y": "software_year",
        "total_usd_per_y": "cost_year",
        "usd_per_gpu_h_available": "usd_per_available_hour",
        "usd_per_gpu_h_used": "usd_per_used_hour",
    }
    return Answer(numbers={name: amount_of(model, line) for name, line in names.items()})


_OVERRIDES: Mapping[str, tuple[str, ...]] = {
    "onprem.network_share": ("network_fraction",),
    "onprem.storage_share": ("storage_fraction",),
    "onprem.spares_share": ("spares_fraction",),
    "onprem.install_per_server": ("install_per_server_usd",),
    "onprem.life_years": ("life_years",),
    "onprem.residual_share": ("residual_fraction",),
    "onprem.wacc": ("wacc", "rate"),
    "onprem.busy_load": ("avg_load_fraction",),
    "onprem.idle_load": ("avg_load_fraction",),
    "onprem.pue": ("pue",),
    "onprem.usd_per_kwh": ("usd_per_kwh",),
    "onprem.maintenance_share": ("maintenance_fraction_of_server_per_y",),
    "onprem.usd_per_fte": ("staff_usd_per_y",),
    "onprem.software_per_device_year": ("software_usd_per_gpu_y",),
    "onprem.transit_usd_year": ("transit_usd_per_y", "transit_usd_per_year"),
    "onprem.hosting_usd_per_kw_month": ("hosting_usd_per_kw_month", "colo_usd_per_kw_month"),
}


def _reference(given: Inputs) -> CostModel:
    """The engine's purchase model; a stated yearly staff cost is one post of that cost."""
    values = {key: given.maybe(*names) for key, names in _OVERRIDES.items()}
    changed = {key: value for key, value in values.items() if value is not None}
    changed.setdefault("onprem.transit_usd_year", 0.0)  # a post that a worked case does not name is not in its sum
    if "onprem.usd_per_fte" in changed:
        changed |= {"onprem.least_fte": 1.0, "onprem.nodes_per_fte": 1e9}
    if "onprem.hosting_usd_per_kw_month" in changed:
        changed["onprem.hosted"] = 1.0
    assume = Assumptions(COST_ASSUMPTIONS).override(changed, source="the case")
    servers = int(given.number("servers", "nodes", default=1.0))
    devices = int(given.number("gpus", "devices", default=float(servers * _SERVER_DEVICES)))
    utilisation = given.number("utilisation", default=0.6)
    price = given.number("server_price_usd", default=_SERVER_USD)
    years = assume["onprem.life_years"]
    system = System(
        slug="case",
        name="server",
        device="",
        devices=max(1, devices // servers),
        nic_bandwidth=0.0,
        max_power_w=given.number("server_kw", default=_SERVER_KW) * 1000.0,
        price_low_usd=price,
        price_high_usd=price,
        price_date="",
    )
    return bought(
        system=system,
        nodes=servers,
        devices=devices,
        hours_needed=devices * mm.HOURS_PER_YEAR * years * utilisation,
        horizon_months=years * 12.0,
        utilisation=utilisation,
        start=date(2000, 1, 1),
        assume=assume,
    )


def breakeven_utilisation(given: Inputs) -> Answer:
    """Share of hours at which owning costs as much as renting."""
    share = mm.break_even_utilisation(
        given.number("total_usd_per_y"),
        devices=given.number("gpus", "devices"),
        rented_per_device_hour=given.number("cloud_usd_per_gpu_h"),
    )
    return Answer(numbers={"u_star_all_fixed": share, "u_star": share, "breakeven_utilisation": share})


def annuity(given: Inputs) -> Answer:
    """Equivalent annual cost of a purchase."""
    yearly = mm.annuity(
        given.number("capex", "capex_usd"),
        rate=given.number("rate", "wacc"),
        years=given.number("years", "life_years"),
        residual=given.number("residual", "residual_fraction", default=0.0),
    )
    return Answer(numbers={"equivalent_annual_cost": yearly, "equivalent_annual_cost_usd": yearly})


MONEY_MODELS: Mapping[str, Callable[[Inputs], Answer]] = {
    "simple_breakeven": simple_breakeven,
    "five_year_total": five_year_total,
    "server_overhead": server_overhead,
    "epoch_amortisation": epoch_amortisation,
    "training_run_cost": training_run_cost,
    "cost_shares": cost_shares,
    "tco_per_gpu_hour": tco_per_gpu_hour,
    "rental": rental,
    "reference_onprem": reference_onprem,
    "breakeven_utilisation": breakeven_utilisation,
    "annuity": annuity,
}
