"""Every status that is described is really answered; tests/security asks who may what.

The tables are read from the description: a new operation without its rows here fails. What came back is written down,
by the route that answered; when every test of this module has run, that is the description, neither more nor less.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from catalog.kept import Kept
from exports.models import Export
from jobs.models import Job
from jobs.running import run_job
from planner.models import PlanComment, PlanVersion, Scenario, ShareLink, Workload
from tests.api import file_cases
from tests.api.described import DESCRIBED, OPERATIONS, operation_of
from tests.api.support import SERVING, TRAINING, Api, problem
from tests.plans import SOLD
from tests.webhooks import api_cases

BODIES: dict[str, Any] = {
    "create_estimate": TRAINING,
    "create_plan": TRAINING,
    "create_estimates": {"items": [TRAINING]},
    "create_sensitivity": {"spec": TRAINING},
    "create_levers": TRAINING,
    "parse_model": json.loads((Path(__file__).parents[2] / "examples/llama-3.1-70b.config.json").read_text()),
    "create_approval": {"action": "submit"},
    "create_exports": {"formats": ["pdf"]},
    "create_version_exports": {"formats": ["pdf"]},
    "create_token": {"name": "x", "scopes": []},
    **api_cases.BODIES,
    **file_cases.BODIES,
    "change_plan": {"horizon_months": 12},
    "create_workload": TRAINING,
    "replace_workload": SERVING,
    "parse_spec": {"text": "name: x\nworkload: training\nmodel: llama-3.1-8b\ntraining: {tokens: 1B}"},
    "create_comment": {"text": "Why so much?", "pointer": "figure.cost"},
    "create_quotation_request": {"contact": "Pat Buyer"},
    "create_quote": {"option_id": SOLD, "unit": "instance_hour", "amount": "9.50", "valid_until": "2199-12-31"},
    "create_scenario": {"name": "Twice the time", "changes": {"constraints": {"deadline_days": 42}}},
    "change_scenario": {"name": "Other"},
}
MADE: dict[str, tuple[str, Any]] = {
    "comment_id": ("/plans/{plan}/comments", {"text": "Look"}),
    "scenario_id": ("/plans/{plan}/scenarios", {"name": "One", "changes": {"horizon_months": 12}}),
    "quotation_id": ("/plans/{plan}/versions/1/quotation-requests", {}),
    "link_id": ("/share-links", {}),
    "catalog_id": ("/catalogs", {"name": "Our agreement"}),
    "import_id": ("/catalogs/{catalog_id}/prices:import", file_cases.PRICES),
}
"""Rows that few operations need: where they are made and of what."""
QUERIES = {"get_difference": "?from=1&to=1"}


class World:
    """A plan with one version, an export that is queued, and the calls on them."""

    def __init__(self, petra: Api, paula: Api, alice: Api) -> None:
        self.petra, self.paula, self.alice = petra, paula, alice
        self.plan = petra.post("/plans", TRAINING).json()["id"]
        self.export = petra.post(f"/plans/{self.plan}/exports", {"formats": ["xlsx"]}).json()["data"][0]["id"]
        self.ids: dict[str, str] = {}

    def path(self, name: str) -> str:
        """The address of that operation on the rows of this world."""
        _, path, _ = OPERATIONS[name]
        slug = "h100-sxm5" if "accelerators" in path else "llama-3.1-70b"
        values = {"plan_id": self.plan, "export_id": self.export, "number": 1, "slug": slug, "letter": 1}
        values |= {key: self.made(key) for key in MADE if f"{{{key}}}" in path}
        if "{kind}" in path:
            values |= file_cases.entry(self)
        return path.format(**values, **api_cases.ids(self, path), token_id=self.petra.row.public_id) + QUERIES.get(
            name, ""
        )

    def call(self, name: str, api: Api | None = None, body: Any = None, **headers: str) -> Any:
        """The answer of that operation."""
        method, _, _ = OPERATIONS[name]
        given = {"If_Match": "*"} if method in ("PUT", "PATCH", "DELETE") else {}
        sent = body if body is not None else self.body(name)
        return (api or self.alice).send(method, self.path(name), sent, **{**given, **headers})

    def made(self, key: str) -> str:
        """The id of a row of that kind, made when it is first asked for."""
        if key not in self.ids:
            path, body = MADE[key]
            sent = {"plan_id": self.plan} if key == "link_id" else body
            parents = {name: self.made(name) for name in MADE if f"{{{name}}}" in path}
            self.ids[key] = self.petra.post(path.format(plan=self.plan, **parents), sent).json()["id"]
        return self.ids[key]

    def body(self, name: str) -> Any:
        """What that operation is sent."""
        own = file_cases.body(self, name)
        return BODIES.get(name) if own is None else own

    def done(self) -> None:
        """Makes the file."""
        run_job(Job.objects.get(export__public_id=self.export).pk, worker="test")

    def approved(self) -> None:
        """Version 1 goes through its review."""
        self.petra.post(f"/plans/{self.plan}/versions/1/approvals", {"action": "submit"})
        self.paula.post(f"/plans/{self.plan}/versions/1/approvals", {"action": "approve"})


@pytest.fixture
def world(quick_engine: None, petra: Api, paula: Api, alice: Api, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("exports.render.render", lambda *_, **__: b"a file")
    return World(petra, paula, alice)


def _changed(world: World) -> Any:
    world.petra.patch(f"/plans/{world.plan}", {"horizon_months": 12}, If_Match="*")
    return world.call("create_version", world.petra)


def _no_version(world: World) -> None:
    for model in (Export, PlanComment, Scenario, ShareLink):
        model.objects.all().delete()
    PlanVersion.objects.all()._raw_delete(using="default")


def _running(world: World, name: str) -> Any:
    """A second request while the first one with that key is not done."""
    from rest.models import IdempotencyRecord

    world.call(name, world.petra, Idempotency_Key="k")
    IdempotencyRecord.objects.update(status=None)
    return world.call(name, world.petra, Idempotency_Key="k")


def _half_draft(world: World, name: str) -> Any:
    Workload.objects.update(draft={})
    return world.call(name)


def _infeasible(world: World) -> Any:
    world.plan = world.petra.post("/plans", {**TRAINING, "name": "infeasible"}).json()["id"]
    return world.call("list_budget_lines")


def _without_version(world: World, name: str) -> Any:
    _no_version(world)
    return world.call(name)


def _at_the_cap(world: World) -> Any:
    with override_settings(CAPS={**settings.CAPS, "tokens_of_person": 1}):
        return world.call("create_token")


def _after_done(world: World, name: str, **headers: str) -> Any:
    world.done()
    return world.call(name, **headers)


def _after_cancel(world: World, name: str) -> Any:
    world.call("cancel_export")
    return world.call(name)


def _reprice_unknown(world: World) -> Any:
    """The catalog has lost an accelerator that the version names."""
    from engine.inputs.spec import Fault, SpecError
    from planner import planned

    def fails(*_: object, **_known: object) -> None:
        raise SpecError(Fault("constraints.accelerators.0", "unknown"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planned, "_recent", Kept(64))
        patch.setattr(planned, "estimate", fails)
        return world.call("reprice_plan")


def _repriced(world: World) -> Any:
    """The catalog has moved, and what comes of it is kept."""
    from planner import planned
    from planner.frozen.snapshot import freeze
    from tests.planner.page_support import sample_answer

    def moved(spec: Any, market: Any, **_known: Any) -> Any:
        return freeze(spec, replace(sample_answer(spec, market).recommendation, catalog_release="another"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planned, "_recent", Kept(64))
        patch.setattr(planned, "estimate", moved)
        return world.petra.post(f"/plans/{world.plan}:reprice?dry_run=false")


def _ready_exports(world: World, name: str) -> Any:
    world.done()
    return world.call(name, body={"formats": ["xlsx"]})


def _promoted_over_a_draft(world: World) -> Any:
    """The draft holds a change that no version has."""
    world.call("change_plan")
    return world.call("promote_scenario")


def _key_reused(world: World, name: str) -> Any:
    """The key of another request."""
    world.call("create_comment", Idempotency_Key="k")
    return world.call(name, Idempotency_Key="k")


Case = Callable[[World], Any]
OWN: dict[tuple[str, int], Case] = {
    **api_cases.OWN,
    **file_cases.OWN,
    ("create_catalog", 409): lambda world: _running(world, "create_catalog"),
    ("create_workload", 409): lambda world: _running(world, "create_workload"),
    ("replace_workload", 412): lambda world: world.call("replace_workload", If_Match='"old"'),
    ("create_comment", 409): lambda world: _without_version(world, "create_comment"),
    ("create_share_link", 409): lambda world: _without_version(world, "create_share_link"),
    ("create_quotation_request", 409): lambda world: _running(world, "create_quotation_request"),
    ("create_quote", 409): lambda world: _running(world, "create_quote"),
    ("get_quotation_letter", 206): lambda world: world.call("get_quotation_letter", Range="bytes=0-1"),
    ("get_quotation_letter", 416): lambda world: world.call("get_quotation_letter", Range="bytes=99999999-"),
    ("create_scenario", 409): lambda world: _without_version(world, "create_scenario"),
    ("change_scenario", 412): lambda world: world.call("change_scenario", If_Match='"old"'),
    ("delete_scenario", 412): lambda world: world.call("delete_scenario", If_Match='"old"'),
    ("promote_scenario", 200): lambda world: [world.call("promote_scenario") for _ in range(2)][1],
    ("promote_scenario", 409): _promoted_over_a_draft,
    ("promote_scenario", 422): lambda world: _key_reused(world, "promote_scenario"),
    ("create_plan", 409): lambda world: _running(world, "create_plan"),
    ("duplicate_plan", 409): lambda world: _running(world, "duplicate_plan"),
    ("duplicate_plan", 422): lambda world: _half_draft(world, "duplicate_plan"),
    ("create_version", 201): _changed,
    ("create_version", 409): lambda world: _running(world, "create_version"),
    ("create_version", 422): lambda world: _half_draft(world, "create_version"),
    ("change_plan", 412): lambda world: world.call("change_plan", If_Match='"old"'),
    ("archive_plan", 412): lambda world: world.call("archive_plan", If_Match='"old"'),
    ("reprice_plan", 201): _repriced,
    ("reprice_plan", 409): lambda world: _without_version(world, "reprice_plan"),
    ("reprice_plan", 422): _reprice_unknown,
    ("create_approval", 409): lambda world: world.call("create_approval", world.paula, {"action": "approve"}),
    ("list_budget_lines", 409): _infeasible,
    ("create_exports", 409): lambda world: _without_version(world, "create_exports"),
    ("create_exports", 200): lambda world: _ready_exports(world, "create_exports"),
    ("create_version_exports", 200): lambda world: _ready_exports(world, "create_version_exports"),
    ("create_version_exports", 409): lambda world: _running(world, "create_version_exports"),
    ("cancel_export", 409): lambda world: _after_done(world, "cancel_export"),
    ("retry_export", 202): lambda world: _after_cancel(world, "retry_export"),
    ("retry_export", 409): lambda world: world.call("retry_export"),
    ("create_token", 409): _at_the_cap,
    ("get_file", 200): lambda world: _after_done(world, "get_file"),
    ("get_file", 206): lambda world: _after_done(world, "get_file", Range="bytes=0-1"),
    ("get_file", 304): lambda world: _after_done(world, "get_file", If_None_Match="*"),
    ("get_file", 409): lambda world: world.call("get_file"),
    ("get_file", 416): lambda world: _after_done(world, "get_file", Range="bytes=99-"),
}


@pytest.fixture(scope="module", autouse=True)
def answered(request: pytest.FixtureRequest) -> Iterator[set[tuple[str, int]]]:
    """Each operation with each status that came back; after all tests of this module it must be what is described."""
    found: set[tuple[str, int]] = set()
    yield found
    chosen = [item for item in request.session.items if item.path == request.path]
    if len(chosen) == len(OPERATIONS) + len(OWN) + 1:  # else some were left out by -k
        assert found == DESCRIBED, f"never answered: {sorted(DESCRIBED - found)}"


def _comes_back(response: Any, name: str, status: int, answered: set[tuple[str, int]]) -> None:
    """The answer has that status, is a problem where it refuses, and came from that operation and no other."""
    assert response.status_code == status, response.content
    if status >= 400:
        problem(response, status)
    assert operation_of(response) == name
    answered.add((name, status))


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_every_described_status_is_answered(
    world: World,
    settings: Any,
    charlie: Api,
    subtests: pytest.Subtests,
    answered: set[tuple[str, int]],
    name: str,
) -> None:
    """Refusals first: they change nothing, so one world serves them all."""
    statuses = sorted((status for known, status in DESCRIBED - OWN.keys() if known == name), reverse=True)
    for status in sorted(statuses, key=lambda status: (status < 300, status == 429)):
        with subtests.test(status=status):
            _comes_back(_provoked(world, settings, charlie, name, status), name, status, answered)


@pytest.mark.parametrize("case", sorted(OWN), ids=lambda case: f"{case[0]}-{case[1]}")
def test_every_status_of_its_own_is_answered(
    world: World, answered: set[tuple[str, int]], case: tuple[str, int]
) -> None:
    assert case in DESCRIBED, "this status is not described"
    _comes_back(OWN[case](world), *case, answered)


def _provoked(world: World, settings: Any, charlie: Api, name: str, status: int) -> Any:
    method = OPERATIONS[name][0]
    if status < 300:
        return world.call(name)
    if status == 304:
        return world.call(name, If_None_Match="*")
    if status == 400:
        sign = "&" if name in QUERIES else "?"
        return world.alice.send(method, f"{world.path(name)}{sign}nonsense=1", world.body(name))
    if status == 401:
        return world.alice.client.generic(
            method, f"/api/v1{world.path(name)}", headers={"Authorization": "Bearer sxt_wrong"}
        )
    if status == 403:
        return world.call(name, Api(world.alice.member, ()))
    if status == 404:
        return _elsewhere(world, charlie, name)
    if status == 413:
        return world.call(name, body=b" " * (1024 * 1024 + 1))
    if status == 415:
        return world.call(name, Content_Type="text/plain")
    if status == 422:
        return world.call(name, body={"nonsense": 1})
    if status == 428:
        return world.alice.send(method, world.path(name), world.body(name))
    if status == 429:
        usual = settings.API_PER_MINUTE
        settings.API_PER_MINUTE = dict.fromkeys(usual, 0)
        response = world.call(name)
        settings.API_PER_MINUTE = usual
        return response
    return world.call(name)


def _elsewhere(world: World, charlie: Api, name: str) -> Any:
    """Asked by another team for a row of this one, or for a slug that nobody has."""
    if name in ("list_exports", "list_share_links"):
        return charlie.get(f"{world.path(name)}?plan={world.plan}")
    if "{slug}" in OPERATIONS[name][1]:
        path = world.path(name)
        return world.alice.get(path.rpartition("/")[0] + "/nothing-of-that-name-0")
    return world.call(name, charlie)


def test_every_operation_with_a_body_is_in_the_table() -> None:
    with_body = {name for name, (_, _, operation) in OPERATIONS.items() if "requestBody" in operation}
    assert with_body == BODIES.keys() | file_cases.MADE_HERE
    assert SERVING["workload"] == "serving"
