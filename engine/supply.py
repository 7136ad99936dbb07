"""Who can supply accelerators for a spec: offers, systems and owned hardware, each with the cluster it makes.

Everything that is left out is counted with its reason. Several offers share one cluster, so physics runs once for them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from engine.answer import OptionKind, Rejection
from engine.inputs.certificates import proof_of
from engine.inputs.finding import Finding, Item, Ref, Typed, Value, finding
from engine.inputs.hardware import Cluster, Device, Holding, Market, Missing, Offer, System
from engine.inputs.kind import PerKind
from engine.inputs.named import certificate_ref, device_ref, seller_ref
from engine.inputs.schedulers import SERVICES, places_at_home, places_on
from engine.inputs.software import software_fit
from engine.inputs.spec import SOURCING_RULES, BatchJob, Operations, Owned, Serving, Spec, Training

_EU = "AUT BEL BGR HRV CYP CZE DNK EST FIN FRA DEU GRC HUN IRL ITA LVA LTU LUX MLT NLD POL PRT ROU SVK SVN ESP SWE"
_ADEQUATE = "ISL LIE NOR AND ARG CAN CHE FRO GBR GGY IMN ISR JEY JPN KOR NZL URY"
_APAC = "AUS NZL JPN KOR SGP IND IDN MYS THA TWN HKG PHL VNM CHN"
RESIDENCY_COUNTRIES = {
    "us": {"USA"},
    "uk": {"GBR"},
    "ca": {"CAN"},
    "eu": set(_EU.split()),
    "apac": set(_APAC.split()),
}
"""Countries (ISO 3166-1 alpha-3) in which data of that residency may lie."""
ADEQUATE_COUNTRIES = {*_EU.split(), *_ADEQUATE.split()}
"""The European Economic Area, and the countries whose protection of personal data the European Commission has found adequate (its
list of adequacy decisions). Not the United States: that decision covers companies that certified themselves, not the country."""

_EXAMPLES = 3
_PART_OF = {
    **dict.fromkeys((*_EU.split(), "GBR", "NOR", "CHE", "ISL"), "Europe"),
    **dict.fromkeys(("USA", "CAN"), "North America"),
    **dict.fromkeys(_APAC.split(), "Asia and the Pacific"),
}
_ONLY_A_COUNTRY = 3
"""Letters of a region that names no more than a country: “us”, “IND”."""


@dataclass(frozen=True, kw_only=True)
class Supply:
    """One source of accelerators: an offer to rent, a system to buy, or hardware that is owned."""

    id: str
    kind: OptionKind
    cluster: int
    """Index into `Supplies.clusters`."""
    device: Device
    offer: Offer | None = None
    system: System | None = None
    owned: Owned | None = None
    holding: Holding | None = None
    """What the team's catalog says of that owned hardware."""
    fallback_usd_per_hour: float = 0.0
    """What an instance costs on demand while spot capacity is not there; 0 = nothing is known, or none is needed."""
    fallback: Offer | None = None
    """Whose price that is, where the seller of the spot capacity lists none of its own."""
    missing: Missing | None = None
    """What was measured of how often many instances of that spot capacity are not there."""
    slots: int = 0
    """Most accelerators that this source gives; 0 = no known limit."""
    second: Offer | None = None
    """The same from another region, where a second site of a service could stand; None = it is rented nowhere else."""
    waits: bool = False
    """Hardware to buy of which none can be rented until it is delivered."""


@dataclass(frozen=True, kw_only=True)
class Supplies:
    """All sources that the spec allows, the distinct clusters behind them, and what was left out."""

    clusters: tuple[Cluster, ...]
    supplies: tuple[Supply, ...]
    rejected: tuple[Rejection, ...]


_LEFT_OUT = "left_out."


