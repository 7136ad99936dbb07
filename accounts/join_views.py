"""Links from mails: joining a team by invitation, and a new password for a forgotten one.

The secret of a link is taken out of the address at once, into the session, so that no history, log or Referer keeps it.
"""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import access, audit, invitations, known, letters, sessions, signin, throttle
from accounts.models import Invitation, User
from accounts.typed import one_line

_KEY = "invitation"
_ENDED = "This link is not valid any more: it works once and for a week. Ask for a new one."


@never_cache
@require_safe
def open_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Takes the secret out of the address."""
    request.session[_KEY] = invitations.digest_of(secret)  # a key belongs in no table
    return redirect("accounts:invitation")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest) -> HttpResponseBase:
    """Says who invites to what, and lets the owner of the address in: with a new account, or their own."""
    limits = throttle.links(throttle.address_of(request))
    if not throttle.take(limits):
        return _ended(request, "Too many attempts; wait 15 minutes and try again.", status=429)
    row = invitations.find(str(request.session.get(_KEY, "")))
    if row is None:
        return _ended(request, _ENDED, status=404)
    throttle.give_back(limits)
    account = User.objects.filter(email=row.email).first()
    if isinstance(request.user, User):
        return _join(request, row, request.user)
    if account is not None and _can_sign_in(account):
        return render(request, "accounts/invitation.html", {"invitation": row, "must_sign_in": True})
    return _new_account(request, row, account)


def _join(request: HttpRequest, row: Invitation, user: User) -> HttpResponse:
    context = {"invitation": row, "is_theirs": row.email == user.email}
    if request.method != "POST":
        return render(request, "accounts/invitation.html", context)
    try:
        membership = invitations.accept(row, user)
    except ValidationError as error:
        return _ended(request, error.messages[0], status=409)
    request.session.pop(_KEY, None)
    access.choose_team(request, membership.team.slug)
    messages.success(request, f"You now belong to {membership.team}.")
    return redirect("/")


def _new_account(request: HttpRequest, row: Invitation, account: User | None) -> HttpResponse:
    user = account or User(email=row.email)
    form, name = SetPasswordForm(user, request.POST or None), one_line(request.POST.get("name", ""))
    fault = ""
    if request.method == "POST":
        user.name = name[:120]  # before the rules: a password is not to be the name
        fault = "" if 0 < len(name) <= 120 else "A name has one to 120 characters."
        if form.is_valid() and not fault:
            try:
                return _open_account(request, row, form, is_new=account is None)
            except ValidationError as error:
                return _ended(request, error.messages[0], status=409)
    context = {"invitation": row, "form": form, "name": name, "fault": fault}
    return render(request, "accounts/invitation.html", context, status=422 if request.method == "POST" else 200)


@transaction.atomic
def _open_account(request: HttpRequest, row: Invitation, form: SetPasswordForm[User], *, is_new: bool) -> HttpResponse:
    # Held, so that a double click makes one account.
    if Invitation.objects.select_for_update().get(pk=row.pk).accepted_at is not None:
        raise ValidationError(_ENDED)
    user = form.save()
    if is_new:
        audit.record("user.created", user.public_id, team=None, actor=user, data={"how": "invitation"})
    membership = invitations.accept(row, user)
    request.session.pop(_KEY, None)
    response = signin.finish(request, user, how="invitation", goto="/", strong=False)
    access.choose_team(request, membership.team.slug)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Sends a link to a new password; the answer is the same, and takes as long, whether the address is known."""
    email, fault = request.POST.get("email", "").strip()[:254], ""
    if request.method == "POST":
        try:
            validate_email(email)
        except ValidationError:
            fault = "This is not an e-mail address; check it and try again."
        if not fault:
            # Above the limit nothing is sent, and nothing says so: a mailbox is not flooded, and nobody learns anything.
            if throttle.take(
                throttle.letters(email, throttle.address_of(request), place=known.place_of(request, email))
            ):
                letters.forgotten(email)
            return render(request, "accounts/forgotten.html", {"sent_to": email})
    return render(request, "accounts/forgotten.html", {"email": email, "fault": fault}, status=422 if fault else 200)


class Reset(PasswordResetConfirmView):
    """A new password by a link from a mail. Signs nobody in: a second factor is asked for as always."""

    template_name = "accounts/reset.html"
    success_url = reverse_lazy("accounts:login")
    reset_url_token = "new"  # noqa: S105  # a word in the address, in place of the secret

    @method_decorator(require_http_methods(["GET", "HEAD", "POST"]))
    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Refuses other methods also for a link that has ended."""
        return super().dispatch(*args, **kwargs)

    def form_valid(self, form: SetPasswordForm[User]) -> HttpResponse:
        """Sets the password and ends every session."""
        response = super().form_valid(form)
        user: Any = form.user
        ended = sessions.end_all(user)
        known.note(self.request, user)  # who reads this mailbox is no stranger, whatever strangers are doing
        audit.record("password.reset", user.public_id, team=None, actor=user, data={"sessions_ended": ended})
        letters.changed(user, "Your password was set anew by a link from a mail, and all sessions were ended.")
        messages.success(self.request, "Your new password is set; sign in with it.")
        return response


def _can_sign_in(user: User) -> bool:
    """Whether the account has a way in already; else the mailbox alone gives it its first password."""
    return user.has_usable_password() or user.identities.exists() or user.passkeys.exists() or not user.is_active


def _ended(request: HttpRequest, sentence: str, *, status: int) -> HttpResponse:
    context = {"sentence": sentence, "login": reverse("accounts:login")}
    return render(request, "accounts/ended.html", context, status=status)
