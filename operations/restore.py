"""Reading a backup into an empty database: to the tables it was written from, then forward to those of this version."""

from __future__ import annotations

import sqlite3
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

from operations.archive import BrokenArchive, Manifest, Member, opened
from operations.backup import SQLITE, quoted, tables


class NotEmpty(Exception):
    """People have accounts in this database: a restore would mix two installations."""


def read(path: Path) -> Manifest:
    """Restores that backup. BrokenArchive and NotEmpty leave the database as it was."""
    archive, manifest = opened(path)
    with archive:
        if manifest.engine != {"postgresql": "postgresql"}.get(connection.vendor, "sqlite"):
            raise BrokenArchive(f"This is a backup of {manifest.engine}: restore it on such a database.")
        if _in_use():
            raise NotEmpty("This database holds accounts; restore into an empty one.")
        if manifest.engine == "postgresql":
            _to_postgres(archive, manifest)
        else:
            _to_sqlite(archive)
    call_command("migrate", interactive=False, verbosity=0)
    return manifest


def _in_use() -> bool:
    if "accounts_user" not in connection.introspection.table_names():
        return False
    return bool(apps.get_model("accounts", "User").objects.exists())


def _to_postgres(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    _as_it_was(manifest)
    members = {member.name: member for member in manifest.members}
    with transaction.atomic(), connection.cursor() as cursor:
        if unknown := sorted(set(members) - set(tables())):
            raise BrokenArchive(f"The backup holds tables that its own migrations do not make: {', '.join(unknown)}.")
        cursor.execute(f"TRUNCATE {', '.join(connection.ops.quote_name(name) for name in tables())} CASCADE")
        for member in manifest.members:
            _fill(archive, member)
        for sql in connection.ops.sequence_reset_sql(no_style(), apps.get_models(include_auto_created=True)):
            cursor.execute(sql)


def _as_it_was(manifest: Manifest) -> None:
    """Migrates to where the backup was written. BrokenArchive when it is newer than this version."""
    executor = MigrationExecutor(connection)
    known = set(executor.loader.graph.nodes)
    wanted = [(app, name) for app, names in manifest.migrations.items() for name in names]
    if newer := sorted(f"{app}.{name}" for app, name in wanted if (app, name) not in known):
        raise BrokenArchive(f"The backup is of a newer version (it knows {newer[0]}): restore it with that version.")
    nodes = executor.loader.graph.node_map
    executor.migrate(
        [
            key
            for key in wanted
            if not any(later.key in wanted for later in nodes[key].children if later.key[0] == key[0])
        ]
    )


def _fill(archive: zipfile.ZipFile, member: Member) -> None:
    """Copies one table; constraints between tables are looked at when the transaction ends."""
    with connection.connection.cursor() as raw, archive.open(member.name) as file:
        with raw.copy(f"COPY {quoted(member.name, member.columns)} FROM STDIN") as copy:
            while piece := file.read(1 << 20):
                copy.write(piece)
        if raw.rowcount not in (-1, member.rows):
            raise BrokenArchive(f"“{member.name}” gave {raw.rowcount} rows and not {member.rows}.")


def _to_sqlite(archive: zipfile.ZipFile) -> None:
    connection.ensure_connection()
    with tempfile.TemporaryDirectory() as folder:
        source: Any = sqlite3.connect(archive.extract(SQLITE, folder))
        try:
            source.backup(connection.connection)
        finally:
            source.close()
