"""What the engine finds, as codes and typed values: words are made of it elsewhere (`voice`), in any language.

A `Finding` says what is the case, never how to say it: no sentence, no amount as text, no plural. Of its values, a bare
number is a count or a factor; everything that has a unit, a currency or a name carries it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Things = Literal[
    "accelerator",
    "assumption",
    "certificate",
    "country",
    "field",
    "model",
    "precision",
    "provider",
    "region",
    "runtime",
    "software",
    "system",
    "terms",
    "topic",
    "word",
]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and its unit: day, hour, s, ms, byte, share (of 1), or what is counted or measured: request/s, image, GB."""

    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of money; US dollars while an answer is computed, the plan's currency from its last step on."""

    amount: float
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Ref:
    """A thing that has a name: `id` is what programs know it by, `name` its owner's spelling where the catalog has one.

    A `field` is a dotted path into the request; a `word` one of the engine's own few terms.
    """

    kind: Things
    id: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person or file wrote, to be quoted as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` says what is the case, `values` with which values, `about` of which option ("" = of the whole answer)."""

    code: str
    values: Mapping[str, Value] = field(default_factory=dict)
    about: str = ""

    def __hash__(self) -> int:
        """A finding may be part of what something is remembered by."""
        return hash((self.code, tuple(sorted(self.values)), self.about))


Item = int | float | date | Quantity | Sum | Ref | Typed | Finding
Value = Item | tuple[Item, ...]


def finding(code: str, **values: Value) -> Finding:
    """That code with those values."""
    return Finding(code, values)
