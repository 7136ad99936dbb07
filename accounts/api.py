"""REST: who I am, my team, its tokens, and what was done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Body, Router
from ninja.params.functions import Query
from pydantic import PlainValidator

from accounts import access, tokens
from accounts.bearer import Bearer, Caller, caller_of
from accounts.models import ApiToken, AuditEvent, Membership
from rest.answers import answer, found
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Whole

router = Router(tags=["Account"])
SUBJECT: Any = Query(None, max_length=80, description="Only events of the row with this id.")
VERB: Any = Query(None, max_length=60, description="Only this verb, such as plan.approved.")
Scope = Literal[
    "catalog:read", "catalog:write", "plans:read", "plans:write", "exports:create", "approvals:write",
    "webhooks:manage", "tokens:manage", "audit:read",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PersonBody:
    """A person."""

    id: str
    name: str
    email: str


@dataclass(frozen=True, kw_only=True)
class TeamBody:
    """A team and what the caller is in it."""

    id: str
    slug: str
    name: str
    currency: str
    time_zone: str
    approvals_needed: int
    """How many people, none of them its author, must approve a plan; set on the team's page."""
    approvals_by_token: bool
    """Whether a token may approve a plan, or its page alone; set on the team's page."""
    role: str


@dataclass(frozen=True, kw_only=True)
class TokenBody:
    """An API token without its secret."""

    id: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class TokenWithSecret(TokenBody):
    """A token that was just made: `token` is shown this once and never stored."""

    token: str


@dataclass(frozen=True, kw_only=True)
class MeBody:
    """The caller: person, team, and the token that was sent."""

    user: PersonBody
    team: TeamBody
    token: TokenBody


@dataclass(frozen=True, kw_only=True)
class EventBody:
    """One entry of the audit log."""

    id: str
    at: datetime
    verb: str
    subject: str
    actor: str | None
    token_id: str | None
    address: str | None
    data: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class TokenRequest:
    """A new token: it can have no scope that the calling token lacks."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Annotated[str, MinLen(1), MaxLen(120)]
    scopes: Annotated[tuple[Scope, ...], MaxLen(20)]
    expires_in_days: Annotated[int, Ge(1), Le(365)] = 90


def _token_request(data: Any) -> TokenRequest:
    return read_body(TokenRequest, data)


TokenRequestBody = Annotated[TokenRequest, PlainValidator(_token_request, json_schema_input_type=TokenRequest), Body()]


@router.get("/me", auth=Bearer(), response=answers(ok=MeBody), summary="Who am I?")
def get_me(request: HttpRequest) -> HttpResponse:
    """The person, the team and the token behind this request."""
    caller = caller_of(request)
    user = caller.member.user
    person = PersonBody(id=user.public_id, name=user.name, email=user.email)
    return found(request, MeBody(user=person, team=_team(caller.member), token=_token(caller.token)))


@router.get("/teams", auth=Bearer(), response=answers(ok=Page[TeamBody]), summary="My team")
def list_teams(request: HttpRequest) -> HttpResponse:
    """The one team that the token is bound to."""
    return found(request, {"data": [_team(caller_of(request).member)], "next_cursor": None})


@router.get("/tokens", auth=Bearer("tokens:manage"), response=answers(ok=Page[TokenBody]), summary="List API tokens")
def list_tokens(request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR) -> HttpResponse:
    """My own tokens; for an admin, all of the team."""
    return page_of_rows(request, _tokens_of(caller_of(request)), _token, limit=limit, cursor=cursor)


@router.post(
    "/tokens",
    auth=Bearer("tokens:manage"),
    response=answers(409, *BODY, created=TokenWithSecret),
    summary="Make an API token",
)
def create_token(request: HttpRequest, wanted: TokenRequestBody) -> HttpResponse:
    """A new token of my own, shown this once. It gets no scope that the calling token lacks, and does not outlive it."""
    caller = caller_of(request)
    beyond = sorted(set(wanted.scopes) - set(caller.token.scopes))
    if beyond:
        raise PermissionDenied(f"The calling token lacks the scope {beyond[0]}, so it cannot give it away.")
    expires_at = timezone.now() + timedelta(days=wanted.expires_in_days)
    if caller.token.expires_at is not None:
        expires_at = min(expires_at, caller.token.expires_at)
    row, secret = tokens.issue(
        caller.team,
        caller.member.user,
        name=wanted.name,
        scopes=wanted.scopes,
        expires_at=expires_at,
        by=caller.token,
    )
    body = TokenWithSecret(**vars(_token(row)), token=secret)
    return answer(body, status=201, headers={"Location": f"/api/v1/tokens/{row.public_id}"})


@router.delete(
    "/tokens/{token_id}",
    auth=Bearer("tokens:manage"),
    response=answers(404, nothing=None),
    summary="Revoke an API token",
)
def delete_token(request: HttpRequest, token_id: str) -> HttpResponse:
    """Ends one of my tokens at once; an admin ends any of the team."""
    caller = caller_of(request)
    row = access.one_of(caller.team, ApiToken, token_id)
    if not _tokens_of(caller).filter(pk=row.pk).exists():
        raise Http404("There is nothing here with this id.")
    tokens.revoke(row, actor=caller.member.user, by=caller.token)
    return HttpResponse(status=204)


@router.get(
    "/audit-events", auth=Bearer("audit:read"), response=answers(ok=Page[EventBody]), summary="List audit events"
)
def list_audit_events(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    subject: str | None = SUBJECT,
    verb: str | None = VERB,
) -> HttpResponse:
    """What was done in the team, newest first. For admins."""
    caller = caller_of(request)
    access.require_role(caller.member)
    rows = access.rows_of(caller.team, AuditEvent).select_related("actor")
    if subject:
        rows = rows.filter(subject=_stored(subject))
    if verb:
        rows = rows.filter(verb=_stored(verb))
    return page_of_rows(request, rows, _event, limit=limit, cursor=cursor, sort="-at")


def _stored(text: str) -> str:
    """The text as a database can be asked for it: none stores a NUL."""
    return text.replace("\x00", "")


def _tokens_of(caller: Caller) -> QuerySet[ApiToken]:
    rows = access.rows_of(caller.team, ApiToken).select_related("user")
    return rows if access.has_role(caller.member) else rows.filter(user=caller.member.user)


def _team(member: Membership) -> TeamBody:
    team = member.team
    return TeamBody(
        id=team.public_id,
        slug=team.slug,
        name=team.name,
        currency=team.currency,
        time_zone=team.time_zone,
        approvals_needed=team.approvals_needed,
        approvals_by_token=team.approvals_by_token,
        role=member.role,
    )


def _token(row: ApiToken) -> TokenBody:
    return TokenBody(
        id=row.public_id,
        name=row.name,
        prefix=f"{tokens.PREFIX}{row.key}_",
        scopes=tuple(row.scopes),
        created_by=row.user.public_id,
        created_at=row.created_at,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        revoked_at=row.revoked_at,
    )


def _event(row: AuditEvent) -> EventBody:
    return EventBody(
        id=row.public_id,
        at=row.at,
        verb=row.verb,
        subject=row.subject,
        actor=row.actor.public_id if row.actor else None,
        token_id=row.token_id or None,
        address=row.address or None,
        data=row.data,
    )
