"""The pages of a team's own entries: what it owns, its own accelerators and servers, each beside the public value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access
from accounts.models import Membership
from catalog import clock, own
from catalog.days import dated
from catalog.may import Step, may, require
from catalog.models import EntryStatus, TeamEntry
from catalog.records import Record
from catalog.schema import KINDS, Field
from catalog.store import NoCatalog, catalog_to_show
from catalog.whole import Catalog

_KIND_WORDS = {
    "holding": gettext_lazy("Hardware you own"),
    "accelerator": gettext_lazy("Accelerator of your own"),
    "system": gettext_lazy("Server of your own"),
}
_HINTS = {
    "byte": "80 GiB",
    "byte/s": "3350 GB/s",
    "FLOP/s": "989.4 TFLOP/s",
    "W": "10.2 kW",
    "USD": "2400000 USD",
    "USD/kWh": "0.19 USD/kWh",
    "U": "8 U",
    "day": "2024-08-22",
    "bool": "true",
    "ratio": "1.22",
    "year": "2024",
    "count": "8",
}
_COUNTRY = "CHE"
_LONGEST_HINT = 40
_PORTS = ("nic_bandwidth", "scaleout_bandwidth")
"""Rated in bits; other rates are in bytes."""
_LONG = ("sparse_flops", "notes", "end_of_sale", "why_not_plannable", "scaleup_both_directions")
_PUBLIC_ONLY = ("plannable", "why_not_plannable", "end_of_sale")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One value of an entry beside the public one; empty texts where there is none."""

    name: str
    label: str
    value: str
    public: str
    source: str
    date: str
    hint: str
    required: bool
    fault: str
    choices: tuple[str, ...] = ()


@require_safe
@login_required
def entries(request: HttpRequest) -> HttpResponse:
    """What the team has entered: in force first, then what was replaced or withdrawn."""
    member = access.current_membership(request)
    rows = access.rows_of(member.team, TeamEntry).select_related("made_by", "ended_by").order_by("-created_at")
    found = {
        "section": "catalog",
        "kinds": _KIND_WORDS.items(),
        "groups": [
            (word, [row for row in rows if row.kind == kind and row.status == EntryStatus.IN_FORCE])
            for kind, word in _KIND_WORDS.items()
        ],
        "past": [row for row in rows if row.status != EntryStatus.IN_FORCE][:100],
        "may_write": may(member, Step.ENTER),
    }
    return render(request, "catalog/own.html", found)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, kind: str) -> HttpResponse:
    """The form of one entry; a post saves it, or says field by field what is wrong and keeps what was typed."""
    member = access.current_membership(request)
    require(member, Step.ENTER)
    catalog = _catalog(member)
    slug = (request.POST or request.GET).get("slug", "").replace("\x00", "")[:60].strip().lower()
    faults: Mapping[str, str] = {}
    if request.method == "POST":
        texts = {name: request.POST.get(name, "") for name in KINDS[kind]}
        try:
            entry = own.save_entry(
                member,
                catalog,
                kind=kind,
                slug=slug,
                texts=texts,
                today=clock.today(),
            )
        except own.EntryRefused as error:
            faults = error.faults
        else:
            messages.success(request, _("Saved: new plans of your team use these values."))
            return redirect("catalog:own_entry", entry.public_id)
    else:
        before = own.in_force(member.team, kind, slug)
        texts = own.texts_of(before) if before else _started(kind, request)
    public = next((record for record in catalog.records if (record.kind, record.slug) == (kind, slug)), None)
    lines = _lines(kind, texts, public, faults=faults, choices=_choices(catalog), example=_example(catalog, kind))
    found = {
        "section": "catalog",
        "kind": kind,
        "word": _KIND_WORDS[kind],
        "slug": slug,
        "public": public,
        "faults": faults,
        "first": [line for line in lines if not line.name.startswith(_LONG)],
        "rest": [line for line in lines if line.name.startswith(_LONG)],
    }
    return render(request, "catalog/own_edit.html", found, status=422 if faults else 200)


