"""The budgeting script of examples/, run as people run it, against a server that listens."""

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
from tests.api.support import SERVING, TRAINING, Api
from tests.conftest import People, make_member

SCRIPT = Path(__file__).parents[2] / "examples/budget_lines.py"


def run(url: str, token: str) -> subprocess.CompletedProcess[str]:
    """The script's output."""
    env = {**os.environ, "SEXTANT_URL": url, "SEXTANT_TOKEN": token}
    return subprocess.run([sys.executable, SCRIPT], env=env, capture_output=True, text=True, timeout=60, check=False)


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
    assert "401" in done.stderr
