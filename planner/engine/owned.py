"""What a run costs on hardware that is already paid for: energy and upkeep; the capital is spent."""

from __future__ import annotations

from datetime import date

from planner.engine.assumptions import Assumptions
from planner.engine.cash import Display, completed
from planner.engine.cost_lines import assumed, check_positive, dollars, given, quantity, sum_of_leaves
from planner.engine.hardware import Device, System
from planner.engine.onprem import HOURS_PER_YEAR
from planner.engine.rented import Work, work_of
from planner.engine.result import CostInput, CostModel


def owned(
    *,
    device: Device,
    devices: int,
    hours_needed: float,
    start: date,
    assume: Assumptions,
    system: System | None = None,
    work: Work | None = None,
    currency: str = "USD",
    fx_rate: float = 1.0,
    fx_date: str = "",
) -> CostModel:
    """What a run costs on hardware that is already paid for: energy and the upkeep of the hours it uses; capital is 0.

    `hours_needed` are accelerator-hours; `work` splits them into computing and failures.
    Upkeep is maintenance and staff of those hours at full use.
    """
    check_positive(devices=devices, hours_needed=hours_needed)
    time, time_lines = work_of(hours_needed, work)
    inputs = [
        given("devices", "Accelerators", devices, "", "request"),
        *time,
        *_owned_inputs(device, system, assume),
        *(
            assumed(name, f"onprem.{name}", assume)
            for name in ("busy_load", "pue", "usd_per_kwh", "maintenance_share", "usd_per_fte", "nodes_per_fte")
        ),
    ]
    lines = [
        *time_lines,
        quantity("programme_hours", "Wall time", "accelerator_hours / devices", "h"),
        quantity("kwh", "Energy", "accelerator_hours * device_kw * busy_load * pue", "kWh"),
        dollars("capital", "Capital, already spent", "0 * devices", kind="capex", schedule="upfront"),
        dollars("energy", "Energy", "kwh * usd_per_kwh", schedule="run"),
        dollars(
            "maintenance",
            "Support and repair",
            f"accelerator_hours * value_per_device * maintenance_share / {HOURS_PER_YEAR}",
            schedule="run",
        ),
        dollars(
            "staff",
            "Staff",
            f"accelerator_hours / devices_per_server / nodes_per_fte * usd_per_fte / {HOURS_PER_YEAR}",
            schedule="run",
        ),
    ]
    lines.append(sum_of_leaves("total", "Total", lines))
    return completed(inputs, lines, start=start, display=Display(currency, fx_rate, fx_date))


def _owned_inputs(device: Device, system: System | None, assume: Assumptions) -> list[CostInput]:
    if system is not None:
        value, low, high = (
            (x / system.devices)
            for x in ((system.price_low_usd + system.price_high_usd) / 2, system.price_low_usd, system.price_high_usd)
        )
        return [
            given(
                "device_kw",
                "Maximum power per accelerator, server included",
                system.max_power_w / 1000 / system.devices,
                "kW",
                system.source,
            ),
            given(
                "value_per_device",
                "Server price per accelerator",
                value,
                "USD",
                system.source,
                low=low,
                high=high,
                date=system.price_date,
            ),
            given("devices_per_server", "Accelerators in one server", system.devices, "", system.source),
        ]
    low, high = device.purchase_usd or (0.0, 0.0)
    overhead = assume["onprem.server_overhead"]
    return [
        given(
            "device_kw",
            "Maximum power per accelerator, server included",
            device.tdp_w / 1000 * assume["onprem.server_power_factor"],
            "kW",
            device.source,
        ),
        given(
            "value_per_device",
            "Server price per accelerator",
            (low + high) / 2 * overhead,
            "USD",
            device.source,
            low=low * overhead,
            high=high * overhead,
        ),
        given(
            "devices_per_server",
            "Accelerators in one server",
            8.0 if device.scaleup_domain >= 8 else max(1, device.scaleup_domain),
            "",
            device.source,
        ),
    ]
