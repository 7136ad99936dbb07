"""The row of a series. What its pieces are and how far they came stands in the rows of their jobs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.models import Team, User


def series_id() -> str:
    """A new public id of a series."""
    return ids.new_id("ser")


class Kind(models.TextChoices):
    """What each of its plans is."""

    SCENARIOS = "scenarios", _("Scenarios of one version")
    REPRICING = "repricing", _("Newest versions on today's prices")


class Series(models.Model):
    """Plans that are asked for together, on one day and one market. Never changes; its jobs do the work."""

    TEAM_PATH: ClassVar[str] = "team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=series_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="series")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    version = models.ForeignKey(
        "planner.PlanVersion", null=True, on_delete=models.CASCADE, related_name="+", help_text="What scenarios change."
    )
    items = models.JSONField(help_text="Of scenarios their changes; of a re-pricing the ids of the versions.")
    day = models.DateField(help_text="The day of every request.")
    release = models.CharField(max_length=64, help_text="Of the team's market; on another one no piece is worked.")
    piece = models.PositiveSmallIntegerField(help_text="Items of one job.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        verbose_name_plural = "series"

    def __str__(self) -> str:
        return f"{len(self.items)} {self.kind} of {self.team}"
