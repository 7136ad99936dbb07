"""Review of a frozen version: comments pinned to numbers, share links, and the mails that say so."""

from __future__ import annotations

import logging
import re
import time
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail, signing
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent, Membership, Role
from exports import render
from jobs.models import Job
from jobs.running import run_job
from planner import notices
from planner.models import PlanComment, PlanVersion, ShareLink, Workload
from planner.review import comments, sharing
from tests.accounts.sign_in_support import proved
from tests.api.support import Api, pointers
from tests.conftest import People, make_member
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
CANARY = "\"><script>alert('x')</script><img src=x onerror=alert(1)>{{7*7}}"


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def version(alice: Client) -> PlanVersion:
    alice.post("/new/train", TRAINING)
    alice.post(f"/workloads/{Workload.objects.get().public_id}/freeze")
    return PlanVersion.objects.get()


def logged_in(membership: Membership) -> Client:
    client = Client()
    client.force_login(membership.user)
    return proved(client)


def test_finance_comments_on_a_number_and_it_is_settled(people: People, alice: Client, version: PlanVersion) -> None:
    fay = logged_in(make_member(people.team, "Fay", Role.FINANCE))
    address = f"/plans/{version.public_id}"
    sent = fay.post(f"{address}/comments", {"about": "figure.cost", "text": "Is this\nwith tax?"})
    assert sent["Location"].endswith("#comments")
    page = alice.get(address).content.decode()
    assert 'href="#n-figure.cost">Total cost' in page
    assert "Is this<br>with tax?" in page
    assert "1 comment" in page
    comment = PlanComment.objects.get()
    alice.post(f"/comments/{comment.public_id}/resolve")
    assert "Settled" in alice.get(address).content.decode()
    verbs = AuditEvent.objects.filter(subject=version.public_id).values_list("verb", flat=True)
    assert {"comment.added", "comment.resolved"} <= set(verbs)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"text": "  "}, "The comment is empty"),
        ({"text": "x" * 4001}, "at most 4,000"),
        ({"text": "x", "about": "figure.nothing"}, "no such number"),
    ],
)
def test_a_comment_that_cannot_be_is_refused(
    alice: Client, version: PlanVersion, sent: dict[str, str], sentence: str
) -> None:
    page = alice.post(f"/plans/{version.public_id}/comments", sent, follow=True).content.decode()
    assert sentence in page
    assert not PlanComment.objects.exists()


def test_a_viewer_reads_and_says_nothing(people: People, alice: Client, version: PlanVersion) -> None:
    alice.post(f"/plans/{version.public_id}/comments", {"text": "Hello"})
    bob = logged_in(people.memberships["bob"])
    page = bob.get(f"/plans/{version.public_id}").content.decode()
    assert "Hello" in page
    assert "comment-text" not in page
    assert bob.post(f"/plans/{version.public_id}/comments", {"text": "x"}).status_code == 403
    assert bob.post(f"/comments/{PlanComment.objects.get().public_id}/resolve").status_code == 403
    assert bob.post(f"/plans/{version.public_id}/share", {"days": "7"}).status_code == 403


def test_charlie_reaches_neither_comments_nor_links(people: People, alice: Client, version: PlanVersion) -> None:
    member = people.memberships["alice"]
    comment = comments.add(member, version, text="x")
    link, _ = sharing.create(member, version, days=7)
    charlie = logged_in(people.memberships["charlie"])
    for address in (
        f"/plans/{version.public_id}/comments",
        f"/plans/{version.public_id}/share",
        f"/comments/{comment.public_id}/resolve",
        f"/share-links/{link.public_id}/revoke",
    ):
        assert charlie.post(address, {"text": "x", "days": "7"}).status_code == 404


def shared_address(alice: Client, version: PlanVersion) -> str:
    page = alice.post(f"/plans/{version.public_id}/share", {"days": "7"})
    assert "no-store" in page["Cache-Control"]
    found = re.search(r"/shared/([A-Za-z0-9_-]{32})", page.content.decode())
    assert found is not None
    return found[0]


