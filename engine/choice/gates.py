"""Gates: money that is released once a measurement was made, and what that is worth over deciding now.

The worth is that of sample information (Raiffa and Schlaifer, Applied Statistical Decision Theory, 1961): the expected cost of the
best that can be decided now, less that of measuring, paying for it, waiting, and deciding then by the rule of every plan. Both are
means over the same draws of what things really cost and take.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.answer import Gate, Outcome
from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Value, finding
from engine.inputs.origin import origin
from engine.inputs.spec import Measurement, Spec

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GATE_ASSUMPTIONS: Mapping[str, Assumption] = {
    item.id: item
    for item in (
        Assumption(
            id="gate.steps",
            value=100.0,
            low=20.0,
            high=1000.0,
            limits=Limits(1, 1e6),
            unit="",
            source=origin("gate.steps"),
        ),
        Assumption(
            id="gate.days",
            value=1.0,
            low=0.25,
            high=5.0,
            limits=Limits(0, 365),
            unit="day",
            source=origin("gate.days"),
        ),
        Assumption(
            id="gate.least_hours",
            value=1.0,
            low=0.02,
            high=24.0,
            limits=Limits(0, 720),
            unit="h",
            source=origin("gate.least_hours"),
        ),
        Assumption(
            id="gate.load_hours",
            value=4.0,
            low=1.0,
            high=24.0,
            limits=Limits(0, 720),
            unit="h",
            source=origin("gate.load_hours"),
        ),
        Assumption(
            id="gate.least_worth",
            value=0.01,
            low=0.0,
            high=0.05,
            limits=Limits(0, 1),
            unit="1",
            source=origin("gate.least_worth"),
        ),
        Assumption(
            id="gate.undone",
            value=1.0,
            low=0.5,
            high=3.0,
            limits=Limits(0, 1000),
            unit="1",
            source=origin("gate.undone"),
        ),
    )
}


_MOSTLY_OTHERS = 1.5
"""Times what the work carries from which it is said how little of what is authorised that is."""


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What a gate does between two measured values, and what that costs in each draw."""

    high: float | None
    """Up to which measured value; None = however much."""
    option_id: str
    """Empty where work stops."""
    authorised: float
    carried: float
    """What the work itself costs at most, as surely as is asked [USD]: of a term that is signed it may be a small part."""
    hardware: Finding | None
    cost: Floats
    """[USD] in each draw, from the gate on."""


