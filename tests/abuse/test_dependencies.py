"""A24: what we depend on is pinned with hashes, audited, listed, and can only be accepted with a reason and for a while."""

from __future__ import annotations

import importlib.util
import json
import re
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LOCKED = ("base.txt", "prod.txt", "dev.txt")


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    """The script of ``make audit``."""
    spec = importlib.util.spec_from_file_location("audit", ROOT / "requirements/audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", LOCKED)
def test_everything_is_pinned_with_hashes(name: str) -> None:
    lines = (ROOT / "requirements" / name).read_text().replace("\\\n", " ").splitlines()
    packages = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    assert len(packages) > 30
    for line in packages:
        assert re.match(r"[a-z0-9.\-\[\],_]+==\S+ ", line), line[:80]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", line), line[:80]


def test_what_is_installed_is_checked_against_the_hashes() -> None:
    makefile, image = (ROOT / "Makefile").read_text(), (ROOT / "Dockerfile").read_text()
    assert "--require-hashes --only-binary :all:" in makefile
    assert "--require-hashes" in image
    assert re.search(r"^USER (?!root|0)\S+", image, re.MULTILINE), "the image runs as nobody in particular"


def test_ci_audits() -> None:
    assert "\nmake audit\n" in (ROOT / ".ci/run").read_text()
    assert "requirements/audit.py" in (ROOT / "Makefile").read_text()


def _report(**weakness: Any) -> dict[str, Any]:
    vulns = [{"id": "PYSEC-2026-1", "aliases": ["CVE-2026-1"], "fix_versions": ["2.0"], **weakness}] if weakness else []
    return {"dependencies": [{"name": "django", "version": "1.0", "vulns": vulns}]}


def test_a_known_weakness_fails_unless_it_is_accepted(audit: ModuleType) -> None:
    bad = _report(description="x")
    assert audit.verdict(_report(), [])[0]
    passed, said = audit.verdict(bad, [])
    assert not passed
    assert "django 1.0: PYSEC-2026-1 CVE-2026-1, mended in 2.0" in said
    assert audit.verdict(bad, ["CVE-2026-1"])[0]
    assert not audit.verdict(bad, ["CVE-2026-2"])[0]


@pytest.mark.parametrize("report", [{}, {"dependencies": [{"name": "django", "skip_reason": "not found"}]}])
def test_what_was_not_audited_is_said_loudly_and_does_not_fail(audit: ModuleType, report: dict[str, Any]) -> None:
    passed, said = audit.verdict(report, [])
    assert passed
    assert "!!!!!\nWARNING: " in said
    assert "NOT AUDITED" in said


def test_an_acceptance_has_a_reason_and_ends(audit: ModuleType) -> None:
    text = "# a note\nCVE-1 2026-08-01 not reachable\nCVE-2 2026-01-01 old\nCVE-3 today no date\nCVE-4 2026-08-01\n"
    good, bad = audit.accepted(text, date(2026, 8, 30))
    assert good == ["CVE-1"]
    assert len(bad) == 3
    assert "more than 90 days ago" in bad[0]


def test_the_accepted_weaknesses_are_in_order(audit: ModuleType) -> None:
    _, bad = audit.accepted((ROOT / "requirements/accepted.txt").read_text(), date.today())  # noqa: DTZ011
    assert not bad


def test_an_unsafe_call_needs_a_reason_on_its_line(
    audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text("x = 1\nyaml.load(x)  # noqa: S506 - a safe loader\nyaml.load(x)  # noqa: S506\n")
    finding = {"test_id": "B506", "filename": "a.py"}
    assert audit.explained({**finding, "line_range": [2]})
    assert not audit.explained({**finding, "line_range": [3]})
    assert not audit.explained({**finding, "line_range": [1]})


def test_the_bill_of_materials_lists_everything_that_is_locked(
    audit: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "BUILD", ROOT / "build")
    monkeypatch.setattr(audit, "LOCKED", ("base.txt",))
    assert audit.bill()
    bill = json.loads((ROOT / "build/sbom-base.cdx.json").read_text())
    named = {part["name"].lower() for part in bill["components"]}
    locked = set(
        re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==", (ROOT / "requirements/base.txt").read_text(), re.MULTILINE)
    )
    assert {name.lower() for name in locked} <= named
    assert bill["bomFormat"] == "CycloneDX"
