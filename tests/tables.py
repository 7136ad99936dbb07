"""A database of SQLite with all tables, for tests that start processes of their own on one: migrated once in a run, then copied.

All migrations together take six seconds of a process. Tests of the migrations themselves run them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.once import once


def make_tables(database: Path, migrate: Callable[[], object]) -> None:
    """Makes that file by `migrate`, or of what it made for the first of this run who asked."""

    def made() -> bytes:
        migrate()
        return database.read_bytes()  # whole: the last process to close it has taken its log in

    body = once("tables of SQLite", made)
    if not database.exists():
        database.parent.mkdir(parents=True, exist_ok=True)
        database.write_bytes(body)
