"""A client in TypeScript: types made of the description by its usual generator, checked strictly, and a journey that runs."""

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
pytestmark = [pytest.mark.needs_typescript, pytest.mark.django_db(transaction=True)]


def test_the_journey_type_checks_and_runs(quick_engine: None, people: People, live_server: Any, tmp_path: Path) -> None:
    tools = Path(os.environ["TYPESCRIPT_TOOLS"]) / "node_modules"
    (tmp_path / "node_modules").symlink_to(tools)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(ROOT / "examples/typescript/journey.ts", tmp_path)
    run(tmp_path, str(tools / ".bin/openapi-typescript"), str(ROOT / "docs/openapi.json"),
        "--default-non-nullable=false", "-o", "sextant.d.ts")  # fmt: skip
    run(tmp_path, str(tools / ".bin/tsc"), "--strict", "--module", "nodenext", "--target", "es2022", "journey.ts")
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    said = run(tmp_path, "node", "journey.js", SEXTANT_URL=live_server.url, SEXTANT_TOKEN=petra.token)
    assert_travelled(said)
