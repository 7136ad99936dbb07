"""Where hardware of one's own stands, and what electricity and space cost there.

A request names its own site, or the place by its regions or its residency; a team names the country of what it owns. Where neither does,
or the catalog knows nothing of that country, the general assumptions stay.
"""

from __future__ import annotations

from dataclasses import replace

from engine.inputs.assumptions import Assumption, Assumptions
from engine.inputs.finding import Typed
from engine.inputs.hardware import Market, Site, Tariff
from engine.inputs.origin import SET_IN_PLAN, day_of, origin, quoted
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.spec import Spec
from engine.supply import RESIDENCY_COUNTRIES

_OF_RESIDENCY = {"us": "USA", "uk": "GBR", "ca": "CAN"}
"""Residencies that are one country; of the others the group has an entry of its own, or none."""
_POWER, _HOSTING = "onprem.usd_per_kwh", "onprem.hosting_usd_per_kw_month"


def placed(spec: Spec, market: Market, assume: Assumptions) -> Assumptions:
    """Those assumptions with electricity and space at the place where the request's own hardware would stand; what the request
    itself sets stays."""
    site = site_of(spec, market)
    power, hosting = assume.get(_POWER), assume.get(_HOSTING)
    if site and site.power and power.source != SET_IN_PLAN:
        power = of_place(power, site, site.power)
    if site and site.hosting and hosting.source != SET_IN_PLAN:
        hosting = _with_power(of_place(hosting, site, site.hosting), power, assume)
    found = {power.id: power, hosting.id: hosting}
    items = {item.id: item for item in assume.all()}
    return assume if all(items[key] == item for key, item in found.items()) else Assumptions({**items, **found})


def of_place(item: Assumption, site: Site, tariff: Tariff) -> Assumption:
    """That assumption as it is there; where no range is known it keeps its relative width."""
    source = origin("place", place=Typed(site.name), day=day_of(tariff.date), source=Typed(tariff.source))
    local = item.at(tariff.value, source)
    return replace(local, low=tariff.low, high=tariff.high) if tariff.low and tariff.high else local


def _with_power(space: Assumption, power: Assumption, assume: Assumptions) -> Assumption:
    """Space with the electricity that is metered beside its rent, for each rated kW of a server at work: the rents that are known are
    without it, and the cost model pays no other."""
    kwh = HOURS_PER_MONTH * assume["onprem.pue"] * assume["onprem.busy_load"]
    source = origin(
        "space_with_power",
        space=space.value,
        kwh=round(kwh),
        power=power.value,
        source=quoted(space.source),
    )
    ends = {name: getattr(space, name) + kwh * getattr(power, name) for name in ("low", "value", "high")}
    return replace(space, **ends, source=source)


def _group_of(country: str, market: Market) -> Site | None:
    """What is known of the group that a country without an entry of its own belongs to."""
    return market.sites.get("eu") if country in RESIDENCY_COUNTRIES["eu"] else None


def site_of(spec: Spec, market: Market) -> Site | None:
    """The place of bought hardware: the country that the request names for its own site, else the one that all its regions lie in, else
    its residency; None where none says it, or nothing is known of it."""
    limits = spec.constraints
    if spec.site.country:
        return market.sites.get(spec.site.country) or _group_of(spec.site.country, market)
    countries = {offer.country for offer in market.offers if offer.region in limits.regions}
    if len(countries) == 1 and (found := market.sites.get(countries.pop())):
        return found
    if limits.residency == "any" and countries and countries <= RESIDENCY_COUNTRIES["eu"]:
        return market.sites.get("eu")
    return market.sites.get(_OF_RESIDENCY.get(limits.residency, limits.residency))
