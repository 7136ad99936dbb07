"""Generated requests from the description: no fault of ours, nothing that is not described, nothing invalid let in.

`API_FUZZ_CASES` sets the cases for each operation and adds every boundary of every field, `API_FUZZ_SEED` sets the seed;
the default keeps the suite quick. `make fuzz` runs every phase with many more.
"""

from __future__ import annotations

import json
import os
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import schemathesis
from django.core.management import call_command
from django.db.backends.base.base import BaseDatabaseWrapper
from hypothesis import HealthCheck, settings
from hypothesis import seed as seeded
from schemathesis.checks import CHECKS

from accounts import tokens
from accounts.models import ApiToken
from config.wsgi import application
from tests.api.described import OPERATIONS
from tests.api.fuzz import CHECK_SETTINGS, KEY, OPERATION_SETTINGS, SECRET, TOKEN
from tests.api.fuzz_hooks import lead
from tests.api.fuzz_rows import Rows
from tests.api.support import Api

pytestmark = pytest.mark.slow  # asks every operation many times

THOROUGH = "API_FUZZ_CASES" in os.environ
CASES = int(os.environ.get("API_FUZZ_CASES", "10"))
SEED = int(os.environ.get("API_FUZZ_SEED", "1"))
AUTHORIZATION = {"Authorization": f"Bearer {TOKEN}", "Accept-Encoding": "identity"}
"""What is compressed reaches a caller in this process as it is: nothing between unpacks it."""
"""Given with each call too: only so does `ignored_auth` know the token as ours, and ask again without it."""
# The token is known before any row exists, so that the generator counts the header as given.
CONFIG = schemathesis.Config.from_dict(
    {
        "headers": AUTHORIZATION,
        "phases": {"coverage": {"enabled": THOROUGH}},
        "checks": CHECK_SETTINGS,
        "operations": OPERATION_SETTINGS,
    }
)
schema = schemathesis.openapi.from_path(Path(__file__).parents[2] / "docs/openapi.json", config=CONFIG)
schema.app = application


counted = {"steps": 0}
CHECKED = CHECKS.get_all()
GENERATED: dict[str, Any] = {
    "create_comment": {"text": "Look"},
    "change_scenario": {"name": "Other"},
    "create_catalog": {"name": "Ours"},
    "create_token": {"name": "x", "scopes": []},
    "rotate_webhook_secret": {"keep_hours": 1},
    "parse_model": json.loads((Path(__file__).parents[2] / "examples/llama-3.1-70b.config.json").read_text()),
}
"""Bodies that a schema alone leads to, and so are left to it."""


@pytest.fixture
def rows(quick_engine: None, alice: Api, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """An admin's token, and rows that exist. Requests share the transaction of the test."""
    settings.API_PER_MINUTE = dict.fromkeys(("read", "estimate", "export"), 10**9)
    settings.CAPS = dict.fromkeys(settings.CAPS, 10**9)
    for most in ("MOST", "BY_HAND"):
        monkeypatch.setattr(f"webhooks.endpoints.{most}", 10**9)
    monkeypatch.setattr("exports.api.wait_for_end", lambda *_: None)
    monkeypatch.setattr("exports.render.render", lambda *_, **__: b"a file")
    made, _ = tokens.issue(alice.member.team, alice.member.user, name="Fuzz", scopes=tokens.SCOPES)
    ApiToken.objects.filter(pk=made.pk).update(key=KEY, digest=tokens._digest(KEY, SECRET))
    # A request in this process would end the test's transaction, and what other callers ask meanwhile connects that signal again.
    monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", lambda _: None)
    return Rows(alice)


@schema.parametrize()
@seeded(SEED)
@settings(max_examples=CASES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_it_works(case: schemathesis.Case, rows: Rows) -> None:
    lead(case, rows.of)
    case.call_and_validate(checks=CHECKED, headers=AUTHORIZATION)


def test_what_was_made_can_be_walked_along(rows: Rows) -> None:
    """Operation after operation, along the links of the description: made, read, changed, removed, read again."""

    class Walk(schema.as_state_machine()):  # type: ignore[misc]
        def validate_response(self, response: Any, case: schemathesis.Case, **_: Any) -> None:
            counted["steps"] += 1
            case.validate_response(response, checks=CHECKED, headers=AUTHORIZATION)

    Walk.run(
        settings=settings(
            max_examples=max(3, CASES // 3), stateful_step_count=8, deadline=None, database=None,
            suppress_health_check=list(HealthCheck), derandomize=not THOROUGH,
        )
    )  # fmt: skip
    assert counted["steps"] > 5


def test_each_operation_can_be_met_with_a_good_answer(rows: Rows, subtests: pytest.Subtests) -> None:
    """What generated requests are led to is there: else they would only ever be refused."""
    call_command("load_catalog", stdout=StringIO())
    for name, (method, path, _) in OPERATIONS.items():
        with subtests.test(operation=name):
            known = rows.of(name)
            query = f"?{urlencode(known['query'])}" if known["query"] else ""
            headers = {"If_Match": "*"} if method in ("PUT", "PATCH", "DELETE") else {}
            body = known["body"] or (GENERATED.get(name) if method != "GET" else None)
            answer = rows.caller.send(method, path.format(**known["path"]) + query, body, **headers)
            assert 200 <= answer.status_code < 300, answer.content
