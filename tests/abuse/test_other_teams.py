"""A1 and A2: rows of another team, and fields that a caller may not set. The matrix (tests/security) asks every route."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from accounts import tokens
from accounts.models import Membership, Role
from exports import files
from planner.models import PlanVersion, ShareLink, Workload
from rest.problems import MOST_ITEMS
from tests.api.support import TRAINING, Api
from tests.api.test_statuses import BODIES
from tests.conftest import People
from tests.planner.page_support import TRAINING as TYPED
from tests.security.asking import _own_files, ask, filled
from tests.security.matrix import OPERATIONS
from tests.security.test_matrix import DESCRIBED
from tests.security.world import World, as_json

__all__ = ["_own_files"]
pytestmark = pytest.mark.django_db
OURS = ("accounts", "catalog", "exports", "jobs", "planner", "rest", "webhooks")
COLUMNS = sorted(
    {
        field.name
        for model in apps.get_models()
        if model._meta.app_label in OURS
        for field in model._meta.concrete_fields
    }
    | {"team_id", "pk", "is_superuser", "approved_by", "owner", "role", "__class__", "__proto__", "constructor"}
)
WITH_BODY = sorted(
    name for name, (_, _, operation) in DESCRIBED.items() if "requestBody" in operation and name in OPERATIONS
)


def _fields(operation: dict[str, Any]) -> set[str] | None:
    """The fields that the description allows; None where any may stand."""
    media = operation["requestBody"]["content"]
    content = media.get("application/json", next(iter(media.values())))["schema"]  # a file stands beside its JSON
    schema = json.loads((Path(__file__).parents[2] / "docs/openapi.json").read_text())["components"]["schemas"]
    if operation["operationId"] == "change_plan":  # a merge patch of the request
        return set(schema["Spec"]["properties"])
    found = schema[content["$ref"].rpartition("/")[2]] if "$ref" in content else content
    return set(found["properties"]) if found.get("properties") else None


@pytest.mark.parametrize("name", WITH_BODY)
def test_no_column_can_be_set_through_a_body(world: World, name: str) -> None:
    """Every column of every model that is no field of the operation is refused by name."""
    method, path, operation = DESCRIBED[name]
    allowed = _fields(operation)
    row = OPERATIONS[name]
    body = row.body if row.body is not None else BODIES.get(name)
    good = body if isinstance(body, dict) else {}  # a file, or made from rows: what is missing is named beside the rest
    names = [part.split("}")[0] for part in path.split("{")[1:]]
    if allowed is None:  # a model's config.json or a workbook is foreign: what it holds is read, never assigned
        assert name in {"parse_model", "parse_spec", "import_workbook"}, f"The body of {name} has no described fields."
        return
    extra = {column: "x" for column in COLUMNS if column not in allowed and column not in good}
    assert len(extra) > 50
    headers = world.headers("admin") | {key.replace("_", "-"): value for key, value in row.headers.items()}
    named: set[str] = set()
    for columns in _few(sorted(extra), MOST_ITEMS - 20):  # an answer lists so many faults, those of the body itself too
        answer = ask(
            world.api, "generic", method, path=path.format(**filled(world, names, row)),
            data=as_json({**good, **{column: extra[column] for column in columns}}),
            content_type="application/json", headers=headers,
        )  # fmt: skip
        assert answer.status in (400, 422), answer.text[:300]
        assert not answer.writes
        named |= {item["pointer"].lstrip("/") for item in json.loads(answer.text)["errors"]}
    assert extra.keys() <= named, f"not refused: {sorted(extra.keys() - named)}"


def _few(names: list[str], most: int) -> Iterator[list[str]]:
    """Those names in lists of at most so many."""
    return (names[start : start + most] for start in range(0, len(names), most))


def test_no_column_can_be_set_through_a_form(people: People, quick_engine: None) -> None:
    """Forms take their own fields only; the rows are the caller's and in their first state."""
    person = Client()
    person.force_login(people.alice)
    wild = dict.fromkeys(COLUMNS, "x") | {
        "team": people.other_team.pk, "team_id": people.other_team.pk, "created_by": people.charlie.pk, "state": "approved",
        "revision": "77", "role": "admin", "is_superuser": "on", "public_id": "pln_000000000000000000000000",
    }  # fmt: skip
    fields = set(re.findall(r'name="([^"]+)"', person.get("/new/train").content.decode()))
    person.post("/new/train", {name: value for name, value in wild.items() if name not in fields} | TYPED)
    workload = Workload.objects.get(team=people.team)
    assert (workload.team, workload.created_by, workload.revision) == (people.team, people.alice, 1)
    assert workload.public_id != wild["public_id"]
    person.post(f"/workloads/{workload.public_id}/freeze", wild)
    version = PlanVersion.objects.get(workload=workload)
    assert (version.state, version.created_by, version.number) == ("draft", people.alice, 1)
    person.post(f"/plans/{version.public_id}/share", wild | {"days": "7", "password": "argon2$forged"})
    link = ShareLink.objects.get(version=version)
    assert (link.created_by, link.opened, link.revoked_at) == (people.alice, 0, None)
    assert link.password.startswith("argon2$argon2id$"), "its own field, but what is typed is hashed, not stored"
    assert not Membership.objects.filter(user=people.alice).exclude(role=Role.ADMIN).exists()
    people.alice.refresh_from_db()
    assert not people.alice.is_superuser


def test_no_address_leads_to_a_stored_file(world: World) -> None:
    """Files are reached through their export only, never by their name in storage."""
    digest = files.store(b"what was stored")
    where = f"exports/{digest[:2]}/{digest}"
    for address in (f"/files/{where}", f"/media/{where}", f"/{where}", f"/static/{where}", f"/static/../files/{where}",
                    f"/static/%2e%2e/files/{where}", "/static/../secret_key", "/static/..%2fsecret_key",
                    "/static//etc/passwd", "/secret_key", "/.git/config"):  # fmt: skip
        answer = ask(world.clients["admin"], "get", address)
        assert answer.status in (404, 400), address
        assert "what was stored" not in answer.text


def test_a_token_works_in_its_own_team_only(people: People, quick_engine: None) -> None:
    """Who belongs to two teams reaches with a token the one for which it was made."""
    Membership.objects.create(team=people.other_team, user=people.alice, role=Role.ADMIN)
    api = Api(people.memberships["alice"])
    plan = api.post("/plans", TRAINING).json()["id"]
    _, other = tokens.issue(people.other_team, people.alice, name="x", scopes=tokens.SCOPES)
    assert api.get(f"/plans/{plan}").status_code == 200
    api.token = other
    assert api.get(f"/plans/{plan}").status_code == 404
    assert api.get("/plans").json()["data"] == []


def test_prices_of_a_team_reach_no_other(people: People, client: Client) -> None:
    """Also not through what a process remembers: the team with its own prices asks first."""
    from django.core.management import call_command

    from tests.catalog.test_upload import GOOD, KEY, _csv, _send

    call_command("load_catalog", verbosity=0)
    client.force_login(people.alice)
    location = _send(client, _csv(GOOD)).headers["Location"]
    client.post(f"{location}publish", {"accepted": "on"})
    asked = "/prices?provider=aws&accelerator=h100-sxm5&limit=200"
    seen = {who: Api(people.memberships[who]).get(asked).json()["data"] for who in ("alice", "charlie", "bob")}
    own = {who: [row["amount"] for row in rows if row["own"]] for who, rows in seen.items()}
    assert own == {"alice": ["41.5"], "bob": ["41.5"], "charlie": []}
    assert KEY.split("/")[1] in json.dumps(seen["charlie"])