def test_a_link_lets_a_stranger_read_one_version_and_nothing_else(alice: Client, version: PlanVersion) -> None:
    address = shared_address(alice, version)
    stranger = Client()
    page = stranger.get(address)
    text = page.content.decode()
    assert version.sha256 in text
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in page["Cache-Control"]
    assert '<meta name="robots" content="noindex' in text
    assert "/plans/" not in text
    assert "comment-text" not in text
    assert stranger.get(f"/plans/{version.public_id}").status_code == 302
    assert ShareLink.objects.get().opened == 1
    assert address.rpartition("/")[2] not in str(list(ShareLink.objects.values()))
    assert address not in alice.get(f"/plans/{version.public_id}").content.decode()


def test_a_link_ends_when_it_expires_or_is_revoked(alice: Client, version: PlanVersion) -> None:
    first, second = shared_address(alice, version), shared_address(alice, version)
    links = list(ShareLink.objects.order_by("pk"))
    alice.post(f"/share-links/{links[0].public_id}/revoke")
    ShareLink.objects.filter(pk=links[1].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    for address in (first, second, "/shared/" + "A" * 32, "/shared/short"):
        assert Client().get(address).status_code == 404


def test_a_link_with_an_odd_life_is_refused(alice: Client, version: PlanVersion) -> None:
    for days in ("", "0", "9999", "x", "٣"):
        alice.post(f"/plans/{version.public_id}/share", {"days": days})
    assert not ShareLink.objects.exists()


def test_the_secret_of_a_link_stands_in_no_log(alice: Client, version: PlanVersion, caplog: Any) -> None:
    address = shared_address(alice, version)
    with caplog.at_level("INFO"):
        assert Client().get(address).status_code == 200
        logging.getLogger("django.server").info(
            '"%s" %s', f"GET {address}?file=/x.csv HTTP/1.1", 200
        )  # runserver's own
    assert "/shared/…" in caplog.text
    assert '"GET /shared/…?file=/x.csv HTTP/1.1" 200' in caplog.text
    assert address not in caplog.text


PASSWORD = "only for the board"


@pytest.fixture
def locked(alice: Client, version: PlanVersion) -> str:
    """The address of a link with a password."""
    page = alice.post(f"/plans/{version.public_id}/share", {"days": "7", "password": PASSWORD})
    text = page.content.decode()
    assert "It asks for the password that you have typed" in text
    assert PASSWORD not in text
    found = re.search(r"/shared/([A-Za-z0-9_-]{32})", text)
    assert found is not None
    return found[0]


def test_a_link_with_a_password_opens_to_who_knows_it(alice: Client, version: PlanVersion, locked: str) -> None:
    reader = Client(enforce_csrf_checks=True)
    page = reader.get(locked)
    text = page.content.decode()
    assert "This plan asks for a password" in text
    assert version.workload.name not in text
    assert version.sha256[:12] not in text
    assert page["Referrer-Policy"] == "same-origin"
    assert "no-store" in page["Cache-Control"]
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', text)
    assert token is not None
    form = {"csrfmiddlewaretoken": token[1]}
    wrong = reader.post(locked, {**form, "password": "something else"})
    assert wrong.status_code == 422
    assert "not the password of this link" in wrong.content.decode()
    assert reader.get(f"{locked}?file=/memory.csv").headers.get("Content-Disposition") is None
    right = reader.post(locked, {**form, "password": PASSWORD})
    assert (right.status_code, right["Location"]) == (302, locked)
    kept = right.cookies["share"]
    assert (kept["path"], kept["httponly"], kept["samesite"], kept["max-age"]) == (locked, True, "Lax", 12 * 3600)
    opened = reader.get(locked)
    assert version.sha256 in opened.content.decode()
    assert opened["Referrer-Policy"] == "no-referrer"
    assert reader.get(f"{locked}?file=/memory.csv").status_code == 200
    assert ShareLink.objects.get().opened == 1
    assert "This plan asks for a password" in Client().get(locked).content.decode()
    assert "with a password" in alice.get(f"/plans/{version.public_id}").content.decode()


def test_a_pass_is_for_one_link_until_it_ends(alice: Client, version: PlanVersion, locked: str) -> None:
    first = ShareLink.objects.get()
    _, secret = sharing.create(alice_of(version), version, days=7, password=PASSWORD)
    reader = Client()
    reader.cookies["share"] = sharing.pass_for(first)
    assert version.sha256 in reader.get(locked).content.decode()
    assert "asks for a password" in reader.get(f"/shared/{secret}").content.decode()
    reader.cookies["share"] = f"{sharing.pass_for(first)}x"
    assert "asks for a password" in reader.get(locked).content.decode()
    assert not sharing.has_pass(first, signing.dumps(first.public_id, salt="planner.share "))
    reader.cookies["share"] = sharing.pass_for(first)
    alice.post(f"/share-links/{first.public_id}/revoke")
    assert reader.get(locked).status_code == 404


def test_a_pass_ends_after_half_a_day(version: PlanVersion, locked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    link = ShareLink.objects.get()
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 12 * 3600 - 1)
    old = sharing.pass_for(link)
    monkeypatch.setattr(time, "time", lambda: now)
    assert sharing.has_pass(link, sharing.pass_for(link))
    assert not sharing.has_pass(link, old)


def alice_of(version: PlanVersion) -> Membership:
    return Membership.objects.get(user=version.created_by, team=version.workload.team)


def test_guessing_the_password_of_a_link_is_paused(locked: str) -> None:
    guesser = Client(REMOTE_ADDR="192.0.2.7")
    for at in range(10):
        assert "not the password" in guesser.post(locked, {"password": f"guess number {at}"}).content.decode()
    for password in ("guess number 11", PASSWORD):
        assert "wait 15 minutes" in guesser.post(locked, {"password": password}).content.decode()
    assert Client(REMOTE_ADDR="192.0.2.8").post(locked, {"password": PASSWORD}).status_code == 302


def test_the_password_of_a_link_stands_nowhere(locked: str, caplog: Any) -> None:
    with caplog.at_level("DEBUG"):
        Client().post(locked, {"password": PASSWORD})
        Client().post(locked, {"password": "a wrong password"})
        assert Client(enforce_csrf_checks=True).post(locked, {"password": PASSWORD}).status_code == 403
    assert "Forbidden (CSRF" in caplog.text
    assert locked not in caplog.text
    assert PASSWORD not in caplog.text
    assert "a wrong password" not in caplog.text
    link = ShareLink.objects.get()
    assert link.password.startswith("argon2$")
    assert PASSWORD not in str(list(ShareLink.objects.values())) + str(list(AuditEvent.objects.values()))
    assert AuditEvent.objects.get(verb="plan.shared").data["password"] is True


def test_a_password_that_is_too_short_or_too_long_is_refused(alice: Client, version: PlanVersion) -> None:
    for password in ("short", "x" * 129):
        sent = {"days": "7", "password": password}
        page = alice.post(f"/plans/{version.public_id}/share", sent, follow=True).content.decode()
        assert "The password of a link has 8 to 128 characters" in page
    assert not ShareLink.objects.exists()


def test_the_api_sets_a_password_and_never_tells_it(people: People, version: PlanVersion) -> None:
    api = Api(people.memberships["alice"])
    sent = {"plan_id": version.workload.public_id, "password": PASSWORD}
    made = api.post("/share-links", sent)
    assert made.json()["has_password"] is True
    assert PASSWORD not in made.content.decode() + api.get("/share-links").content.decode()
    refused = api.post("/share-links", {**sent, "password": "abc12"})
    assert pointers(refused) == ["/password"]
    assert "abc12" not in refused.content.decode()
    assert api.post("/share-links", {"plan_id": version.workload.public_id}).json()["has_password"] is False


def sent_mail() -> list[mail.EmailMessage]:
    for job in Job.objects.filter(kind=notices.KIND, state="queued"):
        run_job(job.pk, worker="test")
    return list(mail.outbox)


def test_those_who_may_decide_are_asked_by_mail(
    people: People, alice: Client, version: PlanVersion, settings: Any
) -> None:
    settings.SITE_URL = "https://plans.example.org"
    pat = make_member(people.team, "Pat", Role.APPROVER)
    make_member(people.other_team, "Olga", Role.APPROVER)
    alice.post(f"/plans/{version.public_id}/submit")
    (message,) = sent_mail()
    assert message.to == [pat.user.email]
    assert message.subject == "[Sextant] Please review: Support assistant, version 1"
    assert f"https://plans.example.org/plans/{version.public_id}#review" in message.body
    mail.outbox.clear()
    logged_in(pat).post(f"/plans/{version.public_id}/approve", {"reason": "Fine."})
    (message,) = sent_mail()
    assert message.to == [people.alice.email]
    assert "approved" in message.body
    assert "Fine." in message.body


def test_one_mail_when_all_files_are_ready(
    people: People, alice: Client, version: PlanVersion, monkeypatch: Any
) -> None:
    monkeypatch.setattr(render, "render", lambda *_args, **_named: b"PK a file")
    for name in ("docx", "pdf"):
        alice.post(f"/exports/plans/{version.public_id}/{name}/make")
    jobs = list(Job.objects.filter(kind="exports.render"))
    run_job(jobs[0].pk, worker="test")
    assert sent_mail() == []
    run_job(jobs[1].pk, worker="test")
    (message,) = sent_mail()
    assert message.to == [people.alice.email]
    assert "docx, pdf" in message.body


def test_a_subject_has_one_line(people: People, alice: Client, version: PlanVersion) -> None:
    make_member(people.team, "Pat", Role.APPROVER)
    Workload.objects.update(name="a\r\nBcc: everybody@example.org")
    alice.post(f"/plans/{version.public_id}/submit")
    (message,) = sent_mail()
    assert "\n" not in message.subject
    assert message.bcc == []


def test_canaries_are_inert(people: People, alice: Client, version: PlanVersion) -> None:
    people.alice.name = CANARY[:120]
    people.alice.save()
    people.team.name = CANARY
    people.team.save()
    Workload.objects.update(name=CANARY)
    alice.post(f"/plans/{version.public_id}/comments", {"about": "line.total", "text": CANARY})
    address = shared_address(alice, version)
    alice.post(f"/plans/{version.public_id}/submit")
    pat = logged_in(make_member(people.team, "Pat", Role.APPROVER))
    pat.post(f"/plans/{version.public_id}/return", {"reason": CANARY})
    pages = [
        alice.get(f"/plans/{version.public_id}?about={CANARY}&pin={CANARY}"),
        alice.get(f"/plans/{version.public_id}/what-if?tokens={CANARY}"),
        Client().get(f"{address}?pin={CANARY}"),
        alice.get("/"),
        alice.get("/accounts/team"),
        alice.get(f"/exports/plans/{version.public_id}"),
        alice.get(f"/catalog/?words={CANARY}&vendor={CANARY}"),
    ]
    for page in pages:
        text = page.content.decode()
        assert "<script>alert" not in text
        assert "<img src=x" not in text
        assert ">49<" not in text
        assert "style=" not in text


def test_the_start_page_shows_an_approver_what_waits_for_them(
    people: People, alice: Client, version: PlanVersion
) -> None:
    pat = logged_in(make_member(people.team, "Pat", Role.APPROVER))
    assert "Waiting for your review" not in pat.get("/").content.decode()
    alice.post(f"/plans/{version.public_id}/submit")
    page = pat.get("/").content.decode()
    assert "Waiting for your review" in page
    assert f"/plans/{version.public_id}#review" in page
    for other in (alice, logged_in(people.memberships["bob"]), logged_in(people.memberships["charlie"])):
        assert "Waiting for your review" not in other.get("/").content.decode()
    pat.post(f"/plans/{version.public_id}/approve", {"reason": ""})
    assert "Waiting for your review" not in pat.get("/").content.decode()


def test_charts_of_a_shared_version_are_files_too_and_do_not_count_as_opened(
    alice: Client, version: PlanVersion, caplog: Any
) -> None:
    address = shared_address(alice, version)
    assert 'href="?file=/memory.csv"' in Client().get(address).content.decode()
    with caplog.at_level("INFO"):
        found = Client().get(f"{address}?file=/memory.csv")
    assert found.status_code == 200
    assert found["X-Robots-Tag"] == "noindex, nofollow"
    assert "no-store" in found["Cache-Control"]
    assert ShareLink.objects.get().opened == 1
    assert address not in caplog.text
    alice.post(f"/share-links/{ShareLink.objects.get().public_id}/revoke")
    assert Client().get(f"{address}?file=/memory.csv").status_code == 404


def test_a_stranger_can_pin_hide_and_leave_out_columns_too(alice: Client, version: PlanVersion) -> None:
    address = shared_address(alice, version)
    stranger = Client()
    other = version.plan.recommendation.alternatives[0].id
    text = stranger.get(address, {"hide": other, "without": "layout"}).content.decode()
    assert "One option is hidden" in text
    assert '<th scope="col" data-column="layout" hidden>' in text
    assert "Side by side, the recommended option first" in stranger.get(address, {"pin": other}).content.decode()
