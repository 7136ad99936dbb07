"""Pages of a series: many plans asked for at once, one bar for all of them, and what came of each."""

from __future__ import annotations

import csv
from io import StringIO

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from accounts import access, audit
from accounts.models import Membership
from engine.inputs.spec import SpecError
from jobs.models import State
from planner import plans, team_market
from planner.pages.chart_files import safe
from planner.presenters.currency import currency_of
from planner.series import work
from planner.series.fields import AXES, Typed, axes_of, movable
from planner.series.grid import changes_of
from planner.series.shown import heads_of, lines_of, names_of, ordered, table_of
from planner.tables import Series
from rest.caps import CapReached
from voice.speech import error_text

A_PAGE = 50


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, public_id: str) -> HttpResponse:
    """Up to three fields with the values to try; a post asks for every combination."""
    member = access.current_membership(request)
    access.require_role(member, *work.MAY_ASK)
    version = plans.version_of(member, public_id)
    rows = [_typed(request, number) for number in range(1, AXES + 1)]
    fields, money, fault = movable(version.head.spec), currency_of(version.plan), ""
    if request.method == "POST":
        rates = team_market.market_of(member.team).fx_usd
        try:
            made = work.ask_scenarios(member, version, changes_of(axes_of(rows, fields, code=money.code, rates=rates)))
        except SpecError as error:
            fault = error_text(error)
        except (ValueError, CapReached) as error:
            fault = str(error)
        else:
            return redirect("planner:series", made.public_id)
    context = {
        "version": version,
        "workload": version.workload,
        "rows": rows,
        "fields": fields,
        "money": money.code,
        "fault": fault,
        "section": "home",
    }
    return render(request, "planner/series_new.html", context, status=422 if fault else 200)


@login_required
@require_POST
def reprice(request: HttpRequest) -> HttpResponse:
    """Asks for every plan of the team on today's prices."""
    member = access.current_membership(request)
    try:
        made = work.ask_repricing(member)
    except ValueError:
        messages.error(request, "There is no saved plan yet whose prices could be asked again: save one first.")
        return redirect("planner:portfolio")
    return redirect("planner:series", made.public_id)


@login_required
@never_cache
@require_safe
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    """How far the series is and what it found; asked for again until it ends."""
    member = access.current_membership(request)
    series = _series(member, public_id)
    progress = work.progress_of(series)
    rows = work.results(series)
    shown = Paginator(ordered(rows), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "series": series,
        "progress": progress,
        "heads": heads_of(series),
        "page": shown,
        "lines": lines_of(series, rows, shown, names_of(series)),
        "states": [(State(state).label, count) for state, count in sorted(progress.pieces.items())],
        "may_ask": access.has_role(member, *work.MAY_ASK),
        "section": "home" if series.version_id else "portfolio",
    }
    if not getattr(request, "htmx", False):
        return render(request, "planner/series.html", context)
    response = render(request, "planner/_series.html", context)
    return HttpResponseStopPolling(response.content) if progress.ended else response


@login_required
@require_safe
def table(request: HttpRequest, public_id: str) -> HttpResponse:
    """What is answered so far as CSV, in the order of the series."""
    member = access.current_membership(request)
    series = _series(member, public_id)
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in table_of(series, work.results(series), names_of(series)):
        writer.writerow([safe(cell) for cell in row])
    if request.method == "GET":
        audit.record("series.downloaded", series.public_id, team=member.team, actor=member.user)
    headers = {"Content-Disposition": f'attachment; filename="{series.public_id}.csv"'}
    return HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def step(request: HttpRequest, public_id: str, verb: str) -> HttpResponse:
    """Ends what has not ended, or goes on with it."""
    member = access.current_membership(request)
    series = _series(member, public_id)
    if verb == "cancel":
        work.cancel(member, series)
        messages.success(request, "Stopped. What is answered stays.")
    elif verb == "resume":
        work.resume(member, series)
    else:
        raise Http404("There is no such step.")
    return redirect("planner:series", public_id)


def _series(member: Membership, public_id: str) -> Series:
    found = access.one_of(member.team, Series, public_id)
    rows = Series.objects.select_related("team", "version__workload", "created_by").defer("version__body")
    return rows.get(pk=found.pk)


def _typed(request: HttpRequest, number: int) -> Typed:
    return Typed(
        path=request.POST.get(f"field-{number}", "")[:60], values=request.POST.get(f"values-{number}", "")[:2000]
    )
