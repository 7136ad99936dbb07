"""Coefficients of rented and bought hardware, each with range and source."""

from __future__ import annotations

from collections.abc import Mapping

from planner.engine.assumptions import Assumption

_EPOCH = "Epoch AI, training-cost-trends (arXiv 2405.21015)"
_JUDGEMENT = "Planning judgement, to be replaced by the team's own figure"


def _cost(name: str, value: float, low: float, high: float, unit: str, meaning: str, source: str) -> Assumption:
    return Assumption(id=f"cost.{name}", value=value, low=low, high=high, unit=unit, meaning=meaning, source=source)


def _onprem(name: str, value: float, low: float, high: float, unit: str, meaning: str, source: str) -> Assumption:
    return Assumption(id=f"onprem.{name}", value=value, low=low, high=high, unit=unit, meaning=meaning, source=source)


_ENTRIES = (
    _cost(
        "spread_on_demand",
        0.05,
        0.05,
        0.05,
        "share",
        "How far a listed on-demand price may have moved by the start",
        _JUDGEMENT,
    ),
    _cost(
        "spread_spot",
        0.35,
        0.35,
        0.35,
        "share",
        "How far a spot price may move during the run",
        "Zones of one region differ up to fivefold in SkyPilot's AWS price file",
    ),
    _cost(
        "spread_committed",
        0.02,
        0.02,
        0.02,
        "share",
        "How far a committed or negotiated price may differ from the list",
        _JUDGEMENT,
    ),
    _cost(
        "spread_capacity_block",
        0.15,
        0.15,
        0.15,
        "share",
        "How far the price of a capacity block may move until it is reserved",
        _JUDGEMENT,
    ),
    _cost(
        "managed_premium",
        0.0,
        0.0,
        0.0,
        "share",
        "Surcharge of a managed training or serving service on the instances",
        "10–25 % where a managed service is used; 0 without one",
    ),
    _onprem(
        "network_share",
        0.2346,
        0.075,
        0.32,
        "share",
        "Cluster network, as a share of the servers",
        f"{_EPOCH}: interconnect is 19 % of cluster cost (0.19/0.81)",
    ),
    _onprem("storage_share", 0.05, 0.03, 0.10, "share", "Storage, as a share of the servers", _JUDGEMENT),
    _onprem(
        "spares_share",
        0.03,
        0.03,
        0.10,
        "share",
        "Spare nodes and parts, as a share of the servers",
        "Practice of large clusters: 3–10 % more nodes than needed",
    ),
    _onprem(
        "install_per_server",
        5_000.0,
        3_000.0,
        15_000.0,
        "USD",
        "Rack, power distribution and installation of one server",
        "Rack 5–10 k and PDU 10–30 k per rack in public tables",
    ),
    _onprem(
        "life_years",
        5.0,
        3.0,
        6.0,
        "year",
        "Useful life of the hardware",
        "Book lives: Microsoft and Alphabet 6, Meta 5.5, Amazon 5–6 years",
    ),
    _onprem(
        "residual_share",
        0.10,
        0.05,
        0.20,
        "share",
        "Resale value after the useful life, as a share of the purchase",
        "10 % at 5 years, which is 25 % at 3 years by constant decay",
    ),
    _onprem("wacc", 0.10, 0.08, 0.12, "share/year", "Cost of capital per year", _JUDGEMENT),
    _onprem(
        "busy_load",
        0.75,
        0.6,
        0.9,
        "share",
        "Power while computing, as a share of the server's maximum",
        f"{_EPOCH}: 0.75 for training",
    ),
    _onprem(
        "idle_load",
        0.30,
        0.2,
        0.4,
        "share",
        "Power while idle, as a share of the server's maximum",
        "mlsysim 0.3.0: idle is 30 % of the rating",
    ),
    _onprem(
        "pue",
        1.3,
        1.15,
        1.58,
        "",
        "Power usage effectiveness of the room",
        "New air-cooled 1.3, liquid 1.15, industry mean 1.58 (Uptime Institute 2023)",
    ),
    _onprem(
        "usd_per_kwh",
        0.10,
        0.077,
        0.20,
        "USD/kWh",
        "Electricity tariff",
        "US industry 0.077–0.083 (EIA 2024–2025), Europe 0.10–0.30",
    ),
    _onprem(
        "hosted", 0.0, 0.0, 0.0, "", "1 when the servers stand in rented space, 0 in a room of one's own", _JUDGEMENT
    ),
    _onprem(
        "hosting_usd_per_kw_month",
        150.0,
        80.0,
        300.0,
        "USD/(kW month)",
        "Rented data-centre space with power, per kilowatt committed",
        "Wholesale 80–150, cage 150–300 in public tables",
    ),
    _onprem(
        "maintenance_share",
        0.05,
        0.03,
        0.10,
        "share/year",
        "Support and repair per year, as a share of the servers",
        "mlsysim 0.3.0: 5 % of the price per year",
    ),
    _onprem("least_fte", 0.5, 0.25, 1.0, "FTE", "Least staff to run a cluster", _JUDGEMENT),
    _onprem("nodes_per_fte", 75.0, 50.0, 100.0, "node", "Nodes that one person runs", _JUDGEMENT),
    _onprem(
        "usd_per_fte",
        200_000.0,
        150_000.0,
        250_000.0,
        "USD/year",
        "Loaded yearly cost of one person who runs the cluster",
        _JUDGEMENT,
    ),
    _onprem(
        "software_per_device_year",
        0.0,
        0.0,
        0.0,
        "USD/year",
        "Licensed software per accelerator and year",
        "NVIDIA AI Enterprise lists 4,500 per GPU and year; most stacks need none",
    ),
    _onprem(
        "lead_months",
        4.5,
        3.0,
        6.0,
        "month",
        "From order to first job",
        "Server lead times of 3–6 months; new power 12–36 months",
    ),
    _onprem(
        "server_overhead",
        1.64,
        1.4,
        1.69,
        "",
        "Price of a server over the price of its accelerators",
        f"{_EPOCH}: A100 1.66, V100 1.69, P100 1.54",
    ),
    _onprem(
        "server_power_factor",
        1.82,
        1.4,
        2.5,
        "",
        "Maximum power of a server over the rated power of its accelerators",
        "DGX H100 10.2 kW / (8 × 0.7 kW); SemiAnalysis all-in 1.73 kW per H100 is 2.5",
    ),
)

COST_ASSUMPTIONS: Mapping[str, Assumption] = {item.id: item for item in _ENTRIES}
