"""Where an edited input belongs in the request: a field, an agreed price, an assumption, or nowhere and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.answer import CostInput, Option
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.spec import AgreedPrice, Fault, Priced, Spec, SpecError
from exports.cost_values import CAPITAL, DISCOUNT
from planner.frozen.snapshot import Plan

_OFFER_PRICES: dict[str, Priced] = {
    "price_per_instance_hour": "instance_hour",
    "storage_usd_per_gb_month": "storage_gb_month",
    "egress_usd_per_gb": "egress_gb",
}
_HOURLY = ("price_per_instance_hour",)
"""Prices that a spend commitment has taken its share off."""
_FIELDS: dict[str, tuple[str, float]] = {
    "budget": ("constraints.budget_usd", 1.0),
    "runs": ("training.runs", 1.0),
    "experiment_overhead": ("training.experiment_overhead", 1.0),
    "utilisation": ("utilisation", 1.0),
    "horizon_months": ("horizon_months", 1.0),
    "horizon_years": ("horizon_months", 12.0),
    "months": ("horizon_months", 1.0),
    "tax_on_purchases": ("taxes.purchases", 1.0),
    "tax_on_services": ("taxes.services", 1.0),
    "tax_recovered": ("taxes.recovered", 1.0),
    "duty_share": ("taxes.import_duty", 1.0),
}
"""Inputs that are a field of the request: its path, and how many of its units make one of the input's. A budget is in the
plan's currency."""
_WHY_NOT = {
    "fx_rate": "The plan is in US dollars and only shown at the team's rate: set that, with its day and source, on the page "
    "Branding.",
    "fallback_share": "It follows from the assumption cost.spot_fallback_share and from how many accelerators a provider usually "
    "has free: change that assumption.",
    "spend_discount": "The price of an instance-hour holds it already: change the commitment in the request.",
    "spend_months": "It follows from the last day of the commitment: change that in the request.",
    "spend_hours": "It follows from the last day of the commitment: change that in the request.",
    "spend_whole_hours": "It follows from the last day of the commitment: change that in the request.",
    "residual_share": "It follows from the assumption onprem.residual_share and the years of holding: change that one.",
}
_OF_COMMITMENT = {"spend_left": "left_usd", "spend_others_month": "others_usd_month"}
"""Inputs that are a field of the commitment with the provider that is rented from; both in US dollars."""
_ASSUMPTIONS = {DISCOUNT: f"onprem.{CAPITAL}", "fallback_share": "cost.spot_fallback_share"}
"""Inputs that stand for an assumption of another name."""
_FROM_LAYOUT = "It follows from the layout and the physics of the plan: change the request instead."


@dataclass(frozen=True, kw_only=True)
class Target:
    """Where one input goes. `kind` none: nowhere, and `why` says the reason."""

    kind: str
    """request | price | assumption | none"""
    path: str = ""
    price: AgreedPrice | None = None
    """Which price, with an amount of 0."""
    factor: float = 1.0
    why: str = ""


def target_of(plan: Plan, item: CostInput) -> Target:
    """Where a new value of that input is kept in the request."""
    best = plan.recommendation.recommended
    assert best is not None
    if item.name == "price_per_instance_hour" and best.offer and best.offer.option == "lease":
        place = [one.system for one in plan.spec.leases].index(best.offer.instance)
        return Target(kind="request", path=f"leases.{place}.usd_month", factor=HOURS_PER_MONTH)
    price = _price(plan.spec, best, item.name)
    if price:
        return Target(
            kind="price",
            price=price,
            factor=best.offer.before_commitment(1.0) if best.offer and item.name in _HOURLY else 1.0,
        )
    if item.name in _OF_COMMITMENT and best.offer:
        places = [one.provider for one in plan.spec.spend_commitments]
        return Target(
            kind="request", path=f"spend_commitments.{places.index(best.offer.provider)}.{_OF_COMMITMENT[item.name]}"
        )
    if item.name in _FIELDS and _has(plan.spec, _FIELDS[item.name][0]):
        path, factor = _FIELDS[item.name]
        factor /= best.cost.model.per_usd if path.endswith("_usd") else 1.0
        return Target(kind="request", path=path, factor=factor)
    for path in (_ASSUMPTIONS.get(item.name, f"onprem.{item.name}"), f"cost.{item.name}"):
        for known in plan.recommendation.assumptions:
            if known.id == path and known.editable and _equal(known.value, item.value):
                return Target(kind="assumption", path=known.id)
    return Target(kind="none", why=_WHY_NOT.get(item.name, _FROM_LAYOUT))


def _equal(first: float, second: float) -> bool:
    return abs(first - second) <= 1e-9 * max(1.0, abs(first))


def _price(spec: Spec, best: Option, name: str) -> AgreedPrice | None:
    """Which price of the market the input is, with a price of 0."""
    if name == "fx_rate" and spec.currency != "USD":
        return AgreedPrice(item=spec.currency, what="currency", usd=0.0)
    if best.offer and name in _OFFER_PRICES:
        return AgreedPrice(item=best.offer.id, what=_OFFER_PRICES[name], usd=0.0)
    if best.kind == "on_prem" and name == "price_per_server":
        return AgreedPrice(item=best.on_prem, what="server", usd=0.0)
    return None


def _has(spec: Spec, path: str) -> bool:
    """Is that part of the request there? A horizon counts once one was asked for."""
    if path == "horizon_months":
        return spec.horizon_months > 0
    return getattr(spec, path.partition(".")[0]) is not None


def changed_spec(spec: Spec, changes: Mapping[Target, float]) -> Spec:
    """The request with those values in their places. SpecError when one does not fit its field."""
    for target, value in changes.items():
        spec = _APPLY[target.kind](spec, target, value)
    return spec


def _with_price(spec: Spec, target: Target, usd: float) -> Spec:
    assert target.price is not None
    if target.price.what == "currency" and usd > 0:
        usd = 1.0 / usd  # the workbook shows units for one dollar, the request keeps dollars for one unit
    agreed = replace(target.price, usd=usd * target.factor)
    others = tuple(old for old in spec.agreed if (old.item, old.what) != (agreed.item, agreed.what))
    return replace(spec, agreed=(*others, agreed))


def _with_assumption(spec: Spec, target: Target, value: float) -> Spec:
    return replace(spec, assumptions={**spec.assumptions, target.path: value})


def _with_field(spec: Spec, target: Target, value: float) -> Spec:
    if target.path.count(".") > 1:
        return _with_row(spec, target, value * target.factor)
    head, _, leaf = target.path.rpartition(".")
    number: float | int = value * target.factor
    if leaf == "runs":
        if not float(number).is_integer():
            raise SpecError(Fault(target.path, "integer"))
        number = int(number)
    changed: dict[str, Any] = {leaf: number}
    if head:
        changed = {head: replace(getattr(spec, head), **changed)}
    return replace(spec, **changed)


def _with_row(spec: Spec, target: Target, value: float) -> Spec:
    """The request with that field of one row of a list changed."""
    name, place, leaf = target.path.split(".")
    rows = list(getattr(spec, name))
    changed: dict[str, Any] = {leaf: value}
    rows[int(place)] = replace(rows[int(place)], **changed)
    whole: dict[str, Any] = {name: tuple(rows)}
    return replace(spec, **whole)


_APPLY: dict[str, Callable[[Spec, Target, float], Spec]] = {
    "price": _with_price,
    "assumption": _with_assumption,
    "request": _with_field,
}
