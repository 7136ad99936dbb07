"""Pages that work backwards: the question, the search as it goes on, and the answer as a new workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseStopPolling

from accounts import access
from accounts.models import Team
from engine.answer import Signed
from engine.choice.certain import STEPS, SUPPORTED
from engine.inputs.currency import Code
from engine.inputs.spec import Confidence, SpecError
from jobs.models import Job, State
from planner import plans, team_market
from planner.backwards.answer import TOKENS_PER_PARAMETER, Ask, Question, dense, draft_of, spec_of
from planner.backwards.work import KIND, request_answer
from planner.pages.form.model_choices import model_choices
from planner.pages.form.pickers import ACCELERATORS, choices_of
from planner.presenters.currency import Currency
from planner.presenters.degrees import QUERY, Reading, key_of
from planner.presenters.signed import signed_as
from planner.presenters.words import days
from planner.request.amounts import USD, Rates, kept, parse_amount
from planner.request.fields import Field
from planner.request.quantities import QuantityError, compact, parse_quantity
from voice.speech import error_text

QUESTIONS = {
    "model": "The largest model",
    "tokens": "The most training tokens",
    "date": "The earliest finish",
}
_UNITS = {"budget": "USD", "deadline": "day", "count": "", "tokens": "token", "ratio": "", "sequence": "token"}
_MOST = {"budget": 1e12, "deadline": 10_000, "count": 131_072, "tokens": 1e17, "ratio": 10_000, "sequence": 10_000_000}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form; a post begins the search."""
    member = access.current_membership(request)
    if request.method != "POST":
        return _form(
            request, member.team, {key: value for key, value in request.GET.items() if isinstance(value, str)}, {}
        )
    typed = {key: value.strip()[:200] for key, value in request.POST.items() if isinstance(value, str)}
    wanted, errors = _read(typed, team_market.team_money(member.team), team_market.market_of(member.team).fx_usd)
    if wanted is None:
        return _form(request, member.team, typed, errors, status=422)
    try:
        spec_of(draft_of(wanted, wanted.tokens or 1e9))
    except SpecError as error:
        return _form(request, member.team, typed, {"question": error_text(error)}, status=422)
    return redirect("planner:backwards-answer", request_answer(member, wanted).public_id)


@login_required
@never_cache
@require_safe
def answer(request: HttpRequest, public_id: str) -> HttpResponse:
    """The search as it goes on, or what it found; asked for each second until it ends."""
    job = _job(request, public_id)
    context = {"job": job, "section": "backwards", **_found(job, request.GET.get(QUERY, ""))}
    if not getattr(request, "htmx", False):
        return render(request, "planner/backwards_answer.html", context)
    response = render(request, "planner/_backwards.html", context)
    return HttpResponseStopPolling(response.content) if job.is_done else response


@login_required
@require_POST
def take(request: HttpRequest, public_id: str) -> HttpResponse:
    """Makes a workload of the answer and shows its whole plan."""
    member = access.current_membership(request)
    draft = (_job(request, public_id).result or {}).get("draft")
    if not draft:
        raise Http404("There is no answer to take over.")
    saved = plans.save_workload(member, name=draft["name"], draft=draft)
    return redirect("planner:answer", saved.public_id)


def _job(request: HttpRequest, public_id: str) -> Job:
    job = access.one_of(access.current_team(request), Job, public_id)
    if job.kind != KIND:
        raise Http404("There is nothing here with this id.")
    return job


def _shown(degrees: Sequence[Mapping[str, Any]], sure: str) -> list[Reading]:
    """The slider of the answer, at the degree that the address names, else at the one that was asked."""
    wanted = any(one["key"] == sure for one in degrees)
    return [Reading(**{**one, "shown": one["key"] == sure if wanted else one["shown"]}) for one in degrees]


def _again(payload: Mapping[str, Any]) -> str:
    """The question as the query of its form's address."""
    named = {"deadline": "deadline_days", "sequence": "sequence_length"}
    plain = ("question", "accelerator", "count", "model", "tokens", "ratio")
    asked = {key: payload[named.get(key, key)] for key in (*plain, *named)}
    asked["budget"] = f"{payload['budget_usd'] * payload['per_usd']:.10g}" if payload["budget_usd"] else ""
    asked["confidence"] = key_of(payload.get("confidence", Confidence().all))
    texts = {key: f"{value:.10g}" if isinstance(value, float) else str(value) for key, value in asked.items() if value}
    return urlencode(texts)


def _found(job: Job, sure: str = "") -> dict[str, Any]:
    if job.state != State.SUCCEEDED or not job.result:
        return {"failure": (job.error or {}).get("message", "") if job.is_done else ""}
    payload = job.payload
    money = Currency(code=payload["currency"], per_usd=payload["per_usd"])
    model = payload["question"] == "model"
    tries = [
        {
            **item,
            "size": f"{compact(dense(item['size']).parameters)} parameters"
            if model
            else f"{compact(item['size'])} tokens",
            "cost": money.amount(item["cost"]) if item["cost"] else "",
            "signed": signed_as(Signed(**item["signed"]), money),
            "time": days(item["days"]) if item["days"] else "",
        }
        for item in sorted(job.result["tries"], key=lambda item: item["size"])
    ]
    return {
        "result": job.result,
        "budget": f"{payload['budget_usd'] * payload['per_usd']:.10g}",
        "money": money,
        "tries": list({item["size"]: item for item in tries}.values()),
        "ratio": compact(payload["ratio"]) if model else "",
        "again": _again(payload),
        "readings": _shown(job.result.get("degrees", ()), sure),
    }


