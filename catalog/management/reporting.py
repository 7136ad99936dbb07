"""How a command says what an import did with every line."""

from __future__ import annotations

from django.core.management.base import OutputWrapper

from catalog.importers.outcome import Outcome
from catalog.records import decimal_text


def report(out: OutputWrapper, outcome: Outcome) -> None:
    """Prints lines in, prices out, and refusals by reason."""
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
