"""How long an option takes, in its parts: waiting for servers, testing them, working; read from its cost model."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.answer import CostInput, Estimate, Option
from engine.money.added import SHARES
from engine.money.delivery import LEADS, tested_hours, wait_of_model, waited_hours
from engine.odds.normal import P90
from engine.odds.waits import Wait

DELIVERY_INPUTS: Final = LEADS
"""Inputs that say how long servers take from the order to the delivery."""


def tested_days(best: Option) -> float:
    """For how long servers are tested between their arrival and the work."""
    return tested_hours(best.cost.model) / 24


def wait_days(option: Option) -> float:
    """Days until ordered servers come for which the work waits; 0 where it does not."""
    return waited_hours(option.cost.model) / 24


def wait_of(option: Option) -> Wait:
    """That wait with the spread of the delivery."""
    return wait_of_model(option.cost.model)


def latest_wait_days(option: Option) -> float:
    """The late end of that wait: one delivery in ten takes longer."""
    return wait_of(option).at(P90)


def delivery_input(option: Option) -> CostInput | None:
    """The input that says how long servers take; None where none are ordered."""
    return next((row for row in option.cost.model.inputs if row.name in DELIVERY_INPUTS), None)


def work_days(option: Option) -> Estimate:
    """Days of the work once its hardware is there: what the option takes less the wait, as uncertain as its accelerator-hours."""
    days, hours = option.days.expected - wait_days(option), option.accelerator_hours
    if wait_of(option).certain or hours.expected <= 0.0:
        wait = wait_days(option)
        return replace(option.days, low=option.days.low - wait, expected=days, high=option.days.high - wait)
    low, high = (days * end / hours.expected for end in (hours.low, hours.high))
    return replace(option.days, low=low, expected=days, high=high)


def beyond_days(option: Option) -> float:
    """Days of all runs that whole published programmes took beyond their steps, failures and saving; 0 where none are added."""
    shares = {item.name: item.value for item in option.cost.model.inputs if item.name in SHARES}
    over = 1.0 + sum(shares.values())
    return (option.days.expected - wait_days(option)) * shares.get("beyond_share", 0.0) / over
