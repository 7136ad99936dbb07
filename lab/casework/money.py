"""Cases of cost, each answered by the engine's own functions and reference model."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.money import formulas as mm
from engine.money.cost import amount_of
from lab.casework.purchase import SERVER_DEVICES, SERVER_KW, SERVER_USD, reference, reference_onprem
from lab.casework.quantities import GPU_HOURS, GPUS, Answer, CaseError, Inputs

_CAPEX = ("capex_usd", "capex", "server_price_usd", "purchase_usd")
_OWN = ("onprem_usd_per_h", "onprem_usd_per_hour", "opex_usd_per_h")
_RENT = ("cloud_usd_per_h", "cloud_usd_per_hour", "instance_usd_per_h")
_FLEET_SERVERS = 1000
_EPOCH_OVERHEAD = 1.64
_EPOCH_INTERCONNECT = 0.19
_EPOCH_STAFF = 0.39
"""Middle of the published 29–49 % of development cost."""


def simple_breakeven(given: Inputs) -> Answer:
    """Hours after which a purchase is cheaper than renting."""
    capex, own = given.number(*_CAPEX), given.number(*_OWN, default=0.0)
    rent = _rented_hour(given)
    hours = mm.break_even_hours(capex, owned_per_hour=own, rented_per_hour=rent)
    years = given.number("years", "life_years", default=5.0)
    daily = hours / (years * 365.0)
    numbers = {"breakeven_hours_per_day": daily, "hours_per_day": daily, "breakeven_utilisation": daily / 24.0}
    use = given.maybe("utilisation", "use")
    times = {"breakeven": hours * 3600.0}
    if use:
        times["breakeven_calendar"] = hours / use * 3600.0
    return Answer(times=times, numbers=numbers)


def _rented_hour(given: Inputs) -> float:
    """What renting the same machine costs for an hour: of the whole, or of one accelerator times their number."""
    whole = given.maybe(*_RENT)
    return given.number("cloud_usd_per_gpu_h", "cloud_usd_per_chip_h") * given.number(*GPUS) if whole is None else whole


def five_year_total(given: Inputs) -> Answer:
    """Both totals over so many hours."""
    use = given.number("utilisation", "use", default=1.0)
    hours = given.number("hours", default=given.number("years", default=5.0) * mm.HOURS_PER_YEAR * use)
    own = given.number(*_CAPEX) + given.number(*_OWN, default=0.0) * hours
    rent = _rented_hour(given) * hours
    return Answer(
        numbers={"onprem_usd": own, "cloud_usd": rent, "savings_usd": rent - own, "savings": 1.0 - own / rent}
    )


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
    total = hardware + network + energy
    numbers = {
        "hw_usd_per_chip_h": hardware,
        "interconnect_usd_per_chip_h": network,
        "energy_usd_per_chip_h": energy,
        "total_usd_per_chip_h": total,
        "amortised_usd_per_chip_h": total,
    }
    run = given.count(*GPU_HOURS, default=0.0)
    return Answer(
        numbers=numbers | ({"total_usd": run * total, "amortised_capex_energy_usd": run * total} if run else {})
    )


def training_run_cost(given: Inputs) -> Answer:
    """Rental, purchase and amortised cost of a run, as far as rates are given; else what our defaults say."""
    chips, hours = given.maybe(*GPUS), given.count(*GPU_HOURS, default=0.0)
    rates = {
        "cloud_cost_usd": (hours, given.maybe("cloud_usd_per_chip_h", "usd_per_chip_h")),
        "acquisition_usd": (chips, given.maybe("acquisition_per_chip_usd", "price_per_chip_usd")),
        "amortised_capex_energy_usd": (hours, given.maybe("amortised_usd_per_chip_h")),
    }
    numbers = {name: amount * rate for name, (amount, rate) in rates.items() if amount and rate}
    return Answer(numbers=numbers, guesses=_default_run_cost(chips, hours))


def _default_run_cost(chips: float | None, hours: float) -> dict[str, float]:
    """Our default server per chip with network, and its amortised hour, without knowing the chip."""
    model = reference(Inputs({"servers": _FLEET_SERVERS}))
    per_chip = amount_of(model, "capex") / SERVER_DEVICES / _FLEET_SERVERS
    hourly = epoch_amortisation(
        Inputs(
            {
                "server_price_per_chip_usd": SERVER_USD / SERVER_DEVICES,
                "chip_tdp_kw": SERVER_KW / SERVER_DEVICES,
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
                "server_price_per_chip_usd": SERVER_USD / SERVER_DEVICES,
                "chip_tdp_kw": SERVER_KW / SERVER_DEVICES,
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
    kilowatts = given.number("all_in_kw_per_gpu", default=SERVER_KW / SERVER_DEVICES)
    # All-in power has cooling in it already; a published cost is that of a large fleet.
    fleet = {"servers": _FLEET_SERVERS, "server_kw": kilowatts * SERVER_DEVICES, "pue": 1.0}
    own = amount_of(reference(Inputs(fleet)), "usd_per_available_hour")
    return Answer(guesses={"own_hyperscaler_usd_per_gpu_h": own, "own_neocloud_usd_per_gpu_h": own})


def rental(given: Inputs) -> Answer:
    """Hours times price."""
    price = given.number("usd_per_gpu_h", "usd_per_chip_h", "usd_per_gpu_hour", "usd_per_h", "price_usd_per_gpu_h")
    each = given.maybe("hours") if given.maybe(*GPUS) is None else None
    total = (given.gpu_hours() if each is None else each) * price
    return Answer(numbers={"total_usd": total, "cloud_cost_usd": total})


def breakeven_utilisation(given: Inputs) -> Answer:
    """Share of hours at which owning costs as much as renting; cost that runs with use goes off the rented hour.

    Where a use is given instead of a price, the rented price at which both cost the same.
    """
    yearly = given.maybe("total_usd_per_y", "annual_usd")
    if yearly is None:
        yearly = given.number("eac_usd_per_y", "annualised_capex_usd", "eac_usd") + given.number(
            "fixed_opex_usd_per_y", "fixed_opex_usd", default=0.0
        )
    devices = given.number("gpus", "devices")
    numbers: dict[str, float] = {}
    rent = given.maybe("cloud_usd_per_gpu_h", "cloud_usd_per_chip_h")
    if rent is not None:
        saved = rent - given.number("variable_usd_per_gpu_h", "variable_opex_usd_per_gpu_h", default=0.0)
        share = mm.break_even_utilisation(yearly, devices=devices, rented_per_device_hour=saved)
        numbers |= {"u_star_all_fixed": share, "u_star": share, "breakeven_utilisation": share}
    use = given.maybe("utilisation", "use")
    if use:
        price = yearly / (mm.HOURS_PER_YEAR * devices * use)
        numbers |= {"price_star": price, "breakeven_cloud_usd_per_gpu_h": price}
    if not numbers:
        raise CaseError("neither a rented price nor a use is given")
    return Answer(numbers=numbers)


def annuity(given: Inputs) -> Answer:
    """Equivalent annual cost of a purchase."""
    capex = given.number(*_CAPEX)
    left = given.maybe("residual_usd", "salvage_usd")
    share = given.number("residual", "residual_fraction", "residual_share", default=0.0)
    yearly = mm.annuity(
        capex,
        rate=given.number("rate", "wacc", "discount_rate", "interest", "cost_of_capital"),
        years=given.number("years", "life_years", "term_years"),
        residual=share if left is None else left / capex,
    )
    names = ("equivalent_annual_cost", "equivalent_annual_cost_usd", "annuity", "annuity_usd", "eac_usd")
    return Answer(numbers=dict.fromkeys(names, yearly))


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
    "lease": annuity,
    "breakeven": simple_breakeven,
    "on_prem": reference_onprem,
}
