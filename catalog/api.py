"""REST: accelerators with a source for each fact, and prices as of a date."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Query

from accounts.bearer import Bearer, caller_of
from catalog.records import PriceRow, Record, Value, decimal_text
from catalog.store import catalog_or_files
from catalog.whole import Catalog
from rest.answers import found
from rest.door import answers
from rest.pages import CURSOR, LIMIT, Page, page_of_list
from rest.parameters import Day, Whole
from rest.problems import invalid_parameter

router = Router(tags=["Catalog"])
Option = Literal["on_demand", "spot", "commit_1y", "commit_3y", "capacity_block"]
WORD: Any = Query(None, max_length=120)
OPTION: Any = Query(None, description="How the instance is had.")
MODE: Any = Query(None, description="The same as `option`.")
AS_OF: Any = Query(None, description="The newest price of each offer on that day; default: ever.")


@dataclass(frozen=True, kw_only=True)
class FactBody:
    """One fact: its value as the source states it, its unit, where it comes from and from when."""

    value: str
    unit: str
    source: str
    source_title: str
    date: str
    confidence: str


@dataclass(frozen=True, kw_only=True)
class AcceleratorBody:
    """An accelerator. Dense and 2:4-sparse rates stand apart, by precision; plans use dense rates only."""

    slug: str
    name: str
    vendor: str
    plannable: bool
    facts: dict[str, FactBody]
    dense_flops: dict[str, FactBody]
    sparse_flops: dict[str, FactBody]


@dataclass(frozen=True, kw_only=True)
class PriceBody:
    """One dated price of one hour of a whole instance, under the names of the columns of an import; `own`: the team's own price list."""

    id: str
    provider: str
    instance: str
    region: str
    zone: str
    accelerator: str
    count: str
    """Accelerators in the instance, as decimal text."""
    option: str
    """How the instance is had."""
    amount: str
    currency: str
    date: datetime.date
    """The day from which the price holds."""
    accelerators: str
    """The same as `count`."""
    mode: str
    """The same as `option`."""
    valid_from: datetime.date
    """The same as `date`."""
    source: str
    source_title: str
    confidence: str
    own: bool


@router.get(
    "/accelerators",
    auth=Bearer("catalog:read"),
    response=answers(ok=Page[AcceleratorBody]),
    summary="List accelerators",
)
def list_accelerators(request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR) -> HttpResponse:
    """Every accelerator of the catalog, by slug."""
    catalog = catalog_or_files(caller_of(request).team)
    bodies = [_accelerator(record, catalog) for record in catalog.of("accelerator")]
    return page_of_list(request, bodies, lambda body: body.slug, limit=limit, cursor=cursor)


@router.get(
    "/accelerators/{slug}",
    auth=Bearer("catalog:read"),
    response=answers(404, ok=AcceleratorBody),
    summary="One accelerator",
)
def get_accelerator(request: HttpRequest, slug: str) -> HttpResponse:
    """An accelerator by its slug."""
    catalog = catalog_or_files(caller_of(request).team)
    record = next((record for record in catalog.of("accelerator") if record.slug == slug), None)
    if record is None:
        raise Http404("The catalog has no accelerator with this slug: see GET /api/v1/accelerators.")
    return found(request, _accelerator(record, catalog))


@router.get("/prices", auth=Bearer("catalog:read"), response=answers(ok=Page[PriceBody]), summary="List prices")
def list_prices(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    accelerator: str | None = WORD,
    provider: str | None = WORD,
    region: str | None = WORD,
    option: Option | None = OPTION,
    mode: Option | None = MODE,
    as_of: Day | None = AS_OF,
) -> HttpResponse:
    """The newest price of each instance, region, zone and option, the team's own price lists included."""
    if option and mode and option != mode:
        raise invalid_parameter("mode", "“mode” is “option” under its other name: leave one of them out.")
    catalog = catalog_or_files(caller_of(request).team)
    wanted = {"accelerator": accelerator, "provider": provider, "region": region, "option": option or mode}
    own = _newest(catalog.overlay, wanted, as_of)
    public = _newest(catalog.prices, wanted, as_of)
    titles = {source.id: source.title for source in catalog.sources}
    bodies = [_price(key, row, titles, own=True) for key, row in own.items()]
    bodies += [_price(key, row, titles, own=False) for key, row in public.items()]
    bodies.sort(key=lambda body: body.id)
    return page_of_list(request, bodies, lambda body: body.id, limit=limit, cursor=cursor)


def _accelerator(record: Record, catalog: Catalog) -> AcceleratorBody:
    titles = {source.id: source.title for source in catalog.sources}
    facts = {name: _fact(value, titles) for name, value in sorted(record.values.items())}
    rates = {
        group: {name.removeprefix(f"{group}."): fact for name, fact in facts.items() if name.startswith(f"{group}.")}
        for group in ("dense_flops", "sparse_flops")
    }
    return AcceleratorBody(
        slug=record.slug,
        name=record.text("name"),
        vendor=record.text("vendor"),
        plannable=record.flag("plannable", True),
        facts={name: fact for name, fact in facts.items() if "flops." not in name},
        **rates,
    )


def _fact(value: Value, titles: dict[str, str]) -> FactBody:
    return FactBody(
        value=value.text,
        unit=value.unit,
        source=value.source,
        source_title=titles.get(value.source, ""),
        date=value.date,
        confidence=value.confidence,
    )


def _newest(
    rows: Iterable[PriceRow], wanted: dict[str, str | None], as_of: datetime.date | None
) -> dict[str, PriceRow]:
    """The newest of those rows on that day, by the id of what is sold."""
    asked = [(name, value) for name, value in wanted.items() if value is not None]
    newest: dict[str, PriceRow] = {}
    for row in rows:
        if any(getattr(row, name) != value for name, value in asked) or (as_of and row.date > as_of):
            continue
        key = "/".join((row.provider, row.instance, row.region, row.zone or "-", row.option))
        if key not in newest or newest[key].date < row.date:
            newest[key] = row
    return newest


def _price(key: str, row: PriceRow, titles: dict[str, str], *, own: bool) -> PriceBody:
    return PriceBody(
        id=f"own/{key}" if own else key,
        provider=row.provider,
        instance=row.instance,
        region=row.region,
        zone=row.zone,
        accelerator=row.accelerator,
        count=decimal_text(row.count),
        option=row.option,
        amount=decimal_text(row.amount),
        currency=row.currency,
        date=row.date,
        accelerators=decimal_text(row.count),
        mode=row.option,
        valid_from=row.date,
        source=row.source,
        source_title=titles.get(row.source, ""),
        confidence=row.confidence,
        own=own,
    )
