"""Members are written to when the market has left an approved plan: one letter a person, and only of what they want to know."""

from __future__ import annotations

import pytest
from django.core import mail
from django.test import Client

from accounts.models import AuditEvent, Membership, PriceMail, Role, Team
from jobs.models import Job, State
from jobs.running import run_job
from planner import notices, plans
from planner.models import PlanVersion
from planner.outlook import letters, work
from planner.tables import Outlook
from tests.conftest import People, make_member
from tests.exports.samples import training_plan
from tests.planner.test_outlook import Today, costing, look, petra, today, version

__all__ = ["petra", "today", "version"]


def sent() -> dict[str, str]:
    """Address → text of each letter that a sweep brings about."""
    work.request_letters()
    for job in Job.objects.filter(kind=notices.KIND, state=State.QUEUED):
        run_job(job.pk, worker="test")
    found = {letter.to[0]: str(letter.body) for letter in mail.outbox if "Prices have moved" in letter.subject}
    mail.outbox.clear()
    return found


def test_who_made_and_who_approved_are_written_to_once(
    people: People, petra: Membership, version: PlanVersion, today: Today
) -> None:
    make_member(people.team, "Vera", Role.VIEWER)
    today(costing(3.0), "b" * 64)
    look()
    told = sent()
    assert set(told) == {petra.user.email, people.alice.email}
    text = told[petra.user.email]
    assert "Plan, version 1" in text
    assert "above its band of USD" in text
    assert f"/plans/{version.public_id}/prices" in text
    assert "/accounts/account#mail" in text
    assert sent() == {}


def test_that_it_is_over_is_told_too_and_nothing_where_nothing_is_new(
    petra: Membership, version: PlanVersion, today: Today
) -> None:
    today(costing(1.0), "a" * 64)
    look()
    assert sent() == {}
    today(costing(0.2), "b" * 64)
    look()
    assert "below its band" in sent()[petra.user.email]
    today(costing(1.0), "c" * 64)
    look()
    assert "back within its band" in sent()[petra.user.email]


def test_a_choice_decides_who_is_written_to(
    people: People, petra: Membership, version: PlanVersion, today: Today
) -> None:
    vera = make_member(people.team, "Vera", Role.VIEWER)
    Membership.objects.filter(pk=vera.pk).update(price_mail=PriceMail.ALL)
    Membership.objects.filter(user=people.alice).update(price_mail=PriceMail.NONE)
    today(costing(3.0), "b" * 64)
    look()
    assert set(sent()) == {petra.user.email, vera.user.email}


def test_when_its_people_have_left_admins_are_written_to(
    people: People, petra: Membership, version: PlanVersion, today: Today
) -> None:
    Membership.objects.filter(user__in=(petra.user, people.alice)).delete()
    anna = make_member(people.team, "Anna", Role.ADMIN)
    today(costing(3.0), "b" * 64)
    look()
    assert set(sent()) == {anna.user.email}


def test_letters_wait_until_the_whole_team_is_asked(
    people: People, petra: Membership, version: PlanVersion, today: Today
) -> None:
    other = plans.save_workload(petra, name="Other", draft={})
    plans.approve(people.memberships["alice"], plans.submit(petra, plans.freeze_version(petra, other, training_plan())))
    today(costing(3.0), "b" * 64)
    look()
    piece = Job.objects.filter(kind=work.PIECE_KIND).first()
    assert piece is not None
    Job.objects.filter(pk=piece.pk).update(state=State.RUNNING)
    assert sent() == {}
    Job.objects.filter(pk=piece.pk).update(state=State.SUCCEEDED)
    text = sent()[petra.user.email]
    assert "Plan, version 1" in text
    assert "Other, version 1" in text


def test_a_plan_that_counts_no_more_is_told_to_nobody(petra: Membership, version: PlanVersion, today: Today) -> None:
    today(costing(3.0), "b" * 64)
    look()
    plans.archive_workload(petra, version.workload)
    assert sent() == {}
    assert not Outlook.objects.exclude(unmailed="").exists()


def test_a_letter_counts_what_it_has_no_room_for(
    people: People, petra: Membership, version: PlanVersion, today: Today, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters, "MOST", 1)
    other = plans.save_workload(petra, name="Other", draft={})
    plans.approve(people.memberships["alice"], plans.submit(petra, plans.freeze_version(petra, other, training_plan())))
    today(costing(3.0), "b" * 64)
    look()
    assert "And 1 more." in sent()[petra.user.email]


def test_a_member_chooses_on_the_account_page(client: Client, people: People) -> None:
    client.force_login(people.alice)
    page = client.get("/accounts/account").content.decode()
    assert "Mail about prices" in page
    address = f"/accounts/account/mail/{people.team.slug}"
    assert client.post(address, {"choice": "all"})["Location"] == "/accounts/account#mail"
    member = Membership.objects.get(user=people.alice, team=people.team)
    assert member.price_mail == PriceMail.ALL
    event = AuditEvent.objects.get(verb="member.price_mail")
    assert event.data == {"choice": "all", "was": "mine"}
    client.post(address, {"choice": "sometimes"})
    member.refresh_from_db()
    assert member.price_mail == PriceMail.ALL
    Team.objects.create(slug="elsewhere", name="Elsewhere")
    assert client.post("/accounts/account/mail/elsewhere", {"choice": "all"}).status_code == 404
