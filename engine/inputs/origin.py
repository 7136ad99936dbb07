"""Whose a number is: what its publisher or a person wrote, as it stands, or one of the engine's own grounds as a code with values.

A text is data: the title of a publication in the catalog, or what somebody entered. Why the engine itself takes a number is a
finding like any other, said by the voice; so programs compare codes, and a better sentence changes no plan.
"""

from __future__ import annotations

from datetime import date
from typing import Final

from engine.inputs.finding import Finding, Typed, Value, finding

Origin = str | Finding
ORIGIN: Final = "origin."
"""What the code of a ground begins with."""


def origin(code: str, **values: Value) -> Finding:
    """That ground of the engine's; of an assumption that has one to itself the code is its id."""
    return finding(f"{ORIGIN}{code}", **values)


def quoted(source: Origin) -> Finding | Typed:
    """The source among the values of a finding."""
    return source if isinstance(source, Finding) else Typed(source)


def told_by(source: Origin, *codes: str) -> bool:
    """Is it one of those grounds, with whatever values?"""
    return isinstance(source, Finding) and source.code.removeprefix(ORIGIN) in codes


def day_of(text: str) -> date | Typed:
    """A day of the catalog to be told as others are; what is no day stands as it is."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return Typed(text)


REQUEST = origin("request")
"""The request itself states it."""
PLAN = origin("plan")
"""It follows from the plan: so many servers, so many gigabytes."""
ENGINE = origin("engine")
"""The engine worked it out: hours, goodput."""
POISSON = origin("engine.poisson")
"""Spares, counted so that they suffice."""
CATALOG = origin("catalog")
"""The catalog's own, such as a rate of exchange."""
SET_IN_PLAN = origin("set")
"""The request sets this assumption."""
AGREED = origin("agreed")
"""A price that the team has agreed, as the request states it."""
