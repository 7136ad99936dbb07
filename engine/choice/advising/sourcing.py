"""Whether to rent, commit, buy or mix: when to use which."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from engine.answer import Advice, BreakEven
from engine.choice.advising.facts import Case, advice
from engine.inputs.finding import Finding, Quantity, Sum, Typed
from engine.inputs.kind import PerKind

_REGULATED = {"hipaa", "air-gapped", "export-control"}
_FRONTIER = 1024
_VARIABLE = 1.5
"""Peak over mean load from which an autoscaled service beats a fixed one."""
_FREQUENT_RUNS = 5
_STEADY_MONTHS = 6.0
_TOPIC = "rent_or_buy"
_HOW = "how_to_rent"
_TUNED = ("finetune", "lora", "qlora")


def sourcing_advice(case: Case) -> Iterator[Advice]:
    """Advice on the way to obtain the accelerators."""
    yield from _regulated(case)
    yield from _ownership(case)
    yield from _pattern(case)
    if case.option.kind == "on_prem":
        yield _delivery(case)


def _delivery(case: Case) -> Advice:
    bridge = next((line.amount for line in case.option.cost.model.lines if line.name == "bridge"), 0.0)
    if bridge:
        return advice("source.lead-time-rent", "delivery", bridge=Sum(bridge))
    return advice("source.lead-time", "delivery", why="air_gapped" if case.spec.air_gapped else "")


def _regulated(case: Case) -> Iterator[Advice]:
    rules = tuple(Typed(rule) for rule in sorted(case.rules & _REGULATED))
    if rules:
        yield advice("source.regulated-own" if case.spec.air_gapped else "source.regulated", "place", rules=rules)


def _ownership(case: Case) -> Iterator[Advice]:
    """One verdict, that of the recommendation; what speaks for the other is its reason."""
    point, horizon = case.option.cost.break_even, case.spec.horizon_months
    if case.option.kind == "on_prem":
        if horizon:
            yield advice("source.buy-horizon", _TOPIC, months=horizon)
        else:
            yield advice("source.buy", _TOPIC)
    elif point is None:
        return
    elif not horizon:
        yield _verdict("source.no-horizon", point)
    elif point.owning_pays:
        yield _verdict("source.quote", point)
    else:
        yield _verdict("source.rent", point)


def _verdict(rule: str, point: BreakEven) -> Advice:
    return Advice(rule=rule, topic=_TOPIC, choice=Finding(f"advice.{rule}"), reason=point.told)


def _pattern(case: Case) -> Iterator[Advice]:
    """How to rent what the plan rents, in the terms that it recommends."""
    offer, count, days = case.option.offer, case.option.count, case.option.days.expected
    if offer is None:
        return
    if offer.term_months:
        yield advice("source.committed", _HOW, months=offer.term_months)
    elif case.spot:
        yield advice("source.spot", _HOW, count=count, time=Quantity(days, "day"))
    elif offer.option == "capacity_block":
        yield advice("source.block", _HOW, count=count, time=Quantity(days, "day"))
    else:
        yield from _PATTERNS[case.kind](case)


def _run_pattern(case: Case) -> Iterator[Advice]:
    count, days, runs = case.option.count, case.option.days.expected, case.training.runs
    if count >= _FRONTIER:
        yield advice("source.frontier", _HOW, count=count)
    elif runs >= _FREQUENT_RUNS or case.spec.horizon_months >= _STEADY_MONTHS:
        yield advice("source.frequent", _HOW, runs=runs, months=case.spec.horizon_months)
    elif case.training.method in _TUNED:
        yield advice("source.one-off", _HOW)
    else:
        yield advice("source.occasional", _HOW, count=count, days=round(max(days, 1.0)))


def _service_pattern(case: Case) -> Iterator[Advice]:
    yield from _load_pattern(case) or (advice("source.steady-load", _HOW),)


def _load_pattern(case: Case) -> tuple[Advice, ...]:
    """Where the load says how to rent; none where it is steady."""
    curve = case.serving.load_curve
    mean = sum(curve) / len(curve) if curve else 1.0
    if case.spec.operations.keep_capacity:
        return (advice("source.kept-load", _HOW),)
    if mean and max(curve, default=1.0) / mean >= _VARIABLE:
        return (advice("source.variable-load", _HOW, times=max(curve) / mean),)
    return ()


_PATTERNS: Final[PerKind[Callable[[Case], Iterable[Advice]]]] = {
    "run": _run_pattern,
    "service": _service_pattern,
    "batch": _load_pattern,
}
