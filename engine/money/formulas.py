"""The few formulas of cost that controllers know by name, as pure functions."""

from __future__ import annotations

import math

from engine.money.lines import check_positive

HOURS_PER_YEAR = 8760


def annuity(capex: float, *, rate: float, years: float, residual: float = 0.0) -> float:
    """Equivalent annual cost of a purchase with that share left at the end: (C − rC/(1+i)^L)·i/(1 − (1+i)^−L)."""
    check_positive(years=years)
    if rate == 0:
        return capex * (1.0 - residual) / years
    discount = math.pow(1.0 + rate, -years)
    return capex * (1.0 - residual * discount) * rate / (1.0 - discount)


def break_even_hours(capex: float, *, owned_per_hour: float, rented_per_hour: float) -> float:
    """Hours of use after which a purchase has cost less than renting; infinite when it never does."""
    saved = rented_per_hour - owned_per_hour
    return capex / saved if saved > 0 else math.inf


def break_even_utilisation(yearly: float, *, devices: float, rented_per_device_hour: float) -> float:
    """Share of all hours at which owning at that cost per year equals renting; above 1 it never does."""
    check_positive(devices=devices, rented_per_device_hour=rented_per_device_hour)
    return yearly / (devices * HOURS_PER_YEAR * rented_per_device_hour)


def decay_per_hour(price: float, *, oom_per_year: float, hours_per_year: float = 8766.0) -> float:
    """Value a chip loses per hour when prices fall by so many orders of magnitude a year (Epoch, arXiv 2405.21015)."""
    return price * oom_per_year * math.log(10.0) / hours_per_year


def share_on_top(part: float, share_of_whole: float) -> float:
    """The other part, when that share of the whole is it: p·s/(1 − s)."""
    return part * share_of_whole / (1.0 - share_of_whole)
