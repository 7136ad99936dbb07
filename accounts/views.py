"""Coming in, going out, and choosing a team."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts import access, demo, passkeys, signin, sso
from accounts.forms import LoginForm
from accounts.models import User


class Login(LoginView):
    """The login page."""

    template_name = "accounts/login.html"
    authentication_form = LoginForm
    redirect_authenticated_user = True
    http_method_names = ["get", "head", "post", "options"]

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Says also what other ways in there are."""
        return super().get_context_data(sso_name=sso.name(), **passkeys.page(self.request), **kwargs)

    def form_valid(self, form: LoginForm) -> HttpResponse:  # type: ignore[override]
        """Goes on to the second factor, or lets a person without one in."""
        user = form.get_user()
        assert isinstance(user, User)
        return signin.begin(self.request, user, how="password", goto=signin.way_on(self.request))


class Logout(LogoutView):
    """Ends the session; answers POST only, so that no link or image can log a person out."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Ends the session here; who came by single sign-on is shown the way to end that too."""
        farewell = sso.farewell(request)
        response = super().post(request, *args, **kwargs)
        return render(request, "accounts/farewell.html", {"address": farewell}) if farewell else response


@require_POST
def demo_login(request: HttpRequest) -> HttpResponse:
    """Lets the visitor in as the demo user; 404 unless demo mode is on."""
    if not settings.DEMO_MODE:
        raise Http404("There is no demo here.")
    membership = demo.ensure()
    response = signin.begin(request, membership.user, how="demo", goto=signin.way_on(request))
    if request.user == membership.user:
        access.choose_team(request, membership.team.slug)
    return response


@login_required
@require_safe
def teams(request: HttpRequest) -> HttpResponse:
    """The teams of the person, to choose the current one."""
    return render(request, "accounts/teams.html", {"memberships": access.memberships_here(request)})


@login_required
@require_POST
def choose(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes the team the current one; 404 for a team of others."""
    access.choose_team(request, slug)
    return redirect(signin.way_on(request))
