"""Generated requests from the description: no fault of ours, nothing that is not described, nothing invalid let in.

`API_FUZZ_CASES` sets the cases for each operation and adds every boundary of every field, `API_FUZZ_SEED` sets the seed;
the default keeps the suite quick. `make fuzz` runs every phase with many more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, settings
from hypothesis import seed as seeded
from schemathesis.checks import CHECKS

from accounts import tokens
from accounts.models import ApiToken
from config.wsgi import application
from tests.api.fuzz import CHECK_SETTINGS, KEY, SECRET, TOKEN
from tests.api.support import TRAINING, Api

THOROUGH = "API_FUZZ_CASES" in os.environ
CASES = int(os.environ.get("API_FUZZ_CASES", "10"))
SEED = int(os.environ.get("API_FUZZ_SEED", "1"))
# The token is known before any row exists, so that the generator counts the header as given.
CONFIG = schemathesis.Config.from_dict(
    {
        "headers": {"Authorization": f"Bearer {TOKEN}"},
        "phases": {"coverage": {"enabled": THOROUGH}},
        "checks": CHECK_SETTINGS,
    }
)
schema = schemathesis.openapi.from_path(Path(__file__).parents[2] / "docs/openapi.json", config=CONFIG)
schema.app = application
counted = {"cases": 0}
# Not `ignored_auth`: it takes our own token for a generated one. fuzz.py has it, and the matrix asks without a token.
CHECKED = [check for check in CHECKS.get_all() if check.__name__ != "ignored_auth"]


@pytest.fixture
def rows(quick_engine: None, alice: Api, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """An admin's token, and ids that exist. Requests share the transaction of the test."""
    settings.API_PER_MINUTE = dict.fromkeys(("read", "estimate", "export"), 10**9)
    monkeypatch.setattr("exports.api.wait_for_end", lambda *_: None)
    plan = alice.post("/plans", TRAINING).json()["id"]
    export = alice.post(f"/plans/{plan}/exports", {"formats": ["pdf"]}).json()["data"][0]["id"]
    known = {"plan_id": plan, "export_id": export, "number": 1, "slug": "h100-sxm5"}
    ApiToken.objects.filter(pk=alice.row.pk).update(key=KEY, digest=tokens._digest(KEY, SECRET))
    for moment in (request_started, request_finished):
        moment.disconnect(close_old_connections)
    yield known
    for moment in (request_started, request_finished):
        moment.connect(close_old_connections)


@schema.parametrize()
@seeded(SEED)
@settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_it_works(case: schemathesis.Case, rows: dict[str, Any]) -> None:
    counted["cases"] += 1
    if counted["cases"] % 2 and case.meta is not None and case.meta.generation.mode.is_positive:
        for name in case.path_parameters:
            case.path_parameters[name] = rows.get(name, case.path_parameters[name])
    case.call_and_validate(checks=CHECKED)
