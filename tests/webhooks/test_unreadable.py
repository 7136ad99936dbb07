"""A secret that cannot be read any more: the webhook fails and says why, and the others are told as always."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from tests.conftest import People
from tests.outgoing.bad_server import answer, serving
from tests.webhooks.support import deliver, hook, parted
from webhooks import endpoints, outbox
from webhooks.models import Delivery, Endpoint, State


def test_one_unreadable_secret_stops_no_other_webhook(people: People) -> None:
    with serving(answer(204)) as receiver:
        broken, _ = hook(people, receiver.url("/broken"))
        hook(people, receiver.url("/whole"))
        Endpoint.objects.filter(pk=broken.pk).update(secret="sealed by a key that is gone")
        outbox.emit(people.team, "plan.approved", data={"version_id": "ver_x"})
        Delivery.objects.filter(endpoint=broken).update(next_attempt_at=timezone.now() - timedelta(minutes=1))
        deliver()
    assert [request.split()[1] for request in receiver.asked] == [b"/whole"]
    failed = Delivery.objects.get(endpoint=broken)
    assert failed.state == State.WAITING
    assert failed.next_attempt_at is not None
    assert failed.next_attempt_at > timezone.now()
    assert "cannot be read" in failed.log.get().note
    assert Endpoint.objects.get(pk=broken.pk).failures == 1


def test_a_new_secret_mends_it_also_while_the_unreadable_one_is_kept(people: People) -> None:
    with serving(answer(204)) as receiver:
        broken, _ = hook(people, receiver.url())
        Endpoint.objects.filter(pk=broken.pk).update(secret="sealed by a key that is gone")
        secret = endpoints.rotate(people.memberships["alice"], broken, keep_hours=24)
        outbox.emit(people.team, "plan.approved", data={"version_id": "ver_x"})
        deliver()
    headers, body = parted(receiver.asked[0])
    Webhook(secret).verify(body, headers)
    assert len(headers["webhook-signature"].split()) == 1
