"""Priced pairs of a training run, remembered without what only ranks them: a new budget, deadline or objective prices nothing again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace

from engine.answer import Rejection
from engine.choice.select import Pairs
from engine.context import Context
from engine.inputs.spec import Spec
from engine.kinds.training.best import TrainingSearch, TrainingWork
from engine.kinds.training.pairs import price_pairs
from engine.kinds.training.unsold import Unsold
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.supply import Supplies, may_buy


@dataclass(frozen=True, kw_only=True)
class Priced:
    """All pairs of a search."""

    pairs: Pairs
    unsold: tuple[Rejection, ...]
    """Layouts whose size nobody sells, or for so long."""


def priced(
    context: Context,
    work: TrainingWork,
    supplies: Supplies,
    search: TrainingSearch,
    *,
    searched: Hashable,
    calibration: Calibration = NO_CALIBRATION,
) -> Priced:
    """The pairs of those layouts. `searched`: all that the layouts and `supplies` follow from, but for request, market and assumptions."""
    asked = replace(context, spec=_unranked(context.spec))

    def made() -> Priced:
        unsold = Unsold()
        pairs = price_pairs(asked, work, supplies, search, calibration=calibration, unsold=unsold)
        for item in fields(pairs):
            getattr(pairs, item.name).flags.writeable = False
        return Priced(pairs=pairs, unsold=tuple(unsold.rejections()))

    # A market is held by whoever asks, and one with agreed prices shares nearly all of it with that.
    key = ("pairs", asked.spec, work, searched, context.market, context.assume, context.late)
    return context.known.remembered(key, made, beside=context.market)


def _unranked(spec: Spec) -> Spec:
    """That request without what decides among pairs and prices none of them. How much hardware is bought follows from the deadline."""
    limits = replace(spec.constraints, budget_usd=0.0)
    if not may_buy(spec):
        limits = replace(limits, deadline_days=0.0)
    return replace(spec, name="", objective="cost", constraints=limits)
