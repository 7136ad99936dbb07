"""What the catalog's pages show of facts: accelerators side by side, the facts of one, and the sources of all."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from statistics import median
from typing import Final, Literal

from django.utils.translation import gettext_lazy as _

from catalog.days import dated
from catalog.price_tables import Wanted, seen
from catalog.purchases import Use, uses
from catalog.records import OWN, PriceRow, Record, Source
from catalog.schema import KINDS
from catalog.whole import Catalog
from engine.defaults import default_assumptions
from engine.physics.chip import curve_named, sustained_share


@dataclass(frozen=True, kw_only=True)
class Row:
    """One accelerator among others; texts are ready to print, an empty one is unknown."""

    slug: str
    name: str
    vendor: str
    memory: str
    bandwidth: str
    dense: str
    scaleup: str
    power: str
    price: str
    """An hour on demand: low – middle – high of each seller's cheapest, or the only seller's [USD]."""
    sellers: int
    """Who rents it out on demand."""
    per_pflops: str
    """An hour of 10¹⁵ 16-bit operations per second as long runs sustain them in large products, at the middle price [USD]."""
    sustained: str
    """Share of the dense 16-bit peak that they sustain, as plans count it [%]."""
    per_tb_s: str
    """An hour of 10¹² byte/s of its memory at the middle price [USD]."""
    prices: int
    """Offers of any kind."""
    plannable: bool
    why_not: str
    own: bool = False
    """Does the team's own entry say something of it?"""
    keys: dict[str, float] = dataclasses.field(default_factory=dict)
    """What rows are sorted by, the least first; what is not known is not there."""


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """One value with its unit and origin."""

    label: str
    value: str
    source: str
    source_id: str
    date: str
    confidence: str
    own: bool = False
    """Did the team enter it?"""
    public: str = ""
    """The public value that the team's own one stands before."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One field of several accelerators side by side; None where it is not known."""

    label: str
    cells: list[FactRow | None]


_HOW_SURE: Final = {
    "datasheet": _("data sheet"),
    "repo": _("public page"),
    "derived": _("computed"),
    "memory": _("from memory"),
    OWN: _("your own"),
}
"""How sure a value is, as people read it."""

SORTS = ("name", "price", "memory", "bandwidth", "dense", "per_pflops", "per_tb_s", "newest")
"""What accelerators are sorted by: prices from the least up, what hardware can do from the most down."""


def accelerators(catalog: Catalog, *, vendor: str = "", words: str = "", sort: str = "") -> list[Row]:
    """Accelerators of that vendor whose name has all these words, by one of `SORTS`, then by vendor and name; what that says nothing
    of comes last, and after it what nobody rents out or nothing is planned with."""
    prices = _by_accelerator(offered(catalog))
    usd = {record.slug: Decimal(str(record.number("usd"))) for record in catalog.of("currency")}
    rows = [_row(record, prices.get(record.slug, []), usd) for record in catalog.of("accelerator")]
    wanted = words.lower().split()
    found = [row for row in rows if row.vendor == (vendor or row.vendor)]
    found = [row for row in found if all(word in f"{row.name} {row.slug}".lower() for word in wanted)]
    return sorted(
        found,
        key=lambda row: (
            row.keys.get(sort, math.inf), not row.plannable or not row.prices, row.vendor.lower(), row.name.lower()
        ),
    )  # fmt: skip


def tiers(catalog: Catalog) -> dict[str, str]:
    """The kind of each provider."""
    return {record.slug: record.text("tier") for record in catalog.of("provider")}


def vendors(catalog: Catalog) -> list[str]:
    """All vendors in order."""
    return sorted({record.text("vendor") for record in catalog.of("accelerator")}, key=str.lower)


def _by_accelerator(rows: Iterable[PriceRow]) -> dict[str, list[PriceRow]]:
    found: dict[str, list[PriceRow]] = {}
    for row in rows:
        found.setdefault(row.accelerator, []).append(row)
    return found


