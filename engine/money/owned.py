"""What a run costs on hardware that is already paid for: energy and upkeep; the capital is spent."""

from __future__ import annotations

from datetime import date

from engine.answer import CostInput, CostLine, CostModel
from engine.inputs.assumptions import Assumption, Assumptions
from engine.inputs.finding import Quantity, finding
from engine.inputs.hardware import Device, Holding, System
from engine.inputs.origin import REQUEST, SET_IN_PLAN, origin
from engine.inputs.spec import NO_TAX, Taxes
from engine.money.cash import completed
from engine.money.forgone import Sale, sale_lines
from engine.money.formulas import HOURS_PER_YEAR
from engine.money.lines import Schedule, assumed, check_positive, dollars, given, quantity, sum_of_leaves
from engine.money.own_around import NOTHING, Around, hours_of, length_of, service_lines, storage_lines
from engine.money.rented import Work
from engine.money.site import connected, on_desks, site_input, upkeep_name
from engine.money.tariffs import of_place
from engine.money.taxes import owned_taxes, tax_inputs

_LEAST_YEARS_LEFT = 0.25
"""Hardware beyond its useful life is written off over a quarter: what the books still hold goes soon."""
_HOURS_OF_MONTHS = f"months * {HOURS_PER_YEAR} / 12"
_POWER = "usd_per_kwh"
_SITE = ("pue", _POWER)
"""What a team may say of its own site in its catalog."""


def owned(
    *,
    device: Device,
    devices: int,
    hours_needed: float,
    start: date,
    assume: Assumptions,
    system: System | None = None,
    holding: Holding | None = None,
    work: Work | None = None,
    around: Around = NOTHING,
    taxes: Taxes = NO_TAX,
    sale: Sale | None = None,
    cash: bool = True,
) -> CostModel:
    """What a run costs on hardware that is already paid for: energy and the upkeep of the hours it uses; capital is 0.

    `hours_needed` are accelerator-hours; `work` splits them into computing and failures. Upkeep is maintenance and
    staff of those hours at full use. `holding` is what the team's own catalog says: its price paid, power, energy
    tariff and PUE go before the general ones, and the book depreciation of the hours is shown, but not added. `sale`: what it
    would sell for, which keeping it forgoes; shown, and added to nothing here.
    """
    check_positive(devices=devices, hours_needed=hours_needed)
    time, time_lines = hours_of(hours_needed, work, around)
    paid: Schedule = "monthly" if around.months else "run"
    desks = on_desks(system, devices / system.devices if system else 1.0, joined=around.joined)
    per_fte = upkeep_name(desks=desks)
    inputs = [
        given("devices", devices, "", REQUEST),
        *time,
        *_owned_inputs(device, system, holding, assume),
        *(
            _site(name, holding, assume)
            for name in ("busy_load", "pue", "usd_per_kwh", "maintenance_share", "usd_per_fte", per_fte)
        ),
        site_input("transit_usd_year", assume, desks=desks),
        *tax_inputs(taxes),
    ]
    lines = [
        *length_of(inputs, around),
        *time_lines,
        quantity("programme_hours", "accelerator_hours / devices", "h", told=finding("cost.programme_hours.alone")),
        *_paid_months(around),
        quantity("kwh", "accelerator_hours * device_kw * busy_load * pue", "kWh"),
        *_depreciation(inputs, holding, start, assume),
        *_upkeep(paid, per_fte, transit=connected(assume)),
        *storage_lines(inputs, around, assume, paid),
        *service_lines(inputs, around, assume, servers="devices / devices_per_server"),
        *sale_lines(inputs, sale, assume, hours=_HOURS_OF_MONTHS if around.months else "programme_hours"),
    ]
    lines += owned_taxes(taxes, lines)
    lines.append(sum_of_leaves("total", lines))
    return completed(inputs, lines, start=start, cash=cash)


def _paid_months(around: Around) -> list[CostLine]:
    """A service pays every month, however few hours of it are busy."""
    return [quantity("paid_months", "months", "month")] if around.months else []


