"""What the catalog's pages show: accelerators side by side, and the facts and prices of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from statistics import median

from catalog.records import Catalog, PriceRow, Record, Source, decimal_text
from catalog.schema import KINDS

STALE_DAYS, OLD_DAYS = 30, 90
_OPTIONS = {
    "on_demand": "on demand",
    "spot": "spot",
    "commit_1y": "1-year commitment",
    "commit_3y": "3-year commitment",
    "capacity_block": "capacity block",
}


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


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """One value with its unit and origin."""

    label: str
    value: str
    source: str
    date: str
    confidence: str


@dataclass(frozen=True, kw_only=True)
class PriceLine:
    """One price as it was observed, and for one accelerator."""

    provider: str
    instance: str
    region: str
    option: str
    count: str
    amount: str
    each: str
    date: date
    age: str
    source: str
    own: bool


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
    )


def _shown(record: Record, field: str) -> str:
    value = record.values.get(field)
    return f"{value.text} {value.unit}".strip() if value else ""


def facts(record: Record, sources: Iterable[Source]) -> list[FactRow]:
    """Every value of that record in the order of its kind's fields."""
    known = {source.id: source for source in sources}
    rows = []
    for name, field in KINDS[record.kind].items():
        value = record.values.get(name)
        if value is not None:
            source = known.get(value.source, Source(id=value.source, title=value.source, where=""))
            rows.append(
                FactRow(
                    label=field.label,
                    value=f"{value.text} {value.unit}".strip(),
                    source=source.title,
                    date=value.date,
                    confidence=value.confidence,
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


def prices(catalog: Catalog, slug: str, *, today: date) -> list[PriceLine]:
    """All observations for that accelerator, cheapest per accelerator first; a team's own before public ones."""
    titles = {source.id: source.title for source in catalog.sources}
    own = [_line(row, titles, today, own=True) for row in catalog.overlay if row.accelerator == slug]
    public = [_line(row, titles, today, own=False) for row in catalog.prices if row.accelerator == slug]
    return [*own, *sorted(public, key=lambda line: Decimal(line.each))]


def _line(row: PriceRow, titles: dict[str, str], today: date, *, own: bool) -> PriceLine:
    return PriceLine(
        provider=row.provider,
        instance=row.instance,
        region=row.zone or row.region,
        option=_OPTIONS[row.option],
        count=decimal_text(row.count),
        amount=f"{decimal_text(row.amount)} {row.currency}",
        each=f"{row.amount / row.count:.4f}",
        date=row.date,
        age=_age((today - row.date).days),
        source=titles.get(row.source, row.source),
        own=own,
    )


def _age(days: int) -> str:
    """Words for a price that is not fresh, "" for one that is."""
    if days <= STALE_DAYS:
        return ""
    return f"{days} days old" + ("; ask for a new quote" if days > OLD_DAYS else "")
