"""What the catalog's pages show of facts: accelerators side by side, the facts of one, and the sources of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from catalog.days import dated
from catalog.records import OWN, PriceRow, Record, Source
from catalog.schema import KINDS
from catalog.whole import Catalog


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
    prices: int
    plannable: bool
    why_not: str
    own: bool = False
    """Does the team's own entry say something of it?"""


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


def accelerators(catalog: Catalog, *, vendor: str = "", words: str = "") -> list[Row]:
    """Accelerators of that vendor whose name has all these words, by vendor and name."""
    prices = _by_accelerator((*catalog.prices, *catalog.overlay))
    rows = [_row(record, prices.get(record.slug, [])) for record in catalog.of("accelerator")]
    wanted = words.lower().split()
    found = [row for row in rows if row.vendor == (vendor or row.vendor)]
    found = [row for row in found if all(word in f"{row.name} {row.slug}".lower() for word in wanted)]
    return sorted(found, key=lambda row: (row.vendor.lower(), row.name.lower()))


def vendors(catalog: Catalog) -> list[str]:
    """All vendors in order."""
    return sorted({record.text("vendor") for record in catalog.of("accelerator")}, key=str.lower)


def _by_accelerator(rows: Iterable[PriceRow]) -> dict[str, list[PriceRow]]:
    found: dict[str, list[PriceRow]] = {}
    for row in rows:
        found.setdefault(row.accelerator, []).append(row)
    return found


def _row(record: Record, prices: list[PriceRow]) -> Row:
    each = [row.amount / row.count for row in prices if row.option == "on_demand" and row.currency == "USD"]
    return Row(
        slug=record.slug,
        name=record.text("name"),
        vendor=record.text("vendor"),
        memory=_shown(record, "memory_bytes"),
        bandwidth=_shown(record, "memory_bandwidth"),
        dense=_shown(record, "dense_flops.bf16") or _shown(record, "dense_flops.fp16"),
        scaleup=_shown(record, "scaleup_bandwidth"),
        power=_shown(record, "tdp_w"),
        price=f"{min(each):.2f} – {median(each):.2f} – {max(each):.2f}" if each else "",
        prices=len(prices),
        plannable=record.flag("plannable", True),
        why_not=record.text("why_not_plannable"),
        own=any(value.confidence == OWN for value in record.values.values()),
    )


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
                    confidence=value.confidence,
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
    "link": "Interconnects",
    "storage": "Storage tiers",
    "provider": "Providers",
    "region": "Regions",
    "country": "Countries",
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