def _read(typed: Mapping[str, str], money: Currency, rates: Rates) -> tuple[Ask | None, dict[str, str]]:
    """The question, or None and one sentence for each field that must change. A budget that names no currency
    is in `money`, as the answer will be."""
    errors: dict[str, str] = {}
    numbers = {key: _number(key, typed.get(key, ""), errors, money.code, rates) for key in _UNITS}
    question = typed.get("question", "")
    if question not in QUESTIONS:
        errors["question"] = "Pick what you want to know."
    wanted = Ask(
        question=cast(Question, question),
        budget_usd=numbers["budget"],
        currency=cast(Code, money.code),
        per_usd=money.per_usd,
        deadline_days=numbers["deadline"],
        accelerator=typed.get("accelerator", ""),
        count=int(numbers["count"]),
        model=typed.get("model", "") if question != "model" else "",
        tokens=numbers["tokens"] if question == "date" else 0.0,
        ratio=numbers["ratio"] or TOKENS_PER_PARAMETER,
        sequence_length=int(numbers["sequence"]) or 4096,
        confidence=_confidence(typed.get("confidence", ""), errors),
    )
    errors = {**_missing(wanted), **errors}
    return (None if errors else wanted), errors


def _confidence(text: str, errors: dict[str, str]) -> float:
    """How sure the answer must be, of a percentage; what plans are by themselves where nothing is said."""
    if not text:
        return Confidence().all
    try:
        value = parse_quantity(text.removesuffix("%").strip()) / 100
    except QuantityError as error:
        errors["confidence"] = str(error)
        return Confidence().all
    if not 0.5 <= value <= 0.99:
        errors["confidence"] = "How sure must be between 50 and 99%."
    return value


def _number(key: str, text: str, errors: dict[str, str], code: str, rates: Rates) -> float:
    if not text:
        return 0.0
    try:
        if key == "budget":
            value = parse_amount(kept(text, code), USD, rates)
        else:
            value = parse_quantity(text, _UNITS[key])
    except QuantityError as error:
        errors[key] = str(error)
        return 0.0
    if not 0 <= value <= _MOST[key]:
        errors[key] = f"This must be between 0 and {_MOST[key]:,.0f}."
        return 0.0
    return value


def _missing(ask: Ask) -> dict[str, str]:
    """What the question cannot do without."""
    found: dict[str, str] = {}
    if ask.accelerator and not ask.count:
        found["count"] = "Say how many of them you own."
    if not ask.accelerator and not ask.budget_usd:
        found["budget"] = "Give a budget, or your own hardware below."
    if ask.accelerator and not ask.deadline_days and ask.question != "date":
        found["deadline"] = "Own hardware has no price that ends the search: say by when it must be done."
    if ask.question != "model" and not ask.model:
        found["model"] = "Pick the model that is trained."
    if ask.question == "date" and not ask.tokens:
        found["tokens"] = "Say how many tokens it is trained on."
    return found


def _is_degree(text: str) -> bool:
    try:
        return len(text) <= 7 and 50.0 <= float(text) <= 99.0
    except ValueError:
        return False


def _degrees(typed: str) -> list[tuple[str, str]]:
    """The degrees of the list, and one that was typed into an address; what is no degree is refused beside the list."""
    keys = [key_of(step) for step in STEPS]
    more = [typed] if typed not in keys and _is_degree(typed) else []
    return [(key, f"{key}%{', extrapolated' if float(key) > SUPPORTED * 100 + 1e-6 else ''}") for key in (*keys, *more)]


def _form(
    request: HttpRequest, team: Team, typed: Mapping[str, str], errors: Mapping[str, str], *, status: int = 200
) -> HttpResponse:
    fields = _fields(
        typed, errors, team_market.team_money(team).code, choices_of(team_market.market_of(team)).get(ACCELERATORS, ())
    )
    faults = [field for field in fields.values() if field.error]
    context = {"fields": fields, "faults": faults, "section": "backwards"}
    return render(request, "planner/backwards.html", context, status=status)


def _fields(typed: Mapping[str, str], errors: Mapping[str, str], currency: str, accelerators: Any) -> dict[str, Field]:
    def made(path: str, label: str, widget: Any = "number", **more: Any) -> Field:
        fresh = more.pop("value", "")
        return Field(
            path=path, label=label, widget=widget, value=typed.get(path, fresh), error=errors.get(path, ""), **more
        )

    every = (
        made("question", "What I want to know", "select", choices=[("", list(QUESTIONS.items()))], value="model"),
        made("budget", "Budget", unit=currency, placeholder="no limit"),
        made("deadline", "Within", unit="days", placeholder="no limit"),
        made(
            "confidence",
            "How sure must it be?",
            "select",
            choices=[("", _degrees(typed.get("confidence", "")))],
            value=key_of(Confidence().all),
            help="The answer keeps the limits with this chance. Beyond 90% measured errors say little.",
        ),
        made("accelerator", "Accelerator that I own", "select", choices=[("", [("", "None: rent")]), *accelerators]),
        made("count", "How many", placeholder="none"),
        made("model", "Model", "select", choices=[("", [("", "Not for the largest model")]), *model_choices()]),
        made("tokens", "Training tokens", unit="tokens", help="For the earliest finish."),
        made(
            "ratio",
            "Tokens per parameter",
            value="20",
            help="For the largest model. An assumption: 20 is compute-optimal (Hoffmann et al. 2022).",
        ),
        made("sequence", "Sequence length", unit="tokens", value="4096"),
    )
    return {field.path: field for field in every}