class Refusals:
    """Counts what was left out, by reason, with the first few examples of each."""

    def __init__(self) -> None:
        self._counts: Counter[Finding] = Counter()
        self._examples: dict[Finding, list[Item]] = {}

    def add(self, code: str, example: Item | None = None, **values: Value) -> None:
        """One more thing left out for the reason of that code and those values."""
        reason = Finding(f"{_LEFT_OUT}{code}", values)
        self._counts[reason] += 1
        examples = self._examples.setdefault(reason, [])
        if example is not None and example not in examples:
            examples.append(example)

    def rejections(self) -> tuple[Rejection, ...]:
        """One entry for each reason, the most frequent first."""
        return tuple(
            Rejection(
                code=reason.code.removeprefix(_LEFT_OUT),
                reason=reason,
                count=count,
                nearest=examples_of(self._examples[reason]),
            )
            for reason, count in self._counts.most_common()
        )


def examples_of(items: Sequence[Item]) -> Finding | None:
    """The first few of them, and how many more there are; None without any."""
    if not items:
        return None
    shown, rest = tuple(items[:_EXAMPLES]), max(len(items) - _EXAMPLES, 0)
    return finding("examples.more", shown=shown, rest=rest) if rest else finding("examples", shown=shown)


def within(supplies: Supplies, clusters: Sequence[int]) -> Supplies:
    """The sources that make those clusters, whose places are given in order."""
    place = {old: new for new, old in enumerate(clusters)}
    return Supplies(
        clusters=tuple(supplies.clusters[old] for old in clusters),
        supplies=tuple(_placed(one, place[one.cluster]) for one in supplies.supplies if one.cluster in place),
        rejected=supplies.rejected,
    )


def sources_asked(spec: Spec) -> Spec:
    """That request with all else at one value: sources are found once for every request that asks for the same ones."""
    limits = replace(spec.constraints, deadline_days=0.0, budget_usd=0.0)
    scheduler = spec.operations.scheduler
    operations = Operations(
        security=tuple(sorted(spec.rules & SOURCING_RULES)), scheduler=scheduler if scheduler in SERVICES else "auto"
    )
    return Spec(
        name="", workload=spec.workload, model="", constraints=limits, owned=spec.owned, operations=operations,
        training=Training(method=spec.training.method) if spec.training else None, serving=_BARE[spec.kind],
    )  # fmt: skip


_BARE: Final[PerKind[Serving | None]] = {
    "run": None,
    "service": Serving(requests_per_s=1.0),
    "batch": Serving(requests_per_s=0.0, batch=BatchJob(requests=1.0, deadline_hours=1.0)),
}
"""Of what is served no more than that it is."""


def supplies_for(spec: Spec, market: Market) -> Supplies:
    """Every allowed source of accelerators, cheapest region of each instance and option only."""
    refused = Refusals()
    devices = {slug: device for slug, device in market.devices.items() if _allowed_device(spec, device, refused)}
    _count_unpriced(spec, market, devices, refused)
    offers = [offer for offer in market.offers if _allowed_offer(spec, market, offer, devices, refused)]
    cheapest = _cheapest(offers, market)
    beside = _BESIDE[spec.kind](cheapest, offers)
    found: list[tuple[Supply, Cluster]] = [
        _rented(spec, market, offer, devices[offer.device], beside.get(offer.id)) for offer in cheapest
    ]
    rentable = {offer.device for offer in offers if offer.option == "on_demand"}
    if places_at_home(spec.operations.scheduler):
        found += [
            _bought(spec, system, devices[system.device], waits=system.device not in rentable)
            for system in _systems(spec, market, devices)
        ]
        found += [_owned(item, market.devices[item.accelerator], market) for item in spec.owned]
    else:
        for item in spec.owned:
            refused.add("scheduler_own", device_ref(market.devices[item.accelerator]))
    return _indexed(found, refused)


def _count_unpriced(spec: Spec, market: Market, devices: dict[str, Device], refused: Refusals) -> None:
    """Note which of the accelerators that were asked for by name are left out for want of a price."""
    owned = {item.accelerator for item in spec.owned}
    for slug in spec.constraints.accelerators:
        if slug in devices and slug not in owned and not rented(market, slug) and not sold(market, slug):
            refused.add("no_price", device_ref(devices[slug]))


