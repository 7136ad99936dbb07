"""What can be bought or rented, as the engine sees it: devices, links, systems, offers.

SI inside: bytes, bytes per second and per direction, FLOP per second (dense), watts, seconds, US dollars per hour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

from engine.inputs.architecture import Architecture
from engine.inputs.known import whole_hash
from engine.inputs.origin import Origin

Runtime = Literal["cuda", "rocm", "xla", "neuron", "gaudi", "metal", "other"]
PriceOption = Literal["on_demand", "spot", "commit_1y", "commit_3y", "capacity_block", "lease", "owned"]
PriceBasis = Literal["list", "quoted", "second_hand", "marketplace"]
"""list: what the seller asks of anybody, read from it; quoted: what a seller has offered this team; second_hand: by way of
 a comparison of prices; marketplace: one of many hosts behind the seller asked it, and none promises it."""
PROVIDER_TIERS = ("hyperscaler", "specialist", "marketplace")
"""Kinds of provider; the lists of the first move least."""
PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "int8", "int4", "nvfp4")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Where a value comes from: shown next to it everywhere."""

    id: str
    value: str
    unit: str
    source: str
    date: str
    confidence: str = "repo"


@dataclass(frozen=True, kw_only=True)
class Device:
    """One accelerator as software sees it (a TPU chip, half a Trainium chip is not a device)."""

    lasting: ClassVar[bool] = True
    """The market holds it: see `engine.inputs.known.weight_of`."""

    slug: str
    name: str
    vendor: str
    generation: str
    """Key of the efficiency curves: volta, turing, ampere, ada, hopper, blackwell, cdna3, tpu-v5, trainium1, …"""
    runtime: Runtime
    release_year: int
    memory_bytes: float
    memory_bandwidth: float
    """[byte/s]"""
    dense_flops: dict[str, float]
    """Dense peak by precision [FLOP/s]; a precision that the hardware lacks is absent."""
    sparse_flops: dict[str, float] = field(default_factory=dict)
    """2:4-sparse peak by precision [FLOP/s]; shown in the catalog, never used to plan."""
    scaleup_name: str = "PCIe"
    scaleup_bandwidth: float
    """Device to device inside the scale-up domain, per direction [byte/s]."""
    scaleup_domain: int = 1
    """Devices that share the scale-up fabric (1 = none beyond the host bus)."""
    nic_bandwidth: float = 0.0
    """Usual scale-out bandwidth per device and direction [byte/s] where an offer states none; 0 = unknown."""
    pcie_bandwidth: float = 32e9
    """Host link per direction [byte/s]."""
    tdp_w: float = 0.0
    purchase_usd: tuple[float, float] | None = None
    """Low and high street price of one device [USD]."""
    plannable: bool = True
    why_not_plannable: str = ""
    trains: bool = True
    source: str = ""
    confidence: str = ""

    def __hash__(self) -> int:
        """Over every field: what is remembered of one accelerator is never found for another."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return whole_hash(self)


@dataclass(frozen=True, kw_only=True)
class System:
    """A server one can buy: what an on-prem plan is made of."""

    slug: str
    name: str
    device: str
    devices: int
    nic_bandwidth: float
    """All scale-out NICs together, per direction [byte/s]."""
    max_power_w: float
    price_low_usd: float
    price_high_usd: float
    price_date: str
    cooling: str = "air"
    rack_units: float = 8.0
    """0 = it stands on a desk."""
    local_nvme_bytes: float = 0.0
    source: Origin = ""
    quoted: bool = False
    """Has a seller offered this price to the team? Else it is the range that is asked for such servers."""
    valid_until: str = ""
    """Last day on which a quoted price holds (YYYY-MM-DD); empty where nobody said, and for any other price."""
    own: bool = False
    """Is it the team's own entry? Then it is the server that the team would buy."""

    @property
    def on_a_desk(self) -> bool:
        """Is it a computer of an office, without a rack?"""
        return self.rack_units <= 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Tariff:
    """What electricity or space costs at some place; 0 for low and high = no range is known."""

    value: float
    """Electricity [USD/kWh], space with its power [USD/(kW month)]."""
    low: float = 0.0
    high: float = 0.0
    source: str
    date: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Site:
    """Where hardware of one's own can stand: a country, or a group of countries."""

    name: str
    power: Tariff | None = None
    hosting: Tariff | None = None


@dataclass(frozen=True, kw_only=True)
class Holding:
    """Accelerators that a team owns, as it says itself; 0 or empty = it does not say."""

    slug: str
    name: str
    device: str
    """Device slug."""
    count: int
    devices_per_server: int = 0
    nic_bandwidth: float = 0.0
    """Scale-out NICs of one server together, per direction [byte/s]."""
    in_service: str = ""
    price_paid_usd: float = 0.0
    """For all of it."""
    book_value_usd: float = 0.0
    """Of all of it, on the day of the entry."""
    server_power_w: float = 0.0
    site: str = ""
    pue: float = 0.0
    usd_per_kwh: float = 0.0
    country: str = ""
    place: Site | None = None
    """What is known of that country."""
    source: str = ""
    date: str = ""
    """Day of the entry."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceStep:
    """One step on the way from the listed price of an instance-hour to the one that is paid."""

    step: Literal["list", "agreed", "discount", "commitment"]
    """list: what its seller lists. agreed: a price in its place. discount: a percentage off it. commitment: what a spend
    commitment takes off that."""
    share: float
    """Taken off the step before; 0 where this is a price."""
    usd_per_hour: float
    """After this step."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListPrice:
    """What anybody pays for an instance."""

    usd_per_hour: float
    date: str
    """Day on which it was read (YYYY-MM-DD)."""
    source: str
    basis: PriceBasis = "list"


