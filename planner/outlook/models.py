"""What an approved version looked like when it was last asked again; written by planner/outlook/work.py alone."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone


class Outlook(models.Model):
    """The state that was last told of one version, so that nothing is told twice."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.OneToOneField("planner.PlanVersion", on_delete=models.CASCADE, related_name="outlook")
    release = models.CharField(max_length=64, help_text="Of the team's market on which it was asked again.")
    cost = models.CharField(max_length=6, default="within", help_text="Today's cost: within, above or below its band.")
    changed = models.JSONField(default=list, help_text="What would be chosen otherwise today.")
    looked_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"{self.version}: {self.cost}, {len(self.changed)} changed"
