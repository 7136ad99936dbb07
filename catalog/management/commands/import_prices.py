"""`manage.py import_prices FILE --format skypilot --provider aws`: one price file as a published import."""

from __future__ import annotations

import hashlib
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.changed import changed_since
from catalog.facts import load
from catalog.importers.aws_blocks import read_aws_blocks
from catalog.importers.aws_bulk import read_aws_bulk
from catalog.importers.aws_savings import read_aws_savings
from catalog.importers.aws_spot import read_aws_spot
from catalog.importers.azure_retail import read_azure_retail
from catalog.importers.fsdl import read_fsdl
from catalog.importers.gpuhunt import read_gpuhunt, read_gpuhunt_tpu
from catalog.importers.karpenter import read_karpenter
from catalog.importers.outcome import ImportFault, Outcome, medians
from catalog.importers.skypilot import read_skypilot
from catalog.importers.spot_advisor import read_spot_advisor
from catalog.management.bar import bar
from catalog.management.reporting import report
from catalog.prices import publish_import
from catalog.records import Record

Reference = Mapping[str, Decimal]


class Command(BaseCommand):
    """Imports prices; the same file twice changes nothing."""

    requires_system_checks: list[str] = []  # the checks load the whole API, which no import needs
    help = "Import a price file; every line is priced or refused with a reason."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and how to read it."""
        parser.add_argument("file", type=Path, nargs="+", help="Several only for azure-retail: its pages in order.")
        parser.add_argument("--format", default="skypilot", choices=sorted(_READERS))
        parser.add_argument("--provider", default="", help="Needed for skypilot, karpenter and gpuhunt.")
        parser.add_argument("--date", help="Day of the observation, such as 2026-08-22, where the file has none.")
        parser.add_argument("--dry-run", action="store_true", help="Read and report, write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints rows in, rows out, and refusals by reason. CommandError says what to change."""
        files, name = options["file"], ":".join(filter(None, (options["format"], options["provider"])))
        with bar(self.stderr):
            outcome, facts = self._read(files, options)
        report(self.stdout, outcome, changed_since(f"file/{name}", outcome))
        if options["dry_run"]:
            return
        digest = hashlib.sha256(f"{name}:{options['date']}".encode())
        for path in files:
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
        try:
            with bar(self.stderr):
                batch, new = publish_import(f"file/{name}", digest.hexdigest(), outcome, entries=facts)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Published {batch.prices} new prices." if new else "This file is published already; nothing changed."
        )

    def _read(self, files: list[Path], options: dict[str, Any]) -> tuple[Outcome, list[Record]]:
        reader = _READERS[options["format"]]
        if len(files) > 1 and options["format"] != "azure-retail":
            raise CommandError("Import one file at a time; only azure-retail has several pages.")
        try:
            return reader(files, options, medians(load().prices))
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error
        except ImportFault as error:
            raise CommandError(str(error)) from error


def _day(options: Mapping[str, Any]) -> date:
    try:
        return date.fromisoformat(options["date"] or "")
    except ValueError as error:
        raise CommandError("--date must be the day of the prices, such as 2026-08-22.") from error


def _skypilot(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_skypilot(files[0], options["provider"], day=_day(options), reference=reference), []


def _karpenter(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_karpenter(files[0], options["provider"], reference=reference), []


def _fsdl(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_fsdl(files[0], day=_day(options), reference=reference), []


def _gpuhunt(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    if not options["provider"]:
        raise CommandError("--provider must name whose prices the file holds, such as nebius.")
    return read_gpuhunt(files[0], options["provider"], day=_day(options), reference=reference), []


def _tpu(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_gpuhunt_tpu(files[0], day=_day(options), reference=reference), []


def _azure(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_azure_retail(files, day=_day(options), reference=reference), []


def _aws(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_aws_bulk(files[0], reference=reference), []


def _savings(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_aws_savings(files[0], reference=reference), []


def _blocks(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_aws_blocks(files[0], reference=reference), []


def _aws_spot(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_aws_spot(files[0], day=_day(options), reference=reference), []


def _spot(files: list[Path], options: Mapping[str, Any], reference: Reference) -> tuple[Outcome, list[Record]]:
    return read_spot_advisor(files[0], day=_day(options))


_READERS: dict[str, Callable[[list[Path], Mapping[str, Any], Reference], tuple[Outcome, list[Record]]]] = {
    "skypilot": _skypilot,
    "karpenter": _karpenter,
    "fsdl": _fsdl,
    "gpuhunt": _gpuhunt,
    "gpuhunt-tpu": _tpu,
    "azure-retail": _azure,
    "aws-bulk": _aws,
    "aws-savings": _savings,
    "aws-blocks": _blocks,
    "aws-spot": _aws_spot,
    "spot-advisor": _spot,
}
