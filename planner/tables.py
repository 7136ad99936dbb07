"""Rows beside the versions: series, what was last told of a version, and the sheets that are kept. Their rooms alone write them."""

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


class Outlook(models.Model):
    """What an approved version looked like when it was last asked again, so that nothing is told twice; written by
    planner/outlook/work.py alone."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.OneToOneField("planner.PlanVersion", on_delete=models.CASCADE, related_name="outlook")
    release = models.CharField(max_length=64, help_text="Of the team's market on which it was asked again.")
    cost = models.CharField(max_length=6, default="within", help_text="Today's cost: within, above or below its band.")
    changed = models.JSONField(default=list, help_text="What would be chosen otherwise today.")
    looked_at = models.DateTimeField(default=timezone.now)
    unmailed = models.TextField(
        blank=True, default="", db_default="", help_text="What members are still to be written of it; empty: nothing."
    )

    class Meta:
        indexes = [models.Index(fields=["version"], name="outlook_unmailed", condition=~models.Q(unmailed=""))]

    def __str__(self) -> str:
        return f"{self.version}: {self.cost}, {len(self.changed)} changed"


class KeptSheet(models.Model):
    """The sheet of one approved version, written by planner/budgets/sheets/kept.py alone. Nothing but a copy: whoever finds none, or one of
    other code, makes it again."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.OneToOneField("planner.PlanVersion", on_delete=models.CASCADE, related_name="kept_sheet")
    made_by = models.CharField(
        max_length=32, help_text="Of the code that made it and of what it says besides the plan."
    )
    body = models.BinaryField(help_text="The sheet as JSON, compressed.")

    def __str__(self) -> str:
        return f"{self.version}: sheet"


class KeptLevers(models.Model):
    """What could be had for less money beside one version, weighed once and never again (planner/levers/kept.py), so that its documents say
    the same whenever they are made."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.OneToOneField("planner.PlanVersion", on_delete=models.CASCADE, related_name="kept_levers")
    body = models.TextField(editable=False, help_text="Canonical JSON of what was weighed.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.version}: levers"
