"""The one door between catalog and engine: catalog facts → devices, systems, offers.

The same facts give the same `Market` and release hash, whether they come from the files or from database rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from statistics import median_high
from typing import TYPE_CHECKING, cast, get_args

from catalog.facts import load
from catalog.kept import Kept
from catalog.presets import architectures
from catalog.providers import provider_name
from catalog.records import PriceRow, Record, Source, decimal_text
from catalog.whole import Catalog
from engine.inputs.hardware import (
    Access,
    Attestation,
    Certificate,
    Device,
    Fact,
    Holding,
    ListPrice,
    Market,
    Missing,
    Offer,
    PriceBasis,
    PriceOption,
    Runtime,
    Site,
    Stated,
    System,
    Tariff,
)
from engine.supply import RESIDENCY_COUNTRIES

if TYPE_CHECKING:
    from accounts.models import Team

_TERM_MONTHS = {"commit_1y": 12, "commit_3y": 36}
_GIB = 2.0**30


@cache
def market_from_files() -> Market:
    """The public release in `catalog/data`; no database is asked."""
    return market(load())


def market_from_rows(team: Team | None = None) -> Market:
    """The release in the database, with that team's own prices before the public ones.

    Equal facts give the same hash as `market_from_files`. NoCatalog when none is loaded.
    """
    from catalog.store import catalog_from_rows, release_key  # the files' door must work without a database

    def read() -> Market:
        known = market_from_files() if market_from_files.cache_info().currsize else None
        return known if known and known.release == key else market(catalog_from_rows(team))

    key = release_key(team)
    return _kept.of(key, read)


_kept: Kept[Market] = Kept(8)
"""The markets seen last, public and of teams with prices of their own: building one costs a tenth of a second."""


def market(catalog: Catalog) -> Market:
    """Everything of one release that can be planned with."""
    titles = {source.id: source for source in catalog.sources}
    countries = {record.slug: record for record in catalog.of("country")}
    own = {(record.kind, record.slug) for record in catalog.own}
    regions = {record.slug: record for record in catalog.of("region")}
    sites = _sites(catalog, titles)
    return Market(
        release=catalog.release,
        release_date=catalog.release_date,
        devices={record.slug: _device(record, titles) for record in catalog.of("accelerator")},
        systems=tuple(_system(record, titles, own=("system", record.slug) in own) for record in catalog.of("system")),
        offers=_offers(catalog, regions, titles),
        models=architectures(),
        facts=tuple(_facts(catalog, titles)),
        carbon_g_per_kwh={
            key: record.number("grid") for key, record in {**countries, **regions}.items() if "grid" in record.values
        },
        fx_usd={record.slug: (record.number("usd"), record.values["usd"].date) for record in catalog.of("currency")},
        sites=sites,
        holdings=tuple(_holding(record, titles, sites) for record in catalog.of("holding")),
        certificates={
            record.slug: Certificate(name=record.text("name"), includes=tuple(record.text("includes").split()))
            for record in catalog.of("certificate")
        },
        attestations={record.slug: _attestation(record, titles) for record in catalog.of("attestation")},
        access={record.slug: access_from(record, titles) for record in catalog.of("capacity")},
    )


def _facts(catalog: Catalog, titles: Mapping[str, Source]) -> Iterable[Fact]:
    """One fact for each value, with the id `kind.slug.field`."""
    for record in sorted(catalog.effective, key=lambda record: (record.kind, record.slug)):
        for name, value in sorted(record.values.items()):
            yield Fact(
                id=f"{record.kind}.{record.slug}.{name}",
                value=value.text,
                unit=value.unit,
                source=_title(titles, value.source),
                date=value.date,
                confidence=value.confidence,
            )


def _title(titles: Mapping[str, Source], source: str) -> str:
    found = titles.get(source)
    return f"{found.title} ({found.where})" if found else source


def _device(record: Record, titles: Mapping[str, Source]) -> Device:
    low, high = record.number("purchase_low_usd"), record.number("purchase_high_usd")
    return Device(
        slug=record.slug,
        name=record.text("name"),
        vendor=record.text("vendor"),
        generation=record.text("generation"),
        runtime=_runtime(record.text("runtime")),
        release_year=int(record.number("release_year")),
        memory_bytes=record.number("memory_bytes"),
        memory_bandwidth=record.number("memory_bandwidth"),
        dense_flops=record.group("dense_flops"),
        sparse_flops=record.group("sparse_flops"),
        scaleup_name=record.text("scaleup_name", "PCIe"),
        scaleup_bandwidth=record.number("scaleup_bandwidth"),
        scaleup_domain=int(record.number("scaleup_domain", 1)),
        nic_bandwidth=record.number("nic_bandwidth"),
        pcie_bandwidth=record.number("pcie_bandwidth", 32e9),
        tdp_w=record.number("tdp_w"),
        purchase_usd=(low, high) if low and high else None,
        plannable=record.flag("plannable", True),
        why_not_plannable=record.text("why_not_plannable"),
        trains=record.flag("trains", True),
        source=_title(titles, record.values["memory_bytes"].source),
        confidence=record.values["memory_bytes"].confidence,
    )


def _runtime(text: str) -> Runtime:
    return cast(Runtime, text) if text in get_args(Runtime) else "other"


def _sites(catalog: Catalog, titles: Mapping[str, Source]) -> dict[str, Site]:
    """What is known of places, each member of a group without an entry of its own as the group."""
    found = {record.slug: _site(record, titles) for record in catalog.of("site")}
    members = {
        one: found[group] for group, all_of in RESIDENCY_COUNTRIES.items() if group in found for one in sorted(all_of)
    }
    return members | found


def _site(record: Record, titles: Mapping[str, Source]) -> Site:
    return Site(
        name=record.text("name"),
        power=_tariff(record, "usd_per_kwh", titles),
        hosting=_tariff(record, "hosting", titles),
    )


def _tariff(record: Record, name: str, titles: Mapping[str, Source]) -> Tariff | None:
    value = record.values.get(name)
    if value is None:
        return None
    return Tariff(
        value=value.number,
        low=record.number(f"{name}_low"),
        high=record.number(f"{name}_high"),
        source=_title(titles, value.source),
        date=value.date,
    )


def _holding(record: Record, titles: Mapping[str, Source], sites: Mapping[str, Site]) -> Holding:
    origin = record.values["count"]
    return Holding(
        slug=record.slug,
        name=record.text("name"),
        device=record.text("accelerator"),
        count=int(record.number("count")),
        devices_per_server=int(record.number("devices")),
        nic_bandwidth=record.number("nic_bandwidth"),
        in_service=record.text("in_service"),
        price_paid_usd=record.number("price_paid_usd"),
        book_value_usd=record.number("book_value_usd"),
        server_power_w=record.number("server_power_w"),
        site=record.text("site"),
        pue=record.number("pue"),
        usd_per_kwh=record.number("usd_per_kwh"),
        country=record.text("country"),
        place=sites.get(record.text("country")),
        source=_title(titles, origin.source),
        date=origin.date,
    )


def _system(record: Record, titles: Mapping[str, Source], *, own: bool = False) -> System:
    price = record.values.get("price_low_usd")
    return System(
        slug=record.slug,
        name=record.text("name"),
        device=record.text("device"),
        devices=int(record.number("devices")),
        nic_bandwidth=record.number("nic_bandwidth"),
        max_power_w=record.number("max_power_w"),
        price_low_usd=record.number("price_low_usd"),
        price_high_usd=record.number("price_high_usd"),
        price_date=price.date if price else "",
        cooling=record.text("cooling", "air"),
        rack_units=record.number("rack_units", 8.0),
        local_nvme_bytes=record.number("local_nvme_bytes"),
        source=_title(titles, (price or record.values["max_power_w"]).source),
        own=own,
    )


def access_from(record: Record, titles: Mapping[str, Source]) -> Access:
    """How capacity is had by that provider's own words; what they leave open stays open."""
    known = [value for name, value in record.values.items() if name != "notes"] or list(record.values.values())
    return Access(
        quota=record.text("quota"),
        quota_counts=record.text("quota_counts"),
        quota_default=record.number("quota_default") if "quota_default" in record.values else None,
        least_accelerators=int(record.number("least_accelerators")),
        most_instances=int(record.number("block_instances_most")),
        sizes=tuple(int(size) for size in record.text("block_sizes").split()),
        day_steps_until=int(record.number("block_days_by_day")),
        most_days=int(record.number("block_days_most")),
        ahead_days=int(record.number("block_days_ahead")),
        lead_days=record.number("lead_days") if "lead_days" in record.values else None,
        missing=_missing(record, titles),
        source=_title(titles, known[0].source),
        date=known[0].date,
    )


