"""Tax that is owed on top of prices and does not come back, as lines of their own beside what they are owed on.

What is recovered is no cost and stands in no line: it is deducted in the return of the same month, and across a border most of
it is never paid at all (reverse charge, postponed import tax). People's wages, the cost of capital and what used
hardware sells for bear no such tax here; what its removal costs is assumed with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.answer import EXCESS, FULL_PRICE, TAXES, CostInput, CostLine
from engine.inputs.origin import REQUEST
from engine.inputs.spec import Taxes
from engine.money.lines import dollars, given

TAX_PURCHASE, TAX_INSTANCES, TAX_LATER, TAX_EXCESS, TAX_RENTAL, TAX_SERVICES, TAX_MANAGED, TAX_OPERATION = TAXES
DISPOSAL = "disposal"
"""Line that is paid when hardware goes: taking it out, erasing its drives, removing it."""
ON_SERVICES = "tax_on_services * (1 - tax_recovered)"
"""Share of what is rented and used that is owed as tax and does not come back."""
ON_PURCHASES = "tax_on_purchases * (1 - tax_recovered)"
_GROUPS = (
    (TAX_INSTANCES, ("compute", "second_compute", "spares")),
    (TAX_LATER, (FULL_PRICE,)),
    (TAX_EXCESS, (EXCESS,)),
    (TAX_MANAGED, ("managed",)),
    (TAX_RENTAL, ("fallback", "bridge")),
    (
        TAX_SERVICES,
        (
            "dataset",
            "fast_copy",
            "tokenising",
            "storage",
            "egress",
            "balancer",
            "gateway",
            "registry",
            "monitoring",
            "cover_managed",
            "cross_site",
            "api",
        ),
    ),
)
_LEASED = (TAX_OPERATION, ("energy", "maintenance", "transit"))
"""What leased servers take in the team's own rooms."""
_OPERATED = ("energy", "maintenance", "transit", "storage")
"""Of hardware that is there already: what is bought for its use."""


def tax_inputs(taxes: Taxes, *, buys: bool = False) -> Iterator[CostInput]:
    """The rates that lines of a model need; none where nothing is owed. `buys`: is hardware bought?"""
    bought, used = buys and taxes.owed_on_purchases > 0, taxes.owed_on_services > 0
    if bought:
        yield given("tax_on_purchases", taxes.purchases, "share", REQUEST)
    if used:
        yield given("tax_on_services", taxes.services, "share", REQUEST)
    if bought or used:
        yield given("tax_recovered", taxes.recovered, "share", REQUEST)


def service_taxes(taxes: Taxes, lines: Iterable[CostLine], *, whole: str = "", leased: bool = False) -> list[CostLine]:
    """Tax on what is rented and used among those lines, paid when they are; `whole` names the line that is the tax on all of
    a commitment, of which the total holds a share. `leased`: what the servers take on the team's own site is among them."""
    if not taxes.owed_on_services:
        return []
    leaves = {line.name: line for line in lines if line.schedule != "none"}
    found = []
    for name, parts in (*_GROUPS, *([_LEASED] if leased else [])):
        taxed = [leaves[part] for part in parts if part in leaves]
        if taxed:
            line = _taxed(name, taxed)
            found.append(replace(line, paid=whole) if name == TAX_INSTANCES else line)
    return found


def owned_taxes(taxes: Taxes, lines: Sequence[CostLine]) -> list[CostLine]:
    """The same for work on hardware that is there already."""
    if not taxes.owed_on_services:
        return []
    used = [line for line in lines if line.name in _OPERATED and line.schedule != "none"]
    around = [line for line in lines if line.name not in _OPERATED]
    return [_taxed(TAX_OPERATION, used), *service_taxes(taxes, around)]


def _taxed(name: str, lines: Sequence[CostLine]) -> CostLine:
    """Tax on lines that are paid at the same times."""
    base = " + ".join(line.name for line in lines)
    text = f"({base}) * {ON_SERVICES}" if len(lines) > 1 else f"{base} * {ON_SERVICES}"
    line, whole = dollars(name, text, schedule=lines[0].schedule), lines[0].paid
    return replace(line, paid=f"({whole}) * {ON_SERVICES}") if name == TAX_LATER and whole else line
