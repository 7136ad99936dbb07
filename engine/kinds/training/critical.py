"""The critical batch of a pre-training: how many tokens a step may hold before the same loss takes noticeably more of them.

Tokens to a loss grow by 1 + B/B_crit with the batch B (McCandlish et al. 2018, arXiv 1812.06162: at B_crit twice those of a small
batch). B_crit grows with the tokens of the run and hardly with the size of the model. Of decoders that are pre-trained; nothing like it
is published for encoders, fine-tuning or models that count samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.inputs.origin import origin
from engine.physics.columns import Array

LEVEL, POWER = "training.critical_batch", "training.critical_batch_power"
_AT = 1e12
"""Tokens of the run at which `LEVEL` is stated."""

CRITICAL_ASSUMPTIONS = {
    item.id: item
    for item in (
        Assumption(
            id=LEVEL,
            value=25e6,
            low=8e6,
            high=70e6,
            limits=Limits(1e4, 1e12),
            unit="token",
            source=origin(LEVEL),
        ),
        Assumption(
            id=POWER,
            value=0.47,
            low=0.33,
            high=0.5,
            limits=Limits(0, 2),
            unit="",
            source=origin(POWER),
        ),
    )
}


class Critical(NamedTuple):
    """The law with its coefficients."""

    level: float
    power: float

    def tokens(self, total: float) -> float:
        """The critical batch [token] of a run on so many tokens."""
        return float(self.level * (total / _AT) ** self.power)

    def grown(self, batch: Array, over: float, total: float) -> Array:
        """Tokens to the same loss with those batches over those with the batch `over` [token], no less than 1: what a smaller batch
        would save is not counted on."""
        critical = self.tokens(total)
        found: Array = (critical + np.maximum(batch, over)) / (critical + over)
        return found


def critical_of(assume: Assumptions) -> Critical:
    """The law at its central values."""
    return Critical(assume[LEVEL], assume[POWER])
