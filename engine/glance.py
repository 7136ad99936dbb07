"""What a live panel shows while somebody types: the choice and its figures, without rivals, chart and advice."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Nearest, Option
from engine.inputs.currency import DOLLARS, Currency


@dataclass(frozen=True, kw_only=True)
class Glance:
    """The head of a recommendation. Its numbers are those of the whole answer to the same spec."""

    headline: str
    best: Option | None
    """Without cash flow and without the comparison with bought hardware; None when nothing is feasible."""
    nearest: tuple[Nearest, ...]
    searched: int
    settled: bool = True
    """False for a first number: of a service in steady state, before the simulation of arrivals has judged the tails; of
    a training run on the likeliest accelerators, before all the others are searched."""
    currency: Currency = DOLLARS
    """The currency of its amounts."""
