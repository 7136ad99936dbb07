"""A file asked for: which version, which format, with which options, and the bytes that came of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone

from accounts import ids
from accounts.models import Team, User
from exports.brand import Brand, Logo, Rate
from exports.formats import FORMATS, MEDIA_TYPES, PAPERS
from jobs.models import Job
from planner.models import PlanVersion


def export_id() -> str:
    """A new public id of an export."""
    return ids.new_id("exp")


class LookFile(models.Model):
    """A logo or template of a team, kept once however many looks use it."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    sha256 = models.CharField(max_length=64, editable=False)
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "sha256"], name="look_file_once_in_a_team")]

    def __str__(self) -> str:
        return self.sha256[:12]


class Look(models.Model):
    """How a team's documents look, one row for each change: rows never change, so an old file can be made again."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="looks")
    number = models.PositiveIntegerField(help_text="1 for the team's first look.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the brand; empty for our own look.")
    settings = models.JSONField(help_text="Colours, font, footer, paper, locale and rate of exchange.")
    logo_size = models.JSONField(default=list, help_text="Width and height [pixel].")
    logo = models.ForeignKey(LookFile, null=True, on_delete=models.RESTRICT, related_name="+")
    word = models.ForeignKey(LookFile, null=True, on_delete=models.RESTRICT, related_name="+")
    slides = models.ForeignKey(LookFile, null=True, on_delete=models.RESTRICT, related_name="+")
    made_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "number"], name="look_number_once_in_a_team")]

    def __str__(self) -> str:
        return f"look {self.number} of {self.team}"

    @property
    def brand(self) -> Brand:
        """The row as the writers take it."""
        rest = dict(self.settings)
        rate = Rate(**rest.pop("rate"))
        logo = Logo(bytes(self.logo.data), *self.logo_size) if self.logo else Logo()
        word, slides = (bytes(part.data) if part else b"" for part in (self.word, self.slides))
        return Brand(**rest, rate=rate, logo=logo, word=word, slides=slides)


class Export(models.Model):
    """One file of one frozen plan version. Its key names the content, so asking twice gives one export and one file."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=export_id)
    version = models.ForeignKey(PlanVersion, on_delete=models.CASCADE, related_name="exports")
    format = models.CharField(max_length=4, choices=[(name, name) for name in FORMATS])
    paper = models.CharField(max_length=6, choices=[(name, name) for name in PAPERS], default="A4")
    look = models.ForeignKey(
        Look, null=True, on_delete=models.RESTRICT, related_name="+", help_text="The team's look; none for ours."
    )
    review = models.CharField(max_length=12, help_text="Review state that the document shows.")
    key = models.CharField(max_length=200, unique=True, editable=False)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="export")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file; it is also its name in storage.")
    bytes = models.PositiveBigIntegerField(default=0)
    requested_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(format__in=FORMATS), name="export_format_known"),
        ]

    def __str__(self) -> str:
        return f"{self.version} as {self.format}"

    @property
    def media_type(self) -> str:
        """What the file is, for the Content-Type."""
        return MEDIA_TYPES[self.format]

    @property
    def ready(self) -> bool:
        """Is the file there to be downloaded?"""
        return bool(self.sha256)
