"""What the figures of an option rest on that are no matter of its kind of work: price, failures, energy."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.answer import Basis, EvidenceLevel, Option
from engine.choice.backing import of_hours
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, finding
from engine.inputs.hardware import Device
from engine.inputs.named import device_ref
from engine.odds.evidence import LEAST_ROWS, groups
from engine.odds.likeness import NEAR
from engine.physics.chip import curve_of

COUNTED = ("ampere", "hopper")
"""Generations whose hardware failures large fleets have published: Llama 3 on H100, RSC-1 and RSC-2 on A100 (engine/reliability)."""
_LARGE = 64
"""Accelerators from which the failures that were published speak for a job; smaller ones fail as somebody thought."""


def common_basis(context: Context, best: Option) -> Iterator[Basis]:
    """Price, failures and energy of the option that is recommended."""
    yield _price(context, best)
    yield _failures(context.market.devices[best.accelerator], best)
    yield Basis(of="energy", level="modelled", told=finding("basis.energy"))
    known = best.energy.kg_co2e is not None
    yield Basis(of="emissions", level="near" if known else "unknown", told=best.energy.grid)


def placed(row: Finding, distance: float) -> Finding:
    """A measured row as it is told: one that is far from the choice as that."""
    return row if distance <= NEAR else finding("row.far", row=row)


def memory_groups(device: Device, framework: str) -> Basis:
    """Of a run: measured peaks on that accelerator, else of that framework, else what is counted from the layout."""
    tried: tuple[tuple[str, str, EvidenceLevel], ...] = (
        ("accelerator", device.slug, "measured"),
        ("framework", framework, "near"),
    )
    for axis, name, level in tried:
        group = groups().get(("memory", axis, name))
        if group and group.rows >= LEAST_ROWS:
            told = finding(
                f"basis.memory.{level}",
                rows=group.rows,
                accelerator=device_ref(device),
                off=Quantity(group.median_error, "share"),
            )
            return Basis(of="memory", level=level, told=told)
    return Basis(of="memory", level="modelled", told=finding("basis.memory.modelled"))


def _price(context: Context, best: Option) -> Basis:
    offer = best.offer
    if offer is None:
        owned = best.kind == "owned"
        return Basis(
            of="price",
            level="assumed" if owned else "near",
            told=finding("basis.price.owned" if owned else "basis.price.bought"),
        )
    day: Finding | date = date.fromisoformat(offer.price_date) if offer.price_date else finding("basis.price.undated")
    fresh = of_hours(context, offer).standing != "indicative"
    return Basis(of="price", level="measured" if fresh else "near", told=finding("basis.price.read", day=day))


def _failures(device: Device, best: Option) -> Basis:
    if best.count < _LARGE:
        return Basis(of="failures", level="assumed", told=finding("basis.failures.small"))
    if curve_of(device) in COUNTED and device.scaleup_domain > 1:
        return Basis(
            of="failures", level="measured", told=finding("basis.failures.counted", accelerator=device_ref(device))
        )
    return Basis(of="failures", level="near", told=finding("basis.failures.near", accelerator=device_ref(device)))