def rented(market: Market, device: str) -> bool:
    """Does anybody rent that accelerator out at a known price, whatever the limits of the request?"""
    return any(offer.device == device for offer in market.offers)


def sold(market: Market, device: str) -> bool:
    """Is a server with that accelerator sold at a known price?"""
    server = server_for(market, device)
    return server is not None and server.price_low_usd > 0


def _indexed(found: list[tuple[Supply, Cluster]], refused: Refusals) -> Supplies:
    """The sources with equal clusters merged."""
    clusters: dict[tuple[str, int, float, int], Cluster] = {}
    keys = {_cluster_key(cluster): clusters.setdefault(_cluster_key(cluster), cluster) for _, cluster in found}
    order = {key: index for index, key in enumerate(keys)}
    supplies = [_placed(supply, order[_cluster_key(cluster)]) for supply, cluster in found]
    return Supplies(clusters=tuple(clusters.values()), supplies=tuple(supplies), rejected=refused.rejections())


def _placed(supply: Supply, cluster: int) -> Supply:
    return Supply(**{**supply.__dict__, "cluster": cluster})


def _cluster_key(cluster: Cluster) -> tuple[str, int, float, int]:
    return (cluster.device.slug, cluster.devices_per_node, cluster.nic_bandwidth, cluster.max_devices)


def _allowed_device(spec: Spec, device: Device, refused: Refusals) -> bool:
    """Is the device plannable for this spec? The reason is counted when it is not."""
    fault = _device_fault(spec, device)
    if fault:
        refused.add(*fault)
    return not fault


def _device_fault(spec: Spec, device: Device) -> tuple[str, Item] | None:
    """Code and example; None when the device may be used."""
    wanted = spec.constraints.accelerators
    if wanted and device.slug not in wanted:
        return ("accelerator", device_ref(device))
    if not device.plannable:
        why = Typed(device.why_not_plannable.rstrip(".")) if device.why_not_plannable else Ref("word", "no_model")
        return ("not_plannable", finding("example.because", accelerator=device_ref(device), why=why))
    if not able_to(spec, device):
        return ("no_training", device_ref(device))
    method = spec.method
    fault = software_fit(
        device,
        framework=spec.constraints.framework,
        custom_kernels=spec.constraints.custom_kernels,
        method=method,
    )
    return ("software", fault) if fault else None


def _allowed_offer(spec: Spec, market: Market, offer: Offer, devices: dict[str, Device], refused: Refusals) -> bool:
    if offer.device not in devices:
        return False
    fault = _offer_fault(spec, market, offer)
    if fault == "residency":
        refused.add(fault, residency=Ref("word", f"residency.{spec.constraints.residency}"))
    elif fault and fault.startswith(_CERTIFICATE):
        fault, _, wanted = fault.partition(" ")
        refused.add(fault, seller_ref(offer), certificate=certificate_ref(market, wanted))
    elif fault:
        refused.add(fault)
    return not fault


def cheapest_rental(spec: Spec, market: Market, device: str, *, bandwidth: float = 0.0) -> Offer | None:
    """The allowed on-demand offer of that accelerator with the lowest price per accelerator; None where there is none. `bandwidth`:
    of the network, that each accelerator has at least [byte/s]."""
    offers = [
        offer
        for offer in market.on_demand.get(device, ())
        if offer.scaleout_bandwidth / offer.devices >= bandwidth and _offer_fault(spec, market, offer) is None
    ]
    return min(offers, key=lambda offer: (offer.usd_per_hour / offer.devices, offer.id), default=None)


def elsewhere(spec: Spec, market: Market, offer: Offer) -> list[Offer]:
    """The same instance on the same terms in the provider's other regions that the spec allows."""
    return [
        other
        for other in market.offers
        if _kind(other) == _kind(offer) and other.id != offer.id and _offer_fault(spec, market, other) is None
    ]


def _kind(offer: Offer) -> tuple[str, str, str, str, int]:
    """What an offer is, wherever it is."""
    return (offer.provider, offer.instance, offer.device, offer.option, offer.devices)


