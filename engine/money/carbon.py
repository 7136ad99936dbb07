"""Energy and location-based emissions of a plan, with the embodied share and water."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.answer import CostInput, CostModel, Energy, Estimate, OptionKind
from engine.inputs.assumptions import Assumption, Assumptions, Limits, entries_in
from engine.inputs.finding import Finding
from engine.inputs.hardware import Device, System
from engine.odds.normal import P90

_entry = entries_in("carbon")

_ENTRIES = (
    _entry(
        "load",
        0.75,
        0.6,
        0.9,
        Limits(0.05, 1),
        "share",
    ),
    _entry(
        "power_factor",
        1.82,
        1.4,
        2.5,
        Limits(1, 10),
        "",
    ),
    _entry(
        "pue",
        1.25,
        1.1,
        1.58,
        Limits(1, 5),
        "",
    ),
    _entry(
        "grid_drift",
        0.10,
        0.10,
        0.10,
        Limits(0, 1),
        "share",
    ),
    _entry(
        "embodied_kg_per_device",
        164.0,
        150.0,
        400.0,
        Limits(0, 100_000),
        "kg CO2e",
    ),
    _entry(
        "life_hours",
        43_800.0,
        26_280.0,
        52_560.0,
        Limits(1_000, 1_000_000),
        "h",
    ),
    _entry(
        "water_l_per_kwh",
        1.8,
        0.2,
        2.0,
        Limits(0, 100),
        "l/kWh",
    ),
)

CARBON_ASSUMPTIONS: Mapping[str, Assumption] = {item.id: item for item in _ENTRIES}


@dataclass(frozen=True, kw_only=True, slots=True)
class Metered:
    """What hardware of one's own draws as its cost model pays it, so that the energy told is the energy paid."""

    kwh: float
    load: CostInput
    pue: CostInput
    rented_hours: float
    """Accelerator-hours on hardware that is rented until the own is delivered: of another data centre."""


def metered(model: CostModel) -> Metered:
    """The energy in a cost model of own or bought hardware."""
    inputs = {item.name: item for item in model.inputs}
    amounts = {line.name: line.amount for line in model.lines}
    return Metered(
        kwh=amounts["kwh"],
        load=inputs["busy_load"],
        pue=inputs["pue"],
        rented_hours=amounts.get("rented_hours", 0.0),
    )


def energy(
    *,
    device: Device,
    devices: int,
    hours: Estimate | float,
    g_per_kwh: float | None,
    grid: Finding,
    assume: Assumptions,
    system: System | None = None,
    own: Metered | None = None,
) -> Energy:
    """Energy of so many devices over wall hours, and its emissions at the intensity of that grid [g CO2e/kWh], None = unknown.

    kWh = devices × server kW per device × load × hours × PUE, and on hardware of one's own what its cost model pays.
    ValueError when hours or power are not positive numbers.
    """
    wall = hours if isinstance(hours, Estimate) else Estimate(low=hours, expected=hours, high=hours, unit="h")
    kilowatts = _kilowatts(device, system, assume)
    if not (math.isfinite(wall.expected) and wall.expected > 0 and kilowatts > 0 and devices > 0):
        raise ValueError(
            f"Energy needs hours, devices and power above zero, not {wall.expected} h, {devices}, {kilowatts} kW."
        )
    elsewhere = devices * wall.expected if own is None else own.rented_hours
    there = elsewhere * kilowatts * assume["carbon.load"]
    here = own.kwh / own.pue.value if own else 0.0
    kwh = there * assume["carbon.pue"] + (own.kwh if own else 0.0)
    names = _uncertain(system)
    down, up = _spread((own.load, own.pue) if own else map(assume.get, names), wall)
    used = Estimate(low=kwh / down, expected=kwh, high=kwh * up, unit="kWh", because=names if elsewhere else ())
    return Energy(
        kwh=used,
        kg_co2e=None if g_per_kwh is None else _emissions(used, g_per_kwh, assume["carbon.grid_drift"]),
        g_per_kwh=g_per_kwh,
        grid=grid,
        embodied_kg=devices * wall.expected * assume["carbon.embodied_kg_per_device"] / assume["carbon.life_hours"],
        water_l=(here + there) * assume["carbon.water_l_per_kwh"],
    )


def power_share(device: Device, system: System | None, assume: Assumptions, *, kind: OptionKind) -> float:
    """Mean power at the grid over the power that the data sheet of the device states: exactly for rented hardware, at
    least for bought; 0 where it states none, and for a team's own, of which only its cost model knows."""
    if device.tdp_w <= 0 or kind == "owned":
        return 0.0
    load, pue = assume["carbon.load"], assume["carbon.pue"]
    if kind == "on_prem":  # idle at the least, and before delivery it is rented elsewhere
        load, pue = min(load, assume["onprem.idle_load"]), min(pue, assume["onprem.pue"])
    return _kilowatts(device, system, assume) * 1000.0 * load * pue / device.tdp_w


def power_sigma(system: System | None, assume: Assumptions) -> float:
    """Standard deviation of the log of what rented hardware emits in an hour, upwards: of its load, its hall and its grid."""
    _, up = _spread(map(assume.get, _uncertain(system)), None)
    return math.hypot(math.log(up), math.log1p(assume["carbon.grid_drift"])) / P90


def _uncertain(system: System | None) -> tuple[str, ...]:
    """The assumptions that the mean power of rented hardware follows from."""
    return ("carbon.load", "carbon.pue", *(() if system else ("carbon.power_factor",)))


def intensity(table: Mapping[str, float], *, region: str, country: str) -> float | None:
    """Grid intensity of a region, else of its country [g CO2e/kWh]; None when neither is in the table."""
    return table.get(region, table.get(country))


def _kilowatts(device: Device, system: System | None, assume: Assumptions) -> float:
    """Server power per device at its maximum [kW]."""
    if system is not None and system.max_power_w > 0:
        return system.max_power_w / system.devices / 1000.0
    return device.tdp_w * assume["carbon.power_factor"] / 1000.0


def _spread(items: Iterable[Assumption | CostInput], wall: Estimate | None) -> tuple[float, float]:
    """Factors from the centre to P10 and P90: independent ranges combined on the log scale."""
    ranges = [(item.low, item.value, item.high) for item in items]
    ranges += [(wall.low, wall.expected, wall.high)] if wall else []
    down = math.sqrt(sum(math.log(value / low) ** 2 for low, value, _ in ranges if low > 0))
    up = math.sqrt(sum(math.log(high / value) ** 2 for _, value, high in ranges))
    return math.exp(down), math.exp(up)


def _emissions(used: Estimate, g_per_kwh: float, drift: float) -> Estimate:
    kg = used.expected * g_per_kwh / 1000.0
    down = math.exp(math.hypot(math.log(used.expected / used.low), math.log1p(drift)))
    up = math.exp(math.hypot(math.log(used.high / used.expected), math.log1p(drift)))
    return Estimate(
        low=kg / down, expected=kg, high=kg * up, unit="kg CO2e", because=(*used.because, "carbon.grid_drift")
    )
