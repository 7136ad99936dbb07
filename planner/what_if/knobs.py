"""What-if on a frozen plan: a few inputs of its cost model moved and the model evaluated again. Nothing is stored.

Only cost and time move; the layout stays as planned. Time of a run is proportional to tokens and step time; the time
lost to failures grows with the square root of their rate, since the checkpoint interval follows it (Young 1974, Daly
2006); a service needs accelerators in inverse proportion to what each delivers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from engine.answer import CostInput, CostModel, Driver, Flip, Money, Option, Recommendation, Signed
from engine.context import ALONE, NOBODY
from engine.inputs.origin import REQUEST
from engine.inputs.spec import Spec
from engine.money.cost import CostError, banded, cash_needed, drivers, evaluate, signed_of
from engine.money.rented import most_of
from planner.asked.kinds import WORK
from planner.promises import asked_confidence
from planner.request.amounts import USD, kept, parse_amount
from planner.request.quantities import QuantityError, parse_quantity, plural, rounded
from planner.what_if.sure import Sure, sure_at

_PRICE = "price_per_instance_hour"
_TIMES = ("run_hours", "accelerator_hours", "month_hours")
_COUNTS = ("instances", "instances_peak")


@dataclass(frozen=True, kw_only=True)
class Knob:
    """One thing to move: its planned value, its range, and the unit that is written behind it."""

    key: str
    label: str
    value: float
    low: float
    high: float
    unit: str = ""
    help: str = ""
    whole: bool = False

    @property
    def is_money(self) -> bool:
        """Whether its value is in US dollars, per whatever the unit says."""
        return self.unit.startswith(USD)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What the plan would cost and how long it would take with those values."""

    total: Money
    signed: Signed
    cash: float
    """What a budget must hold: all that is signed, and the rest of what this work pays."""
    days: float | None
    drivers: tuple[Driver, ...]
    changed: bool
    flips: tuple[Flip, ...]
    sure: Sure
    """What the asked confidence comes to with those values."""


def knobs_of(option: Option, spec: Spec) -> tuple[Knob, ...]:
    """The knobs that this plan's cost model has."""
    return tuple(_knobs(option, spec, {item.name: item for item in option.cost.model.inputs}))


def _knobs(option: Option, spec: Spec, inputs: Mapping[str, CostInput]) -> Iterator[Knob]:
    if _PRICE in inputs:
        price = inputs[_PRICE].value
        yield Knob(
            key="price", label="Price of one instance-hour", value=price, low=price / 4, high=price * 3, unit="USD"
        )
        yield Knob(key="discount", label="Discount on it", value=0, low=0, high=80, unit="%")
    if option.step_time_s and any(name in inputs for name in _TIMES):
        step = option.step_time_s.expected
        yield Knob(
            key="step", label="Step time", value=step, low=step / 3, high=step * 3, unit="s", help="What you measure."
        )
    if (rate := WORK[option.work].rate(option)) > 0:
        unit = plural(f"{option.counts}/s", 2)
        yield Knob(
            key="rate", label="Throughput of one accelerator", value=rate, low=rate / 3, high=rate * 3, unit=unit
        )
    if tokens := WORK[spec.kind].tokens(spec):
        yield Knob(key="tokens", label="Training tokens", value=tokens, low=tokens / 4, high=tokens * 4, unit="tokens")
    if "runs" in inputs:
        runs = inputs["runs"].value
        yield Knob(key="runs", label="Runs", value=runs, low=1, high=max(10, 3 * runs), whole=True)
    if "goodput" in inputs:
        yield Knob(key="failures", label="Failure rate", value=1, low=0, high=10, unit="× the plan")
    yield from _plain(inputs)
    if option.chance:
        yield Knob(
            key="sure",
            label="How sure",
            value=asked_confidence(spec) * 100,
            low=50,
            high=95,
            unit="%",
            help="Beyond 90 % it is extrapolated.",
            whole=True,
        )


def _plain(inputs: Mapping[str, CostInput]) -> Iterator[Knob]:
    """Knobs that are an input of the model as it stands."""
    if "experiment_overhead" in inputs:
        share = inputs["experiment_overhead"].value * 100
        yield Knob(
            key="experiment_overhead",
            label="Experiments on top",
            value=share,
            low=0,
            high=max(200, 2 * share),
            unit="%",
        )
    # Of what nobody else is said to use there is no share that could move.
    if "utilisation" in inputs and inputs["utilisation"].source not in (ALONE, NOBODY):
        yield Knob(
            key="utilisation", label="Utilisation", value=inputs["utilisation"].value * 100, low=5, high=100, unit="%"
        )
    if "months" in inputs and inputs["months"].source == REQUEST:
        months = inputs["months"].value
        yield Knob(
            key="months", label="Months of service", value=months, low=1, high=max(36, 2 * months), unit="months"
        )
    if "usd_per_kwh" in inputs:
        tariff = inputs["usd_per_kwh"].value
        yield Knob(
            key="usd_per_kwh", label="Electricity tariff", value=tariff, low=tariff / 4, high=tariff * 4, unit="USD/kWh"
        )


def read(
    knobs: tuple[Knob, ...], typed: Mapping[str, str], *, code: str = USD, per_usd: float = 1.0
) -> tuple[dict[str, float], dict[str, str]]:
    """The value of each knob, planned where nothing was typed, and one sentence for each that cannot be read.

    Amounts of money are typed in the currency `code`, of which a US dollar buys `per_usd`, and returned in dollars.
    """
    values, errors = {knob.key: knob.value for knob in knobs}, {}
    for knob in knobs:
        text = typed.get(knob.key, "").strip()
        if not text or text == write(knob.value * (per_usd if knob.is_money else 1.0)):
            continue
        try:
            values[knob.key] = _within(knob, _parsed(text, knob, code, per_usd))
        except QuantityError as error:
            errors[knob.key] = str(error)
    return values, errors