def may_buy(spec: Spec) -> bool:
    """Hardware is bought for a stated horizon of demand, or because the work may not leave the house."""
    return spec.horizon_months > 0 or spec.air_gapped


def _offer_fault(spec: Spec, market: Market, offer: Offer) -> str | None:
    """Why that offer may not be used, as a code; None when it may. Leased servers stand in the team's own rooms."""
    limits, scheduler = spec.constraints, spec.operations.scheduler
    if offer.option == "lease":
        return None if places_at_home(scheduler) else "scheduler_own"
    if spec.air_gapped:
        return "air_gapped"
    if limits.providers and offer.provider not in limits.providers:
        return "provider"
    if not places_on(scheduler, offer.provider):
        return "scheduler"
    if limits.regions and offer.region not in limits.regions:
        return "region"
    if limits.residency != "any" and offer.country not in RESIDENCY_COUNTRIES[limits.residency]:
        return "residency"
    if rule := _rule_fault(spec, offer):
        return rule
    if offer.option == "spot" and not limits.spot:
        return "spot"
    if offer.option in ("commit_1y", "commit_3y") and not limits.commitments:
        return "commitment"
    return _NOT_FOR[spec.kind].get(offer.option) or _uncertified(spec, market, offer)


_CERTIFICATE = "certificate_"
"""Where the code of an offer begins whose provider is not known to hold what is asked there; behind it stand how far it is known, and the
certificate."""


def _uncertified(spec: Spec, market: Market, offer: Offer) -> str | None:
    """The first certificate that the offer's provider is not known to hold there. What could not be had anyway is not told as that."""
    for wanted in spec.constraints.certificates:
        standing = proof_of(market, spec.constraints.attested, offer, wanted).standing
        if standing != "held":
            return f"{_CERTIFICATE}{standing} {wanted}"
    return None


_NOT_FOR: Final[PerKind[Mapping[str, str]]] = {
    "run": {},
    "service": {"spot": "spot_serving", "capacity_block": "capacity_block"},
    "batch": {"capacity_block": "capacity_block"},
}
"""Ways to rent that do not fit, each with its code: a promise on latency cannot wait for spot capacity, an offline batch can; a
block ends on a day fixed at booking, which neither a service nor a batch has."""


def _rule_fault(spec: Spec, offer: Offer) -> str | None:
    """Which rule of security that offer does not keep, as a code. Whoever names providers, regions or a residency has looked at what
    they promise: only others are left out for want of a known place or attestation."""
    limits, rules = spec.constraints, spec.rules
    if "hipaa" in rules and not offer.health_data and not limits.providers:
        return "health_data"
    if limits.regions or limits.residency != "any":
        return None
    if "gdpr" in rules and offer.country not in ADEQUATE_COUNTRIES:
        return "not_adequate"
    return "place_unknown" if "export-control" in rules and not offer.country else None


def _cheapest(offers: list[Offer], market: Market) -> list[Offer]:
    """The cheapest region of each provider, instance and option: regions beyond it would only repeat it.

    At equal prices the region with the cleaner grid is taken.
    """

    def grid(offer: Offer) -> float:
        table = market.carbon_g_per_kwh
        return table.get(f"{offer.provider}/{offer.region}", table.get(offer.country, math.inf))

    ordered = sorted(offers, key=lambda offer: (*_kind(offer), offer.usd_per_hour, grid(offer), offer.id))
    return [next(group) for _, group in groupby(ordered, key=_kind)]


def seconds(firsts: Sequence[Offer], offers: Sequence[Offer]) -> dict[str, Offer]:
    """For each of those one of the offers at another place: of the same provider, else of another one on the same terms whose instances are
    as large and as well joined; the cheapest in the same country, else in the same part of the world, else anywhere. None for an
    offer of which nobody says where it is."""
    same: dict[tuple[object, ...], list[Offer]] = {}
    alike: dict[tuple[object, ...], list[Offer]] = {}
    for offer in offers:
        same.setdefault(_kind(offer), []).append(offer)
        alike.setdefault(_alike(offer), []).append(offer)
    found = {}
    for offer in firsts:
        able = [one for one in same[_kind(offer)] if _apart(one, offer)]
        able = able or [one for one in alike[_alike(offer)] if _stands_in(one, offer)]
        if able:
            found[offer.id] = min(able, key=lambda one: (_distance(one, offer), one.usd_per_hour, one.id))
    return found


