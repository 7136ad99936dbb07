"""Removes one guard after the other in a copy of the tree and says which tests noticed.

``python -m tests.abuse.mutate`` prints a table; ``--write`` puts it into docs/abuse-report.md with the day. With words as
arguments only the guards whose abuse or text has them. A guard whose absence no test noticed fails the command.
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
(`tests/abuse/guards.py`), and runs the tests that should notice. Written by `python -m tests.abuse.mutate --write`; a
test holds that every patch still fits its source. The abuses are numbered as in the threat model.

"""


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
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "pytest_django.plugin",
            *guard.tests,
            "-q",
            "--no-header",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "--maxfail=5",
            "--no-migrations",
        ]
        environment = os.environ | {"SEXTANT_VAR": str(tree / "var"), "STATE_MACHINE": "quick"}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the others only cost time
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    finally:
        path.write_text(source, encoding="utf-8")
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/\S+?::\w+)", done.stdout, re.MULTILINE)
    counts = re.findall(r"(\d+) (?:passed|failed|error)", done.stdout)
    if not counts:
        raise SystemExit(
            f"{guard.abuse}, {guard.what}: the tests did not run.\n{done.stdout[-2000:]}{done.stderr[-1000:]}"
        )
    return Found(guard, tuple(failed), sum(map(int, counts)))


def table(found: Iterable[Found]) -> str:
    """The rows for people."""
    lines = ["| Abuse | Guard removed | In | Tests that failed |", "|---|---|---|---|"]
    for one in found:
        names = sorted({name.split("[")[0].removeprefix("tests/") for name in one.failed})
        shown = "<br>".join(f"`{name}`" for name in names) or "**none**"
        count = f" ({len(one.failed)} of {one.ran})"
        lines.append(f"| {one.guard.abuse} | {one.guard.what} | `{one.guard.file}` | {shown}{count} |")
    return "\n".join(lines) + "\n"


def _write(found: list[Found]) -> None:
    """The report of what has run so far."""
    day = datetime.now(UTC).date().isoformat()
    noticed = sum(bool(one.failed) for one in found)
    said = f"Run on {day}: {len(found)} of {len(GUARDS)} guards removed, {noticed} noticed.\n\n"
    REPORT.write_text(_HEAD + said + table(sorted(found, key=lambda one: GUARDS.index(one.guard))), encoding="utf-8")


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
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    chosen = [
        one
        for one in GUARDS
        if not given.words or any(word in f"{one.abuse} {one.what}".split() for word in given.words)
    ]
    found: list[Found] = []
    with tempfile.TemporaryDirectory(prefix="sextant-mutate-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        trees: Queue[Path] = Queue()
        for at in range(given.jobs):
            copied(Path(folder) / str(at))
            trees.put(Path(folder) / str(at))
        # Those that need the whole world or play games come last.
        chosen.sort(key=lambda guard: any("test_matrix" in name or "approval" in name for name in guard.tests))
        for one in pool.map(lambda guard: _in_a_tree(guard, trees), chosen):
            found.append(one)
            if given.write:
                _write(found)
    unnoticed = [one.guard.what for one in found if not one.failed]
    print(table(found))  # noqa: T201 - a command
    for what in unnoticed:
        print(f"NOBODY NOTICED: {what}")  # noqa: T201 - a command
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
