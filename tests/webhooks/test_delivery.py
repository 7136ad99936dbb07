"""Delivery: signed, at least once, again with growing pauses, and never at the cost of other work."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction
from django.utils import timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from accounts.models import AuditEvent
from jobs import queue
from jobs.models import Job
from jobs.running import run_job
from tests.conftest import People
from tests.outgoing.bad_server import Behaviour, answer, close_early, drip, flood, hang, serving
from tests.webhooks.support import deliver, happen, hook, parted, told
from webhooks import endpoints, notices, outbox, outcomes, pump
from webhooks.models import Attempt, Delivery, Endpoint, Event, State


def test_it_works(people: People, settings: Any) -> None:
    with serving(answer(200, b"thanks")) as receiver:
        _, secret = hook(people, receiver.url("/hook?team=1"))
        delivery = happen(people, version_id="ver_1")
        deliver()
    (request,) = receiver.asked
    headers, body = parted(request)
    assert request.startswith(b"POST /hook?team=1 HTTP/1.1")
    assert headers["webhook-id"] == delivery.event.public_id
    assert Webhook(secret).verify(body, headers) == told(request)
    message = told(request)
    assert (message["type"], message["data"]) == ("plan.approved", {"version_id": "ver_1"})
    assert message["timestamp"].endswith("Z")
    delivery.refresh_from_db()
    attempt = delivery.log.get()
    assert (delivery.state, delivery.attempts, delivery.next_attempt_at) == (State.DELIVERED, 1, None)
    assert (attempt.status, attempt.answer, attempt.note) == (200, "thanks", "")
    assert attempt.duration_ms is not None


def test_an_old_timestamp_and_a_changed_body_are_refused_by_the_library(people: People) -> None:
    with serving(answer(204)) as receiver:
        _, secret = hook(people, receiver.url())
        happen(people)
        deliver()
    headers, body = parted(receiver.asked[0])
    library = Webhook(secret)
    library.verify(body, headers)
    sent = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
    assert abs((datetime.now(UTC) - sent).total_seconds()) < 60
    replayed = {**headers, "webhook-timestamp": str(int(sent.timestamp()) - 360)}
    for bad_headers, bad_body in (
        (replayed, body),
        (headers, body.replace(b"approved", b"returned")),
        ({**headers, "webhook-id": "msg_other"}, body),
    ):
        with pytest.raises(WebhookVerificationError):
            library.verify(bad_body, bad_headers)
    late = datetime.now(UTC) + timedelta(minutes=6)
    with pytest.MonkeyPatch.context() as patch:

        class Later(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:
                return late.astimezone(tz)

        patch.setattr("standardwebhooks.webhooks.datetime", Later)
        with pytest.raises(WebhookVerificationError, match="too old"):
            library.verify(body, headers)


def test_figures_are_told_only_to_who_asked(people: People) -> None:
    with serving(answer(204)) as receiver:
        hook(people, receiver.url("/plain"))
        hook(people, receiver.url("/all"), figures=True)
        outbox.emit(people.team, "plan.approved", data={"a": 1}, figures={"name": "Secret plan"})
        deliver()
    plain, every = sorted(receiver.asked, key=lambda request: b"/all" in request)
    assert b"Secret" not in plain
    assert told(every)["data"]["figures"] == {"name": "Secret plan"}


def test_an_event_is_written_with_what_happened_or_not_at_all(people: People) -> None:
    with serving(answer(204)) as receiver:
        hook(people, receiver.url(), events=("plan.approved",))
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            _ = happen(people).pk / 0
        outbox.emit(people.team, "plan.returned", data={})
        outbox.emit(people.other_team, "plan.approved", data={})
        assert not Delivery.objects.exists()
        with pytest.raises(ValueError, match="no type of event"):
            outbox.emit(people.team, "plan.invented", data={})
        deliver()
    assert receiver.asked == []


@pytest.mark.parametrize(
    ("behaviour", "status", "fault", "words"),
    [
        (answer(500, b"oops"), 500, "", "The receiver answered 500."),
        (answer(302, Location="http://169.254.169.254/latest"), 302, "", "redirects are not followed"),
        (hang, None, "timeout", "did not answer in time"),
        (drip(b"HTTP/1.1 200 OK\r\nX: "), None, "timeout", "did not answer in time"),
        (lambda sock, _stop: sock.close(), None, "broken_off", "did not answer whole"),
    ],
)
def test_a_bad_receiver_is_asked_again_later(
    people: People, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, status: int | None, fault: str, words: str
) -> None:
    _quick(monkeypatch)
    with serving(behaviour) as receiver:
        endpoint, _ = hook(people, receiver.url())
        delivery = happen(people)
        deliver()
    delivery.refresh_from_db()
    endpoint.refresh_from_db()
    attempt = delivery.log.get()
    assert (attempt.status, attempt.fault) == (status, fault)
    assert words in attempt.note
    assert delivery.state == State.WAITING
    assert delivery.next_attempt_at is not None
    assert timedelta(0) < delivery.next_attempt_at - timezone.now() < timedelta(seconds=6)
    assert endpoint.failures == 1
    assert endpoint.failing_since is not None
    assert len(receiver.asked) == 1


@pytest.mark.parametrize(
    "behaviour",
    [close_early, flood(b"HTTP/1.1 200 OK\r\n\r\n", b"y" * 65536), answer(202, b"z\x00\xff" * 5000)],
)
def test_of_a_good_answer_only_the_first_2_kb_are_kept(
    people: People, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour
) -> None:
    _quick(monkeypatch)
    with serving(behaviour) as receiver:
        hook(people, receiver.url())
        delivery = happen(people)
        deliver()
    delivery.refresh_from_db()
    kept = delivery.log.get().answer
    assert delivery.state == State.DELIVERED
    assert 0 < len(kept) <= 2048
    assert "\x00" not in kept


def test_the_pauses_grow_over_a_day_and_then_it_is_given_up(people: People) -> None:
    with serving(answer(503)) as receiver:
        hook(people, receiver.url())
        delivery = happen(people)
        ids = set()
        for _ in range(len(outcomes.PAUSES_S) + 1):
            Delivery.objects.update(next_attempt_at=timezone.now())
            deliver()
        ids = {parted(request)[0]["webhook-id"] for request in receiver.asked}
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.next_attempt_at) == (State.FAILED, 11, None)
    assert ids == {delivery.event.public_id}
    assert 23 < sum(outcomes.PAUSES_S) / 3600 < 24
    for tries, usual in enumerate(outcomes.PAUSES_S, 1):
        spread = {outcomes.pause_s(tries) or 0.0 for _ in range(20)}
        assert len(spread) > 1
        assert all(0.8 * usual <= pause <= 1.2 * usual for pause in spread)


def test_a_receiver_that_asks_for_time_gets_it_up_to_an_hour() -> None:
    assert outcomes.pause_s(1, 90.0) == 90.0
    assert outcomes.pause_s(1, 1e9) == 3600.0


def test_410_turns_the_webhook_off_and_tells_its_maker(people: People) -> None:
    with serving(answer(410)) as receiver:
        endpoint, _ = hook(people, receiver.url())
        first, second = happen(people), outbox.emit(people.team, "plan.returned", data={})
        deliver()
        later = outbox.emit(people.team, "plan.approved", data={})
        assert not later.deliveries.exists()
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.off_reason) == (False, "gone")
    assert {row.state for row in Delivery.objects.all()} == {State.FAILED}
    assert first.event_id != second.pk
    _mails()
    (letter,) = mail.outbox
    assert letter.to == [people.alice.email]
    assert "410 Gone" in letter.body
    assert endpoint.public_id in letter.body
    assert AuditEvent.objects.filter(verb="webhook.turned_off", subject=endpoint.public_id, actor=None).exists()


def test_days_of_failure_turn_it_off_and_a_success_in_between_does_not(people: People) -> None:
    with serving(answer(500), answer(200), answer(500)) as receiver:
        endpoint, _ = hook(people, receiver.url())
        happen(people)
        deliver()
        Endpoint.objects.update(failing_since=timezone.now() - timedelta(days=4))
        Delivery.objects.update(next_attempt_at=timezone.now())
        deliver()
        endpoint.refresh_from_db()
        assert (endpoint.enabled, endpoint.failing_since, endpoint.failures) == (True, None, 0)
        outbox.emit(people.team, "plan.approved", data={})
        deliver()
        Endpoint.objects.update(failing_since=timezone.now() - timedelta(days=2, hours=23))
        Delivery.objects.filter(state=State.WAITING).update(next_attempt_at=timezone.now())
        deliver()
        endpoint.refresh_from_db()
        assert endpoint.enabled
        Endpoint.objects.update(failing_since=timezone.now() - timedelta(days=3, minutes=1))
        Delivery.objects.filter(state=State.WAITING).update(next_attempt_at=timezone.now())
        deliver()
    endpoint.refresh_from_db()
    assert (endpoint.enabled, endpoint.off_reason) == (False, "failing")
    _mails()
    assert "failed for three days" in mail.outbox[0].body


def test_while_one_fails_the_others_of_its_endpoint_wait_and_come_at_once_when_it_works(people: People) -> None:
    with serving(answer(500), answer(200)) as receiver:
        hook(people, receiver.url())
        outbox.emit(people.team, "plan.approved", data={})
        outbox.emit(people.team, "plan.returned", data={})
        outbox.emit(people.team, "plan.submitted", data={})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pump, "OF_ONE_ENDPOINT", 1)
            deliver()
        assert len(receiver.asked) == 1
        waiting = list(Delivery.objects.values_list("next_attempt_at", flat=True))
        assert all(moment > timezone.now() for moment in waiting)
        Delivery.objects.filter(pk=Delivery.objects.order_by("pk")[0].pk).update(next_attempt_at=timezone.now())
        deliver()
    assert len(receiver.asked) == 4
    assert set(Delivery.objects.values_list("state", flat=True)) == {State.DELIVERED}


def test_receivers_that_hang_hold_up_nobody_else(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve due for a receiver that hangs, one for a good one: the good one has its answer within a second or two."""
    _quick(monkeypatch, total_s=1.5)
    monkeypatch.setattr(pump, "PASS_S", 2.0)
    with serving(hang) as bad, serving(answer(200)) as good:
        hook(people, bad.url(), name="Hangs")
        for _ in range(12):
            outbox.emit(people.team, "plan.approved", data={})
        endpoints.create(people.memberships["charlie"], name="Good", url=good.url(), events=["plan.approved"])
        event = outbox.emit(people.other_team, "plan.approved", data={})
        began = time.monotonic()
        deliver()
        took = time.monotonic() - began
    assert event is not None
    fine = event.deliveries.get().log.get()
    assert (fine.began_at - Attempt.objects.order_by("pk")[0].began_at).total_seconds() < 1.0
    assert len(bad.asked) <= pump.OF_ONE_ENDPOINT + 2
    assert took < 6.0


