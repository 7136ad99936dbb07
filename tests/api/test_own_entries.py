"""A team's own hardware over the API: made, changed with If-Match, withdrawn, and seen by nobody else."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import AuditEvent, Role
from planner.market import market_from_rows
from tests.api.support import Api, pointers
from tests.conftest import People, make_member

HERE = "/entries/accelerator/h100-sxm5"
OWNED = {
    "name": "The basement", "accelerator": "h100-sxm5", "count": "64", "devices": "8", "in_service": "2024-08-22",
    "price_paid_usd": "2400000 USD", "pue": "1.22",
}  # fmt: skip


@pytest.fixture
def fiona(people: People) -> Api:
    """Finance of the team, with the catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    return Api(make_member(people.team, "Fiona", Role.FINANCE))


def write(api: Api, path: str, values: dict[str, str], **headers: str) -> Any:
    """The answer to that entry."""
    return api.send("PUT", path, {"values": values}, **headers)


def test_it_works(fiona: Api, people: People) -> None:
    public = market_from_rows(people.team).devices["h100-sxm5"].tdp_w
    made = write(fiona, HERE, {"tdp_w": "650 W"})
    assert (made.status_code, made["Location"]) == (201, f"/api/v1{HERE}")
    body = made.json()
    assert body["values"]["tdp_w"] | {"date": ""} == {
        "value": "650", "unit": "W", "date": "", "public": f"{public:g} W", "public_source": "st-tables",
    }  # fmt: skip
    assert market_from_rows(people.team).devices["h100-sxm5"].tdp_w == 650
    assert market_from_rows().devices["h100-sxm5"].tdp_w == public
    changed = write(fiona, HERE, {"tdp_w": "0.6 kW"}, If_Match=made["ETag"])
    assert changed.status_code == 200
    assert changed["ETag"] != made["ETag"]
    assert fiona.get(HERE).json()["values"]["tdp_w"]["value"] == "0.6"
    assert fiona.send("DELETE", HERE, If_Match=changed["ETag"]).status_code == 204
    assert market_from_rows(people.team).devices["h100-sxm5"].tdp_w == public
    verbs = AuditEvent.objects.filter(team=people.team, verb__startswith="catalog.entry").values_list(
        "verb", "token_id"
    )
    assert sorted(verbs) == [
        ("catalog.entry_saved", fiona.row.public_id),
        ("catalog.entry_saved", fiona.row.public_id),
        ("catalog.entry_withdrawn", fiona.row.public_id),
    ]


def test_hardware_that_the_team_owns_is_listed_and_an_equal_entry_stays_as_it_is(fiona: Api) -> None:
    first = write(fiona, "/entries/holding/basement", OWNED)
    assert first.status_code == 201, first.content
    again = write(fiona, "/entries/holding/basement", OWNED, If_Match=first["ETag"])
    assert (again.status_code, again["ETag"]) == (200, first["ETag"])
    assert [(row["kind"], row["slug"]) for row in fiona.get("/entries").json()["data"]] == [("holding", "basement")]


def test_what_has_changed_since_it_was_read_is_not_overwritten(fiona: Api) -> None:
    made = write(fiona, HERE, {"tdp_w": "650 W"})
    assert write(fiona, HERE, {"tdp_w": "640 W"}).status_code == 428
    assert fiona.send("DELETE", HERE).status_code == 428
    assert write(fiona, HERE, {"tdp_w": "640 W"}, If_Match=made["ETag"]).status_code == 200
    assert write(fiona, HERE, {"tdp_w": "630 W"}, If_Match=made["ETag"]).status_code == 412
    assert write(fiona, "/entries/accelerator/b200-sxm", {"tdp_w": "900 W"}, If_Match=made["ETag"]).status_code == 404
    assert fiona.get(HERE).json()["values"]["tdp_w"]["value"] == "640"


def test_the_rules_of_the_catalog_are_told_at_the_value(fiona: Api) -> None:
    assert pointers(write(fiona, HERE, {"tdp_w": "fast"})) == ["/values/tdp_w"]
    sparse = write(fiona, HERE, {"dense_flops.bf16": "1979 TFLOP/s"})
    assert "/values/dense_flops.bf16" in pointers(sparse), "a sparse rate is refused as on the page"
    assert pointers(write(fiona, HERE, {"horns": "2"})) == ["/values/horns"]
    assert pointers(write(fiona, HERE, {})) == ["/values"]
    for path in ("/entries/unicorn/h100-sxm5", "/entries/accelerator/nothing%00here"):
        assert fiona.get(path).status_code == 404
    assert fiona.get("/entries").json()["data"] == []


def test_only_some_may_write_and_no_other_team_sees_anything(fiona: Api, people: People) -> None:
    made = write(fiona, HERE, {"tdp_w": "650 W"})
    reader = Api(make_member(people.team, "Ray", Role.VIEWER))
    assert reader.get(HERE).status_code == 200
    assert write(reader, HERE, {"tdp_w": "1 W"}, If_Match=made["ETag"]).status_code == 403
    assert reader.send("DELETE", HERE, If_Match=made["ETag"]).status_code == 403
    stranger = Api(make_member(people.other_team, "Stan", Role.ADMIN))
    assert stranger.get(HERE).status_code == 404
    assert stranger.send("DELETE", HERE, If_Match=made["ETag"]).status_code == 404
    assert stranger.get("/entries").json()["data"] == []
