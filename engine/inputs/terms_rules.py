"""Rules of agreed terms: no two of them may say different things of the same price, money or server."""

from __future__ import annotations

from collections.abc import Iterator

from engine.inputs.discounts import ANY, beside, contradicting
from engine.inputs.finding import Ref, Typed
from engine.inputs.spec import Fault, Spec


def terms_faults(spec: Spec) -> list[Fault]:
    """Every broken rule of discounts, spend commitments and leases."""
    return [*_discounts(spec), *_commitments(spec), *_leases(spec)]


def _discounts(spec: Spec) -> Iterator[Fault]:
    """One percentage for one price: of two that meet, one must be the narrower, and an agreed price is no list price."""
    for first, second in contradicting(spec.discounts):
        other = {"other": Ref("field", f"discounts.{first}.at")}
        yield Fault(f"discounts.{second}.at", "conflict.discounts", other)
    for index, one in enumerate(spec.discounts):
        if one.at.count("/") > 2 or "" in one.at.split("/"):
            yield Fault(f"discounts.{index}.at", "invalid.discount", {"at": Typed(one.at[:80])})
    for index, price in enumerate(spec.agreed):
        place = beside(price, spec.discounts)
        if place is not None:
            yield Fault(
                f"discounts.{place}.at", "conflict.agreed_discount", {"other": Ref("field", f"agreed.{index}.item")}
            )


def _commitments(spec: Spec) -> Iterator[Fault]:
    """One commitment for one provider, which has not ended, and a discount for what draws it."""
    seen: set[str] = set()
    for index, one in enumerate(spec.spend_commitments):
        where = f"spend_commitments.{index}"
        if one.provider in seen:
            yield Fault(f"{where}.provider", "conflict.commitments", {"provider": Typed(one.provider)})
        seen.add(one.provider)
        if spec.as_of and one.until < spec.as_of:
            yield Fault(
                f"{where}.until", "past.commitment", {"day": Typed(str(one.until)), "today": Typed(str(spec.as_of))}
            )
        if one.lapses == "hourly" and one.option not in (ANY, "on_demand"):
            yield Fault(f"{where}.option", "conflict.hourly_option")
        if one.option != ANY and not one.discount:
            yield Fault(f"{where}.option", "unexpected.commitment_option", {"other": Ref("field", f"{where}.discount")})


def _leases(spec: Spec) -> Iterator[Fault]:
    """One lease for one server."""
    seen: set[str] = set()
    for index, one in enumerate(spec.leases):
        if one.system in seen:
            yield Fault(f"leases.{index}.system", "conflict.leases", {"system": Typed(one.system)})
        seen.add(one.system)
