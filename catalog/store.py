"""The catalog's rows as a release, and the step that publishes the project's own files as one transaction."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from sys import intern
from typing import Any

from django.db import connection, models, transaction

from accounts import audit
from accounts.models import Team
from catalog.facts import load
from catalog.kept import Kept
from catalog.models import (
    BatchStatus,
    CatalogRelease,
    Entry,
    EntryStatus,
    ImportBatch,
    PriceObservation,
    Source,
    TeamEntry,
)
from catalog.progress import Stage, one_of, tell
from catalog.records import PriceRow, Record, Value, decimal_text
from catalog.records import Source as SourceValue
from catalog.release import fingerprint, release_of, tally, together
from catalog.whole import Catalog

_FIELDS = ("provider", "instance", "region", "zone", "accelerator", "option", "currency", "source", "confidence")
_AT_ONCE = 1000
"""Rows held as model objects while they are written, so that a large import needs little memory."""
_NUMBERS = ("count", "amount", "vcpus", "memory_gib")


class NoCatalog(LookupError):
    """No release was ever published in this database."""


def catalog_from_rows(team: Team | None = None) -> Catalog:
    """The published catalog with that team's own prices. NoCatalog when none is loaded."""
    published = PriceObservation.objects.filter(batch__status=BatchStatus.PUBLISHED)
    return Catalog(
        records=_records(),
        prices=tuple(prices_of(published.filter(team=None))),
        sources=_sources(),
        overlay=tuple(prices_of(published.filter(team=team))) if team is not None else (),
        own=own_records(team) if team is not None else (),
    )


def catalog_to_show(team: Team) -> Catalog:
    """The same for pages and doors: the public part is kept in this process until the next publication. NoCatalog likewise."""
    latest = CatalogRelease.objects.order_by("-pk").values_list("pk", "sha256").first()
    public = _shown.of(f"{latest}", catalog_from_rows)
    own = PriceObservation.objects.filter(batch__status=BatchStatus.PUBLISHED, team=team)
    return replace(public, overlay=tuple(prices_of(own)), own=own_records(team))


_shown: Kept[Catalog] = Kept(1)
"""The public catalog of the last release, which every page of every team reads."""


def catalog_or_files(team: Team) -> Catalog:
    """What that team plans with: the published catalog with its own prices, or the program's own files before the first."""
    try:
        return catalog_to_show(team)
    except NoCatalog:
        return load()


def own_records(team: Team) -> tuple[Record, ...]:
    """The entries of that team that are in force, as facts: only what it says itself."""
    rows = TeamEntry.objects.filter(team=team, status=EntryStatus.IN_FORCE).order_by("kind", "slug")
    return tuple(_record(kind, slug, facts) for kind, slug, facts in rows.values_list("kind", "slug", "facts"))


def release_key(team: Team | None = None) -> str:
    """What names the catalog that this team sees: equal keys, equal facts and prices. Three small queries."""
    latest = CatalogRelease.objects.order_by("-pk").values_list("sha256", flat=True).first()
    own: list[str] = []
    if team:
        prices = ImportBatch.objects.filter(team=team, status=BatchStatus.PUBLISHED)
        entries = TeamEntry.objects.filter(team=team, status=EntryStatus.IN_FORCE)
        own += (key for rows in (prices, entries) for key in rows.order_by("pk").values_list("public_id", flat=True))
    return " ".join([latest or "", *own])


def _records() -> tuple[Record, ...]:
    rows = Entry.objects.order_by("kind", "slug").values_list("kind", "slug", "facts")
    records = {(kind, slug): _record(kind, slug, facts) for kind, slug, facts in rows}
    if not records:
        raise NoCatalog("No catalog is loaded; run `manage.py load_catalog`.")
    return tuple((records | _imported_records()).values())


def _sources() -> tuple[SourceValue, ...]:
    return tuple(
        SourceValue(id=row.key, title=row.title, where=row.where, licence=row.licence, via=row.via)
        for row in Source.objects.order_by("key")
    )


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


def prices_of(rows: models.QuerySet[PriceObservation]) -> Iterator[PriceRow]:
    """Those observations as plain prices, in the order they were written."""
    columns = rows.order_by("pk").values_list(*_FIELDS, *_NUMBERS, "observed_on", "valid_from", "valid_until")
    for values in columns.iterator(chunk_size=_AT_ONCE):
        texts: dict[str, Any] = dict(zip(_FIELDS, map(intern, values), strict=False))
        numbers: dict[str, Any] = dict(zip(_NUMBERS, map(_shortest, values[len(_FIELDS) :]), strict=False))
        observed, since, until = values[-3:]
        yield PriceRow(**texts, **numbers, date=observed, valid_from=since, valid_until=until)


