"""The catalog's pages: what there is, what it costs, and where each value comes from."""

from __future__ import annotations

from datetime import date

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.dateparse import parse_date
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from accounts import access
from catalog import own, price_tables, tables
from catalog.history_charts import option_histories
from catalog.may import Step, may
from catalog.models import BatchStatus, ImportBatch
from catalog.price_history import history as history_of
from catalog.price_tables import Wanted, offer_of
from catalog.providers import provider_name
from catalog.records import OPTIONS
from catalog.store import NoCatalog, catalog_to_show
from catalog.whole import Catalog
from catalog.work import feeds_at_work

_PRICES_A_PAGE = 100
_THINGS_A_PAGE = 40
_MOST_COMPARED = 4


@require_safe
@login_required
def browse(request: HttpRequest) -> HttpResponse:
    """Accelerators in a table, narrowed by vendor and words, in the order that is asked for."""
    catalog = _catalog(request)
    vendor, words = request.GET.get("vendor", "")[:60], request.GET.get("words", "")[:60]
    sort = request.GET.get("sort", "")
    found = {
        "section": "catalog",
        "rows": tables.accelerators(catalog, vendor=vendor, words=words, sort=sort),
        "sort": sort if sort in tables.SORTS else "name",
        "vendors": tables.vendors(catalog),
        "vendor": vendor,
        "words": words,
        "release": catalog.release,
        "date": parse_date(catalog.release_date),
    }
    return render(request, "catalog/browse.html", found)


@require_safe
@login_required
def compare(request: HttpRequest) -> HttpResponse:
    """Up to four accelerators side by side, each value with its source and date."""
    catalog = _catalog(request)
    wanted = list(dict.fromkeys(request.GET.getlist("a")))[:_MOST_COMPARED]
    known = {record.slug: record for record in catalog.of("accelerator")}
    records = [known[slug] for slug in wanted if slug in known]
    found = {"section": "catalog", "records": records, "rows": tables.compare(records, catalog.sources)}
    return render(request, "catalog/compare.html", found)


@require_safe
@login_required
def accelerator(request: HttpRequest, slug: str) -> HttpResponse:
    """Every fact and price of one accelerator with its source and date; 404 when there is none of that slug."""
    catalog = _catalog(request)
    record = next((record for record in catalog.of("accelerator") if record.slug == slug), None)
    if record is None:
        raise Http404
    lines = price_tables.price_lines(catalog, Wanted(accelerator=slug, every=True))
    public = next((one for one in catalog.records if (one.kind, one.slug) == ("accelerator", slug)), None)
    member = access.current_membership(request)
    found = {
        "section": "catalog",
        "slug": slug,
        "name": record.text("name"),
        "why_not": record.text("why_not_plannable"),
        "facts": tables.facts(record, catalog.sources, public),
        "entry": own.in_force(member.team, "accelerator", slug),
        "may_write": may(member, Step.ENTER),
        "sources": tables.sources_of(record, catalog.sources),
        "had": tables.had(catalog, record),
        "purchases": tables.purchases(catalog, slug),
        "histories": option_histories(history_of(slug, catalog.prices, tables.tiers(catalog))),
        "page": Paginator(lines, _PRICES_A_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "catalog/accelerator.html", found)


@require_safe
@login_required
def prices(request: HttpRequest) -> HttpResponse:
    """Prices of all offers as of a day, narrowed by accelerator, provider, option and region."""
    catalog = _catalog(request)
    wanted = _wanted(request)
    lines = price_tables.price_lines(catalog, wanted)
    every_row = (*catalog.prices, *catalog.overlay)
    asked = {name: str(value) for name, value in request.GET.items() if name != "page" and value}
    found = {
        "section": "catalog",
        "wanted": wanted,
        "page": Paginator(lines, _PRICES_A_PAGE).get_page(request.GET.get("page")),
        "accelerators": sorted({row.accelerator for row in every_row}),
        "providers": [(slug, provider_name(slug)) for slug in sorted({row.provider for row in every_row})],
        "options": [(name, price_tables.OPTION_NAMES[name]) for name in OPTIONS],
        "date": parse_date(catalog.release_date),
        "query": urlencode(asked),
    }
    return render(request, "catalog/prices.html", found)


def _wanted(request: HttpRequest) -> Wanted:
    """What the address asks for; an impossible day counts as none."""
    texts = {name: request.GET.get(name, "")[:80].strip() for name in ("accelerator", "provider", "option", "region")}
    try:
        as_of = date.fromisoformat(request.GET.get("as_of", ""))
    except ValueError:
        as_of = None
    return Wanted(**texts, as_of=as_of, every=request.GET.get("every") == "1")


@require_safe
@login_required
def history(request: HttpRequest) -> HttpResponse:
    """All observations of one offer, as a chart where there are two dates; 404 when there is none."""
    catalog, offer = _catalog(request), request.GET.get("offer", "")[:300]
    own = [row for row in catalog.overlay if offer_of(row) == offer]
    public = [row for row in catalog.prices if offer_of(row) == offer]
    if not own and not public:
        raise Http404
    first = (own or public)[0]
    lines = price_tables.price_lines(
        catalog,
        Wanted(accelerator=first.accelerator, provider=first.provider, option=first.option, every=True),
    )
    found = {
        "section": "catalog",
        "offer": first,
        "provider": provider_name(first.provider),
        "option": price_tables.OPTION_NAMES[first.option],
        "lines": sorted((line for line in lines if line.offer == offer), key=lambda line: line.observed, reverse=True),
        "chart": price_tables.history_chart(public, whose="public"),
        "own_chart": price_tables.history_chart(own, whose="own"),
        "dates": len({row.date for row in (*own, *public)}),
    }
    return render(request, "catalog/history.html", found)


@require_safe
@login_required
def things(request: HttpRequest, kind: str) -> HttpResponse:
    """Servers, interconnects, storage tiers, providers, regions, countries or currencies, each value with its source."""
    catalog, words = _catalog(request), request.GET.get("words", "")[:60]
    found = {
        "section": "catalog",
        "kind": kind,
        "kinds": tables.THINGS.items(),
        "word": tables.THINGS[kind],
        "words": words,
        "page": Paginator(tables.things(catalog, kind, words=words), _THINGS_A_PAGE).get_page(request.GET.get("page")),
        "query": urlencode({"words": words}) if words else "",
    }
    return render(request, "catalog/things.html", found)


@require_safe
@login_required
def sources(request: HttpRequest) -> HttpResponse:
    """Every source of a fact or price, and the public imports that were published."""
    catalog = _catalog(request)
    imports = ImportBatch.objects.filter(team=None, status=BatchStatus.PUBLISHED).order_by("-pk")[:_PRICES_A_PAGE]
    found = {"section": "catalog", "lines": tables.source_lines(catalog), "imports": imports, "feeds": feeds_at_work()}
    return render(request, "catalog/sources.html", found)


@require_safe
@login_required
def feeds_now(request: HttpRequest) -> HttpResponse:
    """The feeds that are fetched now, or wait for it, each with how far it is: a part of the page of sources."""
    return render(request, "catalog/_feeds.html", {"feeds": feeds_at_work()})


def _catalog(request: HttpRequest) -> Catalog:
    """The release that the team of this request sees. 404 when none is loaded."""
    try:
        return catalog_to_show(access.current_team(request))
    except NoCatalog as error:
        raise Http404(str(error)) from error
