"""The catalog files as one release: every value with its source, every error with file, line and field."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

from catalog.lint import check
from catalog.purchases import ranged
from catalog.records import CONFIDENCES, OPTIONS, SOURCE_WIDTHS, PriceRow, Record, Source, Value
from catalog.schema import KINDS, Field
from catalog.units import split, to_si
from catalog.whole import Catalog
from catalog.yamlfile import CatalogError, Located, read

DATA = Path(__file__).resolve().parent / "data"
PRICE_COLUMNS = (
    "provider",
    "instance",
    "region",
    "zone",
    "accelerator",
    "count",
    "option",
    "amount",
    "currency",
    "date",
    "source",
)
NOT_NUMBERS = ("text", "bool", "day")
"""Dimensions whose values are words."""
_NO_RECORDS = ("sources", "aliases", "model_aliases", "rules")
_ORIGIN = {"source", "date", "confidence"}
PRICE_EXTRAS = ("vcpus", "memory_gib", "confidence")


@dataclass(frozen=True, slots=True)
class _Origin:
    """Source, date and confidence that hold where a value does not state its own."""

    source: str = ""
    date: str = ""
    confidence: str = ""


def load() -> Catalog:
    """The catalog that this installation plans on: the release in `catalog/data` that `CATALOG_RELEASE` names. CatalogError
    names file, line and field."""
    return released(settings.CATALOG_RELEASE)


@cache
def released(until: str = "") -> Catalog:
    """The catalog as it was with that release (such as `2026-08`), else the newest, read once for each process."""
    return load_from(DATA, until=until)


def load_from(folder: Path, judge: Callable[[Record, Located], None] = check, *, until: str = "") -> Catalog:
    """The catalog in that folder. CatalogError names file, line and field of the first fault; `judge` sees each record.

    Facts lie in the folder itself. `releases/NAME` holds the whole price list of a release, and the facts and sources that
    it added: its fields stand over those of the same entry before it. Prices are those of the last release up to `until`.
    """
    steps = [folder, *releases(folder, until)]
    sources = {
        one.id: one for step in steps if (step / "sources.yaml").exists() for one in _sources(step / "sources.yaml")
    }
    records: dict[tuple[str, str], Record] = {}
    for path in (path for step in steps for path in _record_files(step)):
        for record in _records(path, sources.keys(), judge, before=records):
            records[record.kind, record.slug] = record
    records |= ranged(records)
    prices = tuple(row for _, path in price_files(folder, until) for row in read_prices(path, sources.keys()))
    return Catalog(
        records=tuple(records.values()), prices=prices, sources=tuple(sources[key] for key in sorted(sources))
    )


def price_files(folder: Path, until: str = "") -> list[tuple[str, Path]]:
    """The files of the price list of that release, each with the name that it has as an import."""
    return [
        (f"files/{step.name}/{path.stem}", path)
        for step in releases(folder, until)[-1:]
        for path in sorted((step / "prices").glob("*.csv"))
    ]


def releases(folder: Path, until: str) -> list[Path]:
    """The folders of the releases, the oldest first. CatalogError when the one that was named does not exist."""
    found = sorted(path for path in (folder / "releases").glob("*") if path.is_dir())
    if until and until not in {path.name for path in found}:
        raise CatalogError("releases", 1, until, "is no release; leave CATALOG_RELEASE empty for the newest.")
    return [path for path in found if not until or path.name <= until]


def _record_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.yaml") if path.stem not in _NO_RECORDS)


def _sources(path: Path) -> tuple[Source, ...]:
    entries = read(path).mapping("sources")
    return tuple(
        Source(
            id=key,
            **{name: _short(f"{key}.{name}", found, SOURCE_WIDTHS[name]) for name, found in entry.mapping(key).items()},
        )
        for key, entry in sorted(entries.items())
    )


def _short(path: str, found: Located, most: int) -> str:
    """What a column of the database takes: SQLite would store more, PostgreSQL refuse the whole catalog."""
    text = found.text(path)
    if len(text) > most:
        raise found.fail(path, f"has {len(text)} characters, write at most {most}.")
    return text


def _records(
    path: Path,
    sources: AbstractSet[str],
    judge: Callable[[Record, Located], None],
    *,
    before: Mapping[tuple[str, str], Record],
) -> Iterator[Record]:
    """One file: `kind`, optional `defaults`, and `entries` by slug, over what releases `before` say of the same entry."""
    top = read(path)
    root = top.mapping("file")
    kind = _wanted(top, root, "kind").text("kind")
    if kind not in KINDS:
        raise root["kind"].fail("kind", f"must be one of {', '.join(KINDS)}.")
    defaults = _origin(root["defaults"].mapping("defaults"), _Origin()) if "defaults" in root else _Origin()
    for slug, entry in _wanted(top, root, "entries").mapping("entries").items():
        record = _record(kind, slug, entry, defaults=defaults, sources=sources, before=before.get((kind, slug)))
        judge(record, entry)
        yield record


def _wanted(top: Located, root: dict[str, Located], name: str) -> Located:
    if name not in root:
        raise top.fail(name, "is missing.")
    return root[name]


def _origin(entry: dict[str, Located], default: _Origin) -> _Origin:
    parts = {name: entry[name].text(name) for name in _ORIGIN if name in entry}
    return _Origin(
        source=parts.get("source", default.source),
        date=parts.get("date", default.date),
        confidence=parts.get("confidence", default.confidence),
    )


def _record(
    kind: str, slug: str, entry: Located, *, defaults: _Origin, sources: AbstractSet[str], before: Record | None
) -> Record:
    fields = KINDS[kind]
    mapping = entry.mapping(slug)
    origin = _origin(mapping["facts"].mapping(f"{slug}.facts"), defaults) if "facts" in mapping else defaults
    values = {**before.values} if before else {}
    values |= {
        name: _value(f"{slug}.{name}", name, found, fields, origin=_origin(group, origin), sources=sources)
        for name, found, group in _flat(mapping, fields, slug)
    }
    missing = [name for name, field in fields.items() if field.required and name not in values]
    if missing:
        raise entry.fail(f"{slug}.{missing[0]}", "is missing.")
    return Record(kind=kind, slug=slug, values=values)


def _flat(
    mapping: dict[str, Located], fields: dict[str, Field], slug: str
) -> Iterator[tuple[str, Located, dict[str, Located]]]:
    """Fields with their dotted name and the group whose origin they share: `dense_flops: {bf16: …}` is `dense_flops.bf16`."""
    for name, found in mapping.items():
        if name == "facts":
            continue
        if name in fields:
            yield name, found, {}
        elif any(key.startswith(f"{name}.") for key in fields):
            group = found.mapping(f"{slug}.{name}")
            for part in group.keys() - _ORIGIN:
                yield f"{name}.{part}", group[part], group
        else:
            raise found.fail(f"{slug}.{name}", "is not a field of this kind; see catalog/schema.py.")


def _value(
    path: str, name: str, found: Located, fields: dict[str, Field], *, origin: _Origin, sources: AbstractSet[str]
) -> Value:
    if name not in fields:
        raise found.fail(path, "is not a field of this kind; see catalog/schema.py.")
    if isinstance(found.value, dict):
        origin, found = _origin(found.value, origin), _wanted(found, found.value, "value")
    _check_origin(path, found, origin, sources)
    text, unit, dimension = found.text(path), "", fields[name].dimension
    if dimension == "bool" and text not in ("true", "false"):
        raise found.fail(path, "must be true or false.")
    if dimension not in NOT_NUMBERS:
        text, unit = _number(path, found, text, dimension)
    return Value(
        text=text, unit=unit, dimension=dimension, source=origin.source, date=origin.date, confidence=origin.confidence
    )


def _number(path: str, found: Located, text: str, dimension: str) -> tuple[str, str]:
    try:
        number, unit = split(text)
        to_si(number, unit, dimension)
    except ValueError as error:
        raise found.fail(path, str(error)) from error
    return number, unit


def _check_origin(path: str, found: Located, origin: _Origin, sources: AbstractSet[str]) -> None:
    if origin.source not in sources:
        raise found.fail(path, f"names the source “{origin.source}”, which sources.yaml does not have.")
    if origin.confidence not in CONFIDENCES:
        raise found.fail(path, f"has the confidence “{origin.confidence}”; it must be one of {', '.join(CONFIDENCES)}.")
    try:
        date.fromisoformat(origin.date)
    except ValueError as error:
        raise found.fail(path, f"has the date “{origin.date}”; write it as 2026-08-22.") from error


def read_prices(path: Path, sources: AbstractSet[str]) -> Iterator[PriceRow]:
    """The rows of one price file in our own columns. CatalogError names file, line and column."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        missing = [name for name in PRICE_COLUMNS if name not in (reader.fieldnames or ())]
        if missing:
            raise CatalogError(path.name, 1, missing[0], "the column is missing.")
        for row in reader:
            yield price_row(path.name, reader.line_num, row, sources)