def test_rotation_keeps_the_earlier_secret_for_a_while(people: People) -> None:
    alice = people.memberships["alice"]
    with serving(answer(204)) as receiver:
        endpoint, old = hook(people, receiver.url())
        new = endpoints.rotate(alice, endpoint, keep_hours=24)
        happen(people)
        deliver()
        Endpoint.objects.update(earlier_until=timezone.now() - timedelta(seconds=1))
        outbox.emit(people.team, "plan.approved", data={})
        deliver()
        newest = endpoints.rotate(alice, endpoint, keep_hours=0)
        outbox.emit(people.team, "plan.approved", data={})
        deliver()
    valid = [{key for key in (old, new, newest) if _verifies(key, request)} for request in receiver.asked]
    assert valid == [{old, new}, {new}, {newest}]
    endpoint.refresh_from_db()
    for secret in (old, new, newest):
        assert secret not in f"{endpoint.secret}{endpoint.earlier_secret}"
        assert not AuditEvent.objects.filter(data__icontains=secret[6:20]).exists()


def test_a_sweep_sends_what_has_become_due(people: People) -> None:
    with serving(answer(204)) as receiver:
        hook(people, receiver.url())
        happen(people)
        queue.sweep()
        job = Job.objects.get(key=outbox.KIND)
        run_job(job.pk, worker="test")
        assert len(receiver.asked) == 1
        queue.sweep()
        job.refresh_from_db()
        assert job.is_done
        outbox.emit(people.team, "plan.approved", data={})
        queue.sweep()
        job.refresh_from_db()
        assert not job.is_done


