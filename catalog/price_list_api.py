"""REST: a team's own price lists — made, filled from a file as a job, looked at, published and taken back."""

from __future__ import annotations

import json
from typing import Annotated, Any

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Header, Query
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from catalog import price_lists, prices
from catalog.importers.workbook import MOST_ROWS
from catalog.models import BatchStatus, ImportBatch
from catalog.price_list_bodies import (
    ImportBody,
    PriceListBody,
    PriceListRequest,
    PriceListSummary,
    Publication,
    QuotedPrices,
    import_body,
    price_list_body,
    price_list_summary,
)
from incoming.workbook import MOST_BYTES
from jobs.models import Job
from jobs.waiting import LONGEST_S, wait_for_end
from rest.answers import answer, found, require_match
from rest.bodies import read_body, read_long
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Flag, Whole
from rest.problems import Problem, ProblemItem, invalid
from rest.strict_json import parse_object
from rest.uploads import CSV, XLSX, file_body, read_file

router = Router(tags=["Price lists"])
IF_MATCH: Any = Header(None, alias="If-Match", description="The ETag that you have read.")
DRY_RUN: Any = Query(True, description="false: keep the prices; otherwise only say what would be taken.")
WAIT: Any = Query(0, ge=0, le=LONGEST_S, description="Seconds to wait for its end before answering.")
_JSON = "application/json"
_NAMES = {CSV: "prices.csv", XLSX: "prices.xlsx", _JSON: "prices.json"}


def _read_list(data: Any) -> PriceListRequest:
    return read_body(PriceListRequest, data)


def _read_publication(data: Any) -> Publication:
    return read_body(Publication, data)


_EXAMPLE = {
    "provider": "aws", "instance": "p5.48xlarge", "region": "us-east-1", "accelerator": "h100-sxm5", "count": "8",
    "option": "on_demand", "amount": "41.50", "currency": "USD", "date": "2026-08-20", "valid_until": "2027-08-19",
}  # fmt: skip
_EXAMPLES = {CSV: f"{','.join(_EXAMPLE)}\n{','.join(_EXAMPLE.values())}\n", _JSON: {"prices": [_EXAMPLE]}}

ListBody = Annotated[PriceListRequest, PlainValidator(_read_list, json_schema_input_type=PriceListRequest), Body()]
PublicationBody = Annotated[Publication, PlainValidator(_read_publication, json_schema_input_type=Publication), Body()]


@router.post(
    "/catalogs/{catalog_id}/prices:import", auth=Bearer("catalog:write"),
    response=answers(404, 409, *BODY, accepted=ImportBody), summary="Read prices into a list",
    openapi_extra=file_body(CSV, XLSX, json={"$ref": "#/components/schemas/QuotedPrices"}, examples=_EXAMPLES),
)  # fmt: skip
@once
def import_prices(request: HttpRequest, catalog_id: str, dry_run: Flag = DRY_RUN) -> HttpResponse:
    """Reads a CSV or XLSX file in our columns, or the same prices as JSON, as a job: 202 with Location. A dry run says
    what would be taken and refused, row by row; with `dry_run=false` the prices are kept for review."""
    caller, batch = caller_of(request), _one(request, catalog_id)
    data, media = read_file(request, CSV, XLSX, _JSON, most=MOST_BYTES)
    if media == _JSON:
        read = read_long(QuotedPrices, parse_object(data, limit=MOST_BYTES), "prices", most=MOST_ROWS)
        data = json.dumps({"prices": [vars(item) for piece in read for item in piece.prices]}).encode()
    try:
        with transaction.atomic():
            job = price_lists.request_import(
                caller.member, batch, data, name=_NAMES[media], dry_run=dry_run, token=caller.token
            )
            headers = {"Location": f"/api/v1/catalogs/{catalog_id}/imports/{job.public_id}", "Retry-After": "1"}
            return keep(request, answer(import_body(job), status=202, headers=headers))
    except prices.StepRefused as error:
        raise Problem(409, str(error)) from error