def price_row(file: str, line: int, row: dict[str, str], sources: AbstractSet[str]) -> PriceRow:
    """One line in our own columns as a price. CatalogError names file, line and column."""
    if row["option"] not in OPTIONS:
        raise CatalogError(file, line, "option", f"“{row['option']}” must be one of {', '.join(OPTIONS)}.")
    if row["source"] not in sources:
        raise CatalogError(file, line, "source", f"“{row['source']}” is not in sources.yaml.")
    texts: dict[str, Any] = {
        name: row[name]
        for name in ("provider", "instance", "region", "zone", "accelerator", "option", "currency", "source")
    }
    try:
        day = date.fromisoformat(row["date"])
    except ValueError as error:
        raise CatalogError(file, line, "date", f"“{row['date']}” must be a date such as 2026-08-22.") from error
    return PriceRow(
        **texts,
        date=day,
        count=_decimal(file, line, row, "count"),
        amount=_decimal(file, line, row, "amount"),
        vcpus=_decimal(file, line, row, "vcpus", required=False),
        memory_gib=_decimal(file, line, row, "memory_gib", required=False),
        confidence=row.get("confidence") or "repo",
    )


def _decimal(file: str, line: int, row: dict[str, str], name: str, *, required: bool = True) -> Decimal:
    text = row.get(name) or ""
    if not text and not required:
        return Decimal(0)
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise CatalogError(file, line, name, f"“{text}” is not a number.") from error
    if not value.is_finite() or (value <= 0 and required):
        raise CatalogError(
            file, line, name, f"“{text}” must be more than 0; leave the row out when the price is unknown."
        )
    return value
