"""A client in Go: what openapi-generator makes of the description is compiled and vetted whole, and a journey runs."""

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
KNOWN = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name", "(reserved word)")
"""What the generator warns of each time: its own state, bodies that are files, and words that Go keeps for itself."""
pytestmark = [pytest.mark.needs_go, pytest.mark.django_db(transaction=True)]


def test_the_journey_compiles_and_runs(quick_engine: None, people: People, live_server: Any, tmp_path: Path) -> None:
    said = run(
        tmp_path, os.environ["OPENAPI_GENERATOR"], "generate", "-g", "go", "-i", str(ROOT / "docs/openapi.json"), "-o", "sextant",
        "--additional-properties=packageName=sextant,withGoMod=false",
        "--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
    )  # fmt: skip
    warned = [line for line in said.splitlines() if "WARN" in line or "ERROR" in line]
    assert [line for line in warned if not any(known in line for known in KNOWN)] == []
    shutil.copy(ROOT / "examples/go/journey.go", tmp_path)
    (tmp_path / "go.mod").write_text("module journey\n\ngo 1.19\n")
    env = {"GOCACHE": str(tmp_path / "cache"), "GOPROXY": "off", "GOTOOLCHAIN": "local"}
    run(tmp_path, "go", "vet", ".", limit_s=300, **env)
    run(tmp_path, "go", "build", "-o", "run", ".", limit_s=300, **env)
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    assert_travelled(run(tmp_path, "./run", SEXTANT_URL=live_server.url, SEXTANT_TOKEN=petra.token))
