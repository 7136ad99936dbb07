"""Sheets of approved versions: equal to what the plan says, kept when it is approved, made again when the code is another."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError

from planner.budgets.sheets import kept
from planner.budgets.sheets.sheet import packed, sheet_of, unpacked
from planner.models import PlanVersion
from planner.tables import KeptSheet
from tests.api.support import SERVING, TRAINING, Api
from tests.api.test_feed import approved, step

pytestmark = pytest.mark.usefixtures("quick_engine")
FEED = "/budget-lines"


def versions() -> list[PlanVersion]:
    """All of them, with what a sheet says of its plan's team."""
    return list(PlanVersion.objects.select_related("workload__team").order_by("pk"))


@pytest.mark.parametrize("spec", [TRAINING, SERVING])
def test_a_sheet_survives_its_packing(petra: Api, paula: Api, spec: dict[str, Any]) -> None:
    approved(petra, paula, spec)
    sheet = sheet_of(versions()[0])
    assert sheet.lines
    assert sheet.focus
    assert unpacked(packed(sheet)) == sheet


def test_it_is_kept_when_a_plan_is_approved(
    petra: Api, paula: Api, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        plan = approved(petra, paula, TRAINING)
    first = KeptSheet.objects.get()
    assert first.version.workload.public_id == plan
    monkeypatch.setattr(kept, "sheet_of", None)  # whoever opens a plan now fails
    assert petra.get(FEED).json()["data"]
    assert petra.get(f"{FEED}?format=focus-csv").status_code == 200


def test_a_newer_version_takes_the_place_of_the_older_one(
    petra: Api, paula: Api, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        plan = approved(petra, paula, TRAINING)
        petra.patch(f"/plans/{plan}", {"horizon_months": 12}, If_Match=petra.get(f"/plans/{plan}")["ETag"])
        assert petra.post(f"/plans/{plan}/versions").status_code == 201
        step(petra, paula, plan, 2)
    assert [row.version.number for row in KeptSheet.objects.all()] == [2]


def test_who_reads_first_keeps_what_was_missing_and_says_the_same(petra: Api, paula: Api) -> None:
    approved(petra, paula, TRAINING)
    approved(petra, paula, SERVING)
    assert not KeptSheet.objects.exists()  # nothing was committed: the tests roll back
    shapes = ("", "?granularity=day", "?format=focus-json")
    first = [petra.get(f"{FEED}{shape}").json()["data"] for shape in shapes]
    assert KeptSheet.objects.count() == 2
    assert [petra.get(f"{FEED}{shape}").json()["data"] for shape in shapes] == first


def test_a_sheet_of_other_code_is_made_again(petra: Api, paula: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    approved(petra, paula, TRAINING)
    said = petra.get(FEED).json()["data"]
    KeptSheet.objects.update(body=packed(unpacked(KeptSheet.objects.get().body).__class__(
        name="Another", begins=sheet_of(versions()[0]).begins, ends=None, cost_centre="", tags={}, authorised="", lines=(), focus=()
    )))  # fmt: skip
    assert petra.get(FEED).json()["data"] == []  # it is believed while its code is this one
    monkeypatch.setattr(kept, "_code", lambda: "another")
    assert petra.get(FEED).json()["data"] == said


def test_a_team_with_a_new_address_is_named_by_it(petra: Api, paula: Api) -> None:
    approved(petra, paula, TRAINING)
    petra.get(FEED)
    team = versions()[0].workload.team
    team.slug = "renamed"
    team.save(update_fields=["slug"])
    rows = petra.get(f"{FEED}?format=focus-json").json()["data"]
    assert rows
    assert all('"team": "renamed"' in row["Tags"] for row in rows)


def test_a_database_that_takes_no_writes_still_answers(petra: Api, paula: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    approved(petra, paula, TRAINING)

    def refused(*_: Any, **__: Any) -> None:
        raise DatabaseError("read-only")

    monkeypatch.setattr(KeptSheet.objects, "bulk_create", refused)
    assert petra.get(FEED).json()["data"]
    assert not KeptSheet.objects.exists()
