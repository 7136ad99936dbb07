"""The row that holds a sheet; written by planner/sheets/kept.py alone."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class KeptSheet(models.Model):
    """The sheet of one approved version. Nothing but a copy: whoever finds none, or one of other code, makes it again."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.OneToOneField("planner.PlanVersion", on_delete=models.CASCADE, related_name="kept_sheet")
    made_by = models.CharField(
        max_length=32, help_text="Of the code that made it and of what it says besides the plan."
    )
    body = models.BinaryField(help_text="The sheet as JSON, compressed.")

    def __str__(self) -> str:
        return f"{self.version}: sheet"
