"""Query parameters as strictly as bodies: a day is a day, a moment has its zone, a number has digits only."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator
from pydantic_core import PydanticCustomError

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_FLAG = re.compile(r"true|false")


def _like(shape: re.Pattern[str], words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if isinstance(value, str) and not shape.fullmatch(value):
            raise PydanticCustomError("format", words)
        return value

    return check


Day = Annotated[date, BeforeValidator(_like(_DAY, "must be a date like 2027-01-11"))]
Moment = Annotated[AwareDatetime, BeforeValidator(_like(_MOMENT, "must be a moment like 2027-01-11T08:00:00Z"))]
Whole = Annotated[int, BeforeValidator(_like(_WHOLE, "must be a whole number"))]
Flag = Annotated[bool, BeforeValidator(_like(_FLAG, "must be true or false"))]
