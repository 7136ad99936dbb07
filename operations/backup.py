"""Writing a backup: everything at one moment, while the installation goes on working."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from operations.archive import Manifest, Writer

LEFT_OUT: Final = frozenset({"accounts_session", "django_session", "django_migrations"})
SQLITE: Final = "database.sqlite3"


def write(path: Path) -> Manifest:
    """Writes the backup under that name, whole or not at all; readable by its owner alone."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".part-", delete=False) as partial:
        try:
            writer = Writer(partial.file)
            manifest = _of_postgres(writer) if connection.vendor == "postgresql" else _of_sqlite(writer)
            partial.flush()
            os.fsync(partial.fileno())
            Path(partial.name).replace(path)
        except BaseException:
            Path(partial.name).unlink(missing_ok=True)
            raise
    return manifest


def tables() -> list[str]:
    """Every table of ours that is backed up, in order."""
    return sorted(set(connection.introspection.django_table_names(only_existing=True)) - LEFT_OUT)


def applied() -> dict[str, list[str]]:
    """The migrations of this database, by app."""
    found: dict[str, list[str]] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        found.setdefault(app, []).append(name)
    return found


def _of_postgres(writer: Writer) -> Manifest:
    """One snapshot for all tables: what is written meanwhile is not in it, and nobody waits."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        cursor.execute("SELECT now()")
        at = cursor.fetchone()[0].isoformat()
        for table in tables():
            columns = [row.name for row in connection.introspection.get_table_description(cursor, table)]
            writer.add(table, columns, _copied(table, columns))
        return writer.seal(engine="postgresql", at=at, migrations=applied())


def _copied(table: str, columns: list[str]) -> Iterator[bytes]:
    with connection.connection.cursor() as raw, raw.copy(f"COPY {quoted(table, columns)} TO STDOUT") as copy:
        yield from copy


def quoted(table: str, columns: list[str]) -> str:
    """The table with its columns as SQL names them."""
    quote = connection.ops.quote_name
    return f"{quote(table)} ({', '.join(quote(name) for name in columns)})"


def _of_sqlite(writer: Writer) -> Manifest:
    connection.ensure_connection()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / SQLITE
        copy: Any = sqlite3.connect(path)
        try:
            connection.connection.backup(copy)
            for table in LEFT_OUT & {"accounts_session"}:
                copy.execute(f"DELETE FROM {table}")  # noqa: S608 - a name of ours
            copy.commit()
            copy.execute("VACUUM")
            at = copy.execute("SELECT strftime('%Y-%m-%dT%H:%M:%fZ')").fetchone()[0]
        finally:
            copy.close()
        with path.open("rb") as file:
            writer.add(SQLITE, [], iter(lambda: file.read(1 << 20), b""))
    return writer.seal(engine="sqlite", at=at, migrations=applied())