def test_old_events_are_forgotten_but_not_while_they_wait(people: People) -> None:
    hook(people, "http://127.0.0.1:9/")
    kept, gone, young = (outbox.emit(people.team, "plan.approved", data={}) for _ in range(3))
    assert kept
    assert gone
    assert young
    Event.objects.exclude(pk=young.pk).update(occurred_at=timezone.now() - timedelta(days=31))
    Delivery.objects.exclude(event=kept).update(state=State.DELIVERED)
    Delivery.objects.filter(event=kept).update(next_attempt_at=timezone.now() + timedelta(hours=1))
    queue.sweep()
    run_job(Job.objects.get(key=outbox.KIND).pk, worker="test")
    assert set(Event.objects.values_list("pk", flat=True)) == {kept.pk, young.pk}
    queue.sweep()
    assert Job.objects.get(key=outbox.KIND).is_done  # nothing is due, and nothing is to be forgotten


def test_no_more_than_a_thousand_wait_for_one_endpoint(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING", 2)
    hook(people, "http://127.0.0.1:9/")
    states = []
    for _ in range(3):
        event = outbox.emit(people.team, "plan.approved", data={})
        assert event
        states.append(event.deliveries.get().state)
    assert states == [State.WAITING, State.WAITING, State.FAILED]


def _verifies(secret: str, request: bytes) -> bool:
    headers, body = parted(request)
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


def _quick(monkeypatch: pytest.MonkeyPatch, total_s: float = 0.5) -> None:
    from webhooks import message

    limits = message.Limits(total_s=total_s, connect_s=total_s, silence_s=total_s, most_bytes=message.KEPT_BYTES)
    monkeypatch.setattr(message, "LIMITS", limits)


def _mails() -> None:
    for job in Job.objects.filter(kind=notices.KIND, state="queued"):
        run_job(job.pk, worker="test")


def test_a_webhook_deleted_while_its_turn_comes_stops_nobody(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the question whose turn it is and the look at the webhook it was deleted."""
    with serving(answer(204)) as server:
        gone, _ = hook(people, server.url())
        stays, _ = hook(people, server.url())
        outbox.emit(people.team, "plan.approved", data={})
        room = pump._room

        def late(endpoint: Endpoint, under_way: list[Any]) -> int:
            Endpoint.objects.filter(pk=gone.pk).delete()
            return room(endpoint, under_way)

        first = Delivery.objects.get(endpoint=stays)
        Delivery.objects.filter(pk=first.pk).update(next_attempt_at=timezone.now() - timedelta(hours=1))
        monkeypatch.setattr(pump, "_room", late)
        deliver()
    first.refresh_from_db()
    assert first.state == State.DELIVERED


def test_what_was_changed_meanwhile_is_not_deleted(people: People) -> None:
    """The one who deletes has read an older state, also when the change came after their own If-Match was looked at."""
    endpoint, _ = hook(people, "https://hooks.example/x")
    read = endpoint.revision
    endpoints.change(people.memberships["alice"], endpoint, name="Another")
    with pytest.raises(endpoints.Conflict, match="read it again"):
        endpoints.delete(people.memberships["alice"], endpoint, revision=read)
    assert Endpoint.objects.filter(pk=endpoint.pk).exists()
    endpoints.delete(people.memberships["alice"], endpoint, revision=endpoint.revision)
    assert not Endpoint.objects.filter(pk=endpoint.pk).exists()