def _attestation(record: Record, titles: Mapping[str, Source]) -> Attestation:
    """What is stated of one provider and certificate, on the source of its scope."""
    scope = record.values["scope"]
    return Attestation(
        certificate=record.slug.partition("/")[2],
        held=record.flag("held", True),
        scope=scope.text,
        regions=tuple(record.text("regions").split()),
        countries=tuple(record.text("countries").split()),
        source=_title(titles, scope.source),
        date=scope.date,
    )


def _missing(record: Record, titles: Mapping[str, Source]) -> Missing | None:
    value = record.values.get("missing_share")
    if value is None:
        return None
    return Missing(
        share=value.number,
        low=record.number("missing_low", value.number),
        high=record.number("missing_high", value.number),
        instances=int(record.number("missing_instances", 1.0)),
        source=_title(titles, value.source),
        date=value.date,
    )


def _offers(catalog: Catalog, regions: Mapping[str, Record], titles: Mapping[str, Source]) -> tuple[Offer, ...]:
    """One offer for each provider, instance, region and option: a team's own price, else the newest public one."""
    extras = {record.slug: record for record in catalog.of("instance")} | {
        f"{kind} {record.slug}": record for kind in ("provider", "spot", "capacity") for record in catalog.of(kind)
    }
    currencies = {record.slug: record.number("usd") for record in catalog.of("currency")}
    groups: dict[tuple[str, str, str, str], list[PriceRow]] = {}
    for row in catalog.prices:
        groups.setdefault(_key(row), []).append(row)
    own: dict[tuple[str, str, str, str], list[PriceRow]] = {}
    for row in catalog.overlay:
        own.setdefault(_key(row), []).append(row)
    latest = {key: _latest(rows) for key, rows in {**groups, **own}.items()}
    chosen = {key: _middle(rows) for key, rows in latest.items()}
    public = {key: _middle(_latest(rows)) for key, rows in groups.items() if key in own or key[3] == "on_demand"}
    found = [
        _offer(
            chosen[key],
            regions,
            titles=titles,
            extras=extras,
            currencies=currencies,
            beside=public.get(key) if key in own else None,
            own=key in own,
        )
        for key in sorted(chosen)
        if chosen[key].count == int(chosen[key].count) and chosen[key].currency in currencies
    ]
    listed = {key: float(row.amount) * currencies.get(row.currency, 0.0) for key, row in public.items()}
    return tuple(_with_capacity([_with_list_price(offer, listed) for offer in found], latest, currencies))