def _parsed(text: str, knob: Knob, code: str, per_usd: float) -> float:
    if knob.unit == "%":
        return parse_quantity(text.removesuffix("%").strip())
    if knob.is_money:
        return parse_amount(kept(text, code), USD, {code: (1 / per_usd, "")})
    return parse_quantity(text, {"s": "s", "tokens": "token", "months": "month"}.get(knob.unit, ""))


def _within(knob: Knob, value: float) -> float:
    """The value, whole where it must be. QuantityError outside of what makes sense."""
    most = {"discount": 100.0, "utilisation": 100.0, "sure": 99.0}.get(knob.key, 1e18)
    least = {"runs": 1.0, "sure": 50.0}.get(knob.key, 0.0)
    positive = knob.key in ("step", "rate", "tokens", "months", "utilisation")
    if not least <= value <= most or (positive and value <= 0):
        limit = f"at most {most:g}" if value > most else f"{'above' if positive else 'at least'} {least:g}"
        raise QuantityError(f"{knob.label} must be {limit}.")
    return float(round(value)) if knob.whole else value


def write(value: float) -> str:
    """A knob's value for its field: four significant digits."""
    if value >= 1e6:
        letter, power = next((name, size) for name, size in (("T", 12), ("B", 9), ("M", 6)) if value >= 10**size)
        return f"{rounded(value / 10**power, 4)} {letter}"
    return rounded(value, 4).replace(",", "")


def outcome(
    answer: Recommendation, option: Option, knobs: tuple[Knob, ...], values: Mapping[str, float], spec: Spec
) -> Outcome:
    """The option's cost model with those values. CostError when they make no cost."""
    changes = _changes(option.cost.model, knobs, values)
    confidence = values.get("sure", asked_confidence(spec) * 100) / 100
    budget = answer.currency.of(spec.constraints.budget_usd)
    lasts = WORK[option.work].duration(option)
    if not changes:
        days = lasts.expected if lasts else None
        cash = option.cost.cash_needed
        return Outcome(
            total=option.cost.total,
            signed=option.cost.signed,
            cash=cash,
            days=days,
            drivers=answer.drivers,
            changed=False,
            flips=(),
            sure=sure_at(option, spec, option.cost.model, days, confidence, budget=budget),
        )
    model = _moved(option.cost.model, changes)
    amounts = {line.name: line.amount for line in model.lines}
    hours = amounts.get("wall_hours", amounts.get("programme_hours"))
    total = banded(model)
    days = hours / 24 if hours is not None and lasts else None
    return Outcome(
        total=total,
        signed=signed_of(model),
        cash=cash_needed(model),
        days=days,
        drivers=drivers(model),
        changed=True,
        flips=tuple(flip for flip in answer.flips if crossed(flip, changes, model.per_usd)),
        sure=sure_at(option, spec, model, days, confidence, budget=budget),
    )


def _changes(model: CostModel, knobs: tuple[Knob, ...], values: Mapping[str, float]) -> dict[str, float]:
    """New values of the model's inputs; only those that differ."""
    base = {item.name: item.value for item in model.inputs}
    ratio = {knob.key: values[knob.key] / knob.value for knob in knobs if knob.value}
    time = ratio.get("step", 1.0) * ratio.get("tokens", 1.0)
    wanted = {name: base[name] * time for name in _TIMES if name in base}
    wanted |= {name: base[name] / ratio.get("rate", 1.0) for name in _COUNTS if name in base and "rate" in ratio}
    if _PRICE in base:
        wanted[_PRICE] = values["price"] * (1 - values["discount"] / 100)
    if "goodput" in base:
        lost = (1 - base["goodput"]) * math.sqrt(values["failures"])
        wanted["goodput"] = max(1 - lost, 0.01)
    for name, scale in (
        ("runs", 1),
        ("experiment_overhead", 100),
        ("utilisation", 100),
        ("months", 1),
        ("usd_per_kwh", 1),
    ):
        if name in values and name in base:
            wanted[name] = values[name] / scale
    return {name: value for name, value in wanted.items() if not math.isclose(value, base[name], rel_tol=1e-9)}


def _moved(model: CostModel, changes: Mapping[str, float]) -> CostModel:
    """The model with those inputs, their ranges in proportion, and every amount computed again."""
    inputs = tuple(_scaled(item, changes[item.name]) if item.name in changes else item for item in model.inputs)
    moved = replace(model, inputs=inputs)
    amounts = evaluate(moved, {})
    return replace(moved, lines=tuple(replace(line, amount=amounts[line.name]) for line in moved.lines))


def _scaled(item: CostInput, value: float) -> CostInput:
    factor = value / item.value if item.value else 1.0
    low, high = (min(end * factor, most_of(item)) for end in (item.low, item.high))
    return replace(item, value=value, low=min(low, value), high=max(high, value))


def crossed(flip: Flip, changes: Mapping[str, float], per_usd: float = 1.0) -> bool:
    """Whether the new value of that input lies beyond the threshold at which another option wins.

    A price is changed in US dollars, of which one is `per_usd` of the currency that thresholds are in.
    """
    now = changes.get(flip.name)
    if now is None:
        return False
    now *= per_usd if flip.name == _PRICE else 1.0
    return now >= flip.threshold if flip.threshold > flip.now else now <= flip.threshold


__all__ = ["CostError", "Knob", "Outcome", "crossed", "knobs_of", "outcome", "read", "write"]