@dataclass(frozen=True, kw_only=True, slots=True)
class Stated:
    """Where and when a price beside that of the hardware was read."""

    source: Origin
    """Title of the page or list that names it."""
    date: str
    """Day on which it was read (YYYY-MM-DD); empty for a price of the team's own."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """One way to rent one instance type: instance × region × option, with one price."""

    id: str
    """Stable text key `provider/instance/region/option`."""
    provider: str
    instance: str
    region: str
    device: str
    """Device slug."""
    devices: int
    """Devices in one instance."""
    option: PriceOption
    usd_per_hour: float
    """For the whole instance."""
    price_date: str
    source: Origin
    basis: PriceBasis = "list"
    valid_until: str = ""
    """Last day on which a quoted price holds (YYYY-MM-DD); empty where nobody said, and for any other price."""
    public: ListPrice | None = None
    """Where the price is the team's own: what anybody pays for the same, which takes its place when it has run out; None =
    unknown."""
    day_steps_until: int = 0
    """Days up to which a capacity block is sold by the day, a longer one by whole weeks; 0 = by the day, however long."""
    country: str = ""
    scaleout_bandwidth: float = 0.0
    """Scale-out bandwidth of one instance per direction [byte/s]; 0 = unknown: one instance only, never pooled."""
    interruption_per_month: float = 0.0
    """Probability that one spot instance is reclaimed within a month; 0 for other options."""
    egress_usd_per_gb: float = 0.09
    storage_usd_per_gb_month: float = 0.023
    egress_stated: Stated | None = None
    """Where the price of data out was read; None = nowhere, and the usual one of large providers is taken."""
    storage_stated: Stated | None = None
    """The same of storage."""
    term_months: int = 0
    vcpus: float = 0.0
    host_memory_bytes: float = 0.0
    native_amount: str = ""
    native_currency: str = "USD"
    zones: int = 0
    """Zones whose prices of that day stand behind this one (their middle, the dearer of two); 0 = priced by region."""
    dear_usd_per_hour: float = 0.0
    """Nine tenths of the provider's zones charge no more for a spot instance of that type; 0 for other options."""
    on_demand_usd_per_hour: float = 0.0
    """What the same instance costs on demand there, else in the provider's cheapest region; 0 = none, or itself."""
    listed_usd_per_hour: float = 0.0
    """What the provider lists for it there, without commitment and without agreement; 0 = `usd_per_hour` itself."""
    seller: str = ""
    """The provider's own spelling of its name, for sentences."""
    tier: str = ""
    """Kind of provider, one of `PROVIDER_TIERS`; empty = not known. Lists of the first move least."""
    steps: tuple[PriceStep, ...] = ()
    """From the listed price to this one, in order; empty where it is the listed one."""
    most: int = 0
    """Most instances that are offered; 0 = no known limit."""
    health_data: bool = False
    """Does the provider attest to keep the rules for health data of the United States (HIPAA)? False also where nothing is known."""

    def before_commitment(self, usd_per_hour: float) -> float:
        """The agreed price of an hour from which a spend commitment leads to this one."""
        share = next((one.share for one in self.steps if one.step == "commitment"), 0.0)
        return usd_per_hour / (1.0 - share)


