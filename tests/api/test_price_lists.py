"""A team's own price lists over the API: tried, filled by a job, published, taken back."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from accounts.models import AuditEvent, Role
from catalog.models import PriceObservation
from jobs.models import Job
from jobs.running import run_job
from tests.api.file_cases import PRICES
from tests.api.support import Api, File, pointers, problem
from tests.conftest import People, make_member

ROW = {
    "provider": "aws", "instance": "p5.48xlarge", "region": "us-east-1", "accelerator": "h100-sxm5", "count": "8",
    "option": "on_demand", "amount": "41.5", "currency": "USD", "date": "2026-08-20",
}  # fmt: skip


@pytest.fixture
def fiona(people: People) -> Api:
    """Finance of the team, with the catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    return Api(make_member(people.team, "Fiona", Role.FINANCE))


@pytest.fixture
def path(fiona: Api) -> str:
    """The address of a new, empty price list."""
    return f"/catalogs/{fiona.post('/catalogs', {'name': 'Our agreement'}).json()['id']}"


def read(api: Api, path: str, body: Any, query: str = "") -> dict[str, Any]:
    """The import of that body, after its job has run."""
    response = api.post(f"{path}/prices:import{query}", body)
    assert response.status_code == 202, response.content
    run_job(Job.objects.get(public_id=response.json()["id"]).pk, worker="test")
    done: dict[str, Any] = api.get(response["Location"].removeprefix("/api/v1")).json()
    return done


def test_it_works(fiona: Api, path: str) -> None:
    done = read(fiona, path, PRICES, "?dry_run=false")
    assert (done["state"], done["outcome"]["prices"], done["outcome"]["refused"]) == ("succeeded", 1, 0)
    listed = fiona.get("/catalogs").json()["data"]
    assert [(row["name"], row["status"], row["prices"]) for row in listed] == [("Our agreement", "validated", 1)]
    published = fiona.post(f"{path}:publish", {"accept_flags": True})
    assert published.json()["status"] == "published"
    query = "accelerator=h100-sxm5&provider=aws&region=us-east-1&mode=on_demand"
    own = [row for row in fiona.get(f"/prices?{query}").json()["data"] if row["own"]]
    assert [row["amount"] for row in own] == ["41.5"]
    assert AuditEvent.objects.get(verb="prices.published").token_id == fiona.row.public_id


def test_a_dry_run_is_the_default_and_keeps_nothing(fiona: Api, path: str) -> None:
    done = read(fiona, path, PRICES)
    assert (done["dry_run"], done["outcome"]["dry_run"], done["outcome"]["prices"]) == (True, True, 1)
    assert fiona.get(path).json()["status"] == "draft"
    assert not PriceObservation.objects.filter(batch__team=fiona.member.team).exists()


def test_every_refused_row_says_why(fiona: Api, path: str) -> None:
    bad = File(PRICES.data + b"aws,p5.48xlarge,us-east-1,h100-sxm5,8,on_demand,free,USD,2026-08-20\n", "text/csv")
    outcome = read(fiona, path, bad)["outcome"]
    assert (outcome["lines"], outcome["prices"], outcome["refused"]) == (2, 1, 1)
    assert outcome["refusals"][0]["line"] == 3
    assert outcome["refusals"][0]["detail"].startswith("amount:")


def test_json_is_read_like_a_file(fiona: Api, path: str) -> None:
    outcome = read(fiona, path, {"prices": [ROW, {**ROW, "count": "7"}]})["outcome"]
    assert (outcome["prices"], outcome["refusals"][0]["line"]) == (1, 2)
    assert pointers(fiona.post(f"{path}/prices:import", {"prices": [{**ROW, "amount": 41.5}]})) == ["/prices/0/amount"]


def test_a_file_that_cannot_be_read_fails_with_a_sentence(fiona: Api, path: str) -> None:
    done = read(fiona, path, File(b"a,b\n1,2\n", "text/csv"))
    assert (done["state"], done["error"]["code"], done["outcome"]) == ("failed", "file", None)
    assert "lacks the column provider" in done["error"]["detail"]


def test_the_file_is_removed_when_it_was_read(fiona: Api, path: str) -> None:
    response = fiona.post(f"{path}/prices:import", PRICES)
    inbox = settings.MEDIA_ROOT / "inbox"
    assert len(list(inbox.iterdir())) == 1
    run_job(Job.objects.get(public_id=response.json()["id"]).pk, worker="test")
    assert list(inbox.iterdir()) == []


def test_a_list_is_filled_once(fiona: Api, path: str) -> None:
    read(fiona, path, PRICES, "?dry_run=false")
    problem(fiona.post(f"{path}/prices:import?dry_run=false", PRICES), 409)
    late = fiona.post("/catalogs", {"name": "Next"}).json()["id"]
    waiting = [fiona.post(f"/catalogs/{late}/prices:import?dry_run=false", PRICES).json()["id"] for _ in range(2)]
    for name in waiting:
        run_job(Job.objects.get(public_id=name).pk, worker="test")
    assert fiona.get(f"/catalogs/{late}").json()["status"] == "validated"


def test_taking_back_needs_the_state_that_was_read(fiona: Api, path: str) -> None:
    tag = fiona.get(path)["ETag"]
    read(fiona, path, PRICES, "?dry_run=false")
    problem(fiona.delete(path, If_Match=tag), 412)
    assert fiona.delete(path, If_Match=fiona.get(path)["ETag"]).status_code == 204
    assert fiona.get(path).json()["status"] == "discarded"


def test_planners_fill_and_finance_publishes(fiona: Api, petra: Api, path: str) -> None:
    read(petra, path, PRICES, "?dry_run=false")
    problem(petra.post(f"{path}:publish", {"accept_flags": True}), 403)


def test_an_import_belongs_to_its_list(fiona: Api, path: str) -> None:
    made = fiona.post(f"{path}/prices:import", PRICES).json()["id"]
    other = fiona.post("/catalogs", {"name": "Other"}).json()["id"]
    problem(fiona.get(f"/catalogs/{other}/imports/{made}"), 404)


@pytest.mark.parametrize("name", ["", " ", "x" * 101, 7])
def test_a_list_has_a_name(fiona: Api, name: Any) -> None:
    assert pointers(fiona.post("/catalogs", {"name": name})) == ["/name"]
