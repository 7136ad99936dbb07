"""The moved knobs of a what-if as changes of the request, so that they can be kept as a scenario and planned again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from engine.answer import Option
from engine.inputs.hardware import Offer
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.spec import AgreedPrice, FixedLayout, Measurement
from planner.frozen.snapshot import Plan, plain
from planner.what_if.knobs import Knob

_FIELDS = {
    "tokens": ("training", "tokens", 1.0),
    "runs": ("training", "runs", 1.0),
    "experiment_overhead": ("training", "experiment_overhead", 100.0),
    "utilisation": ("", "utilisation", 100.0),
    "months": ("", "horizon_months", 1.0),
}
"""Knob → part of the request, field, and how many of the knob's units make one of the field's."""
_SPOT = (
    "The failure rate is taken for failures of accelerators; how often spot capacity is reclaimed stays as listed, so the "
    "scenario moves less than the panel."
)
_MTBF = "reliability.device_mtbf_h"
_SURE = "select.confidence"
_TARIFF = "onprem.usd_per_kwh"


def changes_of(plan: Plan, knobs: tuple[Knob, ...], values: Mapping[str, float]) -> tuple[dict[str, Any], list[str]]:
    """A merge patch of the plan's request for the knobs that were moved, and one sentence for each that has no place
    in a request, or not its whole effect."""
    best = plan.recommendation.recommended
    moved = {knob.key: knob for knob in knobs if values[knob.key] != knob.value}
    patch: dict[str, Any] = {}
    left: list[str] = []
    if best is None:
        return patch, left
    if {"price", "discount"} & moved.keys() and best.offer:
        usd = values["price"] * (1 - values["discount"] / 100)
        if best.offer.option == "lease":
            patch["leases"] = _leases(plan, best.offer.instance, usd)
        else:
            patch["agreed"] = _agreed(plan, best.offer, usd)
    for key, knob in moved.items():
        if key in _FIELDS:
            part, field, scale = _FIELDS[key]
            place = patch.setdefault(part, {}) if part else patch
            place[field] = int(values[key]) if knob.whole else values[key] / scale
        elif key == "step":
            patch["measured"] = _measured(plan, best, values[key])
        elif key == "sure":
            patch["confidence"] = {"all": values[key] / 100}
            if _SURE in plan.spec.assumptions:
                patch.setdefault("assumptions", {})[_SURE] = None
        elif key == "usd_per_kwh":
            patch.setdefault("assumptions", {})[_TARIFF] = values[key]
        elif key == "failures":
            _put_failures(plan, values[key], patch, left)
            if best.offer and best.offer.option == "spot":
                left.append(_SPOT)
        elif key == "rate":
            left.append(
                f"{knob.label} follows from hardware and engine: a scenario cannot set it, so it stays as planned."
            )
    return patch, left


def _leases(plan: Plan, system: str, usd: float) -> list[Any]:
    """The leases of the request with that price of an hour as the rate of that server."""
    month = usd * HOURS_PER_MONTH
    return [plain(replace(one, usd_month=month) if one.system == system else one) for one in plan.spec.leases]


def _agreed(plan: Plan, offer: Offer, usd: float) -> list[Any]:
    """The agreed prices of the request with that one in its place. Lists of a merge patch are whole."""
    price = AgreedPrice(item=offer.id, what="instance_hour", usd=offer.before_commitment(usd))
    others = [old for old in plan.spec.agreed if (old.item, old.what) != (price.item, price.what)]
    return [plain(item) for item in (*others, price)]


def _measured(plan: Plan, best: Option, seconds: float) -> list[Any]:
    """The measurements of the request with that step time of the planned layout."""
    layout = FixedLayout(count=best.count, micro_batch=best.micro_batch, **asdict(best.parallelism))
    found = Measurement(accelerator=best.accelerator, count=best.count, step_time_s=seconds, layout=layout)
    return [plain(item) for item in (*plan.spec.measured, found)]


def _put_failures(plan: Plan, factor: float, patch: dict[str, Any], left: list[str]) -> None:
    """A failure rate of so many times the plan as the mean time between failures of one accelerator."""
    now = next((item.value for item in plan.recommendation.assumptions if item.id == _MTBF), 0.0)
    if now and factor > 0:
        patch.setdefault("assumptions", {})[_MTBF] = now / factor
    else:
        left.append("A failure rate of zero cannot be planned with: it stays as planned.")