@lru_cache(maxsize=4096)
def _shortest(value: Decimal) -> Decimal:
    """The number without the zeros that the column adds; equal numbers are one object."""
    return Decimal(decimal_text(value))


@transaction.atomic
def publish_catalog(catalog: Catalog, batches: Sequence[tuple[str, Sequence[PriceRow]]]) -> CatalogRelease:
    """Make the database hold that catalog, its prices in named batches; doing it twice changes nothing."""
    _publish_sources(catalog.sources)
    _publish_entries(catalog.records)
    for number, (name, rows) in enumerate(batches):
        with one_of(number, len(batches)):
            _publish_batch(name, rows)
    ImportBatch.objects.filter(name__startswith="files/", status=BatchStatus.PUBLISHED).exclude(
        name__in=[name for name, _ in batches]
    ).update(status=BatchStatus.REPLACED)
    return note_release()


def _publish_sources(sources: Iterable[SourceValue]) -> None:
    rows = [
        Source(key=source.id, title=source.title, where=source.where, licence=source.licence, via=source.via)
        for source in sources
    ]
    Source.objects.exclude(key__in=[row.key for row in rows]).delete()
    Source.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["key"], update_fields=["title", "where", "licence", "via"]
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
    add_prices(batch, {fingerprint(row): row for row in rows})


def add_prices(batch: ImportBatch, rows: Mapping[bytes, PriceRow]) -> None:
    """Write the rows, by fingerprint, as observations of that batch, and their share in the hash of a release.

    Plain SQL, because the model layer takes four times as long and a hundred thousand rows are no rare feed.
    """
    names = ("batch", "team", "fingerprint", "observed_on", "valid_from", "valid_until", *_FIELDS, *_NUMBERS)
    fields = {field.name: str(field.column) for field in PriceObservation._meta.concrete_fields}
    quoted = ", ".join(connection.ops.quote_name(fields[name]) for name in names)
    table = connection.ops.quote_name(PriceObservation._meta.db_table)
    insert = f"INSERT INTO {table} ({quoted}) VALUES ({', '.join(['%s'] * len(names))})"  # noqa: S608 - own names only
    values = (_columns(batch, mark, row) for mark, row in rows.items())
    done = 0
    with connection.cursor() as cursor:
        while part := list(islice(values, _AT_ONCE)):
            cursor.executemany(insert, part)
            tell(Stage.WRITING, done := done + len(part), len(rows))
    batch.tally, batch.newest_on = tally(rows), max((row.date for row in rows.values()), default=None)
    batch.save(update_fields=["tally", "newest_on"])


def _columns(batch: ImportBatch, mark: bytes, row: PriceRow) -> tuple[Any, ...]:
    day = connection.ops.adapt_datefield_value
    return (
        batch.pk,
        batch.team_id,
        mark,
        day(row.date),
        day(row.valid_from) if row.valid_from else None,
        day(row.valid_until) if row.valid_until else None,
        *_texts(row),
        *map(_number, _NUMBERS, _numbers(row)),
    )


_texts, _numbers = attrgetter(*_FIELDS), attrgetter(*_NUMBERS)


@lru_cache(maxsize=4096)
def _number(name: str, value: Decimal) -> Any:
    field = next(field for field in PriceObservation._meta.concrete_fields if field.name == name)
    return field.get_db_prep_save(value, connection)


def note_release() -> CatalogRelease:
    """The release that the rows make now; a new row only when the hash changed. No price is read: imports keep their sum."""
    published = ImportBatch.objects.filter(status=BatchStatus.PUBLISHED, team=None)
    records, sources = _records(), _sources()
    newest = Catalog(records=records, prices=(), sources=sources).release_date
    last = published.aggregate(day=models.Max("newest_on"))["day"]
    sha256 = release_of(records, together(published.values_list("tally", flat=True)), sources)
    latest = CatalogRelease.objects.order_by("-pk").first()
    if latest is not None and latest.sha256 == sha256:
        return latest
    release = CatalogRelease.objects.create(sha256=sha256, date=max(date.fromisoformat(newest), last or date.min))
    audit.record("catalog.released", sha256, team=None, actor=None, data={"date": release.date.isoformat()})
    return release
