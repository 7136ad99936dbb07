"""Mail about a webhook that was turned off: to who made it while that person belongs to the team, else to its admins."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from accounts.models import Membership, Role
from jobs import queue
from jobs.registry import Running
from webhooks.models import Endpoint, Off

KIND: Final = "webhooks.mail"
_WHY: Final = {
    Off.GONE: "its receiver answered “410 Gone”, which says that nobody listens there any more",
    Off.FAILING: "every delivery to it has failed for three days",
}


def turned_off(endpoint: Endpoint, reason: Off) -> None:
    """Asks for the mail, in the transaction that turned it off."""
    members = Membership.objects.filter(team=endpoint.team_id, user__is_active=True).select_related("user")
    owner = members.filter(user=endpoint.created_by_id)
    people = owner if owner.exists() else members.filter(role=Role.ADMIN)
    address = settings.SITE_URL + reverse("webhooks:one", args=[endpoint.public_id])
    name = " ".join(endpoint.name.split())
    body = (
        f"The webhook “{name}” was turned off: {_WHY[reason]}.\n\n"
        f"What was waiting for it was given up; its log keeps it for 30 days. When the receiver works again, turn the "
        f"webhook on and send again what it has missed:\n\n{address}\n"
    )
    payload = {
        "to": sorted({member.user.email for member in people}),
        "subject": f"[Sextant] Turned off: webhook {name}",
        "body": body,
    }
    queue.enqueue(KIND, team=endpoint.team, payload=payload)


def send(job: Running) -> dict[str, Any]:
    """Sends one notice to each address, so that nobody sees the others."""
    payload = job.payload
    for address in payload["to"]:
        send_mail(payload["subject"], payload["body"], None, [address])
    return {"sent": len(payload["to"])}
