"""REST: what a team owns or knows better — hardware of its own, values that go before the public ones.

An entry's address is what it is about, so writing it twice is writing it once; each change is a version of its own, and
its id is the entity tag that the next change must send.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from django.db import IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Header
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from accounts.models import Team
from catalog import clock, own
from catalog.models import EntryStatus, TeamEntry
from catalog.records import Record
from catalog.store import catalog_or_files
from catalog.whole import Catalog
from rest.answers import answer, found, require_match
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.pages import CURSOR, LIMIT, Page, page_of_list
from rest.parameters import Whole
from rest.problems import Problem, ProblemItem, invalid

router = Router(tags=["Catalog"])
IF_MATCH: Any = Header(
    None, alias="If-Match", description="The ETag that you have read; left out for an entry that is not there yet."
)
Typed = Annotated[str, MaxLen(300)]


@dataclass(frozen=True, kw_only=True)
class OwnValue:
    """A value of the team and the public one that it stands before ("" where there is none)."""

    value: str
    unit: str
    date: date
    public: str
    public_source: str


@dataclass(frozen=True, kw_only=True)
class EntryBody:
    """An entry of the team in force: hardware it owns (`holding`), an accelerator or a server (`system`)."""

    kind: str
    slug: str
    name: str
    version: str
    values: dict[str, OwnValue]
    created_at: datetime
    created_by: str | None


@dataclass(frozen=True, kw_only=True)
class EntryRequest:
    """The values of an entry, each as it is typed: a number with its unit (`650 W`, `80 GiB`), a date, or words."""

    __pydantic_config__ = {"extra": "forbid"}

    values: Annotated[dict[str, Typed], MinLen(1), MaxLen(100)]


def _read(data: Any) -> EntryRequest:
    return read_body(EntryRequest, data)


Wanted = Annotated[EntryRequest, PlainValidator(_read, json_schema_input_type=EntryRequest), Body()]


@router.get("/entries", auth=Bearer("catalog:read"), response=answers(ok=Page[EntryBody]), summary="List own entries")
def list_entries(request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR) -> HttpResponse:
    """What the team has entered and plans with now, by kind and slug."""
    team = caller_of(request).team
    rows = access.rows_of(team, TeamEntry).filter(status=EntryStatus.IN_FORCE).select_related("made_by")
    public = _public(catalog_or_files(team))
    bodies = [_body(row, public) for row in rows]
    return page_of_list(request, bodies, lambda body: f"{body.kind}/{body.slug}", limit=limit, cursor=cursor)


@router.get(
    "/entries/{kind}/{slug}", auth=Bearer("catalog:read"), response=answers(404, ok=EntryBody), summary="One own entry"
)
def get_entry(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """The entry that is in force, each value beside the public one."""
    team = caller_of(request).team
    row = _one(team, kind, slug)
    return found(request, _body(row, _public(catalog_or_files(team))), etag=row.public_id)


@router.put(
    "/entries/{kind}/{slug}", auth=Bearer("catalog:write"),
    response=answers(404, 412, 428, *BODY, ok=EntryBody, created=EntryBody), summary="Write an own entry",
)  # fmt: skip
def replace_entry(
    request: HttpRequest, kind: str, slug: str, wanted: Wanted, if_match: str | None = IF_MATCH
) -> HttpResponse:
    """These values hold in every later plan of the team, before the public ones; those left out stay public. 201 for a
    new entry. One that is there needs If-Match, and its version before stays known."""
    caller = caller_of(request)
    if kind not in own.OWN_KINDS:
        raise Http404(f"There is no such kind of entry; use one of {', '.join(own.OWN_KINDS)}.")
    before, catalog = own.in_force(caller.team, kind, slug), catalog_or_files(caller.team)
    if before is not None:
        require_match(request, before.public_id)
    elif if_match is not None:
        raise Http404("The team has no entry here yet: leave If-Match out to make it.")
    try:
        row = own.save_entry(
            caller.member, catalog, kind=kind, slug=slug, texts=wanted.values, today=clock.today(), token=caller.token
        )  # fmt: skip
    except own.EntryRefused as error:
        raise invalid(_item(field, text) for field, text in error.faults.items()) from error
    except IntegrityError as error:
        raise Problem(412, "Somebody has just made this entry: read it and send its ETag as If-Match.") from error
    headers = {"ETag": f'"{row.public_id}"', "Location": f"/api/v1/entries/{kind}/{slug}"}
    return answer(_body(row, _public(catalog)), status=200 if before else 201, headers=headers)


@router.delete(
    "/entries/{kind}/{slug}", auth=Bearer("catalog:write"), response=answers(404, 412, 428, nothing=None),
    summary="Withdraw an own entry",
)  # fmt: skip
def delete_entry(request: HttpRequest, kind: str, slug: str, if_match: str | None = IF_MATCH) -> HttpResponse:
    """The public values hold again in every later plan; plans made before keep theirs."""
    caller = caller_of(request)
    row = _one(caller.team, kind, slug)
    require_match(request, row.public_id)
    try:
        own.withdraw(caller.member, row, token=caller.token)
    except own.EntryRefused as error:
        raise Problem(412, str(error)) from error
    return HttpResponse(status=204)


def _one(team: Team, kind: str, slug: str) -> TeamEntry:
    row = own.in_force(team, kind, slug)
    if row is None:
        raise Http404("The team has no entry of this kind and name in force: see GET /api/v1/entries.")
    return row


def _public(catalog: Catalog) -> dict[tuple[str, str], Record]:
    return {(record.kind, record.slug): record for record in catalog.records}


def _item(field: str, text: str) -> ProblemItem:
    """A rule that is broken, at its value; at the body where it is about the entry as a whole."""
    pointer = "" if field in ("entry", "slug") else f"/values/{field.replace('~', '~0').replace('/', '~1')}"
    return ProblemItem(pointer=pointer, code="refused", detail=text)


def _body(row: TeamEntry, public: dict[tuple[str, str], Record]) -> EntryBody:
    known = public.get((row.kind, row.slug))
    before = known.values if known else {}
    return EntryBody(
        kind=row.kind,
        slug=row.slug,
        name=row.name,
        version=row.public_id,
        values={
            name: OwnValue(
                value=parts[0],
                unit=parts[1],
                date=date.fromisoformat(parts[4]),
                public=f"{before[name].text} {before[name].unit}".strip() if name in before else "",
                public_source=before[name].source if name in before else "",
            )
            for name, parts in row.facts.items()
        },
        created_at=row.created_at,
        created_by=row.made_by.public_id if row.made_by else None,
    )
