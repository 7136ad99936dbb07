"""The start page of who comes back: no hero, what each plan needs, and the steps of its list with who may take them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from django.test import Client

from accounts.models import AuditEvent, Role
from engine.inputs.freshness import LIST_DAYS
from planner.models import PlanVersion, Workload
from tests.conftest import People, make_member
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
HERO = "Plot the course"


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def workload(alice: Client) -> Workload:
    alice.post("/new/train", TRAINING)
    return Workload.objects.get()


@pytest.fixture
def version(alice: Client, workload: Workload) -> PlanVersion:
    alice.post(f"/workloads/{workload.public_id}/freeze")
    return PlanVersion.objects.get()


def needs_on(page: str) -> list[str]:
    """The words in the column of what a plan needs, links as their text."""
    cells = re.findall(r"<tr>\s*<th scope=\"row\">.*?</th>\s*<td>.*?</td>\s*<td>(.*?)</td>", page, re.S)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell)).strip() for cell in cells]


def test_who_has_no_plan_meets_the_three_ways_in_and_who_has_one_does_not(alice: Client, people: People) -> None:
    assert HERO in alice.get("/").content.decode()
    alice.post("/new/train", TRAINING)
    page = alice.get("/").content.decode()
    assert HERO not in page
    assert TRAINING["name"] in page


def test_a_plan_says_what_it_needs_next(alice: Client, people: People, workload: Workload) -> None:
    assert needs_on(alice.get("/").content.decode()) == ["Look at the answer and save it"]
    alice.post(f"/workloads/{workload.public_id}/freeze")
    version = PlanVersion.objects.get()
    assert needs_on(alice.get("/").content.decode())[0].startswith("To be sent for approval")
    alice.post(f"/plans/{version.public_id}/submit")
    assert needs_on(alice.get("/").content.decode())[0].startswith("Somebody’s decision")
    fay = Client()
    fay.force_login(make_member(people.team, "Fay", Role.APPROVER).user)
    assert "Your decision" in "".join(needs_on(fay.get("/").content.decode()))
    fay.post(f"/plans/{version.public_id}/comments", {"text": "Why so many?", "about": ""})
    fay.post(f"/plans/{version.public_id}/return", {"reason": "Too dear."})
    told = needs_on(alice.get("/").content.decode())[0]
    assert told.startswith("A change: it was returned")
    assert "One open comment" in told


def test_cost_finish_and_the_age_of_the_price_stand_in_the_list(
    alice: Client, version: PlanVersion, set_today: Callable[[date], None]
) -> None:
    best = version.plan.recommendation.recommended
    assert best
    assert best.finish
    assert best.offer
    assert version.finish == best.finish
    assert version.price_day == best.offer.price_date
    page = alice.get("/").content.decode()
    assert f'datetime="{best.finish}"' in page
    later = date.fromisoformat(best.offer.price_date) + timedelta(days=LIST_DAYS + 9)
    set_today(later)
    page = alice.get("/").content.decode()
    assert f"{LIST_DAYS + 9} days old" in page
    assert "A look at today’s prices" in page


def test_a_plan_is_renamed_archived_found_and_put_back(alice: Client, workload: Workload) -> None:
    address = f"/workloads/{workload.public_id}"
    alice.post(f"{address}/rename", {"name": "  Assistant of the north "})
    workload.refresh_from_db()
    assert (workload.name, workload.draft["name"], workload.revision) == (
        "Assistant of the north", "Assistant of the north", 2,
    )  # fmt: skip
    alice.post(f"{address}/archive")
    assert "Assistant of the north" not in "".join(_names(alice.get("/").content.decode()))
    assert _names(alice.get("/?archived=1").content.decode()) == ["Assistant of the north"]
    alice.post(f"{address}/restore")
    assert _names(alice.get("/").content.decode()) == ["Assistant of the north"]
    assert [row.verb for row in AuditEvent.objects.filter(verb__startswith="workload").order_by("pk")] == [
        "workload.created", "workload.changed", "workload.archived", "workload.restored",
    ]  # fmt: skip


def _names(page: str) -> list[str]:
    return re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page)


def test_a_hundred_and_one_plans_are_all_found_page_by_page(alice: Client, workload: Workload) -> None:
    """The list ended at a hundred, and nothing said so."""
    first = Workload.objects.get()
    for number in range(100):
        first.pk, first.public_id, first.name, first._state.adding = (
            None,
            f"{'wl_'}{number:024d}",
            f"Plan {number}",
            True,
        )
        first.save()
    pages = [alice.get("/", {"page": number, "words": ""}).content.decode() for number in (1, 2, 3)]
    found = [name for page in pages for name in _names(page)]
    assert len(found) == len(set(found)) == 101
    assert "Page 1 of 3" in pages[0]
    assert 'href="?page=2"' in pages[0]
    assert 'href="?words=Plan&amp;page=2"' in alice.get("/", {"words": "Plan"}).content.decode()
    assert _names(alice.get("/", {"page": "99"}).content.decode()) == _names(pages[2])


@pytest.mark.parametrize("page", ["", "0", "x", "-1"])
def test_a_page_that_there_is_not_is_the_nearest(alice: Client, workload: Workload, page: str) -> None:
    assert len(_names(alice.get("/", {"page": page}).content.decode())) == 1


@pytest.mark.parametrize(("name", "said"), [(" ", "The name is empty"), ("x" * 121, "The name is too long")])
def test_a_name_that_cannot_be_is_refused_in_a_sentence(
    alice: Client, workload: Workload, name: str, said: str
) -> None:
    page = alice.post(f"/workloads/{workload.public_id}/rename", {"name": name}, follow=True).content.decode()
    assert said in page
    workload.refresh_from_db()
    assert workload.name == TRAINING["name"]


def test_a_draft_is_deleted_and_a_frozen_plan_never(alice: Client, version: PlanVersion) -> None:
    kept = version.workload
    page = alice.post(f"/workloads/{kept.public_id}/delete", follow=True).content.decode()
    assert "Frozen versions are never deleted" in page
    alice.post(f"/workloads/{kept.public_id}/duplicate")
    draft = Workload.objects.exclude(pk=kept.pk).get()
    alice.post(f"/workloads/{draft.public_id}/delete")
    assert list(Workload.objects.all()) == [kept]
    assert PlanVersion.objects.count() == 1


def test_whoever_may_not_plan_sees_no_steps_and_takes_none(people: People, workload: Workload) -> None:
    bob = Client()
    bob.force_login(people.bob)
    assert "/rename" not in bob.get("/").content.decode()
    for verb in ("rename", "archive", "restore", "delete"):
        assert bob.post(f"/workloads/{workload.public_id}/{verb}", {"name": "Bob was here"}).status_code == 403
    charlie = Client()
    charlie.force_login(people.charlie)
    assert charlie.post(f"/workloads/{workload.public_id}/archive").status_code == 404
    workload.refresh_from_db()
    assert (workload.name, workload.archived_at) == (TRAINING["name"], None)
