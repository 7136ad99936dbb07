"""The one public entry of the engine: what is wanted, on which market → what we recommend, and why."""

from __future__ import annotations

from planner.engine.agreed import with_agreed
from planner.engine.architecture import Architecture
from planner.engine.context import Context
from planner.engine.defaults import assumptions_for
from planner.engine.glance import Glance
from planner.engine.hardware import Market
from planner.engine.result import Recommendation
from planner.engine.serving_plan import glance_serving, recommend_serving
from planner.engine.spec import Fault, Spec, SpecError
from planner.engine.spec_rules import check_spec
from planner.engine.training_plan import glance_training, recommend_training


def recommend(spec: Spec, arch: Architecture, market: Market) -> Recommendation:
    """The whole answer; equal inputs give an equal answer. SpecError when the spec breaks a rule."""
    context = _context(spec, arch, market)
    return recommend_training(context) if spec.workload == "training" else recommend_serving(context)


def glance(spec: Spec, arch: Architecture, market: Market, *, settle: bool = True) -> Glance:
    """The head of the same answer in a fraction of the time, for somebody who is still typing.

    Unless `settle`, a service may be answered in steady state first, and a training run on the likeliest accelerators:
    `Glance.settled` says so.
    """
    context = _context(spec, arch, market)
    look = glance_training if spec.workload == "training" else glance_serving
    return look(context, settle=settle)


def _context(spec: Spec, arch: Architecture, market: Market) -> Context:
    check_spec(spec)
    if spec.currency != "USD" and spec.currency not in market.fx_usd:
        raise SpecError(
            Fault("currency", "unknown", f"“currency”: the catalog has no rate for {spec.currency}; use USD.")
        )
    return Context(spec=spec, arch=arch, market=with_agreed(market, spec.agreed), assume=assumptions_for(spec))
