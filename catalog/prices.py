"""The write steps of prices: draft → validated → published → rolled back. Each is one transaction with its audit row.

Only published rows reach a plan, and a step either happens whole or not at all: an import that fails, or whose
process is killed, leaves the last good prices as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import ApiToken, Team, User
from catalog.checks import Flag, flags_of
from catalog.importers.outcome import Outcome
from catalog.models import BatchStatus, ImportBatch, PriceObservation
from catalog.progress import Stage, tell
from catalog.records import PriceRow, Record
from catalog.release import fingerprint
from catalog.store import add_prices, facts_of, note_release, prices_of
from catalog.whole import Catalog
from rest import caps

SHOWN_REFUSALS = 200
_ASKED_AT_ONCE = 500
"""Fingerprints in one question; SQLite takes 999 parameters."""
_OPEN = (BatchStatus.DRAFT, BatchStatus.VALIDATED)


class StepRefused(ValueError):
    """The step does not fit the import's state or content; the sentence says what to do."""


def check_room(team: Team | None) -> None:
    """CapReached when the team has as many open lists as it may."""
    count = ImportBatch.objects.filter(team=team, status__in=_OPEN).count() if team else 0
    caps.check(
        "lists_of_team", count, whose="The team", what="open price lists", instead="publish or discard one first"
    )


@transaction.atomic
def draft(
    name: str,
    digest: str,
    outcome: Outcome,
    *,
    team: Team | None = None,
    actor: User | None = None,
    entries: Iterable[Record] = (),
) -> tuple[ImportBatch, bool]:
    """The import of that outcome as a draft, and whether it is new: the same file read the same way is one import.

    Rows that a published import has already are not repeated. StepRefused when lines are lost or nothing was found.
    """
    if not outcome.reconciles:
        raise StepRefused("The import does not account for every line; nothing was kept.")
    facts = _facts(entries)
    if not outcome.rows and not facts:
        raise StepRefused("The file has no price that can be used; nothing was published.")
    same = ImportBatch.objects.filter(name=name, sha256=digest, team=team)
    before = same.filter(status__in=(*_OPEN, BatchStatus.PUBLISHED)).first()
    if before is not None:
        return before, False
    check_room(team)
    batch = ImportBatch.objects.create(
        name=name,
        sha256=digest,
        team=team,
        made_by=actor,
        lines=outcome.lines,
        refused=outcome.reasons(),
        refusals=_first_refusals(outcome),
        entries=facts,
        found=len(outcome.rows),
    )
    fresh = _unknown(outcome.rows, team)
    add_prices(batch, fresh)
    batch.prices = len(fresh)
    batch.save(update_fields=["prices"])
    _note("prices.drafted", batch, actor, lines=outcome.lines, prices=batch.prices)
    return batch, True


def _facts(records: Iterable[Record]) -> dict[str, dict[str, dict[str, list[str]]]]:
    found: dict[str, dict[str, dict[str, list[str]]]] = {}
    for record in records:
        found.setdefault(record.kind, {})[record.slug] = facts_of(record)
    return found


def _first_refusals(outcome: Outcome) -> list[list[object]]:
    found = [*outcome.refused, *outcome.dropped]
    return [[refusal.line, refusal.reason, refusal.text] for refusal in found[:SHOWN_REFUSALS]]


def _unknown(rows: Iterable[PriceRow], team: Team | None) -> dict[bytes, PriceRow]:
    """The rows that no published import of that owner has, by fingerprint, each once."""
    found = {fingerprint(row): row for row in rows}
    batches = ImportBatch.objects.filter(status=BatchStatus.PUBLISHED, team=team)
    published, marks = set(batches.values_list("pk", flat=True)), list(found)
    for start in range(0, len(marks), _ASKED_AT_ONCE):
        tell(Stage.COMPARING, start, len(marks))
        # By the fingerprint alone: beside a condition on the batch SQLite reads all rows of every batch each time.
        some = PriceObservation.objects.filter(fingerprint__in=marks[start : start + _ASKED_AT_ONCE])
        for mark, batch in some.values_list("fingerprint", "batch_id"):
            if batch in published:
                found.pop(bytes(mark), None)
    return found


@transaction.atomic
def fill(batch: ImportBatch, digest: str, outcome: Outcome, *, actor: User | None = None) -> None:
    """Reads that outcome into a draft that has no prices yet. StepRefused when it has, when lines are lost, or when
    nothing was found."""
    if not outcome.reconciles:
        raise StepRefused("The import does not account for every line; nothing was kept.")
    if not outcome.rows:
        raise StepRefused("No row of the file can be used: a dry run says why, row by row.")
    fresh = _unknown(outcome.rows, batch.team)
    said = {
        "sha256": digest,
        "lines": outcome.lines,
        "refused": outcome.reasons(),
        "refusals": _first_refusals(outcome),
        "found": len(outcome.rows),
        "prices": len(fresh),
    }
    if not ImportBatch.objects.filter(pk=batch.pk, status=BatchStatus.DRAFT, sha256="").update(**said):
        raise StepRefused("This price list has its prices already: make another one for newer prices.")
    batch.refresh_from_db()
    add_prices(batch, fresh)
    _note("prices.drafted", batch, actor, lines=outcome.lines, prices=batch.prices)


