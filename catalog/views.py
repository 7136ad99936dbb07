"""The catalog's pages: what there is, what it costs, and where each value comes from."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts import access
from catalog import tables
from catalog.records import Catalog
from catalog.store import catalog_from_rows

_PRICES_A_PAGE = 100


@require_safe
@login_required
def browse(request: HttpRequest) -> HttpResponse:
    """Accelerators side by side, narrowed by vendor and words."""
    catalog = _catalog(request)
    vendor, words = request.GET.get("vendor", "")[:60], request.GET.get("words", "")[:60]
    found = {
        "section": "catalog",
        "rows": tables.accelerators(catalog, vendor=vendor, words=words),
        "vendors": tables.vendors(catalog),
        "vendor": vendor,
        "words": words,
        "release": catalog.release,
        "date": catalog.release_date,
    }
    return render(request, "catalog/browse.html", found)


@require_safe
@login_required
def accelerator(request: HttpRequest, slug: str) -> HttpResponse:
    """Every fact and price of one accelerator with its source and date; 404 when there is none of that slug."""
    catalog = _catalog(request)
    record = next((record for record in catalog.of("accelerator") if record.slug == slug), None)
    if record is None:
        raise Http404
    lines = tables.prices(catalog, slug, today=timezone.localdate())
    found = {
        "section": "catalog",
        "name": record.text("name"),
        "why_not": record.text("why_not_plannable"),
        "facts": tables.facts(record, catalog.sources),
        "sources": tables.sources_of(record, catalog.sources),
        "page": Paginator(lines, _PRICES_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "catalog/accelerator.html", found)


def _catalog(request: HttpRequest) -> Catalog:
    """The release that the team of this request sees. 404 when none is loaded."""
    try:
        return catalog_from_rows(access.current_team(request))
    except LookupError as error:
        raise Http404(str(error)) from error