@router.get(
    "/catalogs/{catalog_id}/imports/{import_id}", auth=Bearer("catalog:read"), response=answers(404, ok=ImportBody),
    summary="How far is the import?",
)  # fmt: skip
def get_import(request: HttpRequest, catalog_id: str, import_id: str, wait: Whole = WAIT) -> HttpResponse:
    """The state of the reading; with `wait`, as soon as it has ended. Row errors stand in `outcome`."""
    batch = _one(request, catalog_id)
    job = access.one_of(caller_of(request).team, Job, import_id)
    if job.kind != price_lists.KIND or job.payload.get("list") != batch.public_id:
        raise Http404("This price list has no import with this id.")
    if wait and not job.is_done:
        wait_for_end(job, wait)
        job.refresh_from_db()
    return found(request, import_body(job), headers={} if job.is_done else {"Retry-After": "1"})


@router.post(
    "/catalogs/{catalog_id}:publish", auth=Bearer("catalog:write"),
    response=answers(404, 409, *BODY, ok=PriceListBody), summary="Publish a price list",
)  # fmt: skip
def publish_catalog(request: HttpRequest, catalog_id: str, wanted: PublicationBody) -> HttpResponse:
    """From now on new plans of the team use these prices. Flagged prices must be accepted."""
    caller, batch = caller_of(request), _one(request, catalog_id)
    try:
        price_lists.publish(caller.member, batch, accepted=wanted.accept_flags, token=caller.token)
    except prices.StepRefused as error:
        raise Problem(409, str(error)) from error
    return answer(price_list_body(batch), headers={"ETag": f'"{_tag(batch)}"'})


@router.get(
    "/catalogs", auth=Bearer("catalog:read"), response=answers(ok=Page[PriceListSummary]), summary="List price lists"
)
def list_catalogs(request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR) -> HttpResponse:
    """The team's own price lists, newest first. What all teams share is at /accelerators and /prices."""
    rows = access.rows_of(caller_of(request).team, ImportBatch).select_related("made_by")
    return page_of_rows(request, rows, price_list_summary, limit=limit, cursor=cursor)


@router.post(
    "/catalogs", auth=Bearer("catalog:write"), response=answers(409, *BODY, created=PriceListSummary),
    summary="Make a price list",
)  # fmt: skip
@once
def create_catalog(request: HttpRequest, wanted: ListBody) -> HttpResponse:
    """A price list without prices: fill it with POST …/prices:import, look at it, then publish it."""
    caller = caller_of(request)
    name = " ".join(wanted.name.replace("\x00", "").split())
    if not name:
        raise invalid(
            [ProblemItem(pointer="/name", code="empty", detail="“name” is empty: say whose prices these are.")]
        )
    with transaction.atomic():
        batch = price_lists.create(caller.member, name, token=caller.token)
        headers = {"Location": f"/api/v1/catalogs/{batch.public_id}", "ETag": f'"{_tag(batch)}"'}
        return keep(request, answer(price_list_summary(batch), status=201, headers=headers))


@router.get(
    "/catalogs/{catalog_id}", auth=Bearer("catalog:read"), response=answers(404, ok=PriceListBody),
    summary="One price list",
)  # fmt: skip
def get_catalog(request: HttpRequest, catalog_id: str) -> HttpResponse:
    """The list with its row errors and flags. Its ETag is what taking it back must send as If-Match."""
    batch = _one(request, catalog_id)
    return found(request, price_list_body(batch), etag=_tag(batch))


@router.delete(
    "/catalogs/{catalog_id}", auth=Bearer("catalog:write"), response=answers(404, 409, 412, 428, nothing=None),
    summary="Take a price list back",
)  # fmt: skip
def delete_catalog(request: HttpRequest, catalog_id: str, if_match: str | None = IF_MATCH) -> HttpResponse:
    """Discards a list that is not published, or rolls a published one back: new plans no longer use its prices."""
    caller, batch = caller_of(request), _one(request, catalog_id)
    require_match(request, _tag(batch))
    step = price_lists.roll_back if batch.status == BatchStatus.PUBLISHED else price_lists.discard
    try:
        step(caller.member, batch, token=caller.token)
    except prices.StepRefused as error:
        raise Problem(409, str(error)) from error
    return HttpResponse(status=204)


def _one(request: HttpRequest, catalog_id: str) -> ImportBatch:
    return access.one_of(caller_of(request).team, ImportBatch, catalog_id)


def _tag(batch: ImportBatch) -> str:
    return f"{batch.status}-{batch.sha256[:16]}"