def _distance(one: Offer, offer: Offer) -> int:
    """In the same country, in the same part of the world, or farther away."""
    if one.country == offer.country:
        return 0
    return 1 if _PART_OF.get(one.country, one.country) == _PART_OF.get(offer.country, offer.country) else 2


def _alike(offer: Offer) -> tuple[object, ...]:
    """What an offer is, whoever rents it out."""
    return (offer.device, offer.devices, offer.option, offer.term_months)


def _apart(one: Offer, offer: Offer) -> bool:
    """Are two offers of one provider surely at two places? “us” may be any of its regions there, “global” any of all."""
    if not one.country or not offer.country:
        return False
    named = min(len(one.region), len(offer.region)) > _ONLY_A_COUNTRY
    return one.country != offer.country or (named and one.region != offer.region)


def _stands_in(one: Offer, offer: Offer) -> bool:
    """Can what another provider rents out hold the same replicas?"""
    known = bool(one.country and offer.country)
    return known and one.provider != offer.provider and one.scaleout_bandwidth >= offer.scaleout_bandwidth


def _rented(spec: Spec, market: Market, offer: Offer, device: Device, second: Offer | None) -> tuple[Supply, Cluster]:
    """An offer and its cluster: without a known scale-out network one instance stands alone."""
    pooled = offer.scaleout_bandwidth > 0 and (offer.devices > 1 or _APART[spec.kind])
    limit = spec.constraints.max_accelerators if pooled or _APART[spec.kind] else offer.devices
    cluster = Cluster(
        device=device,
        devices_per_node=offer.devices,
        nic_bandwidth=offer.scaleout_bandwidth / offer.devices,
        max_devices=max(limit, 1),
    )
    usd, other = _fallback(spec, market, offer)
    supply = Supply(
        id=offer.id,
        kind="cloud",
        cluster=0,
        device=device,
        offer=offer,
        system=next((one for one in market.systems if one.slug == offer.instance), None)
        if offer.option == "lease"
        else None,
        second=second,
        fallback_usd_per_hour=usd,
        fallback=other,
        missing=market.access_of(offer).missing,
        slots=offer.most * offer.devices,
    )
    return supply, cluster


def _fallback(spec: Spec, market: Market, offer: Offer) -> tuple[float, Offer | None]:
    """The on-demand price of a spot instance: its own; else that of as many accelerators of the cheapest allowed offer whose instances
    are joined as well, and only where there is none of those of any other, with that offer."""
    if offer.option != "spot":
        return 0.0, None
    if offer.on_demand_usd_per_hour:
        return offer.on_demand_usd_per_hour, None
    joined = cheapest_rental(spec, market, offer.device, bandwidth=offer.scaleout_bandwidth / offer.devices)
    other = joined or cheapest_rental(spec, market, offer.device)
    return (other.usd_per_hour / other.devices * offer.devices, other) if other else (0.0, None)


def _systems(spec: Spec, market: Market, devices: dict[str, Device]) -> list[System]:
    """Systems that could be bought: compared always, of each accelerator the team's own one, else the cheapest."""
    slugs = sorted({system.device for system in market.systems if system.device in devices})
    found = [server_for(market, slug) for slug in slugs]
    return [system for system in found if system is not None and system.price_low_usd > 0]


def server_for(market: Market, device: str) -> System | None:
    """The server with that accelerator that would be bought: the team's own, else the cheapest with a known price."""
    same = [system for system in market.systems if system.device == device]
    return min(
        same,
        key=lambda one: (not one.price_low_usd, not one.own, one.price_low_usd / one.devices, one.slug),
        default=None,
    )


