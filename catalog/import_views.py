"""A team's own price list: upload, review, publish, roll back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access, pace
from accounts.models import Membership
from catalog import price_lists, prices
from catalog.importers.outcome import ImportFault, Outcome
from catalog.importers.quotes import OPTIONAL, REQUIRED
from catalog.importers.workbook import MOST_ROWS
from catalog.may import Step, may, require
from catalog.models import BatchStatus, ImportBatch
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
    require(member, Step.FILL)
    fault, outcome = "", None
    if request.method == "POST":
        try:
            if said := pace.too_many_uploads(request):
                raise ImportFault(said)
            file = request.FILES.get("file")
            if TOO_LARGE in request.META:
                raise ImportFault(f"The file has more than {MOST_BYTES // 2**20} MiB; leave out what is no price.")
            batch = _drafted(member, file)
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


def _drafted(member: Membership, file: UploadedFile[Any] | None) -> ImportBatch:
    """The draft of that file, checked and ready for review. ImportFault, StepRefused."""
    if file is None or not file.size:
        raise ImportFault("Choose a file that is not empty.")
    batch, outcome = price_lists.read_file(member, file.read(), str(file.name or "file")[-80:])
    if batch is None:
        raise _NothingUsable(outcome)
    return batch


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
        "can_publish": may(member, Step.PUBLISH),
        "can_discard": may(member, Step.DISCARD),
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
    done, take = _STEPS[step]
    try:
        take(member, batch, request.POST.get("accepted") == "on")
    except prices.StepRefused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("catalog:review", public_id)


_Take = Callable[[Membership, ImportBatch, bool], None]
_STEPS: dict[str, tuple[str, _Take]] = {
    "publish": (
        "Published: new plans use these prices.",
        lambda member, batch, accepted: price_lists.publish(member, batch, accepted=accepted),
    ),
    "roll-back": (
        "Rolled back: new plans no longer use these prices.",
        lambda member, batch, _accepted: price_lists.roll_back(member, batch),
    ),
    "discard": ("Discarded.", lambda member, batch, _accepted: price_lists.discard(member, batch)),
}
STEPS = tuple(_STEPS)
