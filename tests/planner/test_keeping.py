"""Autosave: what is typed is kept for its author, window by window, until it is sent; and copies of a workload."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Membership
from planner.models import KeptForm, Workload
from planner.pages.form import keeping
from tests.conftest import People
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
ONE, TWO = "a" * 20, "b" * 20
CANARY = '"><script>alert(1)</script>{{7*7}}'


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def test_two_windows_keep_their_own_and_each_hears_of_the_other(alice: Client) -> None:
    first = alice.post("/keep/train", TRAINING | {"tab": ONE, "training.tokens": "11B"})
    assert first.json()["state"] == "kept"
    assert first.json()["others"] is False
    assert alice.post("/keep/train", TRAINING | {"tab": TWO, "training.tokens": "22B"}).json()["others"] is True
    assert alice.post("/keep/train", TRAINING | {"tab": ONE, "training.tokens": "12B"}).json()["others"] is True
    assert {row.tab: row.typed["training.tokens"] for row in KeptForm.objects.all()} == {ONE: "12B", TWO: "22B"}
    page = alice.get("/new/train").content.decode()
    assert "12B" in page
    assert "22B" in page
    assert 'value="12B"' not in page
    assert 'value="22B"' in alice.get(f"/new/train?kept={TWO}").content.decode()


def test_what_is_sent_is_forgotten_and_the_other_window_stays(alice: Client) -> None:
    for tab in (ONE, TWO):
        alice.post("/keep/train", TRAINING | {"tab": tab})
    sent = alice.post("/new/train", TRAINING | {"tab": ONE})
    assert sent.status_code == 302
    assert [row.tab for row in KeptForm.objects.all()] == [TWO]
    alice.post("/keep/train/drop", {"tab": TWO})
    assert not KeptForm.objects.exists()


def test_a_form_with_faults_is_kept_all_the_same(alice: Client) -> None:
    alice.post("/keep/train", TRAINING | {"tab": ONE, "training.tokens": CANARY})
    page = alice.get(f"/new/train?kept={ONE}").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def test_an_ended_login_is_told_by_the_way_to_the_login(alice: Client) -> None:
    alice.logout()
    assert alice.post("/keep/train", TRAINING | {"tab": ONE})["Location"].startswith("/accounts/login")
    assert not KeptForm.objects.exists()


def test_nobody_keeps_a_form_of_another_teams_workload(people: People, alice: Client) -> None:
    alice.post("/new/train", TRAINING)
    form = Workload.objects.get().public_id
    charlie = Client()
    charlie.force_login(people.charlie)
    for address in (f"/keep/{form}", f"/keep/{form}/drop"):
        assert charlie.post(address, TRAINING | {"tab": ONE}).status_code == 404
    assert not KeptForm.objects.exists()


def test_a_saved_workload_has_its_own_and_a_stale_save_keeps_both(alice: Client) -> None:
    alice.post("/new/train", TRAINING)
    workload = Workload.objects.get()
    edit = f"/workloads/{workload.public_id}/edit"
    alice.post(f"/keep/{workload.public_id}", TRAINING | {"tab": ONE, "training.tokens": "33B"})
    assert "33B" in alice.get(edit).content.decode()
    assert 'value="33B"' in alice.get(f"{edit}?kept={ONE}").content.decode()
    alice.post(edit, TRAINING | {"tab": TWO, "training.tokens": "44B", "revision": "1"})
    stale = alice.post(edit, TRAINING | {"tab": ONE, "training.tokens": "33B", "revision": "1"})
    assert stale.status_code == 409
    assert 'value="33B"' in stale.content.decode()
    assert KeptForm.objects.get().tab == ONE
    workload.refresh_from_db()
    assert workload.draft["training"]["tokens"] == "44B"


@pytest.mark.parametrize(
    "sent",
    [{"tab": ""}, {"tab": "../../etc"}, {"tab": ONE, "config": "x" * 300_001}],
)
def test_what_cannot_be_kept_is_refused_in_a_sentence(alice: Client, sent: dict[str, str]) -> None:
    answer = alice.post("/keep/train", TRAINING | sent)
    assert answer.status_code == 422
    assert answer.json()["message"].endswith(".")
    assert alice.post("/keep/nothing", {"tab": ONE}).status_code == 404


def test_it_is_private_bounded_and_ends(people: People, alice: Client) -> None:
    member: Membership = people.memberships["alice"]
    for at in range(8):
        keeping.keep(member, form="train", tab=f"window{at:04d}", typed={"model": "x"})
    assert len(keeping.kept(member, "train")) == keeping.MOST
    assert keeping.kept(people.memberships["bob"], "train") == []
    KeptForm.objects.update(kept_at=timezone.now() - timedelta(days=15))
    assert keeping.kept(member, "train") == []
    keeping.keep(member, form="train", tab=ONE, typed={})
    assert KeptForm.objects.count() == 1
    assert "no model yet" in alice.get("/new/train").content.decode()


def test_keeping_is_one_small_write(alice: Client, django_assert_max_num_queries: Any) -> None:
    alice.post("/keep/train", TRAINING | {"tab": ONE})
    with django_assert_max_num_queries(5) as seen:
        alice.post("/keep/train", TRAINING | {"tab": ONE, "training.tokens": "9B"})
    assert sum(query["sql"].startswith(("UPDATE", "INSERT", "DELETE")) for query in seen.captured_queries) == 1


def test_a_copy_is_a_new_request_and_the_original_stays(people: People, alice: Client) -> None:
    alice.post("/new/train", TRAINING)
    first = Workload.objects.get()
    opened = alice.post(f"/workloads/{first.public_id}/duplicate", follow=True)
    assert "This is a copy" in opened.content.decode()
    copy = Workload.objects.exclude(pk=first.pk).get()
    assert copy.name == "Support assistant (copy)"
    assert copy.draft == {**first.draft, "name": copy.name}
    assert not copy.versions.exists()
    bob, charlie = Client(), Client()
    bob.force_login(people.bob)
    charlie.force_login(people.charlie)
    assert bob.post(f"/workloads/{first.public_id}/duplicate").status_code == 403
    assert charlie.post(f"/workloads/{first.public_id}/duplicate").status_code == 404
