"""The write steps of webhooks: each one transaction with its audit row. For admins: a webhook carries data out."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import access, audit
from accounts.models import ApiToken, AuditEvent, Membership, Team
from accounts.secrets import seal
from outgoing.addresses import refuse_at_sight
from outgoing.faults import OutgoingFault
from webhooks import outbox
from webhooks.models import Delivery, Endpoint, Off, State
from webhooks.outcomes import switch_off
from webhooks.signing import new_secret

MOST: Final = 10
"""Webhooks of one team."""
KEEPS_HOURS: Final = (0, 1, 24, 72)
"""For how long the earlier secret may sign as well after a rotation."""


BY_HAND: Final = 30
"""Test events and repeated deliveries of one team within `BY_HAND_WITHIN`: nobody's server is hammered through ours."""
BY_HAND_WITHIN: Final = timedelta(minutes=1)


class Refused(ValueError):
    """One sentence about the field that is wrong."""

    def __init__(self, field: str, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field, self.code = field, code


class Conflict(Exception):
    """The step does not fit the state of the row, or somebody else was first; the message says how."""


class TooMany(Exception):
    """The team has sent enough by hand for this minute."""


@transaction.atomic
def create(
    member: Membership,
    *,
    name: str,
    url: str,
    events: Collection[str],
    figures: bool = False,
    token: ApiToken | None = None,
) -> tuple[Endpoint, str]:
    """The new webhook and its secret, to show once. Refused names the field; Conflict when the team has enough."""
    access.require_role(member)
    _check(name=name, url=url, events=events)
    Team.objects.select_for_update().get(pk=member.team_id)  # two that are made at once count each other
    if Endpoint.objects.filter(team=member.team).count() >= MOST:
        raise Conflict(f"The team has {MOST} webhooks already: delete one first.")
    secret = new_secret()
    row = Endpoint.objects.create(
        team=member.team,
        name=name.strip(),
        url=url,
        events=_sorted(events),
        figures=figures,
        secret=seal(secret),
        created_by=member.user,
    )
    _audit("webhook.created", row, member, token, host=urlsplit(url).hostname, events=row.events, figures=figures)
    return row, secret


@transaction.atomic
def change(
    member: Membership,
    endpoint: Endpoint,
    *,
    revision: int | None = None,
    name: str | None = None,
    url: str | None = None,
    events: Collection[str] | None = None,
    figures: bool | None = None,
    enabled: bool | None = None,
    token: ApiToken | None = None,
) -> Endpoint:
    """The changed webhook; what is None stays. Conflict when `revision` is not the stored one."""
    access.require_role(member)
    _check(name=name, url=url, events=events)
    given = {"url": url, "figures": figures, "name": name.strip() if name is not None else None}
    fields: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    if events is not None:
        fields["events"] = _sorted(events)
    rows = access.rows_of(member.team, Endpoint).filter(pk=endpoint.pk)
    if revision is not None:
        rows = rows.filter(revision=revision)
    if not rows.update(**fields, revision=F("revision") + 1, updated_at=timezone.now()):
        raise Conflict("Somebody else has changed this webhook since you read it: read it again.")
    changed = {key: value for key, value in fields.items() if key not in ("url", "name")}
    if url is not None:
        changed["host"] = urlsplit(url).hostname
    _audit("webhook.changed", endpoint, member, token, **changed)
    if enabled is not None:
        _switch(member, endpoint, enabled, token)
    endpoint.refresh_from_db()
    return endpoint


@transaction.atomic
def delete(
    member: Membership, endpoint: Endpoint, *, revision: int | None = None, token: ApiToken | None = None
) -> None:
    """Removes the webhook with its log; the audit trail stays. Conflict when `revision` is not the stored one."""
    access.require_role(member)
    rows = access.rows_of(member.team, Endpoint).filter(pk=endpoint.pk)
    # Locked: a change that is under way is seen before, or comes after and finds nothing.
    held = rows.select_for_update().first()
    if held is not None and revision is not None and held.revision != revision:
        raise Conflict("Somebody else has changed this webhook since you read it: read it again.")
    if rows.delete()[0]:
        _audit("webhook.deleted", endpoint, member, token, host=urlsplit(endpoint.url).hostname)


@transaction.atomic
def rotate(member: Membership, endpoint: Endpoint, *, keep_hours: int, token: ApiToken | None = None) -> str:
    """The new secret, to show once. For `keep_hours` every delivery carries the signature of the earlier one too."""
    access.require_role(member)
    if keep_hours not in KEEPS_HOURS:
        hours = ", ".join(str(number) for number in KEEPS_HOURS)
        raise Refused("keep_hours", "choice", f"“keep_hours” must be one of {hours}.")
    # Read anew under a lock: of two rotations at once the second must keep what the first has made.
    row = Endpoint.objects.select_for_update().get(pk=endpoint.pk, team=member.team)
    secret = new_secret()
    Endpoint.objects.filter(pk=row.pk).update(
        secret=seal(secret),
        earlier_secret=row.secret if keep_hours else "",
        earlier_until=timezone.now() + timedelta(hours=keep_hours) if keep_hours else None,
        revision=F("revision") + 1,
        updated_at=timezone.now(),
    )
    endpoint.refresh_from_db()
    _audit("webhook.secret_rotated", endpoint, member, token, keep_hours=keep_hours)
    return secret


@transaction.atomic
def send_test(member: Membership, endpoint: Endpoint, *, token: ApiToken | None = None) -> Delivery:
    """The delivery of a test event. Conflict while the webhook is off, TooMany after 30 in a minute."""
    access.require_role(member)
    _require_on(endpoint)
    _count_by_hand(member)
    delivery = outbox.emit_test(endpoint)
    _audit("webhook.tested", endpoint, member, token, delivery=delivery.public_id)
    return delivery


@transaction.atomic
def redeliver(member: Membership, delivery: Delivery, *, token: ApiToken | None = None) -> Delivery:
    """The delivery, sent again at once under the same `webhook-id`, with a new budget of attempts.

    Conflict while the webhook is off, TooMany after 30 in a minute.
    """
    access.require_role(member)
    _require_on(delivery.endpoint)
    _count_by_hand(member)
    rows = access.rows_of(member.team, Delivery).filter(pk=delivery.pk)
    rows.update(state=State.WAITING, tries=0, next_attempt_at=timezone.now(), finished_at=None)
    transaction.on_commit(outbox.wake, robust=True)
    _audit("webhook.redelivered", delivery.endpoint, member, token, delivery=delivery.public_id)
    delivery.refresh_from_db()
    return delivery


def _switch(member: Membership, endpoint: Endpoint, enabled: bool, token: ApiToken | None) -> None:
    rows = Endpoint.objects.filter(pk=endpoint.pk, enabled=not enabled)
    if not enabled:
        if rows.exists():
            switch_off(endpoint, Off.PERSON)
            _audit("webhook.turned_off", endpoint, member, token, reason=str(Off.PERSON))
    elif rows.update(enabled=True, off_reason=Off.ON, off_at=None, failing_since=None, failures=0):
        _audit("webhook.turned_on", endpoint, member, token)


def _require_on(endpoint: Endpoint) -> None:
    if not endpoint.enabled:
        raise Conflict("This webhook is turned off: turn it on first.")


def _count_by_hand(member: Membership) -> None:
    Team.objects.select_for_update().get(pk=member.team_id)  # one after the other, so that none slips past the count
    since = timezone.now() - BY_HAND_WITHIN
    verbs = ("webhook.tested", "webhook.redelivered")
    if access.rows_of(member.team, AuditEvent).filter(verb__in=verbs, at__gt=since).count() >= BY_HAND:
        raise TooMany(f"The team has sent {BY_HAND} messages by hand within a minute: try again in a minute.")


def _check(*, name: str | None, url: str | None, events: Collection[str] | None) -> None:
    if name is not None and not 0 < len(name.strip()) <= 80:
        raise Refused("name", "length", "“name” needs 1 to 80 characters.")
    if url is not None:
        try:
            refuse_at_sight(url)
        except OutgoingFault as error:
            raise Refused("url", error.code, f"“url” cannot be used. {error}") from error
    if events is not None and not events:
        raise Refused("events", "empty", "“events” is empty: choose at least one.")
    if unknown := sorted(set(events or ()) - outbox.TYPES.keys()):
        raise Refused("events", "unknown", f"There is no event “{unknown[0]}”: choose from {', '.join(outbox.TYPES)}.")


def _sorted(events: Collection[str]) -> list[str]:
    return [type_ for type_ in outbox.TYPES if type_ in events]


def _audit(verb: str, row: Endpoint, member: Membership, token: ApiToken | None, **data: object) -> None:
    audit.record(verb, row.public_id, team=member.team, actor=member.user, token=token, data=data)
