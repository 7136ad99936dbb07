"""Coming in, going out, and choosing a team."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from accounts import access, audit, demo
from accounts.forms import LoginForm
from accounts.models import User

_BACKEND = "django.contrib.auth.backends.ModelBackend"


class Login(LoginView):
    """The login page."""

    template_name = "accounts/login.html"
    authentication_form = LoginForm
    redirect_authenticated_user = True
    http_method_names = ["get", "head", "post", "options"]

    def form_valid(self, form: LoginForm) -> HttpResponse:  # type: ignore[override]
        """Lets the person in and records it."""
        response = super().form_valid(form)
        user = form.get_user()
        assert isinstance(user, User)
        audit.record("user.logged_in", user.public_id, team=None, actor=user)
        return response


class Logout(LogoutView):
    """Ends the session; answers POST only, so that no link or image can log a person out."""


@require_POST
def demo_login(request: HttpRequest) -> HttpResponse:
    """Lets the visitor in as the demo user; 404 unless demo mode is on."""
    if not settings.DEMO_MODE:
        raise Http404("There is no demo here.")
    membership = demo.ensure()
    login(request, membership.user, backend=_BACKEND)
    access.choose_team(request, membership.team.slug)
    audit.record("user.logged_in", membership.user.public_id, team=membership.team, actor=membership.user)
    return redirect(_next(request))


@login_required
@require_safe
def teams(request: HttpRequest) -> HttpResponse:
    """The teams of the person, to choose the current one."""
    return render(request, "accounts/teams.html", {"memberships": access.memberships_of(request.user)})


@login_required
@require_POST
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes the team the current one; 404 for a team of others."""
    access.choose_team(request, slug)
    return redirect(_next(request))


def _next(request: HttpRequest) -> str:
    """Where to go afterwards: ``next`` when it is an address of this site, else the start page."""
    wanted = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe else settings.LOGIN_REDIRECT_URL
