"""The catalog's rows as a release, and the step that publishes the project's own files as one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any

from django.db import transaction

from accounts.models import Team
from catalog.models import BatchStatus, CatalogRelease, Entry, ImportBatch, PriceObservation, Source
from catalog.records import Catalog, PriceRow, Record, Value, decimal_text
from catalog.records import Source as SourceValue

_FIELDS = ("provider", "instance", "region", "zone", "accelerator", "option", "currency", "source", "confidence")
_AT_ONCE = 1000
"""Rows held as model objects while they are written, so that a large import needs little memory."""
_NUMBERS = ("count", "amount", "vcpus", "memory_gib")


def catalog_from_rows(team: Team | None = None) -> Catalog:
    """The published catalog with that team's own prices. LookupError when none is loaded."""
    records = {(entry.kind, entry.slug): record_of(entry) for entry in Entry.objects.order_by("kind", "slug")}
    if not records:
        raise LookupError("No catalog is loaded; run `manage.py load_catalog`.")
    records |= _imported_records()
    published = PriceObservation.objects.filter(batch__status=BatchStatus.PUBLISHED).order_by("pk")
    own = published.filter(team=team) if team is not None else published.none()
    return Catalog(
        records=tuple(records.values()),
        prices=tuple(map(price_of, published.filter(team=None).iterator())),
        sources=tuple(
            SourceValue(id=row.key, title=row.title, where=row.where, licence=row.licence)
            for row in Source.objects.order_by("key")
        ),
        overlay=tuple(map(price_of, own.iterator())),
    )


def public_release(team: Team | None = None) -> str | None:
    """The hash of the last publication where that team has no prices of its own, else None."""
    own = PriceObservation.objects.filter(team=team, batch__status=BatchStatus.PUBLISHED)
    if team is not None and own.exists():
        return None
    latest = CatalogRelease.objects.order_by("-pk").first()
    return latest.sha256 if latest else None


def record_of(entry: Entry) -> Record:
    """That row as a record."""
    return _record(entry.kind, entry.slug, entry.facts)


def _record(kind: str, slug: str, facts: dict[str, list[str]]) -> Record:
    names = ("text", "unit", "dimension", "source", "date", "confidence")
    values = {field: Value(**dict(zip(names, parts, strict=True))) for field, parts in facts.items()}
    return Record(kind=kind, slug=slug, values=values)


def _imported_records() -> dict[tuple[str, str], Record]:
    """Facts that published public imports brought, the newest import last."""
    batches = ImportBatch.objects.filter(status=BatchStatus.PUBLISHED, team=None).exclude(entries={}).order_by("pk")
    return {
        (kind, slug): _record(kind, slug, facts)
        for batch in batches
        for kind, entries in batch.entries.items()
        for slug, facts in entries.items()
    }


def price_of(row: PriceObservation) -> PriceRow:
    """That row as a plain price."""
    values: dict[str, Any] = {name: getattr(row, name) for name in _FIELDS}
    values |= {name: Decimal(decimal_text(getattr(row, name))) for name in _NUMBERS}
    return PriceRow(**values, date=row.observed_on, valid_from=row.valid_from)


@transaction.atomic
def publish_catalog(catalog: Catalog, batches: Sequence[tuple[str, Sequence[PriceRow]]]) -> CatalogRelease:
    """Make the database hold that catalog, its prices in named batches; doing it twice changes nothing."""
    _publish_sources(catalog.sources)
    _publish_entries(catalog.records)
    for name, rows in batches:
        _publish_batch(name, rows)
    ImportBatch.objects.filter(name__startswith="files/", status=BatchStatus.PUBLISHED).exclude(
        name__in=[name for name, _ in batches]
    ).update(status=BatchStatus.REPLACED)
    return note_release()


def _publish_sources(sources: Iterable[SourceValue]) -> None:
    rows = [Source(key=source.id, title=source.title, where=source.where, licence=source.licence) for source in sources]
    Source.objects.exclude(key__in=[row.key for row in rows]).delete()
    Source.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["key"], update_fields=["title", "where", "licence"]
    )


def _publish_entries(records: Iterable[Record]) -> None:
    rows = [
        Entry(kind=record.kind, slug=record.slug, name=record.text("name", record.slug)[:200], facts=facts_of(record))
        for record in records
    ]
    wanted = {(row.kind, row.slug) for row in rows}
    gone = [pk for pk, kind, slug in Entry.objects.values_list("pk", "kind", "slug") if (kind, slug) not in wanted]
    Entry.objects.filter(pk__in=gone).delete()
    Entry.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["kind", "slug"], update_fields=["name", "facts"], batch_size=200
    )


def facts_of(record: Record) -> dict[str, list[str]]:
    """The record's facts as `Entry.facts` holds them."""
    return {
        name: [value.text, value.unit, value.dimension, value.source, value.date, value.confidence]
        for name, value in record.values.items()
    }


def _publish_batch(name: str, rows: Sequence[PriceRow]) -> None:
    """The rows as the one published batch of that name; an equal batch stays as it is."""
    digest = hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()
    published = ImportBatch.objects.filter(name=name, status=BatchStatus.PUBLISHED)
    if published.filter(sha256=digest).exists():
        return
    published.update(status=BatchStatus.REPLACED)
    batch = ImportBatch.objects.create(
        name=name, sha256=digest, status=BatchStatus.PUBLISHED, lines=len(rows), prices=len(rows)
    )
    add_prices(batch, rows)


def add_prices(batch: ImportBatch, rows: Iterable[PriceRow]) -> None:
    """Write the rows as observations of that batch."""
    observations = (
        PriceObservation(
            batch=batch,
            team=batch.team,
            observed_on=row.date,
            valid_from=row.valid_from,
            **{name: getattr(row, name) for name in _FIELDS},
            **{name: getattr(row, name) for name in _NUMBERS},
        )
        for row in rows
    )
    while part := list(islice(observations, _AT_ONCE)):
        PriceObservation.objects.bulk_create(part)


def note_release() -> CatalogRelease:
    """The release that the rows make now; a new row only when the hash changed."""
    catalog = catalog_from_rows()
    latest = CatalogRelease.objects.order_by("-pk").first()
    if latest is not None and latest.sha256 == catalog.release:
        return latest
    return CatalogRelease.objects.create(sha256=catalog.release, date=date.fromisoformat(catalog.release_date))
