"""The list of guards is true of today's source: each patch fits, each test exists, each abuse has one, the report is whole."""

from __future__ import annotations

import ast
import re
from datetime import date
from pathlib import Path

import pytest

from tests.abuse.guards import GUARDS, Guard
from tests.abuse.mutate import known, rows_of

ROOT = Path(__file__).parents[2]
NOT_OURS = {7, 21, 26}
"""Not promised: other renderers, launch files, a scanner."""


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: f"{guard.abuse} {guard.what}")
def test_the_patch_fits_the_source_once(guard: Guard) -> None:
    count = (ROOT / guard.file).read_text(encoding="utf-8").count(guard.old)
    assert count == 1, f"{guard.file} has the guard's text {count} times: bring tests/abuse/guards.py up to date."
    assert guard.old != guard.new


@pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: f"{guard.abuse} {guard.what}")
def test_the_tests_exist(guard: Guard) -> None:
    for name in guard.tests:
        path, _, function = name.partition("::")
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        assert not function or function.split("[")[0] in defined, name


def test_every_abuse_has_a_guard() -> None:
    wanted = {f"A{number}" for number in range(1, 26) if number not in NOT_OURS}
    assert {guard.abuse for guard in GUARDS} == wanted


def test_the_report_is_of_today_s_guards() -> None:
    """Each guard of the list has one row: removed on that day, and noticed. No row is of a guard that is gone."""
    text = (ROOT / "docs/abuse-report.md").read_text(encoding="utf-8")
    rows = rows_of(text)
    for guard in GUARDS:
        row = rows.get(known(guard), "")
        assert row, f"{guard.abuse} {guard.what} was never removed: run python -m tests.abuse.mutate --write --missing."
        assert date.fromisoformat(row.split("|")[-2].strip())
        counts = re.search(r" \((\d+) of (\d+)\) \|", row)
        assert counts
        assert 0 < int(counts[1]) <= int(counts[2]), f"nobody noticed: {row}"
    assert len([line for line in text.splitlines() if line.startswith("| A") and "Guard removed" not in line]) == len(
        rows
    )
    assert f"{len(GUARDS)} guards: {len(GUARDS)} removed, {len(GUARDS)} noticed." in text
