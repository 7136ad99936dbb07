"""`manage.py new_release NAME FOLDER`: readings in our own columns, and the price list before, become the price list of a release."""

from __future__ import annotations

import csv
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.facts import DATA, PRICE_COLUMNS, PRICE_EXTRAS, load_from, price_files, price_row, read_prices
from catalog.records import PriceRow, decimal_text
from catalog.release_rules import read_rules
from catalog.releasing import Reading, Rules, judged
from catalog.yamlfile import CatalogError

COLUMNS = (*PRICE_COLUMNS, *PRICE_EXTRAS)


class Command(BaseCommand):
    """Writes `prices/*.csv`, one file for each provider, and `left_out.csv`; the same readings give the same files."""

    help = "Make the price list of a release from readings; says how many were taken, and why the others were not."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which release, from where."""
        parser.add_argument("name", help="such as 2026-11; its rules and facts lie in catalog/data/releases already")
        parser.add_argument("folder", type=Path, help="CSV files in the columns of catalog/data/releases/*/prices")
        parser.add_argument(
            "--after", default="", help="the release whose prices are read too (default: the one before)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the counts. CommandError names file, line and column of a fault."""
        folder = DATA / "releases" / options["name"]
        before = options["after"] or max(
            path.name for path in (DATA / "releases").glob("*") if path.name < options["name"]
        )
        try:
            rules, ids = read_rules(folder / "rules.yaml")
            catalog = load_from(DATA, until=options["name"])
            known = {source.id for source in catalog.sources}
            readings = [
                Reading(row=row, file=path.name)
                for _, path in price_files(DATA, before)
                for row in read_prices(path, known)
            ]
            readings += [one for path in sorted(options["folder"].glob("*.csv")) for one in _readings(path, ids, known)]
        except CatalogError as error:
            raise CommandError(str(error)) from error
        found = judged(
            readings,
            rules,
            providers={record.slug: record for record in catalog.of("provider")},
            usd={record.slug: Decimal(str(record.number("usd"))) for record in catalog.of("currency")},
        )
        _write(folder, found, rules)
        for why, count in Counter(one.why or "taken" for one in found).most_common():
            self.stdout.write(f"{count:6} {why}: {rules.reasons.get(why, 'Plans rest on them.')}")


def _readings(path: Path, ids: dict[str, str], known: set[str]) -> Iterator[Reading]:
    """One file of readings, whose sources are told in full."""
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        for cells in reader:
            said = cells["source"]
            source = next((key for start, key in ids.items() if said.startswith(start)), said)
            article = cells.get("confidence") == "B"  # no confidence of ours
            told = {**cells, "source": source, "confidence": "derived" if article else cells.get("confidence", "")}
            row = price_row(path.name, reader.line_num, told, known)
            yield Reading(row=row, file=path.name, why="article" if article else "")


def _write(folder: Path, found: list[Reading], rules: Rules) -> None:
    taken: dict[str, list[PriceRow]] = {}
    for one in found:
        if not one.why:
            taken.setdefault(one.row.provider, []).append(one.row)
    (folder / "prices").mkdir(exist_ok=True)
    for path in (folder / "prices").glob("*.csv"):
        path.unlink()
    for provider, rows in taken.items():
        _table(folder / "prices" / f"{provider}.csv", COLUMNS, [_cells(row) for row in sorted(rows, key=_order)])
    others = sorted((one for one in found if one.why), key=lambda one: (_order(one.row), one.why))
    _table(folder / "left_out.csv", (*COLUMNS, "why"), [{**_cells(one.row), "why": one.why} for one in others])


def _order(row: PriceRow) -> tuple[Any, ...]:
    return (
        row.provider,
        row.accelerator,
        row.instance,
        row.region,
        row.option,
        row.zone,
        row.date,
        row.amount,
        row.source,
    )


def _cells(row: PriceRow) -> dict[str, str]:
    cells = {name: str(getattr(row, name)) for name in COLUMNS}
    numbers = {name: decimal_text(getattr(row, name)) for name in ("count", "amount", "vcpus", "memory_gib")}
    numbers |= {name: "" for name in ("vcpus", "memory_gib") if numbers[name] == "0"}
    return cells | numbers | {"confidence": "" if row.confidence == "repo" else row.confidence}


def _table(path: Path, columns: tuple[str, ...], rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
