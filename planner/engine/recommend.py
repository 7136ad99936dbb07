"""The one public entry of the engine: what is wanted, on which market → what we recommend, and why."""

from __future__ import annotations

from planner.engine.agreed import with_agreed
from planner.engine.architecture import Architecture
from planner.engine.context import Context
from planner.engine.defaults import assumptions_for
from planner.engine.hardware import Market
from planner.engine.result import Recommendation
from planner.engine.serving_plan import recommend_serving
from planner.engine.spec import Fault, Spec, SpecError
from planner.engine.spec_rules import check_spec
from planner.engine.training_plan import recommend_training


def recommend(spec: Spec, arch: Architecture, market: Market) -> Recommendation:
    """The whole answer; equal inputs give an equal answer. SpecError when the spec breaks a rule."""
    check_spec(spec)
    if spec.currency != "USD" and spec.currency not in market.fx_usd:
        raise SpecError(
            Fault("currency", "unknown", f"“currency”: the catalog has no rate for {spec.currency}; use USD.")
        )
    context = Context(spec=spec, arch=arch, market=with_agreed(market, spec.agreed), assume=assumptions_for(spec))
    return recommend_training(context) if spec.workload == "training" else recommend_serving(context)
