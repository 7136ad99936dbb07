"""What was answered to a request with an Idempotency-Key."""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class IdempotencyRecord(models.Model):
    """One key of one caller: the request it stands for and, once it is done, the answer. Kept for 24 hours."""

    caller = models.CharField(max_length=64, help_text="Who sent it: the public id of the token.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of method, address and body.")
    reserved_at = models.DateTimeField(default=timezone.now, help_text="When the work that is under way began.")
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the answer; empty while it is worked on.")
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["caller", "key"], name="idempotency_key_once")]
        indexes = [models.Index(fields=["caller", "created_at"], name="idempotency_caller_age")]

    def __str__(self) -> str:
        return f"{self.caller} {self.key}"
