"""Price lists and their imports as the API shows and takes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from pydantic import TypeAdapter

from catalog.importers.workbook import MOST_ROWS
from catalog.models import ImportBatch
from catalog.price_lists import SHOWN
from jobs.models import Job
from rest.openapi import adjusts

Cell = Annotated[str, MaxLen(500)]


@dataclass(frozen=True, kw_only=True)
class RowError:
    """One line of a file (of a JSON body: the number of the price, from 1) that was refused."""

    line: int
    detail: str
    row: str


@dataclass(frozen=True, kw_only=True)
class PriceFlag:
    """What a reviewer should look at before publishing."""

    reason: str
    row: str


@dataclass(frozen=True, kw_only=True)
class PriceListSummary:
    """A price list of the team. Only published prices reach a plan, where they go before the public ones."""

    id: str
    name: str
    status: str
    """draft, validated, published, replaced, rolled_back or discarded."""
    lines: int
    prices: int
    refused: int
    created_at: datetime
    created_by: str | None
    published_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class PriceListBody(PriceListSummary):
    """A price list with what was refused of its file and what to look at, the first 200 of each."""

    refusals: tuple[RowError, ...]
    flags: tuple[PriceFlag, ...]


@dataclass(frozen=True, kw_only=True)
class ImportOutcome:
    """What was read: every line gave a price, was a duplicate, or was refused."""

    dry_run: bool
    lines: int
    prices: int
    duplicates: int
    refused: int
    refusals: tuple[RowError, ...]
    flags: tuple[PriceFlag, ...]


@dataclass(frozen=True, kw_only=True)
class ImportProblem:
    """Why the file could not be read."""

    code: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class ImportBody:
    """The reading of one file: how far it is, and what came of it."""

    id: str
    catalog_id: str
    state: str
    """queued, running, succeeded, failed or cancelled."""
    progress: int
    dry_run: bool
    error: ImportProblem | None
    outcome: ImportOutcome | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class PriceListRequest:
    """A new price list."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Annotated[str, MinLen(1), MaxLen(100)]


@dataclass(frozen=True, kw_only=True)
class QuotedPrice:
    """One price as the columns of a file have it; numbers and days are text."""

    __pydantic_config__ = {"extra": "forbid"}

    provider: Cell
    instance: Cell
    region: Cell
    accelerator: Cell
    count: Cell
    option: Cell
    amount: Cell
    currency: Cell
    date: Cell
    zone: Cell = ""
    per: Cell = ""
    vcpus: Cell = ""
    memory_gib: Cell = ""
    valid_until: Cell = ""


@dataclass(frozen=True, kw_only=True)
class QuotedPrices:
    """Prices as JSON instead of a file."""

    __pydantic_config__ = {"extra": "forbid"}

    prices: Annotated[tuple[QuotedPrice, ...], MinLen(1), MaxLen(MOST_ROWS)]


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Publishing a list; flagged prices must be confirmed."""

    __pydantic_config__ = {"extra": "forbid"}

    accept_flags: bool = False


@adjusts
def _quoted_prices(schemas: dict[str, dict[str, Any]]) -> None:
    """The JSON body of an import, which is read beside files and so is no parameter of its operation."""
    schema = TypeAdapter(QuotedPrices).json_schema(ref_template="#/components/schemas/{model}")
    schemas |= {**schema.pop("$defs"), "QuotedPrices": schema}


def price_list_summary(batch: ImportBatch) -> PriceListSummary:
    """The list as lists show it."""
    return PriceListSummary(**_columns(batch))


def price_list_body(batch: ImportBatch) -> PriceListBody:
    """The list with its row errors and flags."""
    return PriceListBody(**_columns(batch), refusals=_errors(batch.refusals), flags=_flags(batch.flags))


def import_body(job: Job) -> ImportBody:
    """The job that reads a file, as the API shows it."""
    outcome = None
    if job.result:
        lists = {"refusals": _errors(job.result["refusals"]), "flags": _flags(job.result["flags"])}
        outcome = ImportOutcome(**{**job.result, **lists})
    return ImportBody(
        id=job.public_id,
        catalog_id=job.payload["list"],
        state=job.state,
        progress=job.progress,
        dry_run=job.payload["dry_run"],
        error=ImportProblem(code=job.error["code"], detail=job.error["message"]) if job.error else None,
        outcome=outcome,
        created_at=job.created_at,
        finished_at=job.finished_at,
    )


def _columns(batch: ImportBatch) -> dict[str, Any]:
    return {
        "id": batch.public_id,
        "name": batch.name.partition("/")[2] or batch.name,
        "status": batch.status,
        "lines": batch.lines,
        "prices": batch.prices,
        "refused": sum(batch.refused.values()),
        "created_at": batch.created_at,
        "created_by": batch.made_by.public_id if batch.made_by else None,
        "published_at": batch.published_at,
    }


def _errors(rows: list[list[Any]]) -> tuple[RowError, ...]:
    return tuple(RowError(line=line, detail=reason, row=text) for line, reason, text in rows)


def _flags(rows: list[list[str]]) -> tuple[PriceFlag, ...]:
    return tuple(PriceFlag(reason=reason, row=text) for reason, text in rows[:SHOWN])
