"""Two teams over REST in one process: what one of them calls its own, and asks for, is in no answer of the other."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import Role
from catalog.kept import Kept
from planner import planned
from planner.searches import SEARCHES
from tests.api.support import Api
from tests.conftest import People, make_member

SECRET = "Acme secret node 4711"
TRAINING = {
    "name": "Run",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"method": "continue", "tokens": 2e9, "sequence_length": 8192},
    "constraints": {"accelerators": ["h100-sxm5"], "max_accelerators": 64},
}
SERVICE = {
    "name": "Service",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 5, "input_tokens": 800, "output_tokens": 200, "ttft_p95_ms": 900},
    "constraints": {"accelerators": ["h100-sxm5"], "max_accelerators": 64},
}
REQUESTS = pytest.mark.parametrize("request_", [TRAINING, SERVICE], ids=["training", "service"])


@pytest.fixture
def fiona(people: People) -> Api:
    """Finance of a team, with the catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    return Api(make_member(people.team, "Fiona", Role.FINANCE))


@pytest.fixture
def olga(people: People) -> Api:
    """Finance of another team."""
    return Api(make_member(people.other_team, "Olga", Role.FINANCE))


def as_in_a_fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of what was planned before."""
    SEARCHES.forget()
    monkeypatch.setattr(planned, "_recent", Kept(64))


def answer(api: Api, request: dict[str, Any]) -> bytes:
    sent = api.post("/estimates", request)
    assert sent.status_code == 200, sent.content
    return bytes(sent.content)


@REQUESTS
@pytest.mark.parametrize(
    "own",
    [{"name": SECRET}, {"runtime": "xla"}, {"vendor": SECRET}, {"scaleup_name": SECRET}, {"release_year": "2016"},
     {"name": SECRET, "memory_bytes": "96 GiB"}],
    ids=lambda own: " ".join(own),
)  # fmt: skip
def test_a_team_s_own_accelerator_is_in_no_other_answer(
    fiona: Api, olga: Api, monkeypatch: pytest.MonkeyPatch, request_: dict[str, Any], own: dict[str, str]
) -> None:
    as_in_a_fresh_process(monkeypatch)
    alone = answer(olga, request_)
    as_in_a_fresh_process(monkeypatch)
    made = fiona.send("PUT", "/entries/accelerator/h100-sxm5", {"values": own})
    assert made.status_code == 201, made.content
    theirs = answer(fiona, request_)
    assert (SECRET.encode() in theirs) == (SECRET in own.get("name", ""))
    assert answer(olga, request_) == alone
    assert SECRET.encode() not in alone

    as_in_a_fresh_process(monkeypatch)
    assert answer(fiona, request_) == theirs