def _upkeep(paid: Schedule, per_fte: str, *, transit: bool) -> list[CostLine]:
    """Energy, support, staff and the internet connection where there is one (`transit`), for the hours of this work."""
    lines = [
        dollars("energy", "kwh * usd_per_kwh", schedule=paid),
        dollars(
            "maintenance",
            f"accelerator_hours * value_per_device * maintenance_share / {HOURS_PER_YEAR}",
            schedule=paid,
        ),
        dollars(
            "staff",
            f"accelerator_hours / devices_per_server / {per_fte} * usd_per_fte / {HOURS_PER_YEAR}",
            schedule=paid,
        ),
        dollars(
            "transit",
            f"transit_usd_year * accelerator_hours / devices / {HOURS_PER_YEAR}",
            schedule=paid,
        ),
    ]
    return lines if transit else lines[:-1]


def _site(name: str, holding: Holding | None, assume: Assumptions) -> CostInput:
    """An assumption about running the hardware, or what the team says of its own site.

    A value that the request itself sets goes before the catalog's, as everywhere.
    """
    item = assume.get(f"onprem.{name}")
    said = float(getattr(holding, name, 0.0)) if holding is not None and name in _SITE else 0.0
    if holding is None or _is_set(item):
        return assumed(item.id, assume)
    if not said:
        place = holding.place if name == _POWER else None
        there = of_place(item, place, place.power) if place and place.power else item
        return given(name, there.value, there.unit, there.source, low=there.low, high=there.high)
    return given(name, said, item.unit, holding.source, date=holding.date)


def _is_set(item: Assumption) -> bool:
    return item.source == SET_IN_PLAN


def _depreciation(inputs: list[CostInput], holding: Holding | None, start: date, assume: Assumptions) -> list[CostLine]:
    """What the books write off in the hours of this work: shown for the controller, no cash and no part of the total."""
    if holding is None or not holding.book_value_usd or not holding.in_service:
        return []
    age = (start - date.fromisoformat(holding.in_service)).days / 365.25
    left = max(assume["onprem.life_years"] - age, _LEAST_YEARS_LEFT)
    since = date.fromisoformat(holding.in_service)
    source = origin("in_service", since=since, life=Quantity(assume["onprem.life_years"], "year"))
    inputs += [
        given(
            "book_value_per_device",
            holding.book_value_usd / holding.count,
            "USD",
            holding.source,
            date=holding.date,
        ),
        given("book_years_left", left, "year", source, date=holding.in_service),
    ]
    return [
        dollars(
            "book_depreciation",
            f"accelerator_hours * book_value_per_device / (book_years_left * {HOURS_PER_YEAR})",
            kind="quantity",
        )
    ]


def _owned_inputs(
    device: Device, system: System | None, holding: Holding | None, assume: Assumptions
) -> list[CostInput]:
    """Power, value and size of a server: as the team says, else of the usual server, else from the accelerator."""
    usual = _of_system(system) if system is not None else _of_device(device, assume)
    if holding is None:
        return usual
    per_server = holding.devices_per_server or usual[2].value
    said = {
        "device_kw": holding.server_power_w / 1000.0 / per_server,
        "value_per_device": holding.price_paid_usd / holding.count,
        "devices_per_server": float(holding.devices_per_server),
    }
    return [
        given(item.name, said[item.name], item.unit, holding.source, date=holding.date) if said[item.name] else item
        for item in usual
    ]


def _of_system(system: System) -> list[CostInput]:
    value, low, high = (
        (x / system.devices)
        for x in ((system.price_low_usd + system.price_high_usd) / 2, system.price_low_usd, system.price_high_usd)
    )
    return [
        given(
            "device_kw",
            system.max_power_w / 1000 / system.devices,
            "kW",
            system.source,
        ),
        given(
            "value_per_device",
            value,
            "USD",
            system.source,
            low=low,
            high=high,
            date=system.price_date,
        ),
        given("devices_per_server", system.devices, "", system.source),
    ]


def _of_device(device: Device, assume: Assumptions) -> list[CostInput]:
    low, high = device.purchase_usd or (0.0, 0.0)
    overhead = assume["onprem.server_overhead"]
    return [
        given(
            "device_kw",
            device.tdp_w / 1000 * assume["onprem.server_power_factor"],
            "kW",
            device.source,
        ),
        given(
            "value_per_device",
            (low + high) / 2 * overhead,
            "USD",
            device.source,
            low=low * overhead,
            high=high * overhead,
        ),
        given(
            "devices_per_server",
            8.0 if device.scaleup_domain >= 8 else max(1, device.scaleup_domain),
            "",
            device.source,
        ),
    ]
