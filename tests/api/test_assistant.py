"""The server for assistants, spoken to by the protocol's own client; it asks a server that listens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from sextant_client import Sextant

from accounts.models import Role
from planner.body import estimate_body
from planner.models import Workload
from planner.weight import PARTS
from tests.api.support import Api
from tests.api.test_client import YAML
from tests.conftest import People, make_member
from tests.plans import stored

T = TypeVar("T")
pytestmark = pytest.mark.django_db(transaction=True)


def told_by(talk: Coroutine[Any, Any, T]) -> T:
    """What that conversation gives, in a thread of its own: a browser that was driven here before leaves a loop running."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, talk).result()


def assistant(api: Sextant) -> Any:
    """An assistant that talks to our server for it. What speaks the protocol takes a second to import, here and not where tests
    are collected, which every process of a run does."""
    from mcp import Client
    from sextant_client.assistant import server

    return Client(server(api))


def ask(api: Sextant, tool: str, **arguments: Any) -> dict[str, Any]:
    """What that tool answers."""

    async def talk() -> dict[str, Any]:
        async with assistant(api) as client:
            told = await client.call_tool(tool, arguments)
            assert not told.is_error, told
            body: dict[str, Any] = json.loads(told.content[0].text)
            return body

    return told_by(talk())


@pytest.fixture
def petra(people: People) -> Api:
    """A planner with a token."""
    return Api(make_member(people.team, "Petra", Role.PLANNER))


@pytest.fixture
def api(petra: Api, live_server: Any) -> Sextant:
    """Her client."""
    return Sextant(live_server.url, petra.token)


def test_it_works(quick_engine: None, api: Sextant) -> None:
    answer = ask(api, "estimate", spec=YAML)
    assert answer["feasible"]
    assert answer["recommended"]["cost"]["currency"] == "USD"
    assert {"low", "expected", "high"} <= set(answer["recommended"]["cost"])
    assert answer["reasons"]
    assert not Workload.objects.exists()


def test_a_plan_is_made_read_and_explained(quick_engine: None, api: Sextant) -> None:
    made = ask(api, "make_plan", spec=YAML)
    assert [row["id"] for row in ask(api, "list_plans")["plans"]] == [made["plan_id"]]
    read = ask(api, "read_plan", plan_id=made["plan_id"])
    assert read["plan_sha256"] == made["plan_sha256"]
    whole = ask(api, "explain", plan_id=made["plan_id"])
    assert whole["total"] == made["recommended"]["cost"]


def test_a_number_is_led_back_to_inputs_with_their_source() -> None:
    from sextant_client.assistant import explained

    body = json.loads(json.dumps(estimate_body(stored("training"), expand=PARTS), default=str))
    cost = body["recommended"]["cost"]
    line = next(line for line in cost["lines"] if line["expression"].count("*") >= 1 and line["kind"] != "quantity")
    told = explained(body, line["name"])["made_of"]
    assert told[0]["name"] == line["name"]
    inputs = [item for item in told if "source" in item]
    assert inputs
    assert all(item["source"] for item in inputs)


def test_what_is_refused_comes_back_as_sentences(api: Sextant) -> None:
    answer = ask(api, "estimate", spec=YAML.replace("15B", "-3"))
    assert any("tokens" in fault for fault in answer["faults"])
    assert "Give 2 to 10" in ask(api, "compare", specs=[YAML])["refused"]


def test_the_rights_are_those_of_the_token(quick_engine: None, people: People, live_server: Any) -> None:
    viewer = Api(make_member(people.team, "Vera", Role.VIEWER), scopes=["plans:read"])
    answer = ask(Sextant(live_server.url, viewer.token), "make_plan", spec=YAML)
    assert "plans:write" in str(answer)
    assert not Workload.objects.exists()


def test_nothing_is_approved_by_a_tool(api: Sextant) -> None:
    async def names() -> set[str]:
        async with assistant(api) as client:
            return {tool.name for tool in (await client.list_tools()).tools}

    assert told_by(names()) == {
        "estimate", "compare", "make_plan", "list_plans", "read_plan", "explain", "accelerator", "prices", "models",
    }  # fmt: skip