def _with_list_price(offer: Offer, listed: Mapping[tuple[str, str, str, str], float]) -> Offer:
    """The offer with what its provider lists, where that differs: on demand for a commitment, the public price for one
    that the team has agreed."""
    sold = "on_demand" if offer.term_months else offer.option
    price = listed.get((offer.provider, offer.instance, offer.region, sold), 0.0)
    return replace(offer, listed_usd_per_hour=price) if price and price != offer.usd_per_hour else offer


def _key(row: PriceRow) -> tuple[str, str, str, str]:
    return row.provider, row.instance, row.region, row.option


def _latest(rows: list[PriceRow]) -> list[PriceRow]:
    newest = max(row.date for row in rows)
    return [row for row in rows if row.date == newest]


def _middle(rows: list[PriceRow]) -> PriceRow:
    """Of several zones on one day the middle one, of two the dearer: one cheap zone is not the whole region."""
    middle = median_high(row.amount for row in rows)
    return next(row for row in sorted(rows, key=lambda row: (row.zone, row.source)) if row.amount == middle)


def _with_capacity(
    offers: list[Offer], latest: Mapping[tuple[str, str, str, str], list[PriceRow]], currencies: Mapping[str, float]
) -> Iterable[Offer]:
    """Spot offers with the evidence for their price and with what the same instance costs when there is none."""
    listed: dict[tuple[str, str], list[float]] = {}
    for (provider, instance, _, option), rows in latest.items():
        if option == "spot":
            amounts = [float(row.amount) * currencies.get(row.currency, 0.0) for row in rows]
            listed.setdefault((provider, instance), []).extend(amounts)
    sure = {offer.id: offer.usd_per_hour for offer in offers if offer.option == "on_demand"}
    least: dict[tuple[str, str], float] = {}
    for offer in offers:
        if offer.option == "on_demand":
            known = least.get((offer.provider, offer.instance), math.inf)
            least[offer.provider, offer.instance] = min(known, offer.usd_per_hour)
    for offer in offers:
        key = (offer.provider, offer.instance)
        if offer.option != "spot":
            yield offer
            continue
        amounts = sorted(listed[key])
        yield replace(
            offer,
            zones=len({row.zone for row in latest[*key, offer.region, offer.option] if row.zone}),
            dear_usd_per_hour=amounts[math.ceil(0.9 * len(amounts)) - 1],
            on_demand_usd_per_hour=sure.get("/".join((*key, offer.region, "on_demand")), least.get(key, 0.0)),
        )


