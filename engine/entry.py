"""The one public entry of the engine: what is wanted, on which market → what we recommend, and why."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Glance, Recommendation
from engine.choice.backing import backing_of
from engine.choice.obtaining import obtaining_of
from engine.choice.quotes import quote_warnings
from engine.context import Context
from engine.defaults import assumptions_for, check_spec
from engine.inputs.agreed import with_agreed
from engine.inputs.architecture import Architecture, is_language_model
from engine.inputs.finding import Typed
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.inputs.rules import sample_faults
from engine.inputs.spec import Fault, Spec, SpecError
from engine.kinds.service.plan import glance_serving, recommend_serving
from engine.kinds.training.plan import glance_training, recommend_training
from engine.money.converted import glance_in, recommendation_in
from engine.money.drift import expected_by


def recommend(spec: Spec, market: Market, *, known: Known | None = None) -> Recommendation:
    """The whole answer; equal inputs give an equal answer. SpecError when the spec breaks a rule
    or names a model that the market does not know.

    `known`: what the caller remembers of earlier searches. It saves time and changes nothing; the engine keeps nothing.
    """
    context = _context(spec, market, known)
    answer = recommend_training(context) if spec.workload == "training" else recommend_serving(context)
    return _supplied(context, market, recommendation_in(answer, context.currency, context.start))


def _supplied(context: Context, market: Market, answer: Recommendation) -> Recommendation:
    """The answer with what stands behind its prices, what to ask for to have its hardware, and quotes that end."""
    best = answer.recommended
    return replace(
        answer,
        backing=backing_of(context, best) if best else (),
        obtaining=obtaining_of(context, best) if best else (),
        warnings=(*answer.warnings, *quote_warnings(context, market, best)),
    )


def glance(spec: Spec, market: Market, *, settle: bool = True, known: Known | None = None) -> Glance:
    """The head of the same answer in a fraction of the time, for somebody who is still typing.

    Unless `settle`, a service may be answered in steady state first, and a training run on the likeliest accelerators:
    `Glance.settled` says so. `known` as in `recommend`.
    """
    context = _context(spec, market, known)
    look = glance_training if spec.workload == "training" else glance_serving
    return glance_in(look(context, settle=settle), context.currency, context.start)


def _context(spec: Spec, market: Market, known: Known | None) -> Context:
    check_spec(spec)
    if spec.currency != "USD" and spec.currency not in market.fx_usd:
        raise SpecError(Fault("currency", "unknown.currency", {"currency": Typed(spec.currency)}))
    arch = model_of(spec, market)
    if not is_language_model(arch) and (faults := sample_faults(spec)):
        raise SpecError(*faults)
    context = Context(
        spec=spec,
        arch=arch,
        market=with_agreed(market, spec),
        assume=assumptions_for(spec),
        known=Known() if known is None else known,
    )
    return replace(context, market=expected_by(context.market, context.start, context.assume))


def model_of(spec: Spec, market: Market) -> Architecture:
    """The model that the spec carries, or the market's under the slug that it names. SpecError where there is none."""
    if isinstance(spec.model, Architecture):
        return spec.model
    if spec.model not in market.models:
        raise SpecError(Fault("model", "unknown.preset", {"name": Typed(spec.model[:80])}))
    return market.models[spec.model]
