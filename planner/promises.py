"""How likely an option keeps what was asked of its latency: the engine's rule as pages and documents ask it."""

from __future__ import annotations

from engine.answer import Option
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK


def promise_chance(option: Option, spec: Spec) -> float | None:
    """Probability that the promised latencies are kept; None for a run, and for a service without a promise."""
    return WORK[option.work].promise(option, spec)


def asked_confidence(spec: Spec) -> float:
    """How sure a plan must be of all its limits together."""
    return spec.assumptions.get("select.confidence", spec.confidence.all)
