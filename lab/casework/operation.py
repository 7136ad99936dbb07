"""Cases of what running costs: rental with its overheads, commitments, energy and carbon, spare nodes, notice."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from engine.reliability.formulas import spares_needed
from lab.casework.quantities import Answer, CaseError, Inputs

_PRICE = ("usd_per_gpu_h", "cloud_usd_per_gpu_h", "usd_per_chip_h", "price_usd_per_gpu_h")


def cloud_run(given: Inputs) -> Answer:
    """GPUh × price / (1 − interruptions) × (1 + managed) + storage + egress."""
    lost = given.number("interruption_overhead", "o_int", "overhead", default=0.0)
    if not 0.0 <= lost < 1.0:
        raise CaseError("the overhead of interruptions must be at least 0 and below 1")
    compute = given.gpu_hours() * given.number(*_PRICE) / (1.0 - lost)
    compute *= 1.0 + given.number("managed_fraction", "f_managed", "managed_premium", default=0.0)
    storage = (
        given.number("storage_tb", default=0.0)
        * given.number("storage_usd_per_tb_month", default=23.0)
        * given.number("months", "storage_months", default=1.0)
    )
    egress = given.number("egress_gb", default=0.0) * given.number("egress_usd_per_gb", default=0.09)
    total = compute + storage + egress
    return Answer(
        numbers={
            "compute_usd": compute,
            "storage_usd": storage,
            "egress_usd": egress,
            "total_usd": total,
            "cloud_cost_usd": total,
            "cloud_usd": total,
        }
    )


def commitment(given: Inputs) -> Answer:
    """Share of hours from which a commitment costs less than paying by the hour, and both costs at a stated use."""
    on_demand = given.number("on_demand_usd_per_h", "on_demand_usd_per_gpu_h", "list_usd_per_h")
    committed = given.maybe("committed_usd_per_h", "committed_usd_per_gpu_h", "reserved_usd_per_h")
    discount = given.maybe("discount")
    if committed is None:
        if discount is None:
            raise CaseError("neither the committed price nor the discount is given")
        committed = on_demand * (1.0 - discount)
    share = committed / on_demand
    numbers = {"discount": 1.0 - share, "breakeven_utilisation": share, "u_star": share, "breakeven_use": share}
    use = given.maybe("utilisation", "use")
    if use is not None:
        hours = given.number("hours", default=8760.0)
        numbers |= {"on_demand_usd": on_demand * hours * use, "committed_usd": committed * hours}
        numbers["effective_usd_per_used_h"] = committed / use
    return Answer(numbers=numbers)


def spot_worth(given: Inputs) -> Answer:
    """What a spot hour costs per hour of progress, p/(1 − o), and the overhead at which it stops paying."""
    spot, other = given.number("spot_usd_per_gpu_h", "p_spot"), given.number("alternative_usd_per_gpu_h", "p_alt")
    lost = given.number("interruption_overhead", "o_int", "overhead", default=0.0)
    each = spot / (1.0 - lost)
    return Answer(
        numbers={
            "effective_usd_per_gpu_h": each,
            "saving": 1.0 - each / other,
            "breakeven_overhead": max(0.0, 1.0 - spot / other),
        }
    )


_GRAMS = (
    "g_per_kwh",
    "gco2_per_kwh",
    "gco2e_per_kwh",
    "grid_g_per_kwh",
    "intensity_g_per_kwh",
    "carbon_intensity_g_per_kwh",
)
_KILOWATTS = ("kw_per_gpu", "all_in_kw_per_gpu", "gpu_kw", "power_kw", "tdp_kw", "gpu_power_kw", "kw_per_device")
_WATTS = ("watts_per_gpu", "gpu_power_w", "power_w", "tdp_w", "watts")


def _energy_used(given: Inputs) -> tuple[float, float]:
    """Accelerator-hours (0 where only the energy is given) and the energy drawn from the grid [kWh]."""
    for name, scale in (("kwh", 1.0), ("energy_kwh", 1.0), ("mwh", 1e3), ("energy_mwh", 1e3), ("gwh", 1e6)):
        drawn = given.maybe(name)
        if drawn is not None:
            return 0.0, drawn * scale * given.number("pue", default=1.0)
    hours, power = given.gpu_hours(), given.maybe(*_KILOWATTS)
    power = given.number(*_WATTS) / 1000.0 if power is None else power
    return hours, hours * power * given.number("load", "avg_load_fraction", default=1.0) * given.number(
        "pue", default=1.0
    )


def energy(given: Inputs) -> Answer:
    """kWh = GPUs × kW × load × hours × PUE; kg = kWh × g/1000 + embodied × GPU-hours / life."""
    hours, used = _energy_used(given)
    grams = given.number(*_GRAMS, default=0.0) or 1000.0 * given.number("kg_per_kwh", "kgco2_per_kwh", default=0.0)
    operation = used * grams / 1000.0
    life = given.number("life_hours", default=5 * 8760.0)
    embodied = given.number("embodied_kg_per_gpu", "embodied_kg_per_device", default=0.0) * hours / life
    return Answer(
        numbers={
            **dict.fromkeys(("kwh", "energy_kwh"), used),
            **dict.fromkeys(("mwh", "energy_mwh"), used / 1e3),
            **dict.fromkeys(("gwh", "energy_gwh"), used / 1e6),
            "operation_kg": operation,
            "operation_t": operation / 1e3,
            "embodied_kg": embodied,
            "kg_co2e": operation + embodied,
            **dict.fromkeys(("t_co2e", "tco2e", "co2e_t", "total_t"), (operation + embodied) / 1e3),
            "energy_usd": used
            * given.number("usd_per_kwh", "electricity_usd_per_kwh", "tariff_usd_per_kwh", default=0.0),
            "water_l": used * given.number("water_l_per_kwh", default=0.0) / given.number("pue", default=1.0),
        }
    )


def spare_pool(given: Inputs) -> Answer:
    """Fewest spare nodes for a confidence, or the chance that so many spares suffice (Poisson)."""
    nodes, repair = given.number("nodes"), given.seconds("repair", "mttr")
    node_mtbf = given.seconds("node_mtbf", "mtbf")
    mean = nodes * repair / node_mtbf
    confidence = given.number("confidence", default=0.99)
    found = {
        "mean_down": mean,
        "expected_down": mean,
        "spares": float(spares_needed(int(nodes), mtbf=node_mtbf, repair=repair, confidence=confidence)),
    }
    held = given.maybe("spares", "spare_nodes")
    if held is not None:
        found["p_enough"] = sum(math.exp(-mean) * mean**k / math.factorial(k) for k in range(int(held) + 1))
        found["p_short"] = 1.0 - found["p_enough"]
    return Answer(numbers=found)


def notice_window(given: Inputs) -> Answer:
    """How much a last checkpoint can save within a notice, and the bandwidth that saves all of it."""
    notice = given.seconds("notice")
    size = given.bytes("checkpoint", "size", default=0.0)
    bandwidth = given.number("bandwidth_gb_s", "write_bandwidth_gb_s", default=0.0) * 1e9
    return Answer(
        data={"saveable": notice * bandwidth, "saved": min(notice * bandwidth, size) if size else notice * bandwidth},
        numbers={
            "fits": float(bool(size) and size <= notice * bandwidth),
            "needed_bandwidth_gb_s": size / notice / 1e9,
            "required_bandwidth_gb_s": size / notice / 1e9,
        },
        times={"write": size / bandwidth if bandwidth else 0.0},
    )


OPERATION_MODELS: Mapping[str, Callable[[Inputs], Answer]] = {
    "cloud_run": cloud_run,
    "cloud_cost": cloud_run,
    "commitment": commitment,
    "commitment_breakeven": commitment,
    "spot_worth": spot_worth,
    "energy": energy,
    "carbon": energy,
    "energy_carbon": energy,
    "spare_pool": spare_pool,
    "spares": spare_pool,
    "notice_window": notice_window,
}
