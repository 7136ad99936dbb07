"""Pages up to the answer: the form with its live estimate, and the result of a saved workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access
from accounts.models import Role, Team
from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, SpecError
from planner import planned, plans, team_market
from planner.frozen.snapshot import Plan
from planner.models import Workload
from planner.pages import behind, pace
from planner.pages.chart_files import chart_file
from planner.pages.form import copies, keeping, links, live, load_aids, model_choices, screens, turns, typed_rates
from planner.pages.form.model_read import model_read
from planner.pages.form.pickers import choices_of, dressed, posted
from planner.pages.plan.lever_texts import taken_texts
from planner.presenters import charts_of, currency_of, present
from planner.presenters.options import table_in
from planner.presenters.what_if import what_if
from planner.request import drafts, suggested
from planner.request.fields import Field, errors_by_field, in_words, nearest_field
from planner.request.parse import MOST_FAULTS
from planner.telling import told
from voice.speech import fault_text


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, kind: str) -> HttpResponse:
    """An empty form or a filled example; a post saves the workload and shows its answer."""
    screen = _screen(kind)
    if request.method == "POST":
        return _submitted(request, screen, None)
    example = next((item for item in screen.examples if item.slug == request.GET.get("example")), None)
    typed = {**screen.defaults, **(example.values if example else {})}
    if "kept" in request.GET:
        typed = _kept_in(request, screen.kind) or typed
    told, unknown = links.linked(screen, request.GET.dict())
    for name in unknown[:3]:
        messages.warning(
            request,
            _("The link fills in “%(name)s”, which this form does not have: look at the fields.") % {"name": name},
        )
    return _form(request, screen, {**typed, **told}, [])


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, public_id: str) -> HttpResponse:
    """The form of a saved workload."""
    workload = access.one_of(access.current_team(request), Workload, public_id)
    screen = screens.screen_for(workload.draft)
    if request.method == "POST":
        return _submitted(request, screen, workload)
    _, faults = _tried(workload.draft, workload.team) if request.GET.get("check") else (None, [])
    typed = _kept_in(request, public_id) if "kept" in request.GET else {}
    return _form(request, screen, typed or drafts.typed_from(workload.draft), faults, workload)


@login_required
@require_POST
def estimate(request: HttpRequest, kind: str) -> HttpResponse:
    """The live estimate of what is typed so far: a part of the page, for htmx.

    The first answer may be a first number, marked as that; the panel then asks once more, with `settle` in the address.
    """
    screen, typed, settle = _screen(kind), posted(request.POST), "settle" in request.GET
    team = access.current_team(request)
    if seconds := pace.wait_s(request):
        paused = render(request, "planner/_live.html", {"paused_s": seconds}, status=429)
        paused.headers["Retry-After"] = str(seconds)
        return paused
    told_rate = load_aids.rate_told(typed) if screen.kind == "serve" else None
    typed, unread = load_aids.filled(typed) if screen.kind == "serve" else (typed, [])
    draft, more = drafts.draft_from(typed, screens.fields_of(screen), workload=screen.workload)
    unread += more
    context: dict[str, Any] = {
        "settle_at": f"{request.path}?settle=1",
        "read": model_read(draft),
        "rate": told(told_rate),
    }
    try:
        with turns.turn(request, "settling" if settle else "first"):
            market = team_market.market_of(team)
            answer = live.glance_for(draft, market, settle=settle)
        if not unread:
            context |= {"answer": answer, "rates": typed_rates.rates_typed(draft, market)}
    except turns.Superseded:
        return HttpResponse(status=204)
    except SpecError as error:
        unread += error.faults
    if unread:
        context["faults"] = _labelled(unread, screen, typed)
        context["lacks_only"] = all(is_missing(fault) for fault in unread)
    return render(request, "planner/_live.html", context)


@login_required
@require_safe
def answer(request: HttpRequest, public_id: str) -> HttpResponse:
    """The answer to a saved workload, computed on the current catalog."""
    workload = access.one_of(access.current_team(request), Workload, public_id)
    plan, faults = _tried(workload.draft, workload.team)
    if plan is None or faults:
        return redirect(f"{_edit_url(workload)}?check=1")
    shown = present(plan, **table_in(request.GET), facts=behind.facts_of(plan, workload.team))
    newest = workload.newest
    saved = newest is not None and newest.sha256 == plan.sha256
    return render(
        request,
        "planner/answer.html",
        {
            "workload": workload,
            "answer": shown,
            "newest": newest,
            "saved": saved,
            "section": "home",
            "charts_at": f"{request.path}/charts",
            "panel": what_if(plan, {}),
            "what_if_at": f"{request.path}/what-if",
            "levers_at": reverse("planner:levers", args=[public_id]),
            "more_levers": plan.spec.objective == "cost" and plan.recommendation.feasible,
            "levers_taken": taken_texts(workload),
            "panel_charts_at": f"{request.path}/what-if/charts",
            "unsaved": True,
            "rates": typed_rates.rates_typed(workload.draft, team_market.market_of(workload.team)),
        },
    )


@login_required
@require_safe
def answer_chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of the current answer as a file."""
    workload = access.one_of(access.current_team(request), Workload, public_id)
    plan, _ = _tried(workload.draft, workload.team)
    if plan is None:
        raise Http404("This request cannot be planned yet.")
    return chart_file(charts_of(plan, currency_of(plan)), chart, format_)


@login_required
@require_POST
def duplicate(request: HttpRequest, public_id: str) -> HttpResponse:
    """A copy of the workload as a new request, opened for changes."""
    member = access.current_membership(request)
    workload = access.one_of(member.team, Workload, public_id)
    copy = copies.duplicate(member, workload)
    messages.success(request, f"This is a copy of “{workload.name}”: change what differs.")
    return redirect(_edit_url(copy))


