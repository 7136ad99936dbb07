"""What a number means: the unit, label and help text that travel with a field's type.

`Annotated[float, Gt(0), Q("token", label="Training tokens")]` is read by the form (label, unit inside the field),
by the REST schema (title, description, `x-unit`) and by the reference page, so no field is described twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

HOURS_PER_MONTH: Final = 730.0
"""As prices for a month are counted: 8,760 hours a year."""


def days_in(hours: float) -> int:
    """Whole days in so many hours, of which whole seconds count: a length that is kept in twelve digits is no day shorter for it."""
    return math.floor(round(hours * 3600.0) / 86_400)


def day_after(start: date, hours: float) -> date:
    """The day into which the end of so many hours from the first moment of `start` falls: what comes at 21:00 comes on that day. Ledger,
    sentences and workbook date deliveries by this one rounding. OverflowError beyond the calendar."""
    return start + timedelta(days=days_in(hours))


@dataclass(frozen=True)
class Q:
    """A quantity's unit (SI symbol or plain noun, "" when it has none), its label and one sentence of help."""

    unit: str = ""
    label: str = ""
    help: str = ""
    choices: tuple[str, ...] = ()

    def __get_pydantic_json_schema__(self, core_schema: Any, handler: Any) -> dict[str, Any]:
        """Schema keywords for a door built on pydantic; the engine itself never imports it."""
        schema: dict[str, Any] = handler(core_schema)
        if self.label:
            schema["title"] = self.label
        if self.help:
            schema["description"] = self.help
        if self.unit:
            schema["x-unit"] = self.unit
        return schema
