"""The rows of webhooks: where a team wants to be told, what happened, and every attempt to tell it.

::

    Endpoint ──┐
               ├── Delivery ──── Attempt
    Event ─────┘

    waiting ──2xx──▶ delivered ─┐
      ▲  │                      ├─ redelivered by a person ─▶ waiting
      │  └─ 24 hours over, off ─▶ failed ─┘
      └─ any other answer: again later
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.models import Team, User
from accounts.secrets import SealedText


def endpoint_id() -> str:
    """A new public id of a webhook."""
    return ids.new_id("whk")


def event_id() -> str:
    """A new public id of an event, which is the `webhook-id` of every delivery of it."""
    return ids.new_id("msg")


def delivery_id() -> str:
    """A new public id of a delivery."""
    return ids.new_id("dlv")


class Off(models.TextChoices):
    """Why an endpoint is turned off."""

    ON = "", _("On")
    PERSON = "person", _("Turned off by a person")
    GONE = "gone", _("The receiver answered 410 Gone")
    FAILING = "failing", _("Every delivery failed for days")


class Endpoint(models.Model):
    """An address of a team's own program, and the events that it wants."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=endpoint_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=80)
    url = models.CharField(max_length=2000)
    events = models.JSONField(help_text="Types of event that it is told of.")
    figures = models.BooleanField(default=False, help_text="Whether names, costs and reasons are told too.")
    secret = SealedText(editable=False)
    earlier_secret = SealedText(blank=True, editable=False)
    earlier_until = models.DateTimeField(null=True, help_text="Until when the earlier secret signs as well.")
    revision = models.PositiveIntegerField(default=1, help_text="Grows with each change by a person; the ETag.")
    enabled = models.BooleanField(default=True)
    off_reason = models.CharField(max_length=8, choices=Off.choices, blank=True, default=Off.ON)
    off_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True, help_text="The first failure after the last success.")
    failures = models.PositiveIntegerField(default=0, help_text="Attempts that failed since the last success.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["team", "-created_at"], name="webhook_of_team")]

    def __str__(self) -> str:
        return self.name

    def has_two_secrets(self, now: datetime) -> bool:
        """Whether the earlier secret still signs."""
        return bool(self.earlier_secret) and self.earlier_until is not None and now < self.earlier_until


class Event(models.Model):
    """Something that happened, written in the transaction in which it happened. Never changed; kept for 30 days."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=event_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhook_events")
    type = models.CharField(max_length=40)
    data = models.JSONField(help_text="Ids, hashes and links.")
    figures = models.JSONField(default=dict, help_text="What only endpoints that ask for it are told.")
    occurred_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes = [
            models.Index(fields=["occurred_at"], name="webhook_event_age"),
            models.Index(fields=["team", "occurred_at"], name="webhook_event_of_team"),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.public_id}"


class State(models.TextChoices):
    """Where a delivery stands."""

    WAITING = "waiting", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    FAILED = "failed", _("Given up")


class Delivery(models.Model):
    """One event for one endpoint. Only conditional UPDATEs in this room move it."""

    TEAM_PATH: ClassVar[str] = "endpoint__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=delivery_id)
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveIntegerField(default=0, help_text="All that were begun.")
    tries = models.PositiveSmallIntegerField(default=0, help_text="Those since the last redelivery by a person.")
    next_attempt_at = models.DateTimeField(null=True, default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["endpoint", "event"], name="webhook_delivery_once"),
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="webhook_delivery_state_known"),
        ]
        indexes = [
            models.Index(fields=["state", "next_attempt_at"], name="webhook_delivery_due"),
            models.Index(fields=["endpoint", "-created_at"], name="webhook_delivery_log"),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.endpoint}"


class Attempt(models.Model):
    """One request, written before it is sent; without an outcome when the worker was killed meanwhile."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="log")
    number = models.PositiveIntegerField()
    began_at = models.DateTimeField(default=timezone.now, editable=False)
    duration_ms = models.PositiveIntegerField(null=True)
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the answer, if there was one.")
    fault = models.CharField(max_length=20, blank=True, help_text="Code of outgoing.faults, if there was none.")
    note = models.CharField(max_length=300, blank=True, help_text="One sentence: why it failed.")
    answer = models.TextField(blank=True, help_text="The first 2 kB of the body.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["delivery", "number"], name="webhook_attempt_once")]

    def __str__(self) -> str:
        return f"{self.delivery} attempt {self.number}"

    @property
    def succeeded(self) -> bool:
        """Did the receiver take it?"""
        return self.status is not None and 200 <= self.status < 300