def offered(catalog: Catalog) -> list[PriceRow]:
    """The prices that are offers to a plan: of each the newest, for whole accelerators, in a currency whose rate is known."""
    known = {record.slug for record in catalog.of("currency")}
    rows = [*seen(catalog.prices, Wanted()), *seen(catalog.overlay, Wanted())]
    return [row for row in rows if row.count == int(row.count) and row.currency in known]


def _row(record: Record, prices: list[PriceRow], usd: Mapping[str, Decimal]) -> Row:
    each = _cheapest((row for row in prices if row.option == "on_demand"), usd)
    middle = float(median(each)) if each else math.inf
    dense = record.number("dense_flops.bf16") or record.number("dense_flops.fp16")
    share = sustained_share(curve_named(record.text("generation"), record.group("dense_flops")), default_assumptions())
    bandwidth = record.number("memory_bandwidth")
    per = {"per_pflops": _per(middle, dense * share / 1e15), "per_tb_s": _per(middle, bandwidth / 1e12)}
    most = {
        "memory": record.number("memory_bytes"),
        "bandwidth": bandwidth,
        "dense": dense,
        "newest": record.number("release_year"),
    }
    plannable = record.flag("plannable", True)
    cheap = {"price": middle, **per} if plannable else {}  # what no plan takes is no bargain
    keys = cheap | {name: -value or math.inf for name, value in most.items()}
    return Row(
        slug=record.slug,
        name=record.text("name"),
        vendor=record.text("vendor"),
        memory=_shown(record, "memory_bytes"),
        bandwidth=_shown(record, "memory_bandwidth"),
        dense=_shown(record, "dense_flops.bf16") or _shown(record, "dense_flops.fp16"),
        scaleup=_shown(record, "scaleup_bandwidth"),
        power=_shown(record, "tdp_w"),
        price=" – ".join(map(_usd, (min(each), median(each), max(each)) if len(each) > 1 else each)),
        sellers=len(each),
        **{name: _usd(value) if value < math.inf else "" for name, value in per.items()},
        sustained=f"{share:.0%}" if dense else "",
        prices=len(prices),
        plannable=plannable,
        why_not=record.text("why_not_plannable"),
        own=any(value.confidence == OWN for value in record.values.values()),
        keys={name: value for name, value in keys.items() if value < math.inf},
    )


def _usd(value: Decimal | float) -> str:
    return f"{value:.2f}"


def _per(price: float, amount: float) -> float:
    """That price for one of so many; infinite where either is not known."""
    return price / amount if amount else math.inf


def had(catalog: Catalog, record: Record) -> Literal["rented", "bought", "owned", "never"]:
    """How a plan can have that accelerator, at best: rented; in servers that it buys; where the team owns it; or not at all."""
    if not record.flag("plannable", True):
        return "never"
    if any(row.accelerator == record.slug for row in offered(catalog)):
        return "rented"
    servers = (one for one in catalog.of("system") if one.text("device") == record.slug)
    return "bought" if any(one.number("price_low_usd") for one in servers) else "owned"


@dataclass(frozen=True, kw_only=True)
class PurchaseLine:
    """One reading of what somebody asked for an accelerator or what holds it, and what is made of it."""

    sold: str
    """card, kit, server, rack or used."""
    count: int
    usd: float
    each: float
    """For one accelerator of it [USD]."""
    day: date
    source: str
    source_id: str
    page: str
    use: Use


def purchases(catalog: Catalog, slug: str) -> list[PurchaseLine]:
    """Every reading of that accelerator's purchase price, the newest first."""
    titles = {source.id: source.title for source in catalog.sources}
    lines = []
    for one, use in uses(catalog.records, slug):
        value, count = one.values["price_usd"], one.number("devices")
        lines.append(
            PurchaseLine(
                sold=one.text("sold"),
                count=int(count),
                usd=value.number,
                each=value.number / count,
                day=date.fromisoformat(value.date),
                source=titles.get(value.source, value.source),
                source_id=value.source,
                page=one.text("page"),
                use=use,
            )
        )
    return lines


