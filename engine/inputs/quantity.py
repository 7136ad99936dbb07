"""What a number means: the unit, label and help text that travel with a field's type.

`Annotated[float, Gt(0), Q("token", label="Training tokens")]` is read by the form (label, unit inside the field),
by the REST schema (title, description, `x-unit`) and by the reference page, so no field is described twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

HOURS_PER_MONTH: Final = 730.0
"""As prices for a month are counted: 8,760 hours a year."""


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
