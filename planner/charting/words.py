"""What charts are called: their names in a voice, and shares that are never told as all where something is left."""

from __future__ import annotations

from engine.inputs.finding import Quantity, Typed, Value, finding
from voice.speech import Voice, say
from voice.writing import MONTHS


def name(key: str, voice: Voice, **values: Value) -> str:
    """The name of an axis, a series or a limit."""
    return say(finding(f"chart.name.{key}", **values), voice)


def axis_of_money(key: str, currency: str, voice: Voice) -> str:
    """The name of an axis in that currency."""
    return name(key, voice, currency=Typed(currency))


def share_of(part: float) -> Quantity:
    """A share of a whole: “over 99%” only where something is left."""
    return Quantity(part, "share" if part in (0.0, 1.0) else "chance")


def month_of(text: str, voice: Voice) -> Typed:
    """“January 2027” of “2027-01”."""
    year, month = text.split("-")
    return Typed(name("month", voice, name=Typed(voice.catalog.one(MONTHS[int(month) - 1])), year=Typed(year)))
