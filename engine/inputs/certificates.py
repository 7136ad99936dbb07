"""Certificates that a request may ask of whoever supplies it, who states that it holds which, and on what such a claim rests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.inputs.hardware import Attestation, Market, Offer

Standing = Literal["held", "elsewhere", "pending", "unknown"]
"""held: stated, for that place. elsewhere: stated, for other places only. pending: the provider says that it does not hold it yet.
unknown: nothing was found, which is no statement that it is not held."""
_BETWEEN = "/"
"""Between provider and certificate, as a request names what a provider has shown to the team."""


@dataclass(frozen=True, kw_only=True)
class Proof:
    """How far one provider is known to hold a certificate for one place, and the statement that says so."""

    standing: Standing
    by: Attestation | None = None
    """None where the team itself has seen it, and where nothing is known."""


def proof_of(market: Market, shown: Sequence[str], offer: Offer, wanted: str) -> Proof:
    """How far that offer's provider is known to hold that certificate there. `shown`: what providers have shown to the team itself,
    as “provider/certificate”."""
    if any(f"{offer.provider}{_BETWEEN}{one}" in shown for one in enough_for(market, wanted)):
        return Proof(standing="held")
    found = [
        market.attestations[key]
        for one in enough_for(market, wanted)
        if (key := f"{offer.provider}{_BETWEEN}{one}") in market.attestations
    ]
    held = [one for one in found if one.held]
    here = next((one for one in held if covers(one, offer)), None)
    if here:
        return Proof(standing="held", by=here)
    if held:
        return Proof(standing="elsewhere", by=held[0])
    return Proof(standing="pending", by=found[0]) if found else Proof(standing="unknown")


def enough_for(market: Market, wanted: str) -> Iterator[str]:
    """That certificate itself, and those that are at least as much."""
    yield wanted
    for slug, one in market.certificates.items():
        if wanted in one.includes:
            yield slug


def covers(stated: Attestation, offer: Offer) -> bool:
    """Does it hold where that offer stands? One that names no place is taken for the whole provider."""
    if not stated.regions and not stated.countries:
        return True
    return offer.region in stated.regions or offer.country in stated.countries


def shown_names(market: Market) -> frozenset[str]:
    """All that a request can name as shown to the team."""
    return frozenset(f"{provider}{_BETWEEN}{slug}" for provider in market.providers for slug in market.certificates)
