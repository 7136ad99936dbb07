"""The query parameter `expand`: which long parts of an estimate come whole."""

from __future__ import annotations

from typing import Annotated, Any

from ninja.params.functions import Query
from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from planner.weight import ALL, PARTS, parts_named


def _named(value: Any) -> Any:
    try:
        return parts_named(value) if isinstance(value, str) else value
    except ValueError as error:
        choices = ", ".join((ALL, *PARTS))
        raise PydanticCustomError(
            "unknown", "holds “{name}”, which is no part of an estimate: choose from {choices}",
            {"name": str(error)[:80], "choices": choices},
        ) from error  # fmt: skip


_ONE = f"({'|'.join((ALL, *PARTS))})"
Expand = Annotated[
    frozenset[str],
    BeforeValidator(_named),
    WithJsonSchema({"type": "string", "pattern": f"^({_ONE}(,{_ONE})*)?$", "default": ""}),
]
"""The parts, of a comma-separated list of their names."""
EXPAND: Any = Query(
    "",
    description=f"What comes whole, separated by commas: {', '.join(PARTS)}, or {ALL}. Without it the recommended option "
    "does, and of the others what one compares by, of the chart its front, of assumptions those that were changed, "
    "of a long ledger its sums, of certainty the rows of tables, of evidence no single rows and prices, and of advice, of what "
    "moves the total and of reasons for leaving something out the first few.",
)
