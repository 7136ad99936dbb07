"""Hours that a run takes over those of its steps, failures and saving: each cause is an input and a line of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from engine.answer import CostInput, CostLine, Estimate
from engine.inputs.finding import finding
from engine.inputs.origin import ENGINE
from engine.money.lines import given, quantity

CAUSES = ("beyond", "corrupted", "evaluation")
"""What whole programmes took, silent corruption, evaluation where programmes do not hold it already."""
SHARES = frozenset(f"{cause}_share" for cause in CAUSES)
"""Inputs that say how much longer a run takes, as a share of those hours; they may be more than the whole."""


@dataclass(frozen=True, kw_only=True)
class Added:
    """Hours of one cause, as a share of those of steps, failures and saving."""

    cause: str
    """One of `CAUSES`."""
    share: Estimate


def over_of(added: Sequence[Added]) -> Estimate:
    """Hours of a run with all of them over those of its steps, failures and saving; the bands are added in squares."""
    over = 1.0 + sum(one.share.expected for one in added)
    down = math.hypot(*(math.log(over / (over - one.share.expected + one.share.low)) for one in added))
    up = math.hypot(*(math.log((over - one.share.expected + one.share.high) / over) for one in added))
    because = tuple(dict.fromkeys(key for one in added for key in one.share.because))
    return Estimate(low=over * math.exp(-down), expected=over, high=over * math.exp(up), unit="", because=because)


def added_inputs(added: Sequence[Added]) -> list[CostInput]:
    """The share of each cause."""
    return [
        given(
            f"{one.cause}_share",
            one.share.expected,
            "share",
            ENGINE,
            low=one.share.low,
            high=one.share.high,
        )
        for one in added
    ]


def added_lines(added: Sequence[Added], *, accelerators: bool = False) -> tuple[list[CostLine], str]:
    """The hours of each cause as a line of its own, and what they add to an expression of hours; neither where nothing is added.
    `accelerators`: they are hours of accelerators, not of the run."""
    lines = [
        quantity(
            f"{one.cause}_hours",
            f"run_hours / goodput * {one.cause}_share",
            "h",
            told=finding(f"cost.{one.cause}_hours.accelerators") if accelerators else None,
        )
        for one in added
    ]
    return lines, "".join(f" + {line.name}" for line in lines)