@transaction.atomic
def validate(batch: ImportBatch, catalog: Catalog, *, today: date, actor: User | None = None) -> list[Flag]:
    """What a reviewer should look at, kept with the import; the draft is validated then. StepRefused unless a draft."""
    rates = {record.slug: Decimal(str(record.number("usd"))) for record in catalog.of("currency")}
    _move(batch, (BatchStatus.DRAFT,), BatchStatus.VALIDATED, "Only a draft can be validated.")
    flags = flags_of(rows_of(batch), catalog.prices, today=today, usd=rates)
    batch.flags = [[flag.reason, flag.text] for flag in flags]
    batch.save(update_fields=["flags"])
    _note("prices.validated", batch, actor, flags=len(flags))
    return flags


@transaction.atomic
def publish(
    batch: ImportBatch, *, actor: User | None = None, accepted: bool = False, token: ApiToken | None = None
) -> None:
    """Let the import's prices reach every later plan. StepRefused unless validated, or flagged and not accepted."""
    if batch.flags and not accepted:
        raise StepRefused("Some prices are flagged; look at them and confirm that they are right.")
    _move(batch, (BatchStatus.VALIDATED,), BatchStatus.PUBLISHED, "Only a validated import can be published.")
    batch.published_at = timezone.now()
    batch.save(update_fields=["published_at"])
    _note("prices.published", batch, actor, token=token, prices=batch.prices, flags=len(batch.flags))
    if batch.team is None:
        note_release()


@transaction.atomic
def roll_back(batch: ImportBatch, *, actor: User | None = None, token: ApiToken | None = None) -> None:
    """Take the import's prices out of every later plan; plans made before keep theirs. StepRefused unless published."""
    _move(batch, (BatchStatus.PUBLISHED,), BatchStatus.ROLLED_BACK, "Only a published import can be rolled back.")
    _note("prices.rolled_back", batch, actor, token=token, prices=batch.prices)
    if batch.team is None:
        note_release()


@transaction.atomic
def discard(batch: ImportBatch, *, actor: User | None = None, token: ApiToken | None = None) -> None:
    """Put an import aside before it is published. StepRefused when it was published."""
    _move(batch, _OPEN, BatchStatus.DISCARDED, "Only an import that is not published yet can be discarded.")
    _note("prices.discarded", batch, actor, token=token)


@transaction.atomic
def publish_import(
    name: str,
    digest: str,
    outcome: Outcome,
    *,
    team: Team | None = None,
    actor: User | None = None,
    entries: Iterable[Record] = (),
) -> tuple[ImportBatch, bool]:
    """All steps of a feed that nobody reviews, as one transaction: the published import, and whether it is new.

    StepRefused when lines are lost, nothing was found, or the feed shrank to less than half of its last import.
    """
    _check_size(name, outcome, team)
    batch, new = draft(name, digest, outcome, team=team, actor=actor, entries=entries)
    if batch.status == BatchStatus.DRAFT:
        # Outliers and spot above on-demand were refused by the importer, so what is left needs no reviewer.
        _move(batch, (BatchStatus.DRAFT,), BatchStatus.VALIDATED, "Only a draft can be validated.")
    if batch.status == BatchStatus.VALIDATED:
        publish(batch, actor=actor, accepted=True)
    return batch, new


def _check_size(name: str, outcome: Outcome, team: Team | None) -> None:
    last = ImportBatch.objects.filter(name=name, team=team, status=BatchStatus.PUBLISHED).order_by("-pk").first()
    if last is not None and len(outcome.rows) * 2 < last.found:
        raise StepRefused(
            f"The feed has {len(outcome.rows)} prices and had {last.found} the last time; the last import stays. "
            "Roll that one back first if the feed really shrank."
        )


def rows_of(batch: ImportBatch) -> list[PriceRow]:
    """The prices that came with that import, in the order of its file."""
    return list(prices_of(PriceObservation.objects.filter(batch=batch)))


def _move(batch: ImportBatch, allowed: Sequence[str], to: BatchStatus, otherwise: str) -> None:
    """One conditional UPDATE, so that of two people who click at once only one takes the step."""
    if not ImportBatch.objects.filter(pk=batch.pk, status__in=allowed).update(status=to):
        raise StepRefused(otherwise)
    batch.status = to


def _note(verb: str, batch: ImportBatch, actor: User | None, *, token: ApiToken | None = None, **data: int) -> None:
    said = {"name": batch.name, **data}
    audit.record(verb, batch.public_id, team=batch.team, actor=actor, token=token, data=said)
