"""How a command says what an import did with every line."""

from __future__ import annotations

from decimal import Decimal

from django.core.management.base import OutputWrapper

from catalog.changed import NAMED, Changed
from catalog.importers.outcome import Outcome
from catalog.records import decimal_text
from voice import writing


def report(out: OutputWrapper, outcome: Outcome, changed: Changed | None = None) -> None:
    """Prints lines in, prices out, refusals by reason, and what is another price than at the last import."""
    out.write(
        f"{outcome.lines} lines: {outcome.priced} priced, {outcome.parts} parts of others, {outcome.duplicates} duplicates, "
        f"{len(outcome.refused)} refused, {outcome.skipped.total()} about something else; "
        f"{len(outcome.rows)} prices, {len(outcome.dropped)} left out."
    )
    if outcome.rows:
        sums = ", ".join(f"{option} {decimal_text(total)}" for option, total in outcome.totals().items())
        out.write(f"Sum of the prices taken: {sums}.")
    for reason, count in outcome.reasons().items():
        out.write(f"  {count:6} {reason}")
    if changed is not None:
        _report_changes(out, changed)


def _share(change: float) -> str:
    """How much more or less: “+10.0%”."""
    return ("+" if change > 0 else "") + writing.percent(change, writing.locale_of("en"), 1)


def _report_changes(out: OutputWrapper, changed: Changed) -> None:
    moved = f"; the middle of what moved is {_share(changed.middle)}" if changed.moves else ""
    out.write(
        f"Since the last import: {changed.new} new, {changed.gone} gone, {changed.dearer} dearer, "
        f"{len(changed.moves) - changed.dearer} cheaper, {changed.same} the same{moved}."
    )
    for move in changed.moves[:NAMED]:
        row = move.row
        place = "/".join(filter(None, (row.provider, row.instance, row.region, row.zone, row.option)))
        out.write(
            f"  {place}: {decimal_text(round(Decimal(move.before), 8))} → {decimal_text(row.amount)} {row.currency} ({_share(move.share)})"
        )
