"""What a plan would choose that is made again with one more measured step: of the measured generation the pairs ranked and costed anew,
all others as they are, with what the gate left of deadline and budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from math import inf, log

import numpy as np

from engine.choice.near_equal import room
from engine.choice.patience import longest_run
from engine.choice.select import Bools
from engine.choice.sure import asked_of
from engine.context import Context
from engine.inputs.spec import Spec
from engine.kinds.training.best import Candidates, calibration_in, seen_of
from engine.kinds.training.canary import Canary
from engine.kinds.training.choice import Field, costed_finalists, entry_of, leader_of, pace_in
from engine.kinds.training.costed import Costed, Finalist, acceptable, costed, score_of
from engine.kinds.training.pairs import price_pairs
from engine.kinds.training.search import Integers
from engine.money.cost import CostError
from engine.odds.calibrate import Calibration
from engine.physics.chip import curve_of
from engine.reliability.formulas import CannotProgress
from engine.supply import within

_LEAST = 1e-9
"""A chance that is none."""
_FREE = 0.01
"""What costs nothing, where logarithms are compared: all of it drawn of money that would lapse."""


def left_of(spec: Spec, canary: Canary) -> Spec:
    """The request with what the canary leaves of its deadline and its budget."""
    limits, test = spec.constraints, canary.test
    return replace(spec, constraints=replace(limits, deadline_days=test.left_days, budget_usd=test.left_budget))


class Reissued:
    """The choice after a measured step time."""

    def __init__(
        self, context: Context, field: Field, chosen: Costed, canary: Canary, known: Sequence[Costed] = ()
    ) -> None:
        """`known`: what was costed for the plan itself."""
        self.context = replace(context, spec=left_of(context.spec, canary))
        self.field, self.canary = field, canary
        limits = context.spec.constraints
        self._known = [one for one in known if not self.is_measured(one)]
        self._alike = not limits.deadline_days and not limits.budget_usd
        assume = context.assume
        self._old = tuple(seen_of(field.work, context.spec.measured, field.supplies.clusters, assume))
        of = [curve_of(cluster.device) == canary.seen.curve for cluster in field.supplies.clusters]
        self._of = np.array(of, dtype=bool)
        self._part = _part(field, self._of)
        row = np.flatnonzero(_rows(field, self._of) == chosen.pair.row)
        self._planned = replace(chosen.pair, row=int(row[0]))

    def choice(self, step_s: float) -> Costed | None:
        """What would be recommended; None where nothing keeps the limits as surely as is asked."""
        field = self._at(step_s)
        pairs = price_pairs(self.context, field.work, field.supplies, field.search, calibration=field.calibration)
        field = replace(field, pairs=pairs)
        # The layout that was measured may be faster than its generation: then the search knows it too slow.
        mine = [one for one in (self._exactly(field, self._planned),) if one]
        good = [score_of(one, self.context) for one in (*mine, *self._others) if acceptable(one, self.context)]
        found = costed_finalists(
            self.context, field, pace_in(self.context, field), all_of_them=False, below=min(good, default=inf)
        )
        known = {one.id for one in mine}
        return leader_of(self.context, [*mine, *(one for one in found if one.id not in known), *self._others])

    def again(self, one: Costed, step_s: float) -> Costed | None:
        """That option after the measurement; None where it can no longer be costed."""
        if not self.is_measured(one):
            return one
        return self._exactly(self._at(step_s), one.pair)

    def unmeasured(self, one: Costed) -> tuple[Costed, float]:
        """That option as the plan knows it without the measurement, under what is left, and the spread of its step time."""
        field = self._part if self.is_measured(one) else self._rest
        prior = (self._exactly(field, one.pair) or one) if self.is_measured(one) else one
        return prior, pace_in(self.context, field)(one.pair).log_sigma

    def margin(self, one: Costed | None, other: Costed | None, step_s: float) -> float:
        """By how much of its logarithm the first of two leads the other there: above zero as long as it is the one that would be
        recommended. None: work stops."""
        then, beside = one and self.again(one, step_s), other and self.again(other, step_s)
        mine, its = self._room(then), self._room(beside)
        if one is None or other is None or its[0] < 0.0:
            return mine[0] if one else -its[0]
        if then is None or beside is None:
            return min(mine[0], its[1] - mine[1])
        near = self.context.assume["select.near_equal"]
        dearer = room(entry_of(then, self.context), entry_of(beside, self.context), near)
        return min(mine[0], its[1] - mine[1] + log(1.0 + dearer))

    def _room(self, one: Costed | None) -> tuple[float, float]:
        """What is left of its tightest limit, and what it costs, both as logarithms; below zero where it may not be recommended."""
        if one is None:
            return -inf, inf
        asked, longest = asked_of(self.context.assume), longest_run(self.context)
        room = [log(max(one.chance.all, _LEAST) / asked.all), log(longest / one.run_days)]
        room += [log(max(one.chance.memory, _LEAST) / asked.fits)] if one.chance.memory is not None else []
        return min(room), log(max(score_of(one, self.context), _FREE))

    def is_measured(self, one: Costed) -> bool:
        """Is it of the generation that was measured?"""
        return curve_of(one.pair.supply.device) == self.canary.seen.curve

    @cached_property
    def _others(self) -> list[Costed]:
        """The best of all other generations: without limits as the plan has them."""
        if self._alike:
            return self._known
        return costed_finalists(self.context, self._rest, pace_in(self.context, self._rest), all_of_them=False)

    @cached_property
    def _rest(self) -> Field:
        """All other generations."""
        return self.field if self._alike else _part(self.field, ~self._of)

    def _exactly(self, field: Field, pair: Finalist) -> Costed | None:
        try:
            return costed(self.context, field.work, pair, pace_in(self.context, field)(pair))
        except (CannotProgress, CostError):
            return None

    def _at(self, step_s: float) -> Field:
        """The generation's layouts after that measurement; its pairs are not priced again yet."""
        seen = replace(self.canary.seen, log_error=log(step_s / self.canary.seen.predicted_s))
        learnt = calibration_in(self.context.assume, (*self._old, seen))
        return _shifted(self._part, learnt)


def _rows(field: Field, of: Bools) -> Integers:
    """Places of the layouts on those clusters."""
    return np.flatnonzero(of[field.search.rows.cluster])


def _part(field: Field, of: Bools) -> Field:
    """What lies on those clusters alone."""
    places, clusters = _rows(field, of), np.flatnonzero(of)
    rows = Candidates(**{one.name: getattr(field.search.rows, one.name)[places] for one in fields(Candidates)})
    rows = replace(rows, cluster=np.searchsorted(clusters, rows.cluster))
    kept = [place for place, supply in enumerate(field.supplies.supplies) if of[supply.cluster]]
    pairs = field.pairs.take(np.isin(field.pairs.supply, kept))
    pairs = replace(pairs, supply=np.searchsorted(kept, pairs.supply), row=np.searchsorted(places, pairs.row))
    supplies = within(field.supplies, clusters.tolist())
    return replace(field, supplies=supplies, search=replace(field.search, rows=rows), pairs=pairs)


def _shifted(field: Field, learnt: Calibration) -> Field:
    """The same with those own measurements: each time of a step longer or shorter."""
    device = field.supplies.supplies[0].device
    by = learnt.factor(device) / field.calibration.factor(device)
    rows = field.search.rows
    rows = replace(
        rows,
        step_time_s=rows.step_time_s * by,
        run_time_s=rows.run_time_s * by,
        tokens_per_s=rows.tokens_per_s / by,
    )
    return replace(field, search=replace(field.search, rows=rows), calibration=learnt)
