"""One input that moves the total, in a clause: its range, and what each end of it does."""

from __future__ import annotations

from engine.answer import Driver
from exports.composing.context import Context
from exports.numbers import measured_band
from exports.wording import label, tr


def driver_text(driver: Driver, context: Context) -> str:
    """““Price of one server-hour” over 20.30–26.30 USD/h: −USD 2,000 to +USD 1,340”: first what its low end does."""
    return tr(
        "“{label}” over {ends}: {low} to {high}",
        label=label(driver.label),
        ends=measured_band(driver.low_value, driver.high_value, driver.unit),
        low=_signed(context, driver.low_change),
        high=_signed(context, driver.high_change),
    )


def _signed(context: Context, change: float) -> str:
    text = context.money.rounded(change)
    return f"+{text}" if change > 0 else text
