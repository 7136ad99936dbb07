"""Inviting people to the team: admins only."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts import access, invitations, signin
from accounts.models import Invitation, Membership


@login_required
@require_POST
def invite(request: HttpRequest) -> HttpResponse:
    """Sends an invitation."""
    member = _admin(request)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    email, role = request.POST.get("email", ""), request.POST.get("role", "")
    try:
        row, _ = invitations.invite(member.team, email, role=role, actor=member.user)
        messages.success(request, f"{row.email} is invited; the link works for a week.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("accounts:team")


@login_required
@require_POST
def again(request: HttpRequest, invitation_id: str) -> HttpResponse:
    """Sends a new link; the old one ends."""
    member = _admin(request)
    row = access.one_of(member.team, Invitation, invitation_id)
    if asked := signin.proof_asked(request, back="accounts:team"):
        return asked
    try:
        invitations.send_again(row, actor=member.user)
        messages.success(request, f"A new link is on its way to {row.email}; the old one has ended.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("accounts:team")


@login_required
@require_POST
def revoke(request: HttpRequest, invitation_id: str) -> HttpResponse:
    """Withdraws an invitation."""
    member = _admin(request)
    row = access.one_of(member.team, Invitation, invitation_id)
    invitations.revoke(row, actor=member.user)
    messages.success(request, f"The invitation of {row.email} is withdrawn.")
    return redirect("accounts:team")


def _admin(request: HttpRequest) -> Membership:
    member = access.current_membership(request)
    access.require_role(member)
    return member
