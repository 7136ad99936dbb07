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
    source: str = ""
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
    source: str
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

    def before_commitment(self, usd_per_hour: float) -> float:
        """The agreed price of an hour from which a spend commitment leads to this one."""
        share = next((one.share for one in self.steps if one.step == "commitment"), 0.0)
        return usd_per_hour / (1.0 - share)


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
    day_steps_until: int = 0
    """Days up to which a block is sold by the day; a longer one by whole weeks."""
    most_days: int = 0
    """Of one block."""
    ahead_days: int = 0
    """How long before its first day it can be ordered at the earliest."""
    lead_days: float | None = None
    """From asking to having it."""
    source: str = ""
    date: str = ""


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

    def __hash__(self) -> int:
        """Over every field, prices and facts included."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return whole_hash(self)

    @cached_property
    def providers(self) -> frozenset[str]:
        """All who rent something out."""
        return frozenset(offer.provider for offer in self.offers)

    @cached_property
    def regions(self) -> frozenset[str]:
        """All regions of theirs."""
        return frozenset(offer.region for offer in self.offers)

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