def _cheapest(prices: Iterable[PriceRow], usd: Mapping[str, Decimal]) -> list[Decimal]:
    """What each seller's cheapest instance costs for one accelerator and hour [USD]: one that lists a hundred regions counts once."""
    least: dict[str, Decimal] = {}
    for row in prices:
        each = row.amount * usd[row.currency] / row.count
        least[row.provider] = min(each, least.get(row.provider, each))
    return list(least.values())


def _shown(record: Record, field: str) -> str:
    value = record.values.get(field)
    return f"{value.text} {value.unit}".strip() if value else ""


def facts(record: Record, sources: Iterable[Source], public: Record | None = None) -> list[FactRow]:
    """Every value of that record in the order of its kind's fields; `public` is its public entry."""
    known = {source.id: source for source in sources}
    rows = []
    for name, field in KINDS[record.kind].items():
        value = record.values.get(name)
        if value is not None:
            source = known.get(value.source, Source(id=value.source, title=value.source, where=""))
            mine = value.confidence == OWN
            before = public.values.get(name) if public is not None and mine else None
            rows.append(
                FactRow(
                    label=field.label,
                    value=f"{value.text} {value.unit}".strip(),
                    source=source.title,
                    source_id=source.id,
                    date=dated(value.date),
                    confidence=str(_HOW_SURE.get(value.confidence, value.confidence)),
                    own=mine,
                    public=f"{before.text} {before.unit}".strip() if before else "",
                )
            )
    return rows


def label_of(name: str, kind: str = "accelerator") -> str:
    """What people call that field of a record; its own name when the catalog has no such field."""
    return KINDS[kind][name].label if name in KINDS[kind] else name.replace("_", " ")


def sources_of(record: Record, sources: Iterable[Source]) -> list[Source]:
    """The sources that the values of that record name, each once."""
    named = {value.source for value in record.values.values()}
    return [source for source in sources if source.id in named]


def compare(records: Sequence[Record], sources: Iterable[Source]) -> list[Compared]:
    """Every field that one of the accelerators has, in the order of the kind's fields."""
    known = list(sources)
    tables = [{row.label: row for row in facts(record, known)} for record in records]
    labels = dict.fromkeys(field.label for field in KINDS["accelerator"].values())
    return [
        Compared(label=label, cells=[table.get(label) for table in tables])
        for label in labels
        if any(label in table for table in tables)
    ]


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """One source and how much of the catalog rests on it."""

    source: Source
    facts: int
    prices: int


THINGS = {
    "system": "Servers and racks",
    "purchase": "Purchase prices",
    "link": "Interconnects",
    "storage": "Storage tiers",
    "provider": "Providers",
    "region": "Regions",
    "country": "Countries",
    "site": "Electricity and colocation",
    "currency": "Currencies",
}
"""Kinds that have a page of their own beside accelerators, and what people call them."""


def things(catalog: Catalog, kind: str, *, words: str = "") -> list[tuple[str, str, list[FactRow]]]:
    """Everything of that kind whose name has all these words: slug, name and facts."""
    wanted = words.lower().split()
    public = {record.slug: record for record in catalog.records if record.kind == kind}
    found = [
        (record.slug, record.text("name", record.slug), facts(record, catalog.sources, public.get(record.slug)))
        for record in catalog.of(kind)
    ]
    return [one for one in found if all(word in f"{one[0]} {one[1]}".lower() for word in wanted)]


def source_lines(catalog: Catalog) -> list[SourceLine]:
    """Every source that a fact or price names, the most used first."""
    named = Counter(value.source for record in catalog.records for value in record.values.values())
    priced = Counter(row.source for row in (*catalog.prices, *catalog.overlay))
    lines = [SourceLine(source=one, facts=named[one.id], prices=priced[one.id]) for one in catalog.sources]
    used = [line for line in lines if line.facts or line.prices]
    return sorted(used, key=lambda line: (-line.facts - line.prices, line.source.id))