def _bought(spec: Spec, system: System, device: Device, *, waits: bool) -> tuple[Supply, Cluster]:
    cluster = Cluster(
        device=device,
        devices_per_node=system.devices,
        nic_bandwidth=system.nic_bandwidth / system.devices,
        max_devices=spec.constraints.max_accelerators if system.nic_bandwidth else system.devices,
    )
    supply = Supply(id=f"on-prem/{system.slug}", kind="on_prem", cluster=0, device=device, system=system, waits=waits)
    return supply, cluster


def _owned(item: Owned, device: Device, market: Market) -> tuple[Supply, Cluster]:
    """Owned accelerators, in the servers that the team's catalog names, else of the usual size for them."""
    system = server_for(market, device.slug)
    holding = holding_of(market, item)
    per_node = min((holding.devices_per_server if holding else 0) or (system.devices if system else 8), item.count)
    nic = system.nic_bandwidth / system.devices if system else device.nic_bandwidth
    if holding and holding.nic_bandwidth:
        nic = holding.nic_bandwidth / per_node
    cluster = Cluster(device=device, devices_per_node=per_node, nic_bandwidth=nic, max_devices=item.count)
    supply = Supply(
        id=f"owned/{item.accelerator}",
        kind="owned",
        cluster=0,
        device=device,
        system=system,
        owned=item,
        holding=holding,
        slots=item.count,
    )
    return supply, cluster


def holding_of(market: Market, item: Owned) -> Holding | None:
    """The team's entry for those owned accelerators: the smallest that has so many, else the largest of them."""
    same = sorted((one for one in market.holdings if one.device == item.accelerator), key=lambda one: one.count)
    return next((one for one in same if one.count >= item.count), same[-1] if same else None)


def instances(supply: Supply, count: int) -> int:
    """Whole instances or servers that hold that many accelerators."""
    if supply.offer is not None:
        return math.ceil(count / supply.offer.devices)
    held = supply.holding.devices_per_server if supply.holding else 0
    per_node = held or (supply.system.devices if supply.system else 8)
    return math.ceil(count / min(per_node, max(supply.slots, 1) if supply.slots else per_node))


WHOLE_DAYS = "capacity_block"
"""Terms that sell whole days only."""
_BY_THE_HOUR = ("on_demand", "spot")
"""Terms on which accelerators are had for an hour."""


def cheapest_on_demand(supplies: Supplies, supply: Supply, count: int) -> Supply | None:
    """Where so many accelerators of that source are had for some hours: there itself, else the cheapest on demand, else whole days of a
    block; None where nothing is."""
    if supply.kind == "owned" or (supply.offer and supply.offer.option in _BY_THE_HOUR):
        return supply
    others = [
        one
        for one in supplies.supplies
        if one.offer and one.offer.option == "on_demand" and one.device.slug == supply.device.slug
        if count <= min(one.slots or math.inf, supplies.clusters[one.cluster].poolable)
    ]
    if others:
        return min(
            others, key=lambda one: (instances(one, count) * (one.offer.usd_per_hour if one.offer else 0.0), one.id)
        )
    return supply if supply.offer and supply.offer.option == WHOLE_DAYS else None


def merged(*groups: Iterable[Rejection]) -> tuple[Rejection, ...]:
    """All refusals, the most frequent first."""
    found = [rejection for group in groups for rejection in group]
    return tuple(sorted(found, key=lambda item: (-item.count, item.code)))


_BESIDE: Final[PerKind[Callable[[Sequence[Offer], Sequence[Offer]], Mapping[str, Offer]]]] = {
    "run": lambda _firsts, _offers: {},
    "service": seconds,
    "batch": seconds,
}
"""Where a second site could stand: a run stands at one."""
_APART: Final[PerKind[bool]] = {"run": False, "service": True, "batch": True}
"""Does it do without a network between instances, since its replicas stand apart?"""
_ABLE: Final[PerKind[Callable[[Device], bool]]] = {
    "run": lambda device: device.trains,
    "service": lambda _device: True,
    "batch": lambda _device: True,
}


def able_to(spec: Spec, device: Device) -> bool:
    """Can that accelerator do such work at all?"""
    return _ABLE[spec.kind](device)
