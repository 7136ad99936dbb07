"""The catalog's rows as a release, and the write steps that publish one. Each step is one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounts.models import Team
from catalog.importers.outcome import Outcome
from catalog.models import BatchStatus, CatalogRelease, Entry, ImportBatch, PriceObservation, Source
from catalog.records import Catalog, PriceRow, Record, Value, decimal_text
from catalog.records import Source as SourceValue

_FIELDS = ("provider", "instance", "region", "zone", "accelerator", "option", "currency", "source", "confidence")
_NUMBERS = ("count", "amount", "vcpus", "memory_gib")


def catalog_from_rows(team: Team | None = None) -> Catalog:
    """The published catalog with that team's own prices. LookupError when none is loaded."""
    records = tuple(_record(entry) for entry in Entry.objects.order_by("kind", "slug"))
    if not records:
        raise LookupError("No catalog is loaded; run `manage.py load_catalog`.")
    published = PriceObservation.objects.filter(batch__status=BatchStatus.PUBLISHED).order_by("pk")
    own = published.filter(team=team) if team is not None else published.none()
    return Catalog(
        records=records,
        prices=tuple(map(_price, published.filter(team=None))),
        sources=tuple(
            SourceValue(id=row.key, title=row.title, where=row.where, licence=row.licence)
            for row in Source.objects.order_by("key")
        ),
        overlay=tuple(map(_price, own)),
    )


def public_release(team: Team | None = None) -> str | None:
    """The hash of the last publication where that team has no prices of its own, else None."""
    if team is not None and PriceObservation.objects.filter(team=team).exists():
        return None
    latest = CatalogRelease.objects.order_by("-pk").first()
    return latest.sha256 if latest else None


def _record(entry: Entry) -> Record:
    names = ("text", "unit", "dimension", "source", "date", "confidence")
    values = {field: Value(**dict(zip(names, parts, strict=True))) for field, parts in entry.facts.items()}
    return Record(kind=entry.kind, slug=entry.slug, values=values)


def _price(row: PriceObservation) -> PriceRow:
    values: dict[str, Any] = {name: getattr(row, name) for name in _FIELDS}
    values |= {name: Decimal(decimal_text(getattr(row, name))) for name in _NUMBERS}
    return PriceRow(**values, date=row.valid_from)


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
    return _release()


def _publish_sources(sources: Iterable[SourceValue]) -> None:
    rows = [Source(key=source.id, title=source.title, where=source.where, licence=source.licence) for source in sources]
    Source.objects.exclude(key__in=[row.key for row in rows]).delete()
    Source.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["key"], update_fields=["title", "where", "licence"]
    )


def _publish_entries(records: Iterable[Record]) -> None:
    rows = [
        Entry(kind=record.kind, slug=record.slug, name=record.text("name", record.slug)[:200], facts=_facts(record))
        for record in records
    ]
    wanted = {(row.kind, row.slug) for row in rows}
    gone = [pk for pk, kind, slug in Entry.objects.values_list("pk", "kind", "slug") if (kind, slug) not in wanted]
    Entry.objects.filter(pk__in=gone).delete()
    Entry.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["kind", "slug"], update_fields=["name", "facts"], batch_size=200
    )


def _facts(record: Record) -> dict[str, list[str]]:
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
    _add(batch, rows)


def _add(batch: ImportBatch, rows: Iterable[PriceRow]) -> None:
    observations = (
        PriceObservation(
            batch=batch,
            team=batch.team,
            valid_from=row.date,
            **{name: getattr(row, name) for name in _FIELDS},
            **{name: getattr(row, name) for name in _NUMBERS},
        )
        for row in rows
    )
    PriceObservation.objects.bulk_create(observations, batch_size=1000)


def _release() -> CatalogRelease:
    """The release that the rows make now; a new row only when the hash changed."""
    catalog = catalog_from_rows()
    latest = CatalogRelease.objects.order_by("-pk").first()
    if latest is not None and latest.sha256 == catalog.release:
        return latest
    return CatalogRelease.objects.create(sha256=catalog.release, date=date.fromisoformat(catalog.release_date))


@transaction.atomic
def publish_import(name: str, digest: str, outcome: Outcome, *, team: Team | None = None) -> tuple[ImportBatch, bool]:
    """The published batch of that outcome, and whether it is new; the same file read the same way is published once.

    Rows that an earlier batch already has are not repeated. ValueError when the outcome does not reconcile or is empty.
    """
    if not outcome.reconciles:
        raise ValueError("The import does not account for every line; nothing was published.")
    if not outcome.rows:
        raise ValueError("The file has no price that can be used; nothing was published.")
    before = ImportBatch.objects.filter(name=name, sha256=digest, team=team, status=BatchStatus.PUBLISHED).first()
    if before is not None:
        return before, False
    batch = ImportBatch.objects.create(
        name=name, sha256=digest, team=team, lines=outcome.lines, refused=outcome.reasons()
    )
    known = set(map(_price, PriceObservation.objects.filter(batch__status=BatchStatus.PUBLISHED, team=team)))
    fresh = [row for row in outcome.rows if row not in known]
    _add(batch, fresh)
    batch.prices, batch.status = len(fresh), BatchStatus.PUBLISHED
    batch.save()
    if team is None:
        _release()
    return batch, True


@transaction.atomic
def roll_back(batch: ImportBatch) -> None:
    """Take that batch's prices out of every later plan. ValueError when it is not published."""
    if batch.status != BatchStatus.PUBLISHED:
        raise ValueError("Only a published import can be rolled back.")
    batch.status = BatchStatus.ROLLED_BACK
    batch.save(update_fields=["status"])
    if batch.team is None:
        _release()
