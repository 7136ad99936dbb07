"""The pages of webhooks: for admins, nothing typed is lost, nothing shown runs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from tests.accounts.sign_in_support import proved
from tests.conftest import People
from tests.outgoing.bad_server import answer, serving
from tests.webhooks.support import deliver, happen, hook
from webhooks import endpoints, outbox
from webhooks.models import Delivery, Endpoint, State

CANARY = "\"><script>alert('x')</script>{{7*7}}"
FORM = {"name": "Budget", "url": "https://hooks.example/x", "events": ["plan.approved", "export.failed"]}


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return proved(client)


def _text(response: Any) -> str:
    return str(response.content.decode())


def test_it_works(alice: Client) -> None:
    assert "No webhook yet" in _text(alice.get("/webhooks/"))
    made = alice.post("/webhooks/", FORM)
    row = Endpoint.objects.get()
    secret = re.search(r"whsec_[A-Za-z0-9+/=]+", _text(made))
    assert secret
    assert made["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert (row.events, row.figures) == (["plan.approved", "export.failed"], False)
    for address in ("/webhooks/", f"/webhooks/{row.public_id}", "/accounts/team"):
        page = _text(alice.get(address))
        assert secret.group() not in page
    assert "hooks.example" in _text(alice.get("/webhooks/"))


def test_what_was_typed_is_not_lost(alice: Client, settings: Any) -> None:
    settings.OUTGOING_LOOPBACK = False
    page = alice.post("/webhooks/", {**FORM, "url": "https://10.0.0.1/x", "figures": "on"})
    text = _text(page)
    assert page.status_code == 422
    assert "not a public address" in text
    for kept in (
        'value="Budget"',
        'value="https://10.0.0.1/x"',
        'value="export.failed" checked',
        'name="figures" id="hook-figures" checked',
    ):
        assert kept in text
    assert not Endpoint.objects.exists()
    assert "“events” is empty" in _text(alice.post("/webhooks/", {**FORM, "events": []}))


def test_settings_are_changed_switched_and_removed(alice: Client, people: People) -> None:
    endpoint, _ = hook(people, "https://hooks.example/x")
    at = f"/webhooks/{endpoint.public_id}"
    page = alice.post(at, {**FORM, "url": "ftp://x"})
    assert page.status_code == 422
    assert "must begin with https://" in _text(page)
    alice.post(at, {**FORM, "name": "Other", "figures": "on"})
    endpoint.refresh_from_db()
    assert (endpoint.name, endpoint.figures, len(endpoint.events)) == ("Other", True, 2)
    alice.post(f"{at}/off")
    endpoint.refresh_from_db()
    assert not endpoint.enabled
    assert "Turned off by a person" in _text(alice.get(at))
    assert "turn it on first" in _text(alice.post(f"{at}/test", follow=True))
    alice.post(f"{at}/on")
    endpoint.refresh_from_db()
    assert endpoint.enabled
    assert alice.post(f"{at}/explode").status_code == 404
    before = endpoint.secret
    assert "whsec_" in _text(alice.post(f"{at}/rotate", {"keep_hours": "24"}))
    assert "must be one of" in _text(alice.post(f"{at}/rotate", {"keep_hours": "²"}, follow=True))
    endpoint.refresh_from_db()
    assert endpoint.earlier_secret == before
    alice.post(f"{at}/delete")
    assert not Endpoint.objects.exists()


def test_the_log_says_what_happened_and_sends_again(alice: Client, people: People) -> None:
    with serving(answer(500, CANARY.encode()), answer(200)) as receiver:
        endpoint, _ = hook(people, receiver.url(), name=CANARY)
        delivery = happen(people, version_id=CANARY)
        deliver()
        at = f"/webhooks/deliveries/{delivery.public_id}"
        page = _text(alice.get(at))
        assert "The receiver answered 500." in page
        assert "Next try" in page
        for address in (at, "/webhooks/", f"/webhooks/{endpoint.public_id}"):
            text = _text(alice.get(address))
            assert "<script>alert" not in text
            assert "&lt;script&gt;alert" in text
        alice.post(f"{at}/redeliver")
        deliver()
    assert Delivery.objects.get().state == State.DELIVERED
    assert "Delivered" in _text(alice.get(at))
    log = f"/webhooks/{endpoint.public_id}"
    assert "plan.approved</a>" in _text(alice.get(f"{log}?state=delivered"))
    assert "No delivery is in this state" in _text(alice.get(f"{log}?state=failed"))
    assert alice.get(f"{log}?state=nonsense&page=x").status_code == 200


def test_the_pages_ask_few_questions(alice: Client, people: People, django_assert_max_num_queries: Any) -> None:
    for number in range(endpoints.MOST):
        hook(people, "https://hooks.example/x", name=f"Hook {number}")
    for _ in range(40):
        outbox.emit(people.team, "plan.approved", data={})
    row = Delivery.objects.all()[0]
    for address, most in (("/webhooks/", 6), (f"/webhooks/{row.endpoint.public_id}", 7),
                          (f"/webhooks/deliveries/{row.public_id}", 7)):  # fmt: skip
        with django_assert_max_num_queries(most):
            assert alice.get(address).status_code == 200
    assert "Page 1 of 2" in _text(alice.get(f"/webhooks/{row.endpoint.public_id}"))
    assert "which is the most it can have" in _text(alice.get("/webhooks/"))
