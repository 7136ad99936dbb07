"""Energy of accelerators that are held for a while, on the grid of their region."""

from __future__ import annotations

from engine.answer import CostModel, Energy, Estimate
from engine.context import Context
from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.hardware import Offer
from engine.inputs.named import seller_ref
from engine.money.carbon import energy, metered
from engine.money.second_site import Second
from engine.supply import Supply


def energy_of(
    context: Context, supply: Supply, count: int, days: Estimate, model: CostModel, *, second: Second | None = None
) -> Energy:
    """Energy of those accelerators over that time, with the grid of their region where it is known; of one's own what
    the cost model pays. What runs at a `second` site emits by its own grid; where only the first is known, all of it by that one."""
    grid = context.grid(supply.offer, supply.holding.country if supply.holding else "")
    g_per_kwh, told = grid[0] if grid else None, _grid_told(supply.offer, grid[1] if grid else "")
    there = context.grid(second.offer) if second else None
    if grid and second and there and supply.offer:
        g_per_kwh, told = grid[0] + second.share * (there[0] - grid[0]), _both_told(supply.offer, second.offer)
    hours = Estimate(low=days.low * 24.0, expected=days.expected * 24.0, high=days.high * 24.0, unit="h")
    return energy(
        device=supply.device,
        devices=count,
        hours=hours,
        g_per_kwh=g_per_kwh,
        grid=told,
        assume=context.assume,
        system=supply.system,
        own=None if supply.offer else metered(model),
    )


def _both_told(first: Offer, second: Offer) -> Finding:
    """Whose grids two sites stand on."""
    return finding(
        "grid.two_sites",
        provider=seller_ref(first),
        region=Ref("region", first.region),
        other=seller_ref(second),
        there=Ref("region", second.region),
    )


def _grid_told(offer: Offer | None, key: str) -> Finding:
    """Whose grid it is: of the provider's region where that is known, else of the country; `key` is empty where neither is."""
    if not key:
        return finding("grid.unknown")
    if offer is None:
        return finding("grid.country", country=Ref("country", key))
    region = {"provider": seller_ref(offer), "region": Ref("region", offer.region)}
    return (
        finding("grid.of_region", country=Ref("country", key), **region)
        if key == offer.country
        else finding("grid.region", **region)
    )
