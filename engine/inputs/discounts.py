"""Which agreed discount holds for an offer: of those that name it the narrowest; two of which neither is narrower contradict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from engine.inputs.hardware import Offer
from engine.inputs.spec import AgreedPrice
from engine.inputs.terms import Discount

ANY = "any"


def holds(at: str, option: str, offer: Offer) -> bool:
    """Does a discount on that, had that way, hold for the offer? Servers that are leased have their own rate."""
    if offer.option == "lease":
        return False
    names = f"{offer.provider}/{offer.instance}/{offer.region}/".startswith(f"{at}/")
    return names and option in (ANY, offer.option)


def discount_of(offer: Offer, discounts: Iterable[Discount]) -> Discount | None:
    """The narrowest that holds for it; None where none does."""
    found = [one for one in discounts if holds(one.at, one.option, offer)]
    return max(found, key=lambda one: (one.at.count("/"), one.option != ANY), default=None)


def contradicting(discounts: Sequence[Discount]) -> list[tuple[int, int]]:
    """Places of two that hold for the same offer without one of them being the narrower."""
    return [
        (first, second)
        for (first, one), (second, other) in combinations(enumerate(discounts), 2)
        if _meet(one, other) and _narrower(one, other) == _narrower(other, one)
    ]


def beside(price: AgreedPrice, discounts: Sequence[Discount]) -> int | None:
    """Place of a discount that names the very offer of that price; None where none does."""
    if price.what != "instance_hour" or price.item.count("/") < 3:
        return None
    at, _, option = price.item.rpartition("/")
    return next((index for index, one in enumerate(discounts) if (one.at, one.option) == (at, option)), None)


def _meet(one: Discount, other: Discount) -> bool:
    """Is there an offer that both may hold for?"""
    names = f"{one.at}/".startswith(f"{other.at}/") or f"{other.at}/".startswith(f"{one.at}/")
    return names and (one.option == other.option or ANY in (one.option, other.option))


def _narrower(one: Discount, other: Discount) -> bool:
    """Does the other hold for all that this one holds for?"""
    return f"{one.at}/".startswith(f"{other.at}/") and other.option in (ANY, one.option)