@require_safe
@login_required
def entry(request: HttpRequest, public_id: str) -> HttpResponse:
    """One entry: each value beside the public one, who entered it and when, and the versions before it."""
    member = access.current_membership(request)
    row = access.one_of(member.team, TeamEntry, public_id)
    catalog = _catalog(member)
    public = next((one for one in catalog.records if (one.kind, one.slug) == (row.kind, row.slug)), None)
    versions = access.rows_of(member.team, TeamEntry).filter(kind=row.kind, slug=row.slug)
    found = {
        "section": "catalog",
        "row": row,
        "word": _KIND_WORDS[row.kind],
        "lines": [line for line in _lines(row.kind, own.texts_of(row), public) if line.value],
        "public": public,
        "versions": versions.select_related("made_by", "ended_by").order_by("-created_at"),
        "in_force": row.status == EntryStatus.IN_FORCE,
        "may_write": may(member, Step.ENTER),
    }
    return render(request, "catalog/own_entry.html", found)


@login_required
@require_POST
def act(request: HttpRequest, public_id: str, step: str) -> HttpResponse:
    """Withdraw an entry, or put an earlier version in force again. 403 without the role."""
    member = access.current_membership(request)
    row = access.one_of(member.team, TeamEntry, public_id)
    try:
        public_id, done = _STEPS[step](row, member)
    except own.EntryRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("catalog:own_entry", public_id)


def _withdraw(row: TeamEntry, member: Membership) -> tuple[str, str]:
    own.withdraw(member, row)
    return row.public_id, _("Withdrawn: new plans use the public values again.")


def _restore(row: TeamEntry, member: Membership) -> tuple[str, str]:
    made = own.restore(member, row, _catalog(member), today=clock.today())
    return made.public_id, _("In force again: new plans of your team use these values.")


_STEPS: dict[str, Callable[[TeamEntry, Membership], tuple[str, str]]] = {"withdraw": _withdraw, "restore": _restore}
STEPS = tuple(_STEPS)


def _started(kind: str, request: HttpRequest) -> dict[str, str]:
    """What a link may fill in: the accelerator that is owned, or that sits in the server."""
    named = {"holding": "accelerator", "system": "device"}.get(kind)
    return {named: request.GET[named][:60]} if named and named in request.GET else {}


def _choices(catalog: Catalog) -> dict[str, tuple[str, ...]]:
    """Fields of which the catalog knows all good values."""
    records = [record for record in catalog.effective if record.kind == "accelerator"]
    slugs = tuple(sorted(record.slug for record in records))
    public = [record for record in catalog.records if record.kind == "accelerator"]
    return {
        "holding.accelerator": slugs,
        "system.device": slugs,
        "accelerator.generation": tuple(sorted({record.text("generation") for record in public})),
        "accelerator.runtime": tuple(sorted({record.text("runtime") for record in public})),
        "accelerator.trains": ("true", "false"),
        "system.cooling": ("air", "liquid"),
    }


def _lines(
    kind: str,
    texts: Mapping[str, str],
    public: Record | None,
    *,
    faults: Mapping[str, str] | None = None,
    choices: Mapping[str, tuple[str, ...]] | None = None,
    example: Record | None = None,
) -> list[Line]:
    """Every field that a team may fill in, in the order of its kind. example: of which values are hints."""
    found = []
    for name, field in KINDS[kind].items():
        if name in _PUBLIC_ONLY:
            continue
        value = public.values.get(name) if public else None
        found.append(
            Line(
                name=name,
                label=field.label,
                value=texts.get(name, ""),
                public=f"{value.text} {value.unit}".strip() if value else "",
                source=value.source if value else "",
                date=dated(value.date) if value else "",
                hint="" if (choices or {}).get(f"{kind}.{name}") else _hint(name, field, example),
                required=field.required and public is None,
                fault=(faults or {}).get(name, ""),
                choices=(choices or {}).get(f"{kind}.{name}", ()),
            )
        )
    return found


def _example(catalog: Catalog, kind: str) -> Record | None:
    """The public entry of that kind that says the most, of those the newest; hardware that a team owns has none."""
    public = [record for record in catalog.records if record.kind == kind]
    return max(public, key=lambda one: (len(one.values), one.number("release_year"), one.slug), default=None)


def _hint(name: str, field: Field, example: Record | None) -> str:
    """What the example has there; what fits the unit where there is no example."""
    if example:
        found = example.values.get(name)
        return f"{found.text} {found.unit}".strip() if found and len(found.text) <= _LONGEST_HINT else ""
    if name == "country":
        return _COUNTRY
    return "3200 Gb/s" if name in _PORTS else _HINTS.get(field.dimension, "")


def _catalog(member: Membership) -> Catalog:
    try:
        return catalog_to_show(member.team)
    except NoCatalog as error:
        raise Http404(str(error)) from error
