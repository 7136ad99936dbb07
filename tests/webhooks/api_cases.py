"""What tests/api/test_statuses.py needs to provoke every status of the operations on webhooks."""

from __future__ import annotations

from typing import Any

from rest.models import IdempotencyRecord
from webhooks import endpoints, outbox
from webhooks.models import Endpoint

HOOK: dict[str, Any] = {"name": "Budget", "url": "https://hooks.example/budget", "events": ["plan.approved"]}
BODIES: dict[str, Any] = {
    "create_webhook": HOOK,
    "change_webhook": {"figures": True},
    "rotate_webhook_secret": {"keep_hours": 1},
}


def ids(world: Any, path: str) -> dict[str, str]:
    """The webhook and the delivery that an address names, made when they are first asked for."""
    if "{webhook_id}" not in path and "{delivery_id}" not in path:
        return {}
    endpoint = Endpoint.objects.first() or endpoints.create(world.alice.member, **HOOK)[0]
    delivery = endpoint.deliveries.first() or outbox.emit_test(endpoint)
    return {"webhook_id": endpoint.public_id, "delivery_id": delivery.public_id}


def _off(world: Any, name: str) -> Any:
    world.call("change_webhook", body={"enabled": False})
    return world.call(name)


def _running(world: Any, name: str) -> Any:
    """A second request while the first one with that key is not done."""
    world.call(name, Idempotency_Key="k")
    IdempotencyRecord.objects.update(status=None)
    return world.call(name, Idempotency_Key="k")


def _reused(world: Any, name: str) -> Any:
    """The key of another request."""
    world.call("create_webhook", Idempotency_Key="k")
    return world.call(name, Idempotency_Key="k")


OWN: dict[tuple[str, int], Any] = {
    ("create_webhook", 409): lambda world: _running(world, "create_webhook"),
    ("rotate_webhook_secret", 409): lambda world: _running(world, "rotate_webhook_secret"),
    ("change_webhook", 412): lambda world: world.call("change_webhook", If_Match='"old"'),
    ("delete_webhook", 412): lambda world: world.call("delete_webhook", If_Match='"old"'),
    ("test_webhook", 409): lambda world: _off(world, "test_webhook"),
    ("test_webhook", 422): lambda world: _reused(world, "test_webhook"),
    ("redeliver", 409): lambda world: _off(world, "redeliver"),
    ("redeliver", 422): lambda world: _reused(world, "redeliver"),
    ("list_deliveries", 404): lambda world: world.alice.get("/deliveries?webhook=whk_nothing"),
}
