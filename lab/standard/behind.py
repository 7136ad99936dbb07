"""Which facts of the catalog a recommendation rests on, and which of them somebody typed from memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from catalog.records import Record, Value
from catalog.whole import Catalog
from engine.answer import Option

_ACCELERATOR = (
    "memory_bytes",
    "memory_bandwidth",
    "scaleup_bandwidth",
    "scaleup_domain",
    "pcie_bandwidth",
    "tdp_w",
)
"""What time, memory and carbon read of an accelerator, beside its rates in the precision of the plan. Its usual network is read
only where it is owned: an instance and a server state their own."""
_PROVIDER = ("egress_usd_per_gb", "storage_usd_per_gb_month")
_SYSTEM = ("devices", "nic_bandwidth", "max_power_w", "price_low_usd", "price_high_usd", "rack_units")
MEMORY = "memory"


def facts_behind(catalog: Catalog, option: Option) -> dict[str, Value]:
    """Id (`kind.slug.field`) → value of every fact that time, memory, cost, place or carbon of that option is computed from."""
    return dict(_facts({(record.kind, record.slug): record for record in catalog.effective}, option))


def from_memory(facts: Mapping[str, Value]) -> list[str]:
    """Ids of those that were typed from memory."""
    return sorted(ident for ident, value in facts.items() if value.confidence == MEMORY)


def _facts(records: Mapping[tuple[str, str], Record], option: Option) -> Iterator[tuple[str, Value]]:
    rates = (f"dense_flops.{option.precision}", "dense_flops.bf16")
    yield from _of(records, "accelerator", option.accelerator, (*_ACCELERATOR, *rates))
    offer = option.offer
    if offer is None:
        if option.kind == "owned":
            yield from _of(records, "accelerator", option.accelerator, ("nic_bandwidth",))
        if option.system_name:
            slug = next(
                (
                    slug
                    for (kind, slug), one in records.items()
                    if kind == "system" and one.text("name") == option.system_name
                ),
                "",
            )
            yield from _of(records, "system", slug, _SYSTEM)
        return
    spot = ("spot_interruption_per_month",) if offer.option == "spot" else ()
    yield from _of(records, "instance", f"{offer.provider}/{offer.instance}", ("scaleout_bandwidth", *spot))
    yield from _of(records, "provider", offer.provider, (*_PROVIDER, *spot))
    region = f"{offer.provider}/{offer.region}"
    yield from _of(records, "region", region, ("country", "grid"))
    if "grid" not in getattr(records.get(("region", region)), "values", {}):
        yield from _of(records, "country", offer.country, ("grid",))
    if spot:
        yield from _of(records, "spot", f"{region}", ("interruption_per_month",))
        yield from _of(
            records, "spot", f"{offer.provider}/{offer.instance}/{offer.region}", ("interruption_per_month",)
        )


def _of(
    records: Mapping[tuple[str, str], Record], kind: str, slug: str, names: Iterable[str]
) -> Iterator[tuple[str, Value]]:
    record = records.get((kind, slug))
    for name in dict.fromkeys(names):
        if record is not None and name in record.values:
            yield f"{kind}.{slug}.{name}", record.values[name]
