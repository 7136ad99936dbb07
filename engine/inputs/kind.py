"""The kinds of work: what of it there is to tell apart, and the one rule by which a request is of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

Kind = Literal["run", "service", "batch"]
"""A training run, a service that goes on, an offline batch that is done some day."""
T = TypeVar("T")
PerKind = Mapping[Kind, T]
"""What differs between the kinds of work: one entry for each."""
TIMED: PerKind[bool] = {"run": True, "service": False, "batch": True}
"""Is it told apart by when it is done? A service goes on and is told apart by how soon it answers."""
