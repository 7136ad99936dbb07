"""The scripts of examples/, run as people run them, against a server that listens."""

from __future__ import annotations

import csv
import io
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Role
from jobs.running import run_job
from tests.api.support import SERVING, TRAINING, Api
from tests.conftest import People, make_member

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "examples/budget_lines.py"


def run(url: str, token: str, *arguments: str | Path, script: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    """The script's output."""
    env = {**os.environ, "SEXTANT_URL": url, "SEXTANT_TOKEN": token, "PYTHONPATH": str(ROOT / "client")}
    command = [sys.executable, script, *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.django_db(transaction=True)
def test_it_works(people: People, quick_engine: None, live_server: Any) -> None:
    petra, paula = (Api(make_member(people.team, *who)) for who in (("Petra", Role.PLANNER), ("Paula", Role.APPROVER)))
    for spec in (TRAINING, SERVING):
        plan = petra.post("/plans", spec).json()["id"]
        petra.post(f"/plans/{plan}/versions/1/approvals", {"action": "submit"})
        paula.post(f"/plans/{plan}/versions/1/approvals", {"action": "approve"})
    petra.post("/plans", {**TRAINING, "name": "Not approved"})
    done = run(live_server.url, petra.token)
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert len({row["x_PlanId"] for row in rows}) == 2
    costs = [Decimal(row["cost"]["amount"]) for row in (
        plan["approved_version"] for plan in petra.get("/plans?status=approved").json()["data"]
    )]  # fmt: skip
    assert sum(Decimal(row["BilledCost"]) for row in rows) == sum(costs)


def test_it_is_short() -> None:
    code = [
        line for line in SCRIPT.read_text().splitlines() if line.strip() and not line.strip().startswith(("#", '"""'))
    ]
    assert len(code) <= 30


@pytest.mark.django_db(transaction=True)
def test_a_wrong_token_is_an_error(live_server: Any) -> None:
    done = run(live_server.url, "sxt_wrong")
    assert done.returncode != 0
    assert "not valid" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.django_db(transaction=True)
def test_a_plan_and_its_four_documents(
    people: People, quick_engine: None, live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: f"the {format_} file".encode())
    monkeypatch.setattr("jobs.queue.ring", lambda job_pk: run_job(job_pk, worker="test") or True)
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    spec = ROOT / "examples/qwen3-32b-assistant.yaml"
    done = run(live_server.url, petra.token, spec, tmp_path / "made", script=ROOT / "examples/plan_documents.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("pln_")
    assert sorted(path.read_bytes() for path in (tmp_path / "made").iterdir()) == [
        f"the {name} file".encode() for name in ("docx", "pdf", "pptx", "xlsx")
    ]


@pytest.mark.django_db(transaction=True)
def test_the_first_program_of_the_guide_runs_as_it_stands_there(
    people: People, quick_engine: None, live_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exports.render.render", lambda _plan, format_, **_: f"the {format_} file".encode())
    monkeypatch.setattr("jobs.queue.ring", lambda job_pk: run_job(job_pk, worker="test") or True)
    guide = (ROOT / "docs/api.md").read_text(encoding="utf-8").partition("## First steps")[2]
    script = tmp_path / "first.py"
    script.write_text(guide.partition("```python\n")[2].partition("```")[0], encoding="utf-8")
    petra, paula = (Api(make_member(people.team, *who)) for who in (("Petra", Role.PLANNER), ("Paula", Role.APPROVER)))
    monkeypatch.setenv("APPROVER_TOKEN", paula.token)
    monkeypatch.chdir(tmp_path)
    done = run(live_server.url, petra.token, script=script)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "plan.xlsx").read_bytes() == b"the xlsx file"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "budget.csv").read_text(encoding="utf-8"))))
    assert {row["x_State"] for row in rows} == {"approved"}
