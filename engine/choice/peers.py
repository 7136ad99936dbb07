"""What others list for the same accelerator on the same terms, and why an offer that asks less than all of them may do so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from statistics import median

from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.hardware import Market, Offer
from engine.inputs.named import seller_ref
from engine.money.drift import is_agreed

ENOUGH = 3
"""Lists of others from which what is usual can be told."""
_NEAR = 1.01
"""Times a price up to which two lists ask the same."""
_LITTLE = 1.125
"""Times a price up to which the next is no more than lists usually differ by."""
_FAR_BELOW = 0.5
"""Part of the least list below which an agreed price is asked about."""
_OLDER_DAYS = 30
"""Days by which a price must be older than the middle of the others' to be the reason."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """What one other provider asks for that accelerator on those terms, wherever it has it [USD per accelerator-hour]."""

    provider: str
    least: float
    most: float
    cheapest: Offer


def peers_of(market: Market, offer: Offer) -> tuple[Peer, ...]:
    """Every other provider's list, the cheapest first."""
    by_provider: dict[str, list[Offer]] = {}
    for one in market.lists.get((offer.device, offer.option), ()):
        if one.provider != offer.provider:
            by_provider.setdefault(one.provider, []).append(one)
    found = [_peer(provider, offers) for provider, offers in by_provider.items()]
    return tuple(sorted(found, key=lambda peer: (peer.least, peer.provider)))


def _peer(provider: str, offers: list[Offer]) -> Peer:
    cheapest = min(offers, key=lambda one: (each(one), one.id))
    return Peer(provider=provider, least=each(cheapest), most=max(map(each, offers)), cheapest=cheapest)


def each(offer: Offer) -> float:
    """What an accelerator-hour of that offer costs [USD]."""
    return offer.usd_per_hour / offer.devices


def cheaper_than_all(context: Context, offer: Offer) -> Iterator[Finding]:
    """That the offer asks less than every other list, and why, as far as the lists tell; where too few lists are known to say
    what is usual, how many there are. Nothing of an agreed price."""
    peers = peers_of(context.market, offer)
    if is_agreed(offer):
        return
    if len(peers) < ENOUGH:
        yield _too_few(offer, peers)
        return
    if each(offer) * _NEAR >= peers[0].least:
        return
    yield finding(
        "warning.price.cheapest",
        provider=seller_ref(offer),
        price=Sum(each(offer)),
        count=len(peers),
        next=seller_ref(peers[0].cheapest),
        least=Sum(peers[0].least),
        middle=Sum(median(peer.least for peer in peers)),
        why=_why(context.market, offer, peers),
    )


def _too_few(offer: Offer, peers: tuple[Peer, ...]) -> Finding:
    """How many others state a price on these terms, and the cheapest of them."""
    price = Sum(each(offer))
    if not peers:
        return finding("warning.price.no_other", provider=seller_ref(offer), price=price)
    return finding(
        "warning.price.few_others",
        provider=seller_ref(offer),
        price=price,
        count=len(peers),
        next=seller_ref(peers[0].cheapest),
        least=Sum(peers[0].least),
    )


def far_below_lists(context: Context, offer: Offer) -> Iterator[Finding]:
    """That an agreed price is so far below what others list that it may have been meant for one accelerator and not for an instance."""
    peers = peers_of(context.market, offer) if is_agreed(offer) and offer.devices > 1 else ()
    if not peers or each(offer) > _FAR_BELOW * peers[0].least:
        return
    yield finding(
        "warning.price.agreed_low",
        provider=seller_ref(offer),
        agreed=Sum(offer.usd_per_hour),
        devices=offer.devices,
        price=Sum(each(offer)),
        next=seller_ref(peers[0].cheapest),
        least=Sum(peers[0].least),
    )


def _why(market: Market, offer: Offer, peers: tuple[Peer, ...]) -> Finding:
    """The first reason that the lists give; that they give none, where they do not."""
    found = (
        _older(offer, peers),
        _elsewhere(market, offer, peers),
        finding("cheaper.one_zone") if offer.zones == 1 else None,
        _discount(market, offer),
        finding("cheaper.little", share=Quantity(peers[0].least / each(offer) - 1.0, "share"))
        if peers[0].least <= _LITTLE * each(offer)
        else None,
        _alone(market, offer),
    )
    return next((one for one in found if one is not None), finding("cheaper.unsaid"))


def _older(offer: Offer, peers: tuple[Peer, ...]) -> Finding | None:
    """Was it read long before the middle one of theirs?"""
    days = round(median(_days(peer.cheapest) for peer in peers) - _days(offer))
    return finding("cheaper.older", days=days) if days > _OLDER_DAYS else None


def _elsewhere(market: Market, offer: Offer, peers: tuple[Peer, ...]) -> Finding | None:
    """Does the provider itself ask as much as the others in another region?"""
    same = [one for one in market.lists[offer.device, offer.option] if one.provider == offer.provider]
    dearest = max(same, key=each)
    if dearest.region == offer.region or each(dearest) * _NEAR < peers[0].least:
        return None
    return finding("cheaper.region", most=Sum(each(dearest)))


def _discount(market: Market, offer: Offer) -> Finding | None:
    """Is it spot that is further below its own on-demand price than that of others is below theirs?"""
    lists = market.lists.get((offer.device, "spot"), ())
    others = [_off(one) for one in lists if one.provider != offer.provider and _off(one)]
    if offer.option != "spot" or not others or _off(offer) <= median(others):
        return None
    return finding("cheaper.discount", own=Quantity(_off(offer), "share"), usual=Quantity(median(others), "share"))


def _off(offer: Offer) -> float:
    """By which share spot is below the on-demand price of the same machine; 0 where there is none."""
    sure = offer.on_demand_usd_per_hour
    return max(1.0 - offer.usd_per_hour / sure, 0.0) if sure else 0.0


def _alone(market: Market, offer: Offer) -> Finding | None:
    """Does it state no network between its machines, where others that do ask more?"""
    lists = market.lists[offer.device, offer.option]
    joined = [each(one) for one in lists if one.scaleout_bandwidth > 0 and one.provider != offer.provider]
    return finding("cheaper.no_network", least=Sum(min(joined))) if joined and offer.scaleout_bandwidth <= 0 else None


def _days(offer: Offer) -> int:
    """The day of its price as a count of days; 0 where it has none."""
    try:
        return date.fromisoformat(offer.price_date).toordinal()
    except ValueError:
        return 0
