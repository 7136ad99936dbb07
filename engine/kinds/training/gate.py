"""The gate before a training run: what each measured step time would change, and what measuring first is worth.

Of the spread of a step time the part between sources is what a canary removes: on that very layout the noise of a repeat stays, on others
of its generation what `calibrate` leaves, elsewhere all of it. The draws of what really happens follow the same split.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engine.answer import Gate
from engine.choice.gates import (
    Floats,
    Taken,
    ceiling_of,
    gate,
    no_gate,
    none_to_measure,
    price_of,
    too_dear,
    unchanged,
    worth_of,
)
from engine.choice.sure import asked_of
from engine.context import SEED, Context
from engine.inputs.finding import finding
from engine.inputs.named import device_ref, hardware, source_of
from engine.kinds.training.best import TrainingDetail
from engine.kinds.training.canary import UNIT, Canary, canary_of
from engine.kinds.training.choice import Field
from engine.kinds.training.costed import Costed, authorised
from engine.kinds.training.reissued import Reissued
from engine.money.draws import DRAWS, Draws, draw, kept_with, normals, pace_draws
from engine.money.schedule import wait_days
from engine.physics.chip import curve_of

_PILOTS = (-2.0, 0.0, 2.0)
"""Standard deviations from the predicted step at which the choice is looked at; thresholds lie between."""
_CLOSE = 4e-3
"""Share of a threshold to which it is known, on the safe side: a tenth of what repeats of a step differ by."""
_SECANTS = 4
"""Steps towards the place where two options alone would change places."""


def gate_of(
    context: Context, field: Field, chosen: Costed, detail: TrainingDetail, known: Sequence[Costed]
) -> Gate | None:
    """The gate of that plan, of which those finalists are `known`; None where another objective than cost decides."""
    if context.spec.objective != "cost":
        return None
    if any(one.startswith("measured.layout:") for one in detail.because):
        return no_gate("step_time", UNIT, finding("gate.passed"))
    canary = canary_of(context, field, chosen, detail)
    if canary is None:
        return no_gate("step_time", UNIT, none_to_measure(context.spec))
    if canary.too_late(context):
        return no_gate("step_time", UNIT, finding("gate.no_room", **price_of(canary.test)))
    return _Weighed(context, field, chosen, detail, canary, known).gate()


class _Weighed:
    """One gate: the choice by what is measured, and the cost of each in the same draws."""

    def __init__(
        self,
        context: Context,
        field: Field,
        chosen: Costed,
        detail: TrainingDetail,
        canary: Canary,
        known: Sequence[Costed],
    ) -> None:
        self.context, self.field, self.chosen, self.detail, self.canary = context, field, chosen, detail, canary
        self.then = Reissued(context, field, chosen, canary, known)
        self.shared = context.assume["training.shared_error"]
        self._known: dict[str, Floats] = {}
        self.undone = context.assume["gate.undone"] * authorised(chosen, asked_of(context.assume).all)

    def gate(self) -> Gate:
        """The gate with its worth."""
        steps = [self.detail.step_time_s.expected * math.exp(z * self.detail.log_sigma) for z in _PILOTS]
        pilots = [(step, self.then.choice(step)) for step in steps]
        test = self.canary.test
        if all(one and one.id == self.chosen.id for _, one in pilots):
            return unchanged(test)
        now = self._cost(self.context, self.chosen, self.chosen.drawn())
        most = ceiling_of(now, [self._then(one) for _, one in pilots])
        if most <= test.fee:
            return too_dear(test, most)
        taken = list(self._taken(pilots))
        ends = [one.high for one in taken if one.high is not None]
        return gate(test, taken, worth_of(now, self._measured(), ends, taken, test.fee), self.chosen.id)

    def _taken(self, pilots: list[tuple[float, Costed | None]]) -> Iterator[Taken]:
        """The choices by rising step time; of those at the ends the pilots there say what they need."""
        edges = list(self._edges(pilots))
        for (_, one), high in zip([pilots[0], *edges], [*(edge for edge, _ in edges), None], strict=True):
            yield self._priced(one, high, high or pilots[-1][0])

    def _edges(self, pilots: list[tuple[float, Costed | None]]) -> Iterator[tuple[float, Costed | None]]:
        """Where the choice changes, and to what."""
        for (low, one), (high, other) in pairwise(pilots):
            if _id(one) != _id(other):
                yield from self._between(low, one, high, other)

    def _between(
        self, low: float, one: Costed | None, high: float, other: Costed | None, *, tried: tuple[str, str] | None = None
    ) -> Iterator[tuple[float, Costed | None]]:
        """The edges between two steps at which other options are chosen. Where the two alone would change places is tried once; a
        third one may come between."""
        if high <= low * (1.0 + _CLOSE):
            yield low, other
            return
        both = (_id(one), _id(other))
        near, wide = (
            (math.sqrt(low * high), 1.0)
            if both == tried
            else (self._crossing(low, one, high, other), 1.0 + _CLOSE / 2.0)
        )
        steps = sorted({step for step in (near / wide, near * wide) if low < step < high})
        found = [(low, one), *((step, self.then.choice(step)) for step in steps), (high, other)]
        for (before, left), (after, right) in pairwise(found):
            if _id(left) != _id(right):
                yield from self._between(before, left, after, right, tried=both)

    def _crossing(self, low: float, one: Costed | None, high: float, other: Costed | None) -> float:
        """Where the two change places, by secants; their middle where they do not."""
        ends = [self.then.margin(one, other, step) for step in (low, high)]
        for _ in range(_SECANTS):
            if not (ends[0] > 0.0 > ends[1] and math.isfinite(ends[0] - ends[1])):
                return math.sqrt(low * high)
            step = low * math.exp(math.log(high / low) * ends[0] / (ends[0] - ends[1]))
            found = self.then.margin(one, other, step)
            if abs(found) < _CLOSE / 4.0:
                break
            if found > 0.0:
                low, ends[0] = step, found
            else:
                high, ends[1] = step, found
        return step

    def _priced(self, one: Costed | None, high: float | None, step_s: float) -> Taken:
        if one is None:
            return Taken(high=high, option_id="", authorised=0.0, carried=0.0, hardware=None, cost=self._then(None))
        supply, asked = one.pair.supply, asked_of(self.context.assume).all
        after = self.then.again(one, step_s) or one
        return Taken(
            high=high,
            option_id=one.id,
            authorised=authorised(after, asked),
            carried=kept_with(after.drawn().total, asked),
            hardware=hardware(one.pair.count, device_ref(supply.device), source_of(supply)),
            cost=self._then(one),
        )

    def _then(self, one: Costed | None) -> Floats:
        """What that option costs in each draw if it is taken at the gate; of work that stops, what it was worth."""
        if one is None:
            return np.full(DRAWS, self.undone)
        if one.id not in self._known:
            self._known[one.id] = self._cost(self.then.context, *self._before(one))
        return self._known[one.id]

    def _before(self, one: Costed) -> tuple[Costed, Draws]:
        """That option as it is known before anything is measured, in the draws of its own pace."""
        if one.id == self.chosen.id:
            return self.chosen, self.chosen.drawn()
        prior, sigma = self.then.unmeasured(one)
        outcome = draw(prior.model, log_sigma_time=sigma, assume=self.context.assume, seed=SEED, pace=self._pace(prior))
        return prior, outcome

    def _pace(self, one: Costed) -> Floats:
        """Standard normal draws of its step time: the error that its generation shares, and its own."""
        own = normals(f"layout:{one.id}", SEED)
        if self.then.is_measured(one):
            planned = pace_draws(self.chosen.model, SEED)
            alike = _mixed(planned, normals("generation", SEED), self.shared)
        else:
            alike = normals(f"generation:{curve_of(one.pair.supply.device)}", SEED)
        return _mixed(alike, own, self.shared)

    def _measured(self) -> Floats:
        """What the canary would show in each draw: the step time of that draw, and the noise of a repeat."""
        pace, noise = pace_draws(self.chosen.model, SEED), self.context.assume["training.measurement_noise"]
        found: Floats = self.detail.step_time_s.expected * np.exp(
            self.detail.log_sigma * pace + noise * normals("canary", SEED)
        )
        return found

    def _cost(self, context: Context, one: Costed, drawn: Draws) -> Floats:
        """What that option costs in each draw, and what is lost where it breaks a limit of that context."""
        limits = context.spec.constraints
        broken = np.zeros(len(drawn.total), dtype=bool)
        if limits.deadline_days:
            pace = 1.0 if drawn.pace is None else drawn.pace
            wait = wait_days(context, one.pair.supply) if drawn.wait is None else drawn.wait
            broken |= wait + one.busy.expected * pace > limits.deadline_days
        if limits.budget_usd:
            broken |= drawn.cash > limits.budget_usd
        costs: Floats = drawn.total + self.undone * broken
        return costs


def _mixed(shared: Floats, own: Floats, share: float) -> Floats:
    """Standard normal draws of which that share of the variance is the first's."""
    mixed: Floats = math.sqrt(share) * shared + math.sqrt(1.0 - share) * own
    return mixed


def _id(one: Costed | None) -> str:
    return one.id if one else ""
