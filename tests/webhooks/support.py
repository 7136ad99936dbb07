"""A team with one webhook to a receiver on this machine, and the job that delivers."""

from __future__ import annotations

import json
from typing import Any

from jobs.models import Job, State
from jobs.running import run_job
from tests.conftest import People
from webhooks import endpoints, outbox
from webhooks.models import Delivery, Endpoint

ALL = tuple(outbox.TYPES)


def hook(people: People, url: str, **more: Any) -> tuple[Endpoint, str]:
    """A webhook of Alice's to that address, and its secret."""
    given = {"name": "Budget", "url": url, "events": ALL, **more}
    return endpoints.create(people.memberships["alice"], **given)


def happen(people: People, type_: str = "plan.approved", **data: Any) -> Delivery:
    """An event for the one webhook there is."""
    event = outbox.emit(people.team, type_, data=data or {"version_id": "ver_x"}, figures={"name": "Secret plan"})
    assert event is not None
    return event.deliveries.get()


def deliver() -> Job:
    """Runs the job that delivers, as a worker would."""
    outbox.wake()
    job = Job.objects.get(key=outbox.KIND)
    run_job(job.pk, worker="test")
    job.refresh_from_db()
    assert job.state == State.SUCCEEDED, job.error
    return job


def parted(request: bytes) -> tuple[dict[str, str], bytes]:
    """Headers (names in lower case) and body of a request as the receiver read it."""
    head, _, body = request.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    return {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}, body


def told(request: bytes) -> dict[str, Any]:
    """The message in a request."""
    message: dict[str, Any] = json.loads(parted(request)[1])
    return message


def add_to_world(world: Any) -> None:
    """For the authorisation matrix: a webhook of the team with one delivery."""
    given = {"name": "ONLYNORTH hook", "url": "https://hooks.example/ONLYNORTH", "events": ALL}
    endpoint, _ = endpoints.create(world.members["admin"], **given)
    event = outbox.emit(world.team, "plan.approved", data={"plan_id": "ONLYNORTH"})
    assert event is not None
    world.objects |= {"webhook_id": endpoint.public_id, "delivery_id": event.deliveries.get().public_id}