@dataclass(frozen=True, kw_only=True)
class Test:
    """What is measured, where, for how much."""

    __test__ = False  # no test of ours, whatever its name begins with

    measures: str
    unit: str
    counts: str = "request"
    """What one replica answers, as a reader counts it; rates stand in `unit`, whatever that is."""
    accelerator: str
    hardware: Finding
    shows: Finding | None = None
    """What the greatest rate keeps; None of steps."""
    count: int
    steps: int
    hours: float
    fee: float
    """[USD]"""
    delay_days: float
    left_days: float
    left_budget: float
    """[USD]"""
    expected: float
    least: float
    """What the gate must be worth to be proposed [USD]."""
    measurement: Measurement | None = None

    @property
    def told_unit(self) -> str:
        """As a sentence names it: requests of a language model, recordings of one that hears."""
        return f"{self.counts}/s" if self.measures == "rate" else self.unit


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What measuring first is worth [USD], what nothing can exceed, and how likely each range is."""

    worth: float
    ceiling: float
    chances: tuple[float, ...]


def worth_of(now: Floats, measured: Floats, ends: Sequence[float], taken: Sequence[Taken], fee: float) -> Worth:
    """`now`: the cost of deciding now in each draw; `measured`: what would be measured in it, and `ends` those between the ranges in
    which each is `taken`, the least values first, on any scale that rises with what is measured."""
    place: Ints = np.searchsorted(np.array(ends, dtype=float), measured, side="left")
    costs = np.stack([one.cost for one in taken])
    then = costs[place, np.arange(len(measured))]
    return Worth(
        worth=float(np.mean(now) - np.mean(then)) - fee,
        ceiling=ceiling_of(now, costs),
        chances=tuple(float(np.mean(place == at)) for at in range(len(taken))),
    )


def ceiling_of(now: Floats, then: Sequence[Floats] | Floats) -> float:
    """What it would be worth to know everything before one of those is taken, for nothing."""
    return float(np.mean(now) - np.mean(np.minimum(now, np.min(then, axis=0))))


def gate(test: Test, taken: Sequence[Taken], found: Worth, planned: str) -> Gate:
    """The gate with its outcomes, told whether or not it pays; neighbours that bind the same money at the same seller are one."""
    taken, found = _merged(taken, found, planned)
    outcomes = tuple(_outcomes(test, taken, found, planned))
    return _gate(test, outcomes, found, tuple(_told(test, found)))


def _merged(taken: Sequence[Taken], found: Worth, planned: str) -> tuple[list[Taken], Worth]:
    """14 and 16 accelerators may be the same two instances: between them nothing is decided, and what is planned is what is told."""
    kept: list[Taken] = []
    chances: list[float] = []
    for one, chance in zip(taken, found.chances, strict=True):
        if kept and _alike(kept[-1], one):
            told = kept[-1] if kept[-1].option_id == planned else one
            kept[-1] = replace(told, high=one.high)
            chances[-1] += chance
        else:
            kept.append(one)
            chances.append(chance)
    return kept, replace(found, chances=tuple(chances))


def _alike(one: Taken, other: Taken) -> bool:
    if one.hardware is None or other.hardware is None:
        return one.hardware is other.hardware
    sold = [
        {name: value for name, value in each.values.items() if name != "count"}
        for each in (one.hardware, other.hardware)
    ]
    return (
        sold[0] == sold[1]
        and math.isclose(one.authorised, other.authorised)
        and math.isclose(one.carried, other.carried)
    )


def unchanged(test: Test, ceiling: float = 0.0) -> Gate:
    """No result would change the choice, so that measuring costs and saves nothing."""
    told = (finding("gate.unchanged", **price_of(test)),)
    return _gate(test, (), Worth(worth=-test.fee, ceiling=ceiling, chances=()), told)


def too_dear(test: Test, ceiling: float) -> Gate:
    """Measuring costs as much as knowing everything would save: what each result would change need not be found."""
    told = finding("gate.too_dear", saved=Sum(ceiling), **price_of(test))
    return _gate(test, (), Worth(worth=ceiling - test.fee, ceiling=ceiling, chances=()), (told,))


def no_gate(measures: str, unit: str, told: Finding) -> Gate:
    """Nothing is or can be measured first."""
    return Gate(measures=measures, unit=unit, told=(told,))  # type: ignore[arg-type]  # one of its own names


def none_to_measure(spec: Spec) -> Finding:
    """Why nothing can be measured first where no hardware is had for it: an air gap, or that so many are not to be had for a few hours."""
    return finding("gate.air_gapped" if spec.air_gapped else "gate.no_hardware")


def _gate(test: Test, outcomes: tuple[Outcome, ...], found: Worth, told: tuple[Finding, ...]) -> Gate:
    return Gate(
        measures=test.measures,  # type: ignore[arg-type]  # one of its own names
        unit=test.unit,
        told=told,
        accelerator=test.accelerator,
        count=test.count,
        steps=test.steps,
        hours=test.hours,
        fee=test.fee,
        delay_days=test.delay_days,
        left_days=test.left_days,
        left_budget=test.left_budget,
        expected=test.expected,
        measurement=test.measurement,
        outcomes=outcomes,
        worth=found.worth,
        least=test.least,
        ceiling=found.ceiling,
    )


def _outcomes(test: Test, taken: Sequence[Taken], found: Worth, planned: str) -> list[Outcome]:
    outcomes, low = [], None
    for one, chance in zip(taken, found.chances, strict=True):
        does = "stop" if not one.option_id else "release" if one.option_id == planned else "take"
        outcomes.append(
            Outcome(
                does=does,  # type: ignore[arg-type]  # one of its own names
                low=low,
                high=one.high,
                option_id=one.option_id,
                authorised=one.authorised,
                chance=chance,
                told=_told_of(test, one, does, low=low),
            )
        )
        low = one.high
    return outcomes


def _told_of(test: Test, one: Taken, does: str, *, low: float | None) -> Finding:
    """“a step of up to 11.9 s releases …”, “a longer one stops”; of rates, which are told from the greatest on, “at least 4.2 …”."""
    what = finding("gate.stop", fee=Sum(test.fee)) if one.hardware is None else _takes(one, one.hardware, does)
    if test.measures == "rate":
        if low is None:
            return finding("gate.rate_below", what=what)
        return finding(
            "gate.rate_first" if one.high is None else "gate.rate_from", low=Quantity(low, test.told_unit), what=what
        )
    if one.high is None:
        return finding("gate.step_beyond", what=what)
    return finding("gate.step_first" if low is None else "gate.step_to", high=Quantity(one.high, test.unit), what=what)


def _takes(one: Taken, hardware: Finding, does: str) -> Finding:
    """“takes 24 × B200 instead, for up to USD 38,900”; what binds far more than this work carries is no outcome that somebody has agreed
    to, but a decision of its own."""
    said: dict[str, Value] = {"hardware": hardware, "sum": Sum(one.authorised)}
    if does == "take" and one.authorised > _MOSTLY_OTHERS * one.carried:
        return finding("gate.take.signed", **said, carried=Sum(one.carried))
    return finding(f"gate.{does}", **said)


def _told(test: Test, found: Worth) -> list[Finding]:
    """What is approved now, and what that is worth; of a gate that does not pay that alone."""
    price, saved = price_of(test), found.worth + test.fee
    if found.worth <= 0.0:
        if saved <= 0.0:
            return [finding("gate.unworthy.nothing", **price)]
        return [finding("gate.unworthy", saved=Sum(saved), **price)]
    if found.worth <= test.least:
        return [finding("gate.small", worth=Sum(found.worth), **price)]
    first = {"hardware": test.hardware, "hours": Quantity(test.hours, "hour"), **price}
    return [
        finding("gate.replica_test", shown=test.shows, things=Ref("word", f"many.{test.counts}"), **first)
        if test.shows
        else finding("gate.canary", steps=test.steps, **first),
        finding("gate.worth", worth=Sum(found.worth)),
    ]


def price_of(test: Test) -> dict[str, Value]:
    """Its fee, and its delay where there is one."""
    waits = (
        finding("gate.delay", days=Quantity(test.delay_days, "day")) if test.delay_days else finding("gate.no_delay")
    )
    return {"fee": Sum(test.fee), "delay": waits}
