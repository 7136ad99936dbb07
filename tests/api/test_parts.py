"""`fields`: an answer in part, in a media type of its own; what the description lists can be asked, and nothing else."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from planner.models import PlanVersion
from rest import parts
from tests.api.described import OPERATIONS
from tests.api.support import TRAINING, Api, problem

pytestmark = pytest.mark.usefixtures("quick_engine")


def names_of(operation: str) -> list[str]:
    """What the description says that can be asked of that operation's answer."""
    found = next(one for one in OPERATIONS[operation][2]["parameters"] if one["name"] == parts.NAME)
    return list(found["schema"]["items"]["enum"])


def at(body: Any, name: str) -> Any:
    """The value at that name and what stands below it."""
    for part in name.split("."):
        body = body and ([one.get(part) for one in body] if isinstance(body, list) else body.get(part))
    return body


def test_an_estimate_in_part_says_the_same(petra: Api) -> None:
    whole = petra.post("/estimates", TRAINING).json()
    sent = petra.post("/estimates?fields=plan_sha256,recommended.cost,recommended.count,alternatives.id", TRAINING)
    assert sent["Content-Type"] == parts.MEDIA
    assert sent.json() == {
        "plan_sha256": whole["plan_sha256"],
        "recommended": {name: whole["recommended"][name] for name in ("count", "cost")},
        "alternatives": [{"id": one["id"]} for one in whole["alternatives"]],
    }
    assert len(sent.content) < len(json.dumps(whole)) / 5


def test_each_field_that_is_listed_can_be_asked(petra: Api) -> None:
    whole = petra.post("/estimates?expand=all", TRAINING).json()
    listed = names_of("create_estimate")
    assert {name for name in listed if "." not in name} == whole.keys()
    part = petra.post(f"/estimates?expand=all&fields={','.join(listed)}", TRAINING).json()
    assert part == whole
    for name in ("recommended.days", "request", "frontier.cost"):
        assert at(petra.post(f"/estimates?expand=all&fields={name}", TRAINING).json(), name) == at(whole, name)


def test_of_a_page_the_rows_are_cut_and_the_way_on_stays(petra: Api) -> None:
    for name in ("One", "Two", "Three"):
        petra.post("/plans", TRAINING | {"name": name})
    sent = petra.get("/plans?limit=2&fields=id,name")
    body = sent.json()
    assert [row.keys() for row in body["data"]] == [{"id", "name"}, {"id", "name"}]
    assert body["next_cursor"]
    following = petra.get(f"/plans?limit=2&fields=id&cursor={body['next_cursor']}").json()
    assert len(following["data"]) == 1
    assert following["next_cursor"] is None


def test_the_feed_keeps_what_to_drop_and_where_to_go_on(petra: Api) -> None:
    body = petra.get("/budget-lines?fields=plan_id,amount").json()
    assert body.keys() == {"data", "deleted", "updated_until", "next_cursor"}


def test_many_parameters_are_as_good_as_one_list(petra: Api) -> None:
    assert petra.post("/estimates?fields=name&fields=feasible", TRAINING).json().keys() == {"name", "feasible"}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("fields=recomended", "Did you mean recommended"),
        ("fields=recommended.costs", "Did you mean recommended.cost"),
        ("fields=zzzzzz", "The description of the API lists"),
        ("fields=", "leave it out for the whole"),
        ("fields=name&fields=feasable", "Did you mean feasible"),
    ],
)
def test_a_name_that_no_answer_has_is_refused(petra: Api, query: str, words: str) -> None:
    assert words in problem(petra.post(f"/estimates?{query}", TRAINING), 400)["detail"]


def test_who_has_no_token_learns_nothing_of_names(petra: Api) -> None:
    petra.token = "wrong"
    assert problem(petra.get("/plans?fields=nothing"), 401)


def test_who_asks_for_the_whole_does_not_wait_for_the_description(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Making it takes a second, once in each process."""
    monkeypatch.setattr("rest.door.Door.fields_of", lambda *_: pytest.fail("the description was made"))
    assert petra.get("/plans").status_code == 200
    assert petra.post("/estimates", TRAINING).status_code == 200


def test_what_makes_something_cannot_be_asked_in_part(petra: Api) -> None:
    assert "no query parameter" in problem(petra.post("/plans?fields=id", TRAINING), 400)["detail"]


def test_a_problem_comes_whole(petra: Api) -> None:
    assert problem(petra.get("/plans/pln_none?fields=id"), 404)["title"]


def test_who_has_a_part_is_told_when_it_is_the_same(petra: Api) -> None:
    path = f"/plans/{petra.post('/plans', TRAINING).json()['id']}?fields=name"
    assert petra.get(path, If_None_Match=petra.get(path)["ETag"]).status_code == 304


def test_a_version_in_part_opens_no_alternative(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = petra.post("/plans", TRAINING).json()["id"]
    monkeypatch.setattr("planner.frozen.snapshot._option", lambda _: pytest.fail("opened an alternative"))
    part = petra.get(f"/plans/{plan}/versions/1?fields=number,estimate.recommended").json()
    assert part["number"] == 1
    assert part["estimate"].keys() == {"recommended"}
    assert "estimate" not in names_of("get_version")
    assert problem(petra.get(f"/plans/{plan}/versions/1?fields=estimate"), 400)


def test_a_version_of_thousands_of_options_comes_one_by_one(petra: Api) -> None:
    """Hundreds of options: what Python holds at once is the stored text and an option, not thousands of them."""
    plan = petra.post("/plans", TRAINING).json()["id"]
    row = PlanVersion.objects.get()
    body = json.loads(row.body)
    options = body["recommendation"]["alternatives"]
    body["recommendation"]["alternatives"] = [options[index % len(options)] for index in range(600)]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    PlanVersion.objects.update(body=text)
    size = len(text.encode())
    del body, options, text
    sent = petra.client.get(f"/api/v1/plans/{plan}/versions/1", headers={"Authorization": f"Bearer {petra.token}"})
    count, length = 0, 0
    tracemalloc.start()
    for piece in sent.streaming_content:
        count, length = count + 1, length + len(piece)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 602
    assert length > size
    assert most < size / 3
