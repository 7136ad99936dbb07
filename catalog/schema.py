"""Which facts each kind of thing has, in which dimension. One table: the loader, the linter and the pages read it."""

from __future__ import annotations

from dataclasses import dataclass

PRECISIONS = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "int8", "int4", "nvfp4", "mxfp4")


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its dimension (`text`, `bool`, `day`, or a key of `units.DIMENSIONS`), and whether it must be there."""

    dimension: str
    required: bool = False
    label: str = ""


def _rates(start: str, label: str) -> dict[str, Field]:
    return {f"{start}.{name}": Field("FLOP/s", label=f"{label} {name.upper()}") for name in PRECISIONS}


KINDS: dict[str, dict[str, Field]] = {
    "accelerator": {
        "name": Field("text", True, "Name"),
        "vendor": Field("text", True, "Vendor"),
        "generation": Field("text", True, "Generation"),
        "runtime": Field("text", True, "Software"),
        "form_factor": Field("text", False, "Form factor"),
        "release_year": Field("year", True, "Year"),
        "memory_bytes": Field("byte", True, "Memory"),
        "memory_type": Field("text", False, "Memory type"),
        "memory_bandwidth": Field("byte/s", True, "Memory bandwidth"),
        **_rates("dense_flops", "Dense"),
        **_rates("sparse_flops", "Sparse"),
        "scaleup_name": Field("text", False, "Scale-up link"),
        "scaleup_bandwidth": Field("byte/s", True, "Scale-up bandwidth per direction"),
        "scaleup_both_directions": Field("byte/s", False, "Scale-up bandwidth, both directions summed"),
        "scaleup_domain": Field("count", False, "Devices in the scale-up domain"),
        "nic_bandwidth": Field("byte/s", False, "Usual scale-out bandwidth per device and direction"),
        "pcie_bandwidth": Field("byte/s", False, "Host link per direction"),
        "tdp_w": Field("W", False, "Power"),
        "purchase_low_usd": Field("USD", False, "Street price, low"),
        "purchase_high_usd": Field("USD", False, "Street price, high"),
        "plannable": Field("bool", False, "Planned with"),
        "why_not_plannable": Field("text", False, "Why not planned with"),
        "trains": Field("bool", False, "Trains"),
        "end_of_sale": Field("text", False, "End of sale"),
        "notes": Field("text", False, "Notes"),
    },
    "system": {
        "name": Field("text", True, "Name"),
        "vendor": Field("text", True, "Vendor"),
        "device": Field("text", True, "Accelerator"),
        "devices": Field("count", True, "Accelerators"),
        "nic_bandwidth": Field("byte/s", True, "Scale-out bandwidth of the server per direction"),
        "max_power_w": Field("W", True, "Maximum power"),
        "price_low_usd": Field("USD", False, "Price, low"),
        "price_high_usd": Field("USD", False, "Price, high"),
        "cooling": Field("text", False, "Cooling"),
        "rack_units": Field("U", False, "Rack units"),
        "host_memory_bytes": Field("byte", False, "Host memory"),
        "local_nvme_bytes": Field("byte", False, "Local NVMe"),
        "cpu": Field("text", False, "Processors"),
        "notes": Field("text", False, "Notes"),
    },
    "purchase": {
        "device": Field("text", True, "Accelerator"),
        "devices": Field("count", True, "Accelerators"),
        "sold": Field("text", True, "Sold as"),
        "system": Field("text", False, "Server"),
        "price_usd": Field("USD", True, "Price"),
        "page": Field("text", False, "Page"),
    },
    "holding": {
        "name": Field("text", True, "Name"),
        "accelerator": Field("text", True, "Accelerator"),
        "count": Field("count", True, "Accelerators owned"),
        "devices": Field("count", False, "Accelerators in one server"),
        "in_service": Field("day", True, "In service since"),
        "price_paid_usd": Field("USD", False, "Price paid, all of it"),
        "book_value_usd": Field("USD", False, "Book value today, all of it"),
        "server_power_w": Field("W", False, "Maximum power of one server"),
        "nic_bandwidth": Field("byte/s", False, "Scale-out bandwidth of the server per direction"),
        "site": Field("text", False, "Site"),
        "pue": Field("ratio", False, "Power usage effectiveness of the site"),
        "usd_per_kwh": Field("USD/kWh", False, "Electricity tariff of the site"),
        "country": Field("text", False, "Country of the site"),
        "notes": Field("text", False, "Notes"),
    },
    "link": {
        "name": Field("text", True, "Name"),
        "scope": Field("text", True, "Reaches"),
        "bandwidth": Field("byte/s", True, "Bandwidth per direction"),
        "both_directions": Field("byte/s", False, "Both directions summed"),
        "domain": Field("count", False, "Devices in one domain"),
        "notes": Field("text", False, "Notes"),
    },
    "storage": {
        "name": Field("text", True, "Name"),
        "bandwidth": Field("byte/s", True, "Read bandwidth of one node per direction"),
        "price": Field("USD/GB/month", False, "Price"),
        "notes": Field("text", False, "Notes"),
    },
    "provider": {
        "name": Field("text", True, "Name"),
        "tier": Field("text", False, "Tier"),
        "sells": Field("text", False, "What its prices are"),
        "spot_by": Field("text", False, "Where a spot price holds"),
        "egress_usd_per_gb": Field("USD/GB", False, "Egress"),
        "storage_usd_per_gb_month": Field("USD/GB/month", False, "Object storage"),
        "spot_interruption_per_month": Field("share", False, "Spot instances reclaimed within a month"),
        "health_data": Field("text", False, "Attestation for health data (HIPAA)"),
        "notes": Field("text", False, "Notes"),
    },
    "certificate": {
        "name": Field("text", True, "Name"),
        "includes": Field("text", False, "Certificates that it is at least as much as"),
        "notes": Field("text", False, "Notes"),
    },
    "attestation": {
        "scope": Field("text", True, "What is covered"),
        "held": Field("bool", False, "Held"),
        "regions": Field("text", False, "Regions that are covered"),
        "countries": Field("text", False, "Countries that are covered"),
        "notes": Field("text", False, "Notes"),
    },
    "instance": {
        "scaleout_bandwidth": Field("byte/s", False, "Scale-out bandwidth of the instance per direction"),
        "spot_interruption_per_month": Field("share", False, "Spot instances reclaimed within a month"),
        "notes": Field("text", False, "Notes"),
    },
    "spot": {
        "interruption_per_month": Field("share", True, "Spot instances reclaimed within a month in that region"),
    },
    "capacity": {
        "quota": Field("text", False, "Limit that stands before it"),
        "quota_counts": Field("text", False, "What the limit counts"),
        "quota_default": Field("count", False, "Limit of a new account"),
        "least_accelerators": Field("count", False, "Fewest accelerators of an order"),
        "block_days_by_day": Field("count", False, "Days up to which a block is sold by the day"),
        "block_days_most": Field("count", False, "Most days of a block"),
        "block_sizes": Field("text", False, "Instances of a block that are sold"),
        "block_instances_most": Field("count", False, "Most instances of a block"),
        "block_days_ahead": Field("count", False, "Days before its start at which a block can be booked"),
        "missing_share": Field("share", False, "Time in which so many spot instances are not there"),
        "missing_low": Field("share", False, "The same, low"),
        "missing_high": Field("share", False, "The same, high"),
        "missing_instances": Field("count", False, "Spot instances that were asked for together"),
        "lead_days": Field("count", False, "Days from asking to having it"),
        "notes": Field("text", False, "Notes"),
    },
    "country": {
        "name": Field("text", True, "Name"),
        "residency": Field("text", False, "Residency group"),
        "grid": Field("g/kWh", False, "Grid intensity, location-based"),
        "grid_year": Field("year", False, "Year of the intensity"),
    },
    "site": {
        "name": Field("text", True, "Name"),
        "usd_per_kwh": Field("USD/kWh", False, "Electricity for business"),
        "usd_per_kwh_low": Field("USD/kWh", False, "Electricity, low"),
        "usd_per_kwh_high": Field("USD/kWh", False, "Electricity, high"),
        "hosting": Field("USD/kW/month", False, "Colocation"),
        "notes": Field("text", False, "Notes"),
    },
    "region": {
        "country": Field("text", True, "Country"),
        "grid": Field("g/kWh", False, "Grid intensity, location-based"),
    },
    "currency": {
        "usd": Field("USD", True, "US dollars for one unit"),
    },
}
