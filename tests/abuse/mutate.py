"""Removes one guard after the other in a copy of the tree and says which tests noticed.

``python -m tests.abuse.mutate`` prints a table; ``--write`` puts it into docs/abuse-report.md. With words as arguments
only the guards whose abuse or text has them, with ``--missing`` those without a row; the report keeps the rows of the
others, each with the day of its run. First the tests run with every guard in its place and must pass: a test that is
red anyway notices nothing. A guard whose absence no test noticed fails the command.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Queue

from tests.abuse.guards import GUARDS, Guard

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "docs/abuse-report.md"
_HEAD = """# Abuse report

What happens when a guard is taken away: each line removes one guard in a copy of the tree, by a precise patch
(`tests/abuse/guards.py`), and runs the tests that should notice; a run stops at the fifth failure. With every guard in
its place the same tests pass. Written by `python -m tests.abuse.mutate --write`; tests hold that every patch still fits
its source once and that every guard has its row. The abuses are numbered as in the threat model.

"""
HEAD_OF_TABLE = "| Abuse | Guard removed | In | Tests that failed | On |\n|---|---|---|---|---|\n"


@dataclass(frozen=True)
class Found:
    """What came of one removal."""

    guard: Guard
    failed: tuple[str, ...]
    ran: int


def copied(target: Path) -> None:
    """The tracked and the new files of the tree, as they are now."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        source = ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name)


def removed(guard: Guard, tree: Path) -> Found:
    """Runs the guard's tests without it, and puts it back."""
    path = tree / guard.file
    source = path.read_text(encoding="utf-8")
    if source.count(guard.old) != 1:
        raise SystemExit(
            f"{guard.abuse}, {guard.what}: its text stands {source.count(guard.old)} times in {guard.file}."
        )
    path.write_text(source.replace(guard.old, guard.new), encoding="utf-8")
    try:
        done = _tested(guard.tests, tree)
    finally:
        path.write_text(source, encoding="utf-8")
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/\S+?::\w+)", done.stdout, re.MULTILINE)
    counts = re.findall(r"(\d+) (?:passed|failed|error)", done.stdout)
    if not counts:
        raise SystemExit(
            f"{guard.abuse}, {guard.what}: the tests did not run.\n{done.stdout[-2000:]}{done.stderr[-1000:]}"
        )
    return Found(guard, tuple(failed), sum(map(int, counts)))


def _tested(tests: Iterable[str], tree: Path) -> subprocess.CompletedProcess[str]:
    """What pytest says of those tests in that tree."""
    command = [
        *(sys.executable, "-m", "pytest", "-p", "pytest_django.plugin", *tests),
        *("-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "--maxfail=5", "--no-migrations"),
    ]
    environment = os.environ | {"SEXTANT_VAR": str(tree / "var"), "STATE_MACHINE": "quick"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the others only cost time
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


def _all_pass(guards: Iterable[Guard], tree: Path) -> None:
    """Refuses to begin where a test is red with every guard in its place."""
    done = _tested(sorted({test for guard in guards for test in guard.tests}), tree)
    if done.returncode:
        raise SystemExit(f"The tests fail before any guard is removed.\n{done.stdout[-3000:]}{done.stderr[-1000:]}")


def row(one: Found) -> str:
    """What came of one removal, for people; the day is today."""
    names = sorted({name.split("[")[0].removeprefix("tests/") for name in one.failed})
    shown = "<br>".join(f"`{name}`" for name in names) or "**none**"
    day = datetime.now(UTC).date().isoformat()
    return f"{known(one.guard)} {shown} ({len(one.failed)} of {one.ran}) | {day} |"


def known(guard: Guard) -> str:
    """The beginning of a guard's row, by which it is found again."""
    return f"| {guard.abuse} | {guard.what} | `{guard.file}` |"


def rows_of(report: str) -> dict[str, str]:
    """Of each guard of today's list the row in that report, by the row's beginning; guards without a row are missing."""
    lines = report.splitlines()
    found = {known(guard): [line for line in lines if line.startswith(known(guard))] for guard in GUARDS}
    return {start: rows[-1] for start, rows in found.items() if rows}


def _write(found: list[Found]) -> None:
    """The report with what has run so far; rows of guards that have not run now stay."""
    rows = rows_of(REPORT.read_text(encoding="utf-8")) | {known(one.guard): row(one) for one in found}
    noticed = sum("**none**" not in line for line in rows.values())
    said = f"{len(GUARDS)} guards: {len(rows)} removed, {noticed} noticed.\n\n{HEAD_OF_TABLE}"
    ordered = [rows[known(guard)] for guard in GUARDS if known(guard) in rows]
    REPORT.write_text(_HEAD + said + "\n".join(ordered) + "\n", encoding="utf-8")


def _in_a_tree(guard: Guard, trees: Queue[Path]) -> Found:
    tree = trees.get()
    try:
        found = removed(guard, tree)
    finally:
        trees.put(tree)
    print(f"{guard.abuse} {guard.what}: {len(found.failed)} of {found.ran} failed", flush=True)  # noqa: T201
    return found


def main() -> int:
    """0 when every removal was noticed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--missing", action="store_true", help="only guards that have no row in the report")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    have = rows_of(REPORT.read_text(encoding="utf-8")) if given.missing else {}
    chosen = [
        one
        for one in GUARDS
        if known(one) not in have
        and (not given.words or any(word in f"{one.abuse} {one.what}".split() for word in given.words))
    ]
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="sextant-mutate-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        trees: Queue[Path] = Queue()
        for at in range(given.jobs):
            copied(Path(folder) / str(at))
            trees.put(Path(folder) / str(at))
        _all_pass(chosen, Path(folder) / "0")
        # Those that need the whole world or play games come last.
        chosen.sort(key=lambda guard: any("test_matrix" in name or "approval" in name for name in guard.tests))
        for one in pool.map(lambda guard: _in_a_tree(guard, trees), chosen):
            found.append(one)
            if given.write:
                _write(found)
    unnoticed = [one.guard.what for one in found if not one.failed]
    print(HEAD_OF_TABLE + "\n".join(map(row, found)))  # noqa: T201 - a command
    for what in unnoticed:
        print(f"NOBODY NOTICED: {what}")  # noqa: T201 - a command
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
