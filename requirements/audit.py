"""What we depend on: known weaknesses, unsafe calls of our own, and the bill of materials. ``make audit`` runs it.

A weakness that is known fails, unless ``requirements/accepted.txt`` names it with a reason and a date that is less than
90 days old. A source of advisories that cannot be reached warns loudly and does not fail: no build may hang on it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build"
LOCKED = ("base.txt", "prod.txt", "dev.txt")
LASTS = timedelta(days=90)


def accepted(text: str, today: date) -> tuple[list[str], list[str]]:
    """The ids that are accepted today, and one sentence for each line that is wrong or too old."""
    good, bad = [], []
    for line in text.splitlines():
        words = line.split("#", 1)[0].split(maxsplit=2)
        if not words:
            continue
        if len(words) < 3 or not re.fullmatch(r"\d{4}-\d\d-\d\d", words[1]):
            bad.append(f"“{line.strip()}” is no entry: write the id, the date as YYYY-MM-DD and the reason.")
        elif today - date.fromisoformat(words[1]) > LASTS:
            bad.append(f"{words[0]} was accepted on {words[1]}, more than {LASTS.days} days ago: look at it again.")
        else:
            good.append(words[0])
    return good, bad


def verdict(report: dict[str, list[dict[str, Any]]], ids: list[str]) -> tuple[bool, str]:
    """Whether a report of pip-audit passes, and what to print of it. What was skipped was not audited, and is said so."""
    packages = report.get("dependencies", [])
    known = [
        f"{one['name']} {one['version']}: {weakness['id']} {', '.join(weakness.get('aliases', []))}, "
        f"mended in {', '.join(weakness['fix_versions']) or 'no version yet'}"
        for one in packages
        for weakness in one.get("vulns", [])
        if not {weakness["id"], *weakness.get("aliases", [])} & set(ids)
    ]
    if known:
        return False, "\n".join(known)
    skipped = [one["name"] for one in packages if one.get("skip_reason")]
    if skipped or not packages:
        return True, loud(
            f"{len(skipped)} of {len(packages)} packages were NOT AUDITED: the source of advisories knows them not."
        )
    return True, f"{len(packages)} packages, no known weakness."


def loud(words: str) -> str:
    """The words between bars."""
    bar = "!" * 100
    return f"{bar}\nWARNING: {words}\n{bar}"


def weaknesses() -> bool:
    """pip-audit over every locked file."""
    today = date.today()  # noqa: DTZ011 - a day on this machine
    ids, bad = accepted((HERE / "accepted.txt").read_text(encoding="utf-8"), today)
    for sentence in bad:
        print(sentence, file=sys.stderr)  # noqa: T201 - a command
    passed = not bad
    for name in LOCKED:
        command = [sys.executable, "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner", "off",
                   "-f", "json", "--desc", "off", "-r", str(HERE / name)]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
        try:
            good, said = verdict(json.loads(done.stdout), ids)
        except json.JSONDecodeError:
            good, said = (
                True,
                loud(f"the source of advisories could not be reached; NOTHING WAS AUDITED.\n{done.stderr[-400:]}"),
            )
        print(f"{name}: {said}")  # noqa: T201 - a command
        passed = passed and good
    return passed


def bill() -> bool:
    """The bill of materials of each locked set, as CycloneDX, in ``build/``."""
    BUILD.mkdir(exist_ok=True)
    passed = True
    for name in LOCKED:
        target = BUILD / f"sbom-{Path(name).stem}.cdx.json"
        command = [str(Path(sys.executable).with_name("cyclonedx-py")), "requirements", str(HERE / name), "--pyproject",
                   str(ROOT / "pyproject.toml"), "--output-reproducible", "-o", str(target)]  # fmt: skip
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
        print(f"{target.relative_to(ROOT)}: {'written' if done.returncode == 0 else done.stderr}")  # noqa: T201 - a command
        passed = passed and done.returncode == 0
    return passed


def unsafe_calls() -> bool:
    """bandit over the product; a finding of medium weight passes where its line says why: ``# noqa: S506 - …``."""
    command = [sys.executable, "-m", "bandit", "-q", "-ll", "-f", "json", "-r", ".", "-c", "requirements/bandit.yaml"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    found = json.loads(done.stdout)
    open_ones = [one for one in found["results"] if not explained(one)]
    for one in open_ones:
        print(f"{one['filename']}:{one['line_number']}: {one['test_id']} {one['issue_text']}")  # noqa: T201 - a command
    lines = found["metrics"]["_totals"]["loc"]
    print(f"bandit: {lines:,} lines, {len(found['results'])} findings, {len(open_ones)} without a reason")  # noqa: T201
    return not open_ones and lines > 1000


def explained(finding: dict[str, Any]) -> bool:
    """Does a line of the finding carry the same rule's exception with its reason? Ruff and bandit number alike."""
    lines = (ROOT / finding["filename"]).read_text(encoding="utf-8").splitlines()
    rule = {"B703": "S308"}.get(finding["test_id"], finding["test_id"].replace("B", "S", 1))
    return any(
        re.search(rf"# noqa: [A-Z0-9, ]*{rule}\b[A-Z0-9, ]*\s*[-–—:]\s*\w", lines[at - 1])
        for at in finding["line_range"]
    )


if __name__ == "__main__":
    sys.exit(0 if all([bill(), unsafe_calls(), weaknesses()]) else 1)
