"""The page Branding: how the team's documents look, with page 1 of its newest plan in that look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import access, pace
from accounts.models import Team
from catalog.uploads import TOO_LARGE
from exports.brand import COLOURS, OURS, TYPEFACES, Brand, using
from exports.branding.form import CURRENCIES, FILES, Reading, read_brand
from exports.branding.store import brand_of, current_look, set_look
from exports.formats import PAPERS
from exports.locales import LOCALES
from planner.levers.kept import kept_of
from planner.models import PlanVersion

_ABOUT = {
    "accent": ("Accent", "Headings, links, bars of charts: 4.5 : 1 on white or darker."),
    "ink": ("Text", "Running text and rules: 4.5 : 1 on white or darker."),
    "highlight": ("Highlight", "The recommended option in charts."),
}
_FILES = {
    "logo": ("Logo", ".png,.jpg,.jpeg", "PNG or JPEG up to 1 MiB; it is laid on white and encoded anew."),
    "word": (
        "Word template",
        ".docx,.dotx",
        "Up to 4 MiB: its styles, theme, margins, header and footer are taken over.",
    ),
    "slides": (
        "PowerPoint template",
        ".pptx,.potx",
        "16 : 9, up to 4 MiB: its master, theme and three layouts are taken over.",
    ),
}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """The form with its preview; a post keeps the look as the team's next version. Only admins change it."""
    member = access.current_membership(request)
    old = brand_of(member.team)
    if request.method != "POST":
        return _page(request, Reading(old))
    access.require_role(member)
    if "reset" in request.POST:
        set_look(member, OURS)
        messages.success(request, "Documents are in Sextant's own look again.")
        return redirect("exports:branding")
    sent = _sent(request)
    if sent and (said := pace.too_many_uploads(request)):
        messages.error(request, said)
        return redirect("exports:branding")
    found = read_brand(_typed(request), sent, old)
    if TOO_LARGE in request.META:
        found.faults["logo"] = "The files together are too large: upload one at a time, of at most 4 MiB."
    if found.faults:
        return _page(request, found, status=422)
    set_look(member, found.brand)
    messages.success(request, " ".join(["Kept: documents made from now on have this look.", *found.notes]))
    return redirect("exports:branding")


@login_required
@never_cache
@require_safe
def preview(request: HttpRequest) -> HttpResponse:
    """Page 1 of the team's newest plan in its look, as SVG; an empty page that says so while there is no plan."""
    team = access.current_team(request)
    version = _newest(team)
    if version is None:
        return _picture(_NO_PLAN)
    from exports.compose import compose, state_of  # the fonts load only where pages are drawn
    from exports.writers.svg_page import first_page

    brand = brand_of(team)
    with using(brand):
        document = compose(version.plan, state=state_of(version.state), weighed=kept_of(version), sheets=False)
        picture = first_page(document, paper=brand.paper)
    return _picture(picture)


_NO_PLAN = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 595 842" font-family="Arial, sans-serif"><rect width="595" '
    'height="842" fill="#ffffff"/><text x="54" y="90" font-size="12" fill="#4c5b66">There is no plan yet.</text></svg>'
)


def _picture(svg: str) -> HttpResponse:
    return HttpResponse(svg, content_type="image/svg+xml", headers={"X-Content-Type-Options": "nosniff"})


def _newest(team: Team) -> PlanVersion | None:
    return access.rows_of(team, PlanVersion).order_by("-pk").first()


def _typed(request: HttpRequest) -> dict[str, str]:
    return {key: str(value) for key, value in request.POST.items()}


def _sent(request: HttpRequest) -> dict[str, bytes]:
    return {name: bytes(file.read()) for name in FILES if (file := request.FILES.get(name)) is not None}


def _page(request: HttpRequest, found: Reading, *, status: int = 200) -> HttpResponse:
    member = access.current_membership(request)
    look, brand, typed = current_look(member.team), found.brand, request.POST if status != 200 else {}
    rate = {"per_usd": f"{brand.rate.per_usd:g}", "rate_date": brand.rate.date, "rate_source": brand.rate.source}
    context: dict[str, Any] = {
        "section": "team",
        "may_change": access.has_role(member),
        "look": look,
        "brand": brand,
        "ours": brand == OURS,
        "faults": found.faults,
        "colours": [(name, *_ABOUT[name], f"#{getattr(brand, name)}", found.faults.get(name, "")) for name in COLOURS],
        "typefaces": [(key, face.name) for key, face in TYPEFACES.items()],
        "locales": [(code, f"{row.name}: {_shown(brand, code)}") for code, row in LOCALES.items()],
        "papers": PAPERS,
        "currencies": CURRENCIES,
        "rate": {key: typed.get(key, value) for key, value in rate.items()},
        "files": [(name, *_FILES[name], _has(brand, name), found.faults.get(name, "")) for name in FILES],
        "version": _newest(member.team),
    }
    return render(request, "exports/branding.html", context, status=status)


def _has(brand: Brand, name: str) -> bool:
    return bool(brand.logo.png if name == "logo" else getattr(brand, name))


def _shown(brand: Brand, code: str) -> str:
    """A number and a date as that choice writes them."""
    from datetime import date

    from exports.numbers import local, long_date

    with using(replace(brand, locale=code)):
        return f"{local('1,234.5')}, {long_date(date(2027, 1, 31))}"
