"""Tables and columns as a database has them, and what of a change an older version would not survive.

While an upgrade goes on, web and workers of the version before write into tables that are prepared already. So a version only
adds (expand): what is no longer needed goes with a later one (contract), when none of those is left that used it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db import connection


@dataclass(frozen=True, kw_only=True)
class Column:
    """What an INSERT or SELECT of another version meets."""

    null: bool
    defaulted: bool
    """Does the database fill it in, when a row comes without it?"""
    size: int | None
    """Longest text in characters; none without a limit."""


Schema = Mapping[str, Mapping[str, Column]]


def schema_now() -> dict[str, dict[str, Column]]:
    """Every table of this database with its columns."""
    found: dict[str, dict[str, Column]] = {}
    with connection.cursor() as cursor:
        look = connection.introspection
        for table in sorted(look.table_names(cursor)):
            keys = {row["column"] for row in look.get_sequences(cursor, table)} | {"id"}
            found[table] = {
                row.name: Column(
                    null=bool(row.null_ok),
                    defaulted=row.default is not None or row.name in keys,
                    size=row.display_size if isinstance(row.display_size, int) and row.display_size > 0 else None,
                )
                for row in look.get_table_description(cursor, table)
            }
    return found


def what_breaks(older: Schema, newer: Schema) -> Iterator[str]:
    """One sentence for each change that a process of the older version would not survive."""
    for table, columns in older.items():
        if table not in newer:
            yield f"The table {table} is gone: drop it one version after the last that reads it."
            continue
        yield from _of_table(table, columns, newer[table])


def _of_table(table: str, older: Mapping[str, Column], newer: Mapping[str, Column]) -> Iterator[str]:
    for name, column in newer.items():
        if name not in older and not column.null and not column.defaulted:
            yield f"{table}.{name} is new and must be filled: give it null=True or a db_default."
    for name, before in older.items():
        now = newer.get(name)
        if now is None:
            yield f"{table}.{name} is gone: drop it one version after the last that reads it, and never rename."
        elif before.null and not now.null and not now.defaulted:
            yield f"{table}.{name} must be filled now: older processes leave it empty."
        elif now.size is not None and (before.size is None or now.size < before.size):
            yield f"{table}.{name} holds {now.size} characters now: older processes write {before.size or 'any number'}."


def as_json(schema: Schema) -> dict[str, Any]:
    """The schema as it is kept beside the tests."""
    return {table: {name: asdict(column) for name, column in columns.items()} for table, columns in schema.items()}


def from_json(data: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Column]]:
    """The schema that `as_json` wrote."""
    return {table: {name: Column(**row) for name, row in columns.items()} for table, columns in data.items()}
