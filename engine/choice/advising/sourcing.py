"""Whether to rent, commit, buy or mix: when to use which."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice, BreakEven
from engine.choice.advising.facts import Case, advice
from engine.inputs.finding import Finding, Quantity, Sum, Typed

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
    runs = case.training.runs if case.training else 1
    if offer is None:
        return
    if offer.term_months:
        yield advice("source.committed", _HOW, months=offer.term_months)
    elif case.spot:
        yield advice("source.spot", _HOW, count=count, time=Quantity(days, "day"))
    elif case.serving is not None:
        yield from _service_pattern(case)
    elif count >= _FRONTIER:
        yield advice("source.frontier", _HOW, count=count)
    elif runs >= _FREQUENT_RUNS or case.spec.horizon_months >= _STEADY_MONTHS:
        yield advice("source.frequent", _HOW, runs=runs, months=case.spec.horizon_months)
    elif case.training and case.training.method in _TUNED:
        yield advice("source.one-off", _HOW)
    else:
        yield advice("source.occasional", _HOW, count=count, days=round(max(days, 1.0)))


def _service_pattern(case: Case) -> Iterator[Advice]:
    curve = case.serving.load_curve if case.serving else ()
    mean = sum(curve) / len(curve) if curve else 1.0
    if case.spec.operations.keep_capacity:
        yield advice("source.kept-load", _HOW)
    elif mean and max(curve, default=1.0) / mean >= _VARIABLE:
        yield advice("source.variable-load", _HOW, times=max(curve) / mean)
    elif not (case.serving and case.serving.batch):
        yield advice("source.steady-load", _HOW)
