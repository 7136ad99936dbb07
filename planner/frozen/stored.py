"""The stored text of a frozen plan, fetched when it is asked for, and as bytes.

As text in memory every character takes two bytes once a single “→” is among them: for a plan of 5,000 options 150 MB
instead of 76 MB, for as long as the row is held.
"""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BinaryField, Field, Func, Manager, Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)


class Unopened(Manager[M]):
    """Rows without their body, which lists, reviews and most pages never read."""

    def get_queryset(self) -> QuerySet[M]:
        """All rows; the body is fetched where it is used."""
        return super().get_queryset().defer("body")


class Utf8(Func):
    """A column of text as its bytes."""

    output_field = BinaryField()

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        """SQLite keeps text as UTF-8."""
        return self.as_sql(compiler, connection, template="CAST(%(expressions)s AS BLOB)", **context)

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **context: Any) -> tuple[str, Any]:
        """Whatever the database's own encoding is."""
        return self.as_sql(compiler, connection, template="convert_to(%(expressions)s, 'UTF8')", **context)


def body_bytes(row: Model) -> bytes:
    """The canonical JSON in the field `body` of that row, as UTF-8. DoesNotExist when the row is gone."""
    if "body" not in row.get_deferred_fields():
        return str(row.serializable_value("body")).encode()
    rows = type(row)._base_manager.filter(pk=row.pk)
    if connection.vendor == "sqlite":
        return _in_place(row) if rows.exists() else rows.values_list("body").get()[0]
    return bytes(rows.values_list(Utf8("body"), flat=True).get())


def _in_place(row: Model) -> bytes:
    """Read from SQLite's own pages: the value of a query is held twice, by SQLite and by Python."""
    column = cast("Field[Any, Any]", row._meta.get_field("body")).column
    place = (row._meta.db_table, column, row.pk)
    with connection.wrap_database_errors, connection.connection.blobopen(*place, readonly=True) as found:
        return bytes(found.read())
