"""A team's price lists, as people and programs fill them: make one, read a file into it, publish it, take it back.

The steps are those of `catalog.prices`; here is who takes them (`catalog.may`), and what a list that begins empty adds.
"""

from __future__ import annotations

import hashlib
import json
from decimal import Decimal
from typing import Any

from django.db import transaction

from accounts import access, audit
from accounts.models import ApiToken, Membership, Team
from catalog import clock, inbox, prices
from catalog.checks import flags_of
from catalog.importers.outcome import ImportFault, Outcome
from catalog.importers.quotes import OPTIONAL, REQUIRED, Known, read_quotes
from catalog.importers.workbook import Row, read_upload
from catalog.may import Step, require
from catalog.models import BatchStatus, Entry, ImportBatch
from catalog.store import catalog_to_show
from jobs import queue
from jobs.models import Job
from jobs.registry import Running
from jobs.running import JobFailed

KIND = "catalog.price_list"
PREFIX = "list/"
SHOWN = prices.SHOWN_REFUSALS


@transaction.atomic
def create(member: Membership, name: str, *, token: ApiToken | None = None) -> ImportBatch:
    """A new price list without prices."""
    require(member, Step.FILL)
    prices.check_room(member.team)
    batch = ImportBatch.objects.create(name=f"{PREFIX}{name}", sha256="", team=member.team, made_by=member.user)
    audit.record(
        "prices.list_created", batch.public_id, team=member.team, actor=member.user, token=token, data={"name": name}
    )
    return batch


@transaction.atomic
def request_import(
    member: Membership, batch: ImportBatch, data: bytes, *, name: str, dry_run: bool, token: ApiToken | None = None
) -> Job:
    """The job that reads those bytes into the list, or only says what it would take. StepRefused when it is filled."""
    require(member, Step.FILL)
    if batch.status != BatchStatus.DRAFT or batch.sha256:
        raise prices.StepRefused("This price list has its prices already: make another one for newer prices.")
    file = inbox.put(data)
    payload = {"list": batch.public_id, "file": file, "name": name, "dry_run": dry_run, "member": member.pk}
    job = queue.enqueue(KIND, team=member.team, payload=payload)
    said = {"import": job.public_id, "dry_run": dry_run, "sha256": inbox.digest_of(file)}
    audit.record(
        "prices.import_requested", batch.public_id, team=member.team, actor=member.user, token=token, data=said
    )
    return job


def read_file(member: Membership, content: bytes, name: str) -> tuple[ImportBatch | None, Outcome]:
    """The list of that file, checked and ready for review, and what was read; no list where no row can be used.

    ImportFault, StepRefused.
    """
    require(member, Step.FILL)
    outcome = _read(content, name)
    if not outcome.rows:
        return None, outcome
    digest, today = hashlib.sha256(content).hexdigest(), clock.today()
    batch, new = prices.draft(f"upload/{name}", digest, outcome, team=member.team, actor=member.user)
    if new:
        prices.validate(batch, catalog_to_show(member.team), today=today, actor=member.user)
    return batch, outcome


def publish(member: Membership, batch: ImportBatch, *, accepted: bool, token: ApiToken | None = None) -> None:
    """New plans of the team use its prices. StepRefused unless validated, or flagged and not accepted."""
    require(member, Step.PUBLISH)
    prices.publish(batch, actor=member.user, accepted=accepted, token=token)


def roll_back(member: Membership, batch: ImportBatch, *, token: ApiToken | None = None) -> None:
    """New plans use its prices no longer. StepRefused unless published."""
    require(member, Step.ROLL_BACK)
    prices.roll_back(batch, actor=member.user, token=token)


def discard(member: Membership, batch: ImportBatch, *, token: ApiToken | None = None) -> None:
    """Puts it aside before it is published. StepRefused when it was published."""
    require(member, Step.DISCARD)
    prices.discard(batch, actor=member.user, token=token)


def run_import(job: Running) -> dict[str, Any]:
    """The handler: what was read, refused and flagged; JobFailed with one sentence for a file that cannot be read."""
    payload = job.payload
    member = Membership.objects.select_related("team", "user").filter(pk=payload["member"]).first()
    batch = access.rows_of(member.team, ImportBatch).filter(public_id=payload["list"]).first() if member else None
    if member is None or batch is None:
        raise JobFailed("gone", "Whoever asked for this import has left the team, or the price list is gone.")
    try:
        job.progress(10, "Reading the file")
        outcome = _read(inbox.take(payload["file"]), payload["name"])
        job.progress(60, "Comparing with known prices")
        if payload["dry_run"]:
            return _said(outcome, _flags(outcome, member.team)) | {"dry_run": True}
        _fill(batch, inbox.digest_of(payload["file"]), outcome, member)
    except FileNotFoundError as error:
        raise JobFailed("gone", "The file is no longer stored: send it again.") from error
    except (ImportFault, prices.StepRefused) as error:
        raise JobFailed("file", str(error)) from error
    return _said(outcome, batch.flags) | {"dry_run": False}


def after_import(job: Job) -> None:
    """The file is needed no more."""
    inbox.drop(str(job.payload["file"]))


def _read(data: bytes, name: str) -> Outcome:
    currencies = set(Entry.objects.filter(kind="currency").values_list("slug", flat=True))
    rows = _from_json(data) if name.endswith(".json") else read_upload(data, name)
    return read_quotes(rows, Known(currencies=currencies, today=clock.today()))


def _from_json(data: bytes) -> list[Row]:
    """The rows of `{"prices": [{"provider": …}]}`, checked when they were sent; the first price is line 1."""
    names = [*REQUIRED, *OPTIONAL]
    items = json.loads(data)["prices"]
    rows = [(number, [str(item.get(name) or "") for name in names]) for number, item in enumerate(items, 1)]
    return [(0, names), *rows]


def _flags(outcome: Outcome, team: Team) -> list[list[str]]:
    catalog = catalog_to_show(team)
    rates = {record.slug: Decimal(str(record.number("usd"))) for record in catalog.of("currency")}
    found = flags_of(outcome.rows, catalog.prices, today=clock.today(), usd=rates)
    return [[flag.reason, flag.text] for flag in found]


@transaction.atomic
def _fill(batch: ImportBatch, digest: str, outcome: Outcome, member: Membership) -> None:
    """The list with its prices, validated. A second call, after a crash, changes nothing."""
    if batch.sha256 == digest and batch.status != BatchStatus.DRAFT:
        return
    prices.fill(batch, digest, outcome, actor=member.user)
    today = clock.today()
    prices.validate(batch, catalog_to_show(member.team), today=today, actor=member.user)


def _said(outcome: Outcome, flags: list[list[str]]) -> dict[str, Any]:
    refused = [*outcome.refused, *outcome.dropped]
    return {
        "lines": outcome.lines,
        "prices": len(outcome.rows),
        "duplicates": outcome.duplicates,
        "refused": len(refused),
        "refusals": [[item.line, item.reason, item.text] for item in refused[:SHOWN]],
        "flags": flags[:SHOWN],
    }
