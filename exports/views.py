"""Documents of a plan version on its page: ask for a file, watch it being made, download it."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from accounts import access
from exports import files
from exports.brand import OURS
from exports.branding.store import current_look
from exports.bundle import bundle_of
from exports.download import note
from exports.healing import AGAIN, heal, is_lost, made
from exports.models import Export
from exports.room import retried
from exports.text import file_name
from exports.work import key_of, request_export
from jobs.models import State
from planner.models import PlanVersion
from planner.presenters import currency_of

_ABOUT = {
    "docx": ("Word", "The whole plan as a report to read, comment and sign."),
    "xlsx": ("Excel", "The cost model with live formulas: change a price and every sheet moves."),
    "pdf": ("PDF", "The same report, fixed, accessible and ready for the archive."),
    "pptx": ("PowerPoint", "The decision on a few slides with native charts."),
}
ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Card:
    """One format of one version as its card shows it."""

    format: str
    title: str
    about: str
    export: Export | None
    lost: bool
    """Was the file made, and is it missing or damaged since?"""

    @property
    def busy(self) -> bool:
        """Is the file being made?"""
        return self.export is not None and not self.export.job.is_done

    @property
    def ready(self) -> bool:
        """Can the file be downloaded?"""
        return self.export is not None and made(self.export) and not self.lost

    @property
    def failure(self) -> str:
        """Why it failed, in one sentence; empty when it did not."""
        if self.lost:
            return "The stored file was lost or damaged: make it again, it will be the same."
        if self.export is None or self.export.job.state not in (State.FAILED, State.CANCELLED):
            return ""
        error = self.export.job.error or {}
        return str(error.get("message") or "The work was cancelled.")


@login_required
@never_cache
@require_safe
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    """All four documents of a version on a page of their own."""
    version = _version(request, public_id)
    cards = _cards(version)
    busy = any(card.busy for card in cards)
    return render(
        request,
        "exports/page.html",
        {"version": version, "cards": cards, "busy": busy, "money": currency_of(version.plan), "section": "home"},
    )


@login_required
@never_cache
@require_safe
def cards(request: HttpRequest, public_id: str) -> HttpResponse:
    """The four cards as a part of the plan's page."""
    version = _version(request, public_id)
    return render(request, "exports/_cards.html", {"version": version, "cards": _cards(version)})


@login_required
@require_POST
def make(request: HttpRequest, public_id: str, format_: str) -> HttpResponse:
    """Asks for one file, or all four; the same click twice gives the same file. A failed one is tried again."""
    member = access.current_membership(request)
    version = _version(request, public_id)
    if format_ != ALL and format_ not in _ABOUT:
        raise Http404("There is no such format.")
    with transaction.atomic():  # all that were asked for, or none
        asked = [request_export(member, version, name) for name in (_ABOUT if format_ == ALL else (format_,))]
        begun = [retried(export) or not export.job.is_done for export in asked]
    if not getattr(request, "htmx", False):
        messages.info(request, "The work has begun: the files appear here." if any(begun) else "They are made already.")
        return redirect("exports:page", public_id)
    if format_ == ALL:
        return render(request, "exports/_cards.html", {"version": version, "cards": _cards(version)})
    return render(request, "exports/_card.html", {"version": version, "card": _card(version, format_)})


@login_required
@never_cache
@require_safe
def card(request: HttpRequest, public_id: str, format_: str) -> HttpResponse:
    """One card, asked for each second while its file is being made; the last answer stops the asking."""
    if format_ not in _ABOUT:
        raise Http404("There is no such format.")
    version = _version(request, public_id)
    found = _card(version, format_)
    response = render(request, "exports/_card.html", {"version": version, "card": found})
    if found.busy or not getattr(request, "htmx", False):
        return response
    return HttpResponseStopPolling(response.content)


@login_required
@require_safe
def download(request: HttpRequest, public_id: str) -> HttpResponse:
    """The file, under a name that says what it is; a lost one is made again, 404 for one that never was."""
    member = access.current_membership(request)
    export = access.one_of(member.team, Export, public_id)
    if not export.ready:
        raise Http404("This file is not made yet: make it on the page of its plan.")
    try:
        data = files.load(export.sha256)
    except files.FileGone:
        heal(export, member)
        messages.info(request, AGAIN)
        return redirect("exports:page", export.version.public_id)
    name = f"{file_name(export.version.workload.name, f'v{export.version.number}')}.{export.format}"
    headers = {
        "Content-Disposition": content_disposition_header(True, name) or "attachment",
        "ETag": f'"{export.sha256}"',
    }
    file = HttpResponse(data, content_type=export.media_type, headers=headers)
    return note(request, file, export, member=member, token=None)


@login_required
@require_safe
def bundle(request: HttpRequest, public_id: str) -> HttpResponse:
    """The four files, the budget and the plan in one zip with their hashes; lost ones are made again, 404 until all were
    made once."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    cards = _cards(version)
    lost = [card.export for card in cards if card.export and card.lost]
    for export in lost:
        heal(export, member)
    if lost:
        messages.info(request, AGAIN)
        return redirect("exports:page", public_id)
    documents = {card.format: files.load(card.export.sha256) for card in cards if card.export and card.ready}
    if len(documents) < len(_ABOUT):
        raise Http404("The bundle holds all four documents: make them first on the page of this plan.")
    name = f"{file_name(version.workload.name, f'v{version.number}')}.zip"
    headers = {"Content-Disposition": content_disposition_header(True, name) or "attachment"}
    file = HttpResponse(bundle_of(version, documents), content_type="application/zip", headers=headers)
    return note(request, file, version, member=member, token=None)


def _version(request: HttpRequest, public_id: str) -> PlanVersion:
    return access.one_of(access.current_team(request), PlanVersion, public_id)


def _cards(version: PlanVersion) -> list[Card]:
    """The card of each format, in two queries: the look, and the files in it."""
    look = current_look(version.workload.team)
    keys = {name: key_of(version, name, look.settings["paper"] if look else OURS.paper, look) for name in _ABOUT}
    found = {row.key: row for row in Export.objects.select_related("job").filter(key__in=keys.values())}
    return [_card_of(name, found.get(keys[name])) for name in _ABOUT]


def _card_of(name: str, export: Export | None) -> Card:
    title, about = _ABOUT[name]
    return Card(format=name, title=title, about=about, export=export, lost=export is not None and is_lost(export))


def _card(version: PlanVersion, format_: str) -> Card:
    return next(card for card in _cards(version) if card.format == format_)
