"""Plans: make, read, change, copy, archive; nobody's change is lost and no other team sees them."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import AuditEvent, Role
from planner.models import PlanVersion, Workload
from planner.versions import State
from tests.api.support import SERVING, TRAINING, Api, pointers, problem
from tests.conftest import People, make_member

pytestmark = pytest.mark.usefixtures("quick_engine")


@pytest.fixture
def plan(petra: Api, quick_engine: None) -> Any:
    """A plan that was just made: the answer to POST."""
    response = petra.post("/plans", TRAINING)
    assert response.status_code == 201, response.content
    return response


def test_it_works(petra: Api, plan: Any) -> None:
    body = plan.json()
    assert body["id"].startswith("pln_")
    assert plan["Location"] == f"/api/v1/plans/{body['id']}"
    assert body["latest_version"]["number"] == 1
    assert body["latest_version"]["plan_sha256"] == petra.post("/estimates", TRAINING).json()["plan_sha256"]
    read = petra.get(f"/plans/{body['id']}")
    assert (read.json(), read["ETag"]) == (body, plan["ETag"])
    event = AuditEvent.objects.get(verb="plan.frozen")
    assert event.token_id == petra.row.public_id


def test_no_id_is_a_row_number(plan: Any) -> None:
    body = plan.json()
    assert str(Workload.objects.get().pk) not in (body["id"], body["latest_version"]["id"])
    assert "pk" not in body


def test_an_unchanged_plan_is_not_sent_again(petra: Api, plan: Any) -> None:
    response = petra.get(f"/plans/{plan.json()['id']}", If_None_Match=plan["ETag"])
    assert (response.status_code, response.content, response["ETag"]) == (304, b"", plan["ETag"])


def test_a_change_needs_the_state_that_was_read(petra: Api, plan: Any) -> None:
    path = f"/plans/{plan.json()['id']}"
    change = {"constraints": {"budget_usd": 1000}}
    problem(petra.patch(path, change), 428)
    problem(petra.patch(path, change, If_Match='"v0"'), 412)
    changed = petra.patch(path, change, If_Match=plan["ETag"])
    assert changed.json()["draft"]["constraints"] == {**plan.json()["draft"]["constraints"], "budget_usd": 1000}
    assert changed.json()["latest_version"] == plan.json()["latest_version"]
    problem(petra.patch(path, change, If_Match=plan["ETag"]), 412)


def test_null_takes_a_field_away(petra: Api, plan: Any) -> None:
    path = f"/plans/{plan.json()['id']}"
    patch = {"workload": "serving", "model": "qwen3-32b", "training": None, "serving": SERVING["serving"]}
    patch |= {"constraints": {"deadline_days": None}}
    draft = petra.patch(path, patch, If_Match=plan["ETag"], Content_Type="application/merge-patch+json").json()["draft"]
    assert (draft["workload"], draft["training"], draft["serving"]["requests_per_s"]) == ("serving", None, 40)


@pytest.mark.parametrize(
    ("patch", "where"),
    [({"training": {"tokens": "15B"}}, "/training/tokens"), ({"team": "x"}, "/team"), ({"name": None}, "/name")],
)
def test_a_bad_change_changes_nothing(petra: Api, plan: Any, patch: dict[str, Any], where: str) -> None:
    path = f"/plans/{plan.json()['id']}"
    assert pointers(petra.patch(path, patch, If_Match=plan["ETag"])) == [where]
    assert petra.get(path).json() == plan.json()


def test_a_draft_of_the_page_can_be_changed(petra: Api, plan: Any) -> None:
    typed = {"workload": "training", "model": "llama-3.1-70b", "training": {"tokens": "15B"}}
    Workload.objects.update(draft=typed)
    path = f"/plans/{plan.json()['id']}"
    changed = petra.patch(path, {"horizon_months": 12}, If_Match="*")
    assert changed.json()["draft"]["training"]["tokens"] == 15e9


def test_a_half_filled_draft_is_not_frozen(petra: Api, plan: Any) -> None:
    Workload.objects.update(draft={"workload": "training"})
    path = f"/plans/{plan.json()['id']}"
    for verb in ("/versions", ":duplicate"):
        assert "not whole" in problem(petra.post(f"{path}{verb}"), 422)["detail"]


def test_archiving_hides_it_and_keeps_it(petra: Api, plan: Any) -> None:
    path = f"/plans/{plan.json()['id']}"
    problem(petra.delete(path), 428)
    problem(petra.delete(path, If_Match='"old"'), 412)
    assert petra.delete(path, If_Match=plan["ETag"]).status_code == 204
    assert petra.get("/plans").json()["data"] == []
    assert [row["id"] for row in petra.get("/plans?archived=true").json()["data"]] == [plan.json()["id"]]
    assert petra.get(path).json()["archived"] is True
    assert PlanVersion.objects.count() == 1


def test_a_copy_is_a_plan_of_its_own(petra: Api, plan: Any) -> None:
    copy = petra.post(f"/plans/{plan.json()['id']}:duplicate").json()
    assert copy["id"] != plan.json()["id"]
    assert copy["name"] == "Support assistant (copy)"
    assert copy["draft"]["training"] == plan.json()["draft"]["training"]


def test_pages_are_stable_while_rows_are_added(petra: Api) -> None:
    made = [petra.post("/plans", {**TRAINING, "name": f"Plan {n}"}).json()["id"] for n in range(5)]
    first = petra.get("/plans?limit=2")
    assert first["Link"].endswith('; rel="next"')
    petra.post("/plans", {**TRAINING, "name": "Another"})
    seen, cursor = [row["id"] for row in first.json()["data"]], first.json()["next_cursor"]
    while cursor:
        page = petra.get(f"/plans?limit=2&cursor={cursor}").json()
        seen, cursor = seen + [row["id"] for row in page["data"]], page["next_cursor"]
    assert seen == made[::-1]


@pytest.mark.parametrize("sort", ["created_at", "-created_at", "updated_at", "-updated_at", "name", "-name"])
def test_every_order_reaches_every_row(petra: Api, sort: str) -> None:
    names = ["B", "A", "A", "C"]
    for name in names:
        petra.post("/plans", {**TRAINING, "name": name})
    seen: list[str] = []
    query = f"/plans?limit=1&sort={sort}"
    page = petra.get(query).json()
    while page["next_cursor"]:
        seen.append(page["data"][0]["name"])
        page = petra.get(f"{query}&cursor={page['next_cursor']}").json()
    seen.append(page["data"][0]["name"])
    expected = sorted(names) if "name" in sort else names
    assert seen == (expected[::-1] if sort.startswith("-") else expected)


def test_filters_are_kept(petra: Api, plan: Any) -> None:
    assert petra.get("/plans?status=approved").json()["data"] == []
    assert len(petra.get("/plans?status=draft").json()["data"]) == 1
    assert petra.get("/plans?updated_since=2100-01-01T00:00:00Z").json()["data"] == []
    problem(petra.get("/plans?updated_since=yesterday"), 400)
    problem(petra.get("/plans?status=new"), 400)


def test_a_plan_is_listed_under_the_state_of_its_newest_version_and_under_an_approved_one(petra: Api) -> None:
    states = {"none": (), "draft": ("draft",), "returned": ("superseded", "returned"), "again": ("approved", "draft")}
    for name, those in states.items():
        made = petra.post("/plans", {**TRAINING, "name": name}).json()["id"]
        versions = PlanVersion.objects.filter(workload__public_id=made)
        first = versions.values().get()
        versions._raw_delete(versions.db)  # as a plan that nothing was frozen of
        PlanVersion.objects.bulk_create(
            PlanVersion(**first | {"id": None, "public_id": f"ver_{name}{number}", "number": number, "state": state})
            for number, state in enumerate(those, start=1)
        )

    def listed(status: str) -> set[str]:
        return {row["name"] for row in petra.get(f"/plans?status={status}").json()["data"]}

    assert listed("draft") == {"none", "draft", "again"}
    assert listed("returned") == {"returned"}
    assert listed("approved") == {"again"}
    assert listed("superseded") == listed("submitted") == set()


def test_a_list_asks_as_much_of_the_database_for_many_plans_as_for_two(
    petra: Api, django_assert_num_queries: Any
) -> None:
    made = [petra.post("/plans", {**TRAINING, "name": f"Number {number}"}).json()["id"] for number in range(2)]
    PlanVersion.objects.filter(workload__public_id=made[0]).update(state=State.APPROVED)
    changed = petra.get(f"/plans/{made[0]}")
    petra.send("PATCH", f"/plans/{made[0]}", {"training": {"tokens": 30e9}}, If_Match=changed["ETag"])
    petra.post(f"/plans/{made[0]}/versions", {})
    with CaptureQueriesContext(connection) as asked:
        found = petra.get("/plans").json()["data"]
        of_two = len(asked)
    assert found == [petra.get(f"/plans/{one}").json() for one in reversed(made)]
    newest, approved = found[1]["latest_version"], found[1]["approved_version"]
    assert (newest["number"], newest["state"], approved["number"]) == (2, "draft", 1)

    for number in range(2, 12):
        petra.post("/plans", {**TRAINING, "name": f"Number {number}"})
    with django_assert_num_queries(of_two):
        assert len(petra.get("/plans").json()["data"]) == 12


def test_another_team_sees_nothing(charlie: Api, plan: Any) -> None:
    path = f"/plans/{plan.json()['id']}"
    for response in (
        charlie.get(path),
        charlie.patch(path, {"name": "Mine"}, If_Match=plan["ETag"]),
        charlie.delete(path, If_Match=plan["ETag"]),
        charlie.post(f"{path}:duplicate"),
    ):
        problem(response, 404)
    assert charlie.get("/plans").json()["data"] == []


def test_a_viewer_reads_and_changes_nothing(bob: Api, plan: Any) -> None:
    path = f"/plans/{plan.json()['id']}"
    assert bob.get(path).status_code == 200
    problem(bob.patch(path, {"name": "Mine"}, If_Match=plan["ETag"]), 403)
    problem(bob.delete(path, If_Match=plan["ETag"]), 403)
    problem(bob.post(f"{path}:duplicate"), 403)


@pytest.mark.django_db(transaction=True)
def test_of_two_editors_one_is_told(people: People, quick_engine: None) -> None:
    editors = [Api(make_member(people.team, f"Editor{n}", Role.PLANNER)) for n in range(2)]
    made = editors[0].post("/plans", TRAINING)
    start = threading.Barrier(2)

    def change(editor: Api) -> int:
        start.wait()
        try:
            name = f"By {editor.member.user.name}"
            response = editor.patch(f"/plans/{made.json()['id']}", {"name": name}, If_Match=made["ETag"])
            return int(response.status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(change, editors)) == [200, 412]


@pytest.mark.parametrize("tag", ["v1-1d", 'W/"v1-1d"', "v1"])
def test_an_etag_without_its_quotes_is_said_to_be_that(petra: Api, tag: str) -> None:
    path = f"/plans/{petra.post('/plans', TRAINING).json()['id']}"
    assert "in double quotes" in problem(petra.patch(path, {"name": "Another"}, If_Match=tag), 400)["detail"]
