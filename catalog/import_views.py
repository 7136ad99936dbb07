"""A team's own price list: upload, review, publish, roll back."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access, pace
from accounts.models import Membership, Role, User
from catalog import clock, prices
from catalog.importers.outcome import ImportFault, Outcome
from catalog.importers.quotes import OPTIONAL, REQUIRED, Known, read_quotes
from catalog.importers.workbook import MOST_ROWS, read_upload
from catalog.models import BatchStatus, Entry, ImportBatch
from catalog.price_tables import OPTION_NAMES, offer_of
from catalog.records import PriceRow, decimal_text
from catalog.store import catalog_to_show
from catalog.uploads import TOO_LARGE
from catalog.whole import Catalog
from incoming.workbook import MOST_BYTES

_SHOWN = 200
_EXAMPLE = "aws,p5.48xlarge,us-east-1,,h100-sxm5,8,commit_1y,38.40,USD,2026-08-01,instance"


@dataclass(frozen=True, kw_only=True)
class ReviewLine:
    """One uploaded price beside the public one that it will override."""

    row: PriceRow
    option: str
    count: str
    amount: str
    each: str
    public: str
    change: str


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """The form; a post reads the file into a draft for review, or says what is wrong with it."""
    member = access.current_membership(request)
    access.require_role(member, Role.PLANNER, Role.FINANCE)
    fault, outcome = "", None
    if request.method == "POST":
        try:
            if said := pace.too_many_uploads(request):
                raise ImportFault(said)
            file = request.FILES.get("file")
            if TOO_LARGE in request.META:
                raise ImportFault(f"The file has more than {MOST_BYTES // 2**20} MiB; leave out what is no price.")
            batch, outcome = _drafted(member, file)
        except (ImportFault, prices.StepRefused) as error:
            fault, outcome = str(error), getattr(error, "outcome", None)
        else:
            return redirect("catalog:review", batch.public_id)
    found = {
        "section": "catalog",
        "fault": fault,
        "outcome": outcome,
        "required": REQUIRED,
        "optional": OPTIONAL,
        "most_mib": MOST_BYTES // 2**20,
        "most_rows": MOST_ROWS,
        "imports": access.rows_of(member.team, ImportBatch).order_by("-pk")[:50],
    }
    return render(request, "catalog/upload.html", found, status=422 if fault else 200)


def _drafted(member: Membership, file: UploadedFile[Any] | None) -> tuple[ImportBatch, Outcome]:
    """The draft of that file, checked and ready for review. ImportFault, StepRefused."""
    if file is None or not file.size:
        raise ImportFault("Choose a file that is not empty.")
    content, name = file.read(), str(file.name or "file")[-80:]
    today = clock.today()
    currencies = set(Entry.objects.filter(kind="currency").values_list("slug", flat=True))
    outcome = read_quotes(read_upload(content, name), Known(currencies=currencies, today=today))
    if not outcome.rows:
        raise _NothingUsable(outcome)
    batch, new = prices.draft(
        f"upload/{name}", hashlib.sha256(content).hexdigest(), outcome, team=member.team, actor=_person(member)
    )
    if new:
        prices.validate(batch, catalog_to_show(member.team), today=today, actor=_person(member))
    return batch, outcome


class _NothingUsable(ImportFault):
    """No row of the file can be used; carries the refusals to show."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__("No row of the file can be used; the reasons stand below.")
        self.outcome = outcome


@login_required
@require_safe
def template(request: HttpRequest) -> HttpResponse:
    """An empty list with our columns and one example row, as CSV."""
    names = [*REQUIRED[:3], "zone", *REQUIRED[3:], "per"]
    answer = HttpResponse(",".join(names) + "\n" + _EXAMPLE + "\n", content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="prices.csv"'
    return answer


@login_required
@require_safe
def review(request: HttpRequest, public_id: str) -> HttpResponse:
    """What came in, what was refused and why, what to look at, and what each price will override."""
    member = access.current_membership(request)
    batch = access.one_of(member.team, ImportBatch, public_id)
    rows = prices.rows_of(batch)
    catalog = catalog_to_show(member.team)
    found = {
        "section": "catalog",
        "batch": batch,
        "lines": _review_lines(rows[:_SHOWN], catalog),
        "more": max(0, len(rows) - _SHOWN),
        "known": batch.found - batch.prices,
        "can_publish": access.has_role(member, Role.FINANCE),
        "can_discard": access.has_role(member, Role.PLANNER, Role.FINANCE),
        "open": batch.status in (BatchStatus.DRAFT, BatchStatus.VALIDATED),
        "published": batch.status == BatchStatus.PUBLISHED,
    }
    return render(request, "catalog/review.html", found)


def _review_lines(rows: list[PriceRow], catalog: Catalog) -> list[ReviewLine]:
    newest: dict[str, PriceRow] = {}
    for row in sorted(catalog.prices, key=lambda row: row.date):
        newest[offer_of(row)] = row
    return [_review_line(row, newest.get(offer_of(row))) for row in rows]


def _review_line(row: PriceRow, public: PriceRow | None) -> ReviewLine:
    comparable = public is not None and public.currency == row.currency and public.count == row.count
    change = (
        f"{(row.amount / public.amount - 1) * 100:+.1f}%".replace("-", "−") if public is not None and comparable else ""
    )
    return ReviewLine(
        row=row,
        option=OPTION_NAMES[row.option],
        count=decimal_text(row.count),
        amount=f"{decimal_text(row.amount)} {row.currency}",
        each=f"{row.amount / row.count:.4f}",
        public=f"{decimal_text(public.amount)} {public.currency}" if public is not None else "",
        change=change,
    )


@login_required
@require_POST
def act(request: HttpRequest, public_id: str, step: str) -> HttpResponse:
    """One step of a team's own import: publish, discard or roll back. 403 without the role."""
    member = access.current_membership(request)
    batch = access.one_of(member.team, ImportBatch, public_id)
    roles, done, take = _STEPS[step]
    access.require_role(member, *roles)
    try:
        take(batch, _person(member), request.POST.get("accepted") == "on")
    except prices.StepRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("catalog:review", public_id)


def _person(member: Membership) -> User:
    if not isinstance(member.user, User):
        raise PermissionDenied("Only a person can import prices.")
    return member.user


_Step = Callable[[ImportBatch, User, bool], None]
_STEPS: dict[str, tuple[tuple[str, ...], str, _Step]] = {
    "publish": (
        (Role.FINANCE,),
        "Published: new plans use these prices.",
        lambda batch, actor, accepted: prices.publish(batch, actor=actor, accepted=accepted),
    ),
    "roll-back": (
        (Role.FINANCE,),
        "Rolled back: new plans no longer use these prices.",
        lambda batch, actor, _accepted: prices.roll_back(batch, actor=actor),
    ),
    "discard": (
        (Role.PLANNER, Role.FINANCE),
        "Discarded.",
        lambda batch, actor, _accepted: prices.discard(batch, actor=actor),
    ),
}
STEPS = tuple(_STEPS)
