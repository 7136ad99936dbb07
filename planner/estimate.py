"""The one path from a Spec to a Plan: form, API and command line all come through here."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator

from engine.answer import Glance
from engine.entry import glance, recommend
from engine.inputs.certificates import shown_names
from engine.inputs.discounts import holds
from engine.inputs.finding import Typed
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.inputs.spec import MOST_HINTS, Fault, Spec, SpecError
from planner.frozen.snapshot import Plan, freeze
from planner.request.day import on_its_day


def estimate(spec: Spec, market: Market, *, known: Known | None = None) -> Plan:
    """The frozen plan for that spec on that market, made today unless the spec says when.

    SpecError when it names what the market does not know, or starts in the past.
    `known`: what the door remembers of earlier searches; it changes no answer.
    """
    dated = on_its_day(spec)
    _check_names(dated, market)
    return freeze(dated, recommend(dated, market, known=known))


def first_look(spec: Spec, market: Market, *, settle: bool = True, known: Known | None = None) -> Glance:
    """The head of the same plan, not frozen, for a live panel. SpecError as above.

    Unless `settle`, a first number may come first: see `engine.entry.glance`.
    """
    dated = on_its_day(spec)
    _check_names(dated, market)
    return glance(dated, market, settle=settle, known=known)


def _check_names(spec: Spec, market: Market) -> None:
    faults = list(_unknown_names(spec, market))
    if faults:
        raise SpecError(*faults)


def _unknown_names(spec: Spec, market: Market) -> Iterator[Fault]:
    """Accelerators, providers, regions and coefficients that do not exist, each with the nearest that does."""
    limits = spec.constraints
    yield from _unknown("constraints.accelerators", limits.accelerators, market.devices)
    yield from _unknown("constraints.providers", limits.providers, market.providers)
    yield from _unknown("constraints.regions", limits.regions, market.regions)
    yield from _unknown("constraints.certificates", limits.certificates, market.certificates)
    if limits.attested:
        yield from _unknown("constraints.attested", limits.attested, shown_names(market))
    if spec.agreed:
        sold = {offer.id for offer in market.offers} | {system.slug for system in market.systems}
        sold |= {price.item for price in spec.agreed if price.what == "currency"}  # which one is a rule of the request
        yield from _unknown("agreed", (price.item for price in spec.agreed), sold, leaf="item")
    yield from _unknown_terms(spec, market)
    yield from _unknown("owned", (item.accelerator for item in spec.owned), market.devices, leaf="accelerator")
    yield from _unknown("measured", (item.accelerator for item in spec.measured), market.devices, leaf="accelerator")


def _unknown_terms(spec: Spec, market: Market) -> Iterator[Fault]:
    """Of discounts, commitments and leases: whom and what the market does not sell."""
    if spec.discounts:
        parts = [(offer.provider, offer.instance, offer.region) for offer in market.offers]
        sold = {"/".join(part[:size]) for part in parts for size in (1, 2, 3)}
        yield from _unknown("discounts", (one.at for one in spec.discounts), sold, leaf="at")
        for index, one in enumerate(spec.discounts):
            if one.at in sold and not any(holds(one.at, one.option, offer) for offer in market.offers):
                yield Fault(f"discounts.{index}.option", "unknown.discount", {"at": Typed(one.at)})
    asked = (one.provider for one in spec.spend_commitments)
    yield from _unknown("spend_commitments", asked, market.providers, leaf="provider")
    servers = {system.slug for system in market.systems}
    yield from _unknown("leases", (one.system for one in spec.leases), servers, leaf="system")


def _unknown(path: str, names: Iterable[str], known: Iterable[str], *, leaf: str = "") -> Iterator[Fault]:
    catalog, hints = frozenset(known), MOST_HINTS
    for index, name in enumerate(names):
        if name in catalog:
            continue
        near = difflib.get_close_matches(name.lower(), sorted(catalog), n=3, cutoff=0.3) if hints else []
        hints -= bool(hints)
        where = ".".join(part for part in (path, str(index), leaf) if part)
        code = "unknown.nearest_in_catalog" if near else "unknown.not_in_catalog"
        yield Fault(where, code, {"name": Typed(name[:80]), "near": Typed(", ".join(near))})
