"""On which statements it rests that a plan has the certificates that were asked for; whom they exclude where nobody is left."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Certified, Option, Rejection
from engine.context import Context
from engine.inputs.certificates import proof_of
from engine.inputs.finding import Finding, finding
from engine.inputs.hardware import Offer
from engine.inputs.named import certificate_ref, named
from engine.supply import may_buy

_EXCLUDED = "certificate_"
_LEASED = "lease"


def certified_of(context: Context, best: Option) -> tuple[Certified, ...]:
    """For each certificate that was asked, in that order, each provider of the option with its statement."""
    wanted = context.spec.constraints.certificates
    return tuple(found for one in wanted for found in _of_one(context, best, one))


def _of_one(context: Context, best: Option, wanted: str) -> Iterator[Certified]:
    name = certificate_ref(context.market, wanted).name
    rented = [offer for offer in _rented(best) if offer.option != _LEASED]
    for offer in {offer.provider: offer for offer in reversed(rented)}.values():
        yield _stated(context, offer, wanted, name)
    if not rented:
        yield Certified(certificate=wanted, name=name, provider="", seller="", by="own_site")


def _rented(best: Option) -> list[Offer]:
    """All that is rented for it: at one site or two."""
    if best.sites:
        return [site.offer for site in best.sites]
    return [best.offer] if best.offer else []


def _stated(context: Context, offer: Offer, wanted: str, name: str) -> Certified:
    proof = proof_of(context.market, context.spec.constraints.attested, offer, wanted)
    who = {"certificate": wanted, "name": name, "provider": offer.provider, "seller": offer.seller}
    if proof.by is None:
        return Certified(**who, by="request", stated=wanted)
    by = proof.by
    return Certified(**who, by="catalog", stated=by.certificate, scope=by.scope, source=by.source, date=by.date)


def nobody_certified(context: Context) -> Finding | None:
    """That no provider is left who is known to hold what is asked, and whom which certificate excludes; None where somebody is left, or
    hardware of one's own."""
    spec = context.spec
    left = [one for one in context.supplies.supplies if one.offer is not None or one.kind == "owned"]
    excluded = [one for one in context.supplies.rejected if one.code.startswith(_EXCLUDED)]
    if left or may_buy(spec) or not excluded:
        return None
    why = tuple(_excludes(one) for one in excluded)
    return finding("refusal.certificates", certificates=named(context.market, spec.constraints.certificates), why=why)


def _excludes(one: Rejection) -> Finding:
    """Whom one certificate excludes: the first few by name, and how many more."""
    names = dict(one.nearest.values) if one.nearest else {}
    code = f"excluded.{one.code}.more" if "rest" in names else f"excluded.{one.code}"
    return Finding(code, {**one.reason.values, **names})