@dataclass(frozen=True, kw_only=True, slots=True)
class Missing:
    """How much of the time so many spot instances of one type were not there together."""

    share: float
    low: float
    high: float
    instances: int
    source: str
    date: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Access:
    """How capacity of one provider is had on one option, as its own documentation says; 0, empty or None = it does not say."""

    quota: str = ""
    """The limit that stands before it, by the provider's own name."""
    quota_counts: str = ""
    """What that limit counts: vcpu, accelerator, instance."""
    quota_default: float | None = None
    """What a new account has of it."""
    least_accelerators: int = 0
    most_instances: int = 0
    """Of one order."""
    sizes: tuple[int, ...] = ()
    """Instances of one order that are sold, in order; empty = any number up to the most."""
    day_steps_until: int = 0
    """Days up to which a block is sold by the day; a longer one by whole weeks."""
    most_days: int = 0
    """Of one block."""
    ahead_days: int = 0
    """How long before its first day it can be ordered at the earliest."""
    lead_days: float | None = None
    """From asking to having it."""
    missing: Missing | None = None
    """Of spot: what was measured of many instances; None = nothing."""
    source: str = ""
    date: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Certificate:
    """A certificate, attestation or qualification that a request may ask of a provider."""

    name: str
    includes: tuple[str, ...] = ()
    """Those that it is at least as much as."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Attestation:
    """What is stated of one provider and one certificate."""

    certificate: str
    held: bool
    """False where the provider says that it does not hold it yet."""
    scope: str
    """What is covered, as far as the source says."""
    source: str
    date: str
    regions: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    """Where it holds; neither regions nor countries = no place is named."""


@dataclass(frozen=True, kw_only=True)
class Market:
    """Everything that may be planned with, frozen: one catalog release plus a team's overlay."""

    release: str
    """SHA-256 of the facts."""
    release_date: str
    devices: dict[str, Device]
    systems: tuple[System, ...]
    offers: tuple[Offer, ...]
    models: dict[str, Architecture] = field(default_factory=dict)
    """Models that a request may name, by slug."""
    facts: tuple[Fact, ...] = ()
    carbon_g_per_kwh: dict[str, float] = field(default_factory=dict)
    """Grid intensity by region id or ISO-3 country."""
    fx_usd: dict[str, tuple[float, str]] = field(default_factory=dict)
    """US dollars for one unit of a currency, and the date of the rate."""
    holdings: tuple[Holding, ...] = ()
    """What the team owns, by its own entries."""
    access: dict[str, Access] = field(default_factory=dict)
    """How capacity is had, by `provider/option`, or `provider/option/family` where that says it of one family of instances."""
    certificates: dict[str, Certificate] = field(default_factory=dict)
    """What a request may ask of a provider, by slug."""
    attestations: dict[str, Attestation] = field(default_factory=dict)
    """What is stated of it, by `provider/certificate`."""
    sites: dict[str, Site] = field(default_factory=dict)
    """What electricity and space cost, by ISO-3 country and residency group."""

    def __hash__(self) -> int:
        """Over the release, which is that of all facts, and what a request can put in place of them; whether two are equal is asked of
        every field."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.release, self.offers, self.systems, self.holdings, frozenset(self.fx_usd.items())))

    @cached_property
    def on_demand(self) -> dict[str, tuple[Offer, ...]]:
        """What is rented by the hour and not taken away, by accelerator, in the order of the catalog."""
        found: dict[str, list[Offer]] = {}
        for offer in self.offers:
            if offer.option == "on_demand":
                found.setdefault(offer.device, []).append(offer)
        return {device: tuple(offers) for device, offers in found.items()}

    @cached_property
    def providers(self) -> frozenset[str]:
        """All who rent something out."""
        return frozenset(offer.provider for offer in self.offers)

    @cached_property
    def regions(self) -> frozenset[str]:
        """All regions of theirs."""
        return frozenset(offer.region for offer in self.offers)

    def access_of(self, offer: Offer) -> Access:
        """What is known of how capacity of that offer is had: of its family of instances, else of its provider and option."""
        family = "".join(letter for letter in offer.instance.split(".")[0] if not letter.isdigit())[:1].lower()
        key = f"{offer.provider}/{offer.option}"
        return self.access.get(f"{key}/{family}") or self.access.get(key) or Access()

    @cached_property
    def lists(self) -> Mapping[tuple[str, str], tuple[Offer, ...]]:
        """All offers of an accelerator on the same terms, by both."""
        found: dict[tuple[str, str], list[Offer]] = {}
        for offer in self.offers:
            found.setdefault((offer.device, offer.option), []).append(offer)
        return {key: tuple(offers) for key, offers in found.items()}

    @cached_property
    def quoted(self) -> tuple[Offer, ...]:
        """Quotes of the team that end on some day, and in whose place there is a listed price."""
        return tuple(offer for offer in self.offers if offer.valid_until and offer.public)


RACK = 64
"""Accelerators from which a scale-up fabric is a rack's or a pod's and joins servers: Trn2 UltraServer 64, NVL72 72, TPU slices 256."""
WHOLE_SERVER = 4
"""Accelerators of the smallest server on such a fabric: a compute tray of NVL72, a host of TPUs. A virtual machine with fewer is a part
of one, and the fabric joins it with no other."""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Accelerators of one kind that can work together: what physics sees of an offer, a system or owned hardware.

    Several offers at different prices share one cluster, so time and memory are computed once for all of them.
    """

    device: Device
    devices_per_node: int
    nic_bandwidth: float
    """Scale-out bandwidth per device and direction [byte/s]; 0 = unknown: one node only."""
    max_devices: int
    """Most devices that may be pooled."""

    @property
    def poolable(self) -> int:
        """Most devices that can work on one model: those of one node where nodes are not joined."""
        return self.max_devices if self.nic_bandwidth > 0 else min(self.max_devices, self.devices_per_node)

    @property
    def domain(self) -> int:
        """Devices that exchange over a scale-up fabric: those of a node, which may be a part of a server; in a rack, those of whole
        servers together."""
        racked = self.device.scaleup_domain >= RACK and self.devices_per_node >= WHOLE_SERVER
        joined = min(self.device.scaleup_domain, self.max_devices) if racked else 1
        return max(joined, self.devices_per_node)
