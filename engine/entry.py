"""The one public entry of the engine: what is wanted, on which market → what we recommend, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.answer import Glance, Levers, Option, Recommendation
from engine.choice.backing import backing_of
from engine.choice.certified import certified_of
from engine.choice.loosening import Way, weighed
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
from engine.kinds.table import GLANCE, RECOMMEND, WAYS
from engine.money.converted import glance_in, recommendation_in
from engine.money.drift import expected_by
from engine.money.tariffs import placed


def recommend(spec: Spec, market: Market, *, known: Known | None = None) -> Recommendation:
    """The whole answer; equal inputs give an equal answer. SpecError when the spec breaks a rule
    or names a model that the market does not know.

    `known`: what the caller remembers of earlier searches. It saves time and changes nothing; the engine keeps nothing.
    """
    context = _context(spec, market, known)
    answer = RECOMMEND[spec.kind](context)
    return _supplied(context, market, recommendation_in(answer, context.currency, context.start))


def _supplied(context: Context, market: Market, answer: Recommendation) -> Recommendation:
    """The answer with what stands behind its prices, what to ask for to have its hardware, and quotes that end."""
    best = answer.recommended
    return replace(
        answer,
        backing=backing_of(context, best) if best else (),
        obtaining=obtaining_of(context, best) if best else (),
        certificates=certified_of(context, best) if best else (),
        warnings=(*answer.warnings, *quote_warnings(context, market, best)),
    )


def glance(spec: Spec, market: Market, *, settle: bool = True, known: Known | None = None) -> Glance:
    """The head of the same answer in a fraction of the time, for somebody who is still typing.

    Unless `settle`, a service may be answered in steady state first, and a training run on the likeliest accelerators:
    `Glance.settled` says so. `known` as in `recommend`.
    """
    context = _context(spec, market, known)
    return glance_in(GLANCE[spec.kind](context, settle=settle), context.currency, context.start)


def levers(spec: Spec, market: Market, *, known: Known | None = None) -> Levers | None:
    """What a team could give up, sign or bring along for less money, each answered as `glance` answers it; None where nothing keeps the
    request, or something else than cost decides.

    Every one is a search, which `known` makes short after a plan of the same request: as many as ten in the time of one plan.
    """
    remembered = Known() if known is None else known
    base = glance(spec, market, known=remembered).best
    if base is None or not base.keeps_limits or spec.objective != "cost":
        return None
    context = _context(spec, market, remembered)
    return weighed(context, base, _answered(context, base, market))


def ways(spec: Spec, market: Market, *, known: Known | None = None) -> tuple[Way, ...]:
    """The changes that `levers` weighs, without what they come to."""
    remembered = Known() if known is None else known
    base = glance(spec, market, known=remembered).best
    return tuple(WAYS[spec.kind](_context(spec, market, remembered), base)) if base else ()


def _answered(context: Context, base: Option, market: Market) -> Iterator[tuple[Way, Option | None]]:
    """Each way with what is recommended then; those that break a rule of requests are none."""
    for way in WAYS[context.spec.kind](context, base):
        try:
            yield way, glance(way.spec, market, known=context.known).best
        except SpecError:
            continue


def _context(spec: Spec, market: Market, known: Known | None) -> Context:
    check_spec(spec)
    if spec.currency != "USD" and spec.currency not in market.fx_usd:
        raise SpecError(Fault("currency", "unknown.currency", {"currency": Typed(spec.currency)}))
    if (country := spec.site.country) and country not in market.carbon_g_per_kwh and country not in market.sites:
        raise SpecError(Fault("site.country", "unknown.country", {"country": Typed(country)}))
    arch = model_of(spec, market)
    if not is_language_model(arch) and (faults := sample_faults(spec)):
        raise SpecError(*faults)
    context = Context(
        spec=spec,
        arch=arch,
        market=with_agreed(market, spec),
        assume=placed(spec, market, assumptions_for(spec)),
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
