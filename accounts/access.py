"""The one module through which every row of a team is reached.

A row of another team does not exist for the caller: Http404, never 403, so that ids cannot be probed. What a member
may do with a row of the own team is a matter of the role: PermissionDenied (403).

A model belongs to a team by a field ``team``; when it is reached through another row, the model says how with
``TEAM_PATH = "workload__team"``. A model that pages or the API address has a field ``public_id``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest

from accounts import ids
from accounts.models import ApiToken, Membership, Role, Team, User

M = TypeVar("M", bound=Model)
Rows = TypeVar("Rows", bound="QuerySet[Any]")

_SESSION_KEY = "team"
_KEPT = "_sextant_memberships"


class SecondFactorNeeded(PermissionDenied):
    """The team opens only to a sign-in with a second factor, and this session showed one only."""


def memberships_of(user: User | AnonymousUser) -> QuerySet[Membership]:
    """The memberships of a person, with their teams, by team name; none for a visitor."""
    if not user.is_authenticated or not user.is_active:
        return Membership.objects.none()
    return Membership.objects.filter(user=user).select_related("team", "user").order_by("team__name", "pk")


def membership_for(user: User | AnonymousUser, slug: str) -> Membership:
    """The membership of ``user`` in the team with this slug; Http404 for a stranger."""
    membership = memberships_of(user).filter(team__slug=slug).first()
    if membership is None:
        raise Http404("There is no such team.")
    return membership


def team_for(user: User | AnonymousUser, slug: str) -> Team:
    """The team with this slug, if ``user`` is a member; else Http404."""
    return membership_for(user, slug).team


def rows_of(team: Team, model: type[M]) -> QuerySet[M]:
    """The rows of ``model`` that belong to ``team``."""
    return within(team, model._default_manager.all())


def within(team: Team, rows: Rows) -> Rows:
    """Those of these rows that belong to ``team``, for who asks a room's own question about them."""
    path = getattr(rows.model, "TEAM_PATH", "team")
    found: Rows = rows.filter(**{path: team})
    return found


def one_of(team: Team, model: type[M], public_id: str) -> M:
    """The row of ``team`` with this public id; Http404 when there is none or it is another team's."""
    return one_in(rows_of(team, model), public_id)


def one_in(rows: QuerySet[M], public_id: str) -> M:
    """The one of these rows of a team with this public id, for who reads more beside it; Http404 as above."""
    row = rows.filter(public_id=public_id).first() if ids.is_id(public_id) else None
    if row is None:
        raise Http404("There is nothing here with this id.")
    return row


def has_role(membership: Membership, *roles: str) -> bool:
    """Whether the member has one of ``roles``; an admin has them all."""
    return membership.role == Role.ADMIN or membership.role in roles


def require_role(membership: Membership, *roles: str) -> None:
    """Does nothing for a member with one of ``roles`` (an admin has them all); else PermissionDenied."""
    if not has_role(membership, *roles):
        wanted = " or ".join(roles) or Role.ADMIN
        raise PermissionDenied(f"This needs the role {wanted}; yours in {membership.team} is {membership.role}.")


def require_scope(token: ApiToken, scope: str) -> None:
    """Does nothing when the token carries ``scope``; else PermissionDenied naming it."""
    if scope not in token.scopes:
        raise PermissionDenied(f"This token lacks the scope {scope}; make one that has it.")


def membership_of_token(token: ApiToken) -> Membership:
    """The membership behind a verified token; Http404 when its maker has left the team."""
    return membership_for(token.user, token.team.slug)


def current_membership(request: HttpRequest) -> Membership:
    """The membership a page works in: the team chosen in the session, else the first; Http404 without any.

    Anonymous visitors have none, so pages ask for a login first (``login_required``). SecondFactorNeeded when the team
    demands one that this session has not shown; ``accounts.middleware`` leads such a person to setting one up.
    """
    found = _chosen(_ask_memberships(request), request.session.get(_SESSION_KEY))
    return _opened(request, found)


def membership_here(request: HttpRequest) -> Membership:
    """The same, from what the page has asked for already; for its frame only, never to decide what may be done."""
    return _opened(request, _chosen(memberships_here(request), request.session.get(_SESSION_KEY)))


def _opened(request: HttpRequest, found: Membership | None) -> Membership:
    if found is None:
        raise Http404("You belong to no team yet; ask an admin of yours to add you.")
    if found.team.second_factor_required and not request.session.get("strong"):
        raise SecondFactorNeeded(f"{found.team} asks for a second factor.")
    return found


def memberships_here(request: HttpRequest) -> list[Membership]:
    """The visitor's memberships; the frame of a page reads again what the page itself has just asked for."""
    kept: tuple[int | None, list[Membership]] | None = getattr(request, _KEPT, None)
    if kept is None or kept[0] != request.user.pk:
        return _ask_memberships(request)
    return kept[1]


def current_team(request: HttpRequest) -> Team:
    """The team a page works in; Http404 without any."""
    return current_membership(request).team


def choose_team(request: HttpRequest, slug: str) -> Membership:
    """Makes the team with this slug the current one of the session; Http404 for a stranger."""
    membership = membership_for(request.user, slug)
    request.session[_SESSION_KEY] = membership.team.public_id
    _ask_memberships(request)  # it may be new
    return membership


def _ask_memberships(request: HttpRequest) -> list[Membership]:
    asked = list(memberships_of(request.user))
    setattr(request, _KEPT, (request.user.pk, asked))
    return asked


def _chosen(memberships: Iterable[Membership], team_id: str | None) -> Membership | None:
    known = list(memberships)
    return next((m for m in known if m.team.public_id == team_id), known[0] if known else None)
