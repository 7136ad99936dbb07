"""The list of guards is true of today's source: each patch fits, each test exists, each abuse has one, the report is whole."""

from __future__ import annotations

import ast
from datetime import date
from pathlib import Path

import pytest

from tests.abuse.guards import GUARDS, Guard

ROOT = Path(__file__).parents[2]
NOT_OURS = {7, 21, 22, 26}
"""Not promised: other renderers, launch files, greedy teams, a scanner."""


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
    """Each row is a guard of the list, noticed; the head says on which day and how many of them were removed."""
    text = (ROOT / "docs/abuse-report.md").read_text(encoding="utf-8")
    assert date.fromisoformat(text.partition("Run on ")[2][:10])
    rows = [line for line in text.splitlines() if line.startswith("| A")]
    known = {f"| {guard.abuse} | {guard.what} | `{guard.file}` |" for guard in GUARDS}
    for row in rows:
        assert row.startswith(tuple(known)) or row.startswith("| Abuse"), (
            f"{row[:90]}: run python -m tests.abuse.mutate --write."
        )
        assert "**none**" not in row
    assert len(rows) - 1 >= 5
