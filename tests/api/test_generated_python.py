"""A client in Python that openapi-python-client makes of the description: the journey is checked strictly, and it runs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Role
from tests.api.journeys import assert_travelled, run
from tests.api.support import Api
from tests.conftest import People, make_member

ROOT = Path(__file__).parents[2]
FILES = (
    "GET /api/v1/exports/{export_id}/file",
    "GET /api/v1/plans/{plan_id}/versions/{number}/bundle",
    "GET /api/v1/quotation-requests/{quotation_id}/letters/{letter}",
    "POST /api/v1/catalogs/{catalog_id}/prices:import",
    "POST /api/v1/plans/{plan_id}/versions/{number}/workbook",
)
"""Bodies and answers that are files of several types, which the generator leaves out and says so."""
pytestmark = [pytest.mark.needs_python_generator, pytest.mark.django_db(transaction=True)]


def test_the_journey_type_checks_and_runs(quick_engine: None, people: People, live_server: Any, tmp_path: Path) -> None:
    tools = Path(os.environ["OPENAPI_PYTHON"])
    said = run(
        tmp_path, str(tools / "openapi-python-client"), "generate", "--path", str(ROOT / "docs/openapi.json"),
        "--meta", "none", "--output-path", "sextant", warnings=True,
    )  # fmt: skip
    warned = {
        line.removeprefix("WARNING parsing ").partition(" within ")[0]
        for line in said.splitlines()
        if "WARNING" in line
    }
    assert warned == set(FILES)
    shutil.copy(ROOT / "examples/python-generated/journey.py", tmp_path)
    run(tmp_path, str(tools / "mypy"), "--strict", "--follow-imports=silent", "journey.py", limit_s=300)
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    said = run(
        tmp_path, str(tools / "python"), "journey.py", SEXTANT_URL=live_server.url, SEXTANT_TOKEN=petra.token,
        PYTHONPATH=str(tmp_path),
    )  # fmt: skip
    assert_travelled(said)