def _offer(
    row: PriceRow,
    regions: Mapping[str, Record],
    *,
    titles: Mapping[str, Source],
    extras: Mapping[str, Record],
    currencies: Mapping[str, float],
    beside: PriceRow | None,
    own: bool,
) -> Offer:
    """The offer of that row; `own` where it is the team's own price, `beside` what the seller lists for the same."""
    empty = Record(kind="", slug="", values={})
    instance, provider = (
        extras.get(f"{row.provider}/{row.instance}", empty),
        extras.get(f"provider {row.provider}", empty),
    )
    usual = instance.number("spot_interruption_per_month", provider.number("spot_interruption_per_month", 0.2))
    here = extras.get(f"spot {row.provider}/{row.instance}/{row.region}", empty)
    return Offer(
        id="/".join(_key(row)),
        provider=row.provider,
        seller=provider_name(row.provider),
        tier=provider.text("tier"),
        instance=row.instance,
        region=row.region,
        device=row.accelerator,
        devices=int(row.count),
        option=cast(PriceOption, row.option),
        usd_per_hour=float(row.amount) * currencies[row.currency],
        price_date=row.date.isoformat(),
        source=_title(titles, row.source),
        basis=_basis(row, provider, titles, own=own),
        valid_until=row.valid_until.isoformat() if row.valid_until else "",
        public=_public(beside, provider, titles, currencies) if beside else None,
        day_steps_until=int(extras.get(f"capacity {row.provider}/{row.option}", empty).number("block_days_by_day")),
        country=regions.get(f"{row.provider}/{row.region}", empty).text("country"),
        scaleout_bandwidth=instance.number("scaleout_bandwidth"),
        interruption_per_month=here.number("interruption_per_month", usual) if row.option == "spot" else 0.0,
        egress_usd_per_gb=provider.number("egress_usd_per_gb", 0.09),
        storage_usd_per_gb_month=provider.number("storage_usd_per_gb_month", 0.023),
        egress_stated=_stated(provider, "egress_usd_per_gb", titles),
        storage_stated=_stated(provider, "storage_usd_per_gb_month", titles),
        term_months=_TERM_MONTHS.get(row.option, 0),
        vcpus=float(row.vcpus),
        host_memory_bytes=float(row.memory_gib) * _GIB,
        health_data=bool(provider.text("health_data")),
        native_amount=decimal_text(row.amount),
        native_currency=row.currency,
    )


def _stated(record: Record, name: str, titles: Mapping[str, Source]) -> Stated | None:
    """Where that fact was read; None where the catalog does not know it."""
    found = record.values.get(name)
    return Stated(source=_title(titles, found.source), date=found.date) if found else None


def _public(
    row: PriceRow, provider: Record, titles: Mapping[str, Source], currencies: Mapping[str, float]
) -> ListPrice | None:
    """What the seller lists, where its currency has a rate."""
    if row.currency not in currencies:
        return None
    return ListPrice(
        usd_per_hour=float(row.amount) * currencies[row.currency],
        date=row.date.isoformat(),
        source=_title(titles, row.source),
        basis=_basis(row, provider, titles, own=False),
    )


def _basis(row: PriceRow, provider: Record, titles: Mapping[str, Source], *, own: bool) -> PriceBasis:
    """Who asks that price, and of whom."""
    if own:
        return "quoted"
    if provider.text("sells") == "marketplace":
        return "marketplace"
    known = titles.get(row.source)
    return "second_hand" if known and known.via == "comparison" else "list"