@login_required
@require_POST
def freeze(request: HttpRequest, public_id: str) -> HttpResponse:
    """Saves the current answer as a plan version and shows it."""
    member = access.current_membership(request)
    workload = access.one_of(member.team, Workload, public_id)
    plan, _ = _tried(workload.draft, workload.team)
    if plan is None:
        return redirect(f"{_edit_url(workload)}?check=1")
    version = plans.freeze_version(member, workload, plan)
    messages.success(request, f"Saved as version {version.number}. It no longer changes.")
    return redirect("planner:plan", version.public_id)


def _submitted(request: HttpRequest, screen: screens.Screen, workload: Workload | None) -> HttpResponse:
    """Saves what was posted when it can be planned; else the form again with every fault."""
    member = access.current_membership(request)
    access.require_role(member, Role.PLANNER)
    sent = posted(request.POST)
    typed, unread = load_aids.filled(sent) if screen.kind == "serve" else (sent, [])
    draft, more = drafts.draft_from(typed, screens.fields_of(screen), workload=screen.workload)
    unread += more
    _, faults = _tried(draft, member.team)
    if unread or faults:
        return _form(request, screen, sent, [*unread, *faults], workload, status=422)
    revision = drafts.revision_of(typed) if workload else None
    try:
        name = suggested.named(draft)["name"]
        saved = plans.save_workload(member, name=name, draft=draft, workload=workload, revision=revision)
    except plans.Conflict as conflict:
        return _form(
            request, screen, typed, [Fault("", "conflict", {"reason": Typed(str(conflict))})], workload, status=409
        )
    keeping.drop(member, form=workload.public_id if workload else screen.kind, tab=typed.get("tab", "")[:32])
    return redirect("planner:answer", saved.public_id)


def _kept_in(request: HttpRequest, form: str) -> dict[str, str]:
    """What another window of that form holds."""
    rows = keeping.kept(access.current_membership(request), form)
    return next((row.typed for row in rows if row.tab == request.GET["kept"]), {})


def _form(
    request: HttpRequest,
    screen: screens.Screen,
    typed: Mapping[str, str],
    faults: Sequence[Fault],
    workload: Workload | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    errors, loose = errors_by_field(faults, _fields(screen, typed))
    member = access.current_membership(request)
    typed = {"currency": member.team.currency, **typed} if workload is None else typed
    market = team_market.market_of(member.team)
    form_key = workload.public_id if workload else screen.kind
    fields = dressed(screens.fields_of(screen, typed, errors), choices_of(market))
    read = model_read(drafts.draft_from(typed, {}, workload=screen.workload)[0])
    context = {
        "read": read,
        "load": load_aids.load_of(typed, errors, fresh=workload is None and "serving.requests_per_s" not in typed)
        if screen.kind == "serve"
        else None,
        "screen": screen,
        "section": screen.kind,
        "workload": workload,
        "model": model_choices.model_field(typed, errors.get("model", "")),
        "config": typed.get(drafts.CONFIG, ""),
        "config_error": errors.get(drafts.CONFIG, ""),
        "visible": [fields[path] for path in screen.visible],
        "folds": screens.folds_of(screen, fields),
        "faults": _labelled(faults, screen, typed),
        "loose": loose,
        "form_key": form_key,
        "kept_rows": [] if request.method == "POST" else keeping.kept(member, form_key),
    }
    return render(request, "planner/form.html", context, status=status)


def _labelled(faults: Sequence[Fault], screen: screens.Screen, typed: Mapping[str, str]) -> list[dict[str, str]]:
    """Each fault with the id and label of the field that it belongs to, and its sentence in the form's words."""
    fields = _fields(screen, typed)
    return [fault_row(fault, fields) for fault in faults[:MOST_FAULTS]]


def _fields(screen: screens.Screen, typed: Mapping[str, str]) -> dict[str, Field]:
    """Every control of the form, the model and its config included."""
    config = Field(path=drafts.CONFIG, label="config.json", widget="area")
    aids = load_aids.asked_fields() if screen.kind == "serve" else {}
    return {
        **screens.fields_of(screen, typed),
        **aids,
        "model": model_choices.model_field(typed),
        drafts.CONFIG: config,
    }


def is_missing(fault: Fault) -> bool:
    """Whether something has only not been said yet."""
    return fault.code.partition(".")[0] == "missing"


def fault_row(fault: Fault, fields: Mapping[str, Field]) -> dict[str, str]:
    """What the template and the script need of one fault."""
    field = nearest_field(fault.path, fields)
    if field is None:
        return {"ident": "", "label": "", "message": fault_text(fault), "rest": fault_text(fault), "code": fault.code}
    said, quoted = in_words(fault, field), f"“{field.label}”"
    rest = said.removeprefix(quoted) if said.startswith(quoted) else f": {said}"
    return {"ident": field.ident, "label": field.label, "message": said, "rest": rest, "code": fault.code}


def _tried(draft: Mapping[str, Any], team: Team) -> tuple[Plan | None, list[Fault]]:
    """The plan of that draft, or None and the faults."""
    try:
        return planned.plan_for(draft, team), []
    except SpecError as error:
        return None, list(error.faults)


def _screen(kind: str) -> screens.Screen:
    try:
        return screens.SCREENS[kind]
    except KeyError as error:
        raise Http404("There is no such form.") from error


def _edit_url(workload: Workload) -> str:
    return reverse("planner:edit", args=[workload.public_id])
