"""The row of a job, and the sign of life of a worker.

::

    queued ──claim──▶ running ──finish──▶ succeeded
      ▲  ▲               │ ├────fail────▶ failed ──retry──▶ queued
      │  └──lease over───┘ └──cancel────▶ cancelled ◀──cancel── queued
      └── new

Every arrow is one conditional UPDATE in jobs/queue.py; nothing else writes these fields.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.models import Team


class State(models.TextChoices):
    """Where a job stands."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    SUCCEEDED = "succeeded", _("Succeeded")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


class Job(models.Model):
    """Work asked for, and what became of it. The row is the truth; a message on the broker only rings for it."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.job_id)
    team = models.ForeignKey(Team, null=True, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=60, help_text="Names the handler in jobs/registry.py.")
    key = models.CharField(max_length=200, unique=True, help_text="Asking twice with one key makes one job.")
    payload = models.JSONField(default=dict)

    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    fence = models.PositiveIntegerField(default=0, help_text="Rises with each claim; an older claimant may not write.")
    lease_until = models.DateTimeField(null=True, help_text="Until when the claimant must be heard again.")
    heartbeat_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=120, blank=True)

    progress = models.PositiveSmallIntegerField(default=0, help_text="Percent.")
    note = models.CharField(max_length=200, blank=True, help_text="What is being done, in a few words.")
    result = models.JSONField(null=True)
    error = models.JSONField(null=True, help_text='{"code": ..., "message": one sentence}.')

    created_at = models.DateTimeField(default=timezone.now, editable=False)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    published = models.PositiveSmallIntegerField(default=0, help_text="How often its message was sent.")
    ring_again_at = models.DateTimeField(default=timezone.now, help_text="When the sweep may send it again.")
    held_until = models.DateTimeField(null=True, help_text="After a fault that may pass: when it may begin again.")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="job_state_known"),
            models.CheckConstraint(condition=models.Q(progress__lte=100), name="job_progress_percent"),
        ]
        indexes = [
            models.Index(fields=["state", "lease_until"], name="job_state_lease"),
            models.Index(fields=["state", "ring_again_at"], name="job_state_ring"),
            models.Index(
                fields=["kind", "team", "created_at"], condition=models.Q(state="queued"), name="job_waiting_of_team"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id} ({self.state})"

    @property
    def is_done(self) -> bool:
        """Whether nothing more will happen unless someone asks for a retry."""
        return self.state in (State.SUCCEEDED, State.FAILED, State.CANCELLED)


class Turn(models.Model):
    """When a team was last served in a lane; team 0 is the machine's own work."""

    lane = models.CharField(max_length=20)
    team = models.PositiveBigIntegerField()
    served_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["lane", "team"], name="turn_once")]

    def __str__(self) -> str:
        return f"{self.lane} of {self.team} at {self.served_at:%Y-%m-%d %H:%M:%S}"


class WorkerHeartbeat(models.Model):
    """When a worker or a sweeper was last heard; one row for each."""

    worker = models.CharField(max_length=120, unique=True)
    seen_at = models.DateTimeField()
    lanes = models.CharField(max_length=200, blank=True, db_default="", help_text="What it serves, by commas.")

    def __str__(self) -> str:
        return f"{self.worker} at {self.seen_at:%Y-%m-%d %H:%M:%S}"
