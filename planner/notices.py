"""Mail about plans: a review is asked for, a decision was made, documents are ready.

A notice is a job like any other: asked for inside the step's own transaction, sent by the worker, tried again when the
mail server is away.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse

from accounts.models import Membership, User
from accounts.roles import DECIDERS
from jobs import queue
from jobs.registry import Running
from planner.models import PlanVersion

KIND = "planner.mail"


def review_asked(version: PlanVersion, asker: User) -> None:
    """Tells everybody who may decide and did not make the plan."""
    several = f" {version.approvals_needed} people must approve it." if version.approvals_needed > 1 else ""
    _mail(
        version,
        _deciders(version, asker),
        subject=f"Please review: {version.workload.name}, version {version.number}",
        body=f"{asker} asks for your approval.{several}\n\n{version.headline}",
        anchor="#review",
    )


def withdrawn(version: PlanVersion, author: User) -> None:
    """Tells the same people that nothing is to be decided any more."""
    _mail(
        version,
        _deciders(version, author),
        subject=f"Withdrawn: {version.workload.name}, version {version.number}",
        body=f"{author} has withdrawn the request for approval: there is nothing to decide any more.",
    )


def decided(version: PlanVersion) -> None:
    """Tells who made and who submitted the plan."""
    people = {person.pk: person for person in (version.created_by, version.submitted_by) if person}
    word = version.get_state_display().lower()
    reason = f"\n\n{version.reason}" if version.reason else ""
    _mail(
        version,
        people.values(),
        subject=f"{version.get_state_display()}: {version.workload.name}, version {version.number}",
        body=f"{version.decided_by} has decided: {word}.{reason}",
    )


def documents_ready(version: PlanVersion, person: User | None, formats: Iterable[str]) -> None:
    """Tells who asked for them that the files can be downloaded."""
    names = sorted(formats)
    _mail(
        version,
        [person] if person else [],
        subject=f"Ready: {version.workload.name}, version {version.number}",
        body=f"Your documents are ready: {', '.join(names)}.",
        anchor="#documents",
        # Two files that are done at the same moment send one mail.
        key=f"mail:{version.public_id}:{version.state}:{person.pk if person else 0}:{'-'.join(names)}",
    )


def _deciders(version: PlanVersion, asker: User) -> list[User]:
    """Who may decide on a version that this person has submitted."""
    rows = Membership.objects.filter(team=version.workload.team, role__in=DECIDERS, user__is_active=True)
    others = rows.exclude(user_id__in=[pk for pk in (asker.pk, version.created_by_id) if pk])
    return [member.user for member in others.select_related("user")]


def _mail(
    version: PlanVersion, people: Iterable[User], *, subject: str, body: str, anchor: str = "", key: str | None = None
) -> None:
    address = settings.SITE_URL + reverse("planner:plan", args=[version.public_id]) + anchor
    to = sorted({person.email for person in people if person.is_active})
    if to:
        one_line = " ".join(subject.split())[:180]
        payload = {"to": to, "subject": f"[Sextant] {one_line}", "body": f"{body}\n\n{address}\n"}
        queue.enqueue(KIND, team=version.workload.team, payload=payload, key=key)


def send(job: Running) -> dict[str, Any]:
    """Sends one notice to each address, so that nobody sees the others."""
    payload = job.payload
    for address in payload["to"]:
        send_mail(payload["subject"], payload["body"], None, [address])
    return {"sent": len(payload["to"])}
