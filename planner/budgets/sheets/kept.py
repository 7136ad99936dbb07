"""Sheets of approved versions: taken from their rows, and made and kept where a row is missing or of other code.

A frozen plan never changes, so neither does its sheet, but for the code that reckons it and for what its rows say besides the
plan (the team's address, the state). Both are in `made_by`: a sheet of other code is made again, nobody has to remember to.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import django.db
from django.db import transaction

import engine.money
from planner import money
from planner.asked import approval
from planner.budgets import focus, focus_services, lines
from planner.budgets.files import origin_of
from planner.budgets.sheets import sheet as sheet_module
from planner.budgets.sheets.sheet import Sheet, packed, sheet_of, unpacked
from planner.models import PlanVersion
from planner.tables import KeptSheet

log = logging.getLogger(__name__)
_CHUNK = 50
"""Versions at once; memory holds no more of them."""


def sheets(versions: Sequence[PlanVersion]) -> Iterator[tuple[PlanVersion, Sheet]]:
    """Each version with its sheet, in that order. Their workloads and teams should be read along."""
    for start in range(0, len(versions), _CHUNK):
        yield from _chunk(versions[start : start + _CHUNK])


def keep(versions: Sequence[PlanVersion]) -> None:
    """Keeps the sheets of those versions, so that the next reader need not open them; older versions' sheets go."""
    for version, _ in sheets(versions):
        KeptSheet.objects.filter(version__workload=version.workload_id).exclude(version=version).delete()


def _chunk(versions: Sequence[PlanVersion]) -> list[tuple[PlanVersion, Sheet]]:
    found = {row.version_id: row for row in KeptSheet.objects.filter(version__in=[row.pk for row in versions])}
    told, new = [], []
    for version in versions:
        row, by = found.get(version.pk), _made_by(version)
        if row is not None and row.made_by == by:
            told.append((version, unpacked(bytes(row.body))))
            continue
        sheet = sheet_of(version)
        told.append((version, sheet))
        new.append(KeptSheet(version=version, made_by=by, body=packed(sheet)))
    if new:
        _store(new)
    return told


def _store(rows: list[KeptSheet]) -> None:
    """A copy is worth no failure: a database that takes no writes costs the next reader time, nothing else."""
    try:
        with transaction.atomic():
            KeptSheet.objects.bulk_create(
                rows, update_conflicts=True, unique_fields=["version"], update_fields=["made_by", "body"]
            )
    except django.db.Error as error:
        log.warning("sheets_not_kept", extra={"count": len(rows), "why": type(error).__name__})


def _made_by(version: PlanVersion) -> str:
    origin = origin_of(version)
    said = (_code(), version.sha256, origin.plan_id, origin.version, origin.state, origin.team)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:32]


@cache
def _code() -> str:
    """A hash of the modules that turn a frozen plan into rows."""
    modules = [Path(str(one.__file__)) for one in (approval, lines, focus, focus_services, money, sheet_module)]
    rooms = [Path(folder) for folder in engine.money.__path__]
    # By name, which holds wherever this is installed; two rooms have a file of one name, so the folder decides then.
    files = sorted(
        {*modules, *(path for room in rooms for path in room.glob("*.py"))},
        key=lambda path: (path.name, path.parent.name),
    )
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    return whole.hexdigest()
