"""Rows of FOCUS as a Parquet file whose columns have types: amounts are decimals, moments are UTC, days are days.

Values are those of the other shapes, digit by digit. The file is written group of rows by group of rows and sent as it comes, so that
memory holds one group however many plans there are. Needs the extra `parquet`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from planner.budgets.focus import COLUMNS, Row

GROUP: Final = 4_096
"""Rows of one group."""
MEDIA: Final = "application/vnd.apache.parquet"
DECIMALS: Final = frozenset(
    name
    for name in COLUMNS
    if name.endswith(("Cost", "UnitPrice", "Quantity", "CostLow", "CostHigh")) or name == "x_SignedTotal"
)
MOMENTS: Final = frozenset(name for name in COLUMNS if name.endswith(("PeriodStart", "PeriodEnd")))
DAYS: Final = frozenset({"x_PriceAsOf"})
TRUTHS: Final = frozenset({"x_Planned"})
WHOLES: Final = frozenset({"x_PlanVersion"})
PRECISION, SCALE = 38, 10
"""Digits of a decimal and how many of them lie behind the point: those of a quantity, which has the most."""
_READ: Final[tuple[tuple[frozenset[str], Callable[[str], Any]], ...]] = (
    (DECIMALS, Decimal),
    (MOMENTS, lambda text: datetime.fromisoformat(text.replace("Z", "+00:00"))),
    (DAYS, date.fromisoformat),
    (TRUTHS, lambda text: text == "true"),
    (WHOLES, int),
)


def available() -> bool:
    """Is the library there that writes them?"""
    return find_spec("pyarrow") is not None


def parquet(rows: Iterable[Row]) -> Iterator[bytes]:
    """The file, piece by piece; an empty cell is null, and no rows are a file with columns alone."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    sink, schema = _Sink(), _schema()
    with ParquetWriter(sink, schema) as writer:
        for group in _groups(rows):
            columns = [pa.array(_values(name, group), schema.field(name).type) for name in COLUMNS]
            writer.write_batch(pa.record_batch(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


class _Sink(io.RawIOBase):
    """What was written since it was last taken; the writer never goes back."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._place = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        part = bytes(data)
        self._parts.append(part)
        self._place += len(part)
        return len(part)

    def tell(self) -> int:
        return self._place

    def taken(self) -> bytes:
        """All of it, which is then forgotten."""
        whole, self._parts = b"".join(self._parts), []
        return whole


@cache
def _schema() -> Any:
    import pyarrow as pa

    types = (
        (DECIMALS, pa.decimal128(PRECISION, SCALE)),
        (MOMENTS, pa.timestamp("ms", tz="UTC")),
        (DAYS, pa.date32()),
        (TRUTHS, pa.bool_()),
        (WHOLES, pa.int32()),
    )
    return pa.schema(
        [(name, next((type_ for names, type_ in types if name in names), pa.string())) for name in COLUMNS]
    )


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in rows:
        group.append(row)
        if len(group) == GROUP:
            yield group
            group = []
    if group:
        yield group


def _values(name: str, rows: list[Row]) -> list[Any]:
    read = next((reader for names, reader in _READ if name in names), str)
    return [read(text) if (text := row.get(name)) else None for row in rows]
