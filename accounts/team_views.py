"""The team's page: who belongs to it and in which role, its API tokens, and the record of what was done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import access, audit, ids, invitations, sealing, signin, teams, tokens
from accounts.models import ApiToken, AuditEvent, Authenticator, Membership, Passkey, Role, Team, User
from accounts.roles import DECIDERS
from accounts.typed import one_line

EVENTS_A_PAGE = 50
LIVES = (7, 30, 90, 365)
_SCOPES = {
    "catalog:read": "read accelerators and prices",
    "catalog:write": "write the team's own prices",
    "plans:read": "read plans",
    "plans:write": "make and change plans",
    "exports:create": "make documents",
    "approvals:write": "submit, approve and return",
    "webhooks:manage": "set up webhooks",
    "tokens:manage": "make and revoke tokens",
    "audit:read": "read the audit trail",
}


@login_required
@never_cache
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Members, tokens and, for admins, the audit trail of the current team."""
    return _page(request, access.current_membership(request))


@login_required
@require_POST
def set_role(request: HttpRequest) -> HttpResponse:
    """Changes the role of a member; admins only. It holds from the member's next request on."""
    member = access.current_membership(request)
    access.require_role(member)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    email = one_line(request.POST.get("email", "")).lower()
    if not access.rows_of(member.team, Membership).filter(user__email=email).exists():
        messages.error(request, f"{email[:254]} does not belong to the team; send an invitation.")
        return redirect("accounts:team")
    try:
        found = teams.set_role(member.team, email, role=request.POST.get("role", ""), actor=_user(request))
        messages.success(request, f"{found.user} is now {found.get_role_display().lower()}.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("accounts:team")


@login_required
@require_POST
def remove(request: HttpRequest, user_id: str) -> HttpResponse:
    """Ends a membership; admins only."""
    member = access.current_membership(request)
    access.require_role(member)
    rows = access.rows_of(member.team, Membership).select_related("user")
    leaving = rows.filter(user__public_id=user_id).first() if ids.is_id(user_id) else None
    if leaving is None:
        raise Http404("There is no such member.")
    try:
        teams.remove_member(leaving, actor=_user(request))
        messages.success(request, f"{leaving.user} no longer belongs to the team.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return redirect("accounts:team")


@login_required
@require_POST
def second_factor(request: HttpRequest) -> HttpResponse:
    """Makes the team ask for a second factor, or no more; admins only, and only one who has shown one."""
    member = access.current_membership(request)
    access.require_role(member)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    required = request.POST.get("required") == "true"
    if required and not request.session.get("strong"):
        messages.error(request, "Set up a second factor for yourself first, or you would lock yourself out.")
        return redirect("accounts:account")
    teams.require_second_factor(member.team, required, actor=_user(request))
    messages.success(request, "The team now asks for a second factor." if required else "A second factor is optional.")
    return redirect("accounts:team")


@login_required
@require_POST
def approvals(request: HttpRequest) -> HttpResponse:
    """How many people must approve a plan from now on; admins only."""
    member = access.current_membership(request)
    access.require_role(member)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    needed = 2 if request.POST.get("needed") == "2" else 1
    teams.require_approvals(member.team, needed, actor=_user(request))
    said = "Two people must now approve a plan." if needed == 2 else "One person's approval is now enough."
    messages.success(request, f"{said} What waits already keeps what was asked of it.")
    return redirect("accounts:team")


@login_required
@require_POST
def token_approvals(request: HttpRequest) -> HttpResponse:
    """Whether API tokens may approve plans from now on; admins only."""
    member = access.current_membership(request)
    access.require_role(member)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    allowed = request.POST.get("allowed") == "true"
    teams.take_approvals_by_token(member.team, allowed, actor=_user(request))
    said = "API tokens may now approve plans." if allowed else "Plans are now approved on their page alone."
    messages.success(request, said)
    return redirect("accounts:team")


@login_required
@never_cache
@require_POST
def make_token(request: HttpRequest) -> HttpResponse:
    """A new token of the visitor's own: shown in this one answer, which nothing may store."""
    member = access.current_membership(request)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    name, scopes = one_line(request.POST.get("name", ""))[:120], request.POST.getlist("scopes")
    life = next((days for days in LIVES if request.POST.get("days") == str(days)), tokens.DEFAULT_LIFE.days)
    if not name or not scopes:
        messages.error(request, "A token needs a name and at least one scope.")
        return _page(request, member, status=422, typed={"name": name, "scopes": scopes, "days": life})
    try:
        row, secret = tokens.issue(
            member.team,
            _user(request),
            name=name,
            scopes=scopes,
            expires_at=timezone.now() + timedelta(days=life),
        )
    except ValueError as error:
        messages.error(request, str(error))
        return _page(request, member, status=422, typed={"name": name, "days": life})
    return _page(request, member, fresh=secret, fresh_name=row.name)


@login_required
@require_POST
def revoke_token(request: HttpRequest, token_id: str) -> HttpResponse:
    """Ends a token: one's own, or as admin any of the team."""
    member = access.current_membership(request)
    row = access.one_of(member.team, ApiToken, token_id)
    if row.user_id != member.user_id and not access.has_role(member):
        raise PermissionDenied("Only an admin revokes the tokens of others.")
    tokens.revoke(row, actor=_user(request))
    messages.success(request, f"“{row.name}” no longer works.")
    return redirect("accounts:team")


@login_required
@never_cache
@require_POST
def trail(request: HttpRequest) -> HttpResponseBase:
    """The whole audit trail of the team as a file of JSON lines; admins only. `manage.py audit_trail` prints the same."""
    member = access.current_membership(request)
    access.require_role(member)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    audit.record("audit_trail.downloaded", member.team.public_id, team=member.team, actor=_user(request))
    headers = {"Content-Disposition": f'attachment; filename="audit-trail-{member.team.slug}.jsonl"'}
    return StreamingHttpResponse(_lines(member.team), content_type="application/jsonl", headers=headers)


def _lines(team: Team) -> Iterator[str]:
    """Each event as a line; where the chain is broken the last line says so, since the file has begun by then."""
    while sealing.seal_new():
        pass
    try:
        for row in sealing.exported(team.pk):
            yield json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n"
    except sealing.BrokenChain as error:
        yield json.dumps({"broken": str(error)}) + "\n"


def _page(request: HttpRequest, member: Membership, *, status: int = 200, **more: Any) -> HttpResponse:
    admin = access.has_role(member)
    context = {
        "section": "team",
        "admin": admin,
        "members": _members(member.team) if admin else _plain_members(member.team),
        "invitations": invitations.open_in(member.team).select_related("invited_by") if admin else (),
        "roles": Role.choices,
        "tokens": _tokens(member, admin),
        "scopes": _SCOPES.items(),
        "lives": LIVES,
        "typed": {"days": tokens.DEFAULT_LIFE.days, "scopes": ["plans:read"]},
        "deciders": _deciders(member.team) if admin else 0,
        "events": _events(request, member) if admin else None,
        "several": len(access.memberships_here(request)) > 1,
        "now": timezone.now(),
    }
    return render(request, "accounts/team.html", {**context, **more}, status=status)


def _plain_members(team: Team) -> QuerySet[Membership]:
    return access.rows_of(team, Membership).select_related("user").order_by("user__email")


def _members(team: Team) -> QuerySet[Membership]:
    """The members, and for an admin whether each has a second factor."""
    app = Authenticator.objects.filter(user=OuterRef("user")).exclude(confirmed_at=None)
    key = Passkey.objects.filter(user=OuterRef("user"))
    return _plain_members(team).annotate(has_second=Exists(app) | Exists(key))


def _deciders(team: Team) -> int:
    """How many members may approve plans."""
    rows = access.rows_of(team, Membership).filter(role__in=DECIDERS, user__is_active=True)
    return rows.count()


def _tokens(member: Membership, admin: bool) -> QuerySet[ApiToken]:
    """The visitor's tokens, for an admin the team's: those that work first."""
    rows = access.rows_of(member.team, ApiToken).select_related("user").order_by("revoked_at", "-created_at")
    return rows[:100] if admin else rows.filter(user=member.user)[:100]


def _events(request: HttpRequest, member: Membership) -> Any:
    rows = access.rows_of(member.team, AuditEvent).select_related("actor").order_by("-at", "-pk")
    return Paginator(rows, EVENTS_A_PAGE).get_page(request.GET.get("page"))


def _user(request: HttpRequest) -> User:
    """The visitor, who is logged in by now."""
    assert isinstance(request.user, User)
    return request.user
