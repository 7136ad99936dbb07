"""The catalog in the database: facts as they were published, prices as append-only rows, and the release they make."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.models import Team, User
from catalog.records import SOURCE_WIDTHS, WIDTHS
from catalog.release import NOTHING


def batch_id() -> str:
    """A new public id of an import; migrations name it."""
    return ids.new_id("batch")


def entry_id() -> str:
    """A new public id of a team's own entry; migrations name it."""
    return ids.new_id("entry")


class Source(models.Model):
    """Where facts come from."""

    key = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=SOURCE_WIDTHS["title"])
    where = models.CharField(max_length=SOURCE_WIDTHS["where"])
    licence = models.CharField(max_length=SOURCE_WIDTHS["licence"], blank=True)
    via = models.CharField(
        max_length=SOURCE_WIDTHS["via"],
        blank=True,
        default="",
        db_default="",
        help_text="“comparison”: prices of others, compared.",
    )

    def __str__(self) -> str:
        return self.title


class Entry(models.Model):
    """One thing of the catalog and its facts: accelerator, system, region, provider, and so on."""

    kind = models.CharField(max_length=20)
    slug = models.CharField(max_length=120)
    name = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(help_text="Field → [text, unit, dimension, source, date, confidence].")

    objects: ClassVar[models.Manager[Entry]] = models.Manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "slug"], name="catalog_entry_kind_slug")]
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"{self.kind} {self.slug}"


class OfKind(models.Manager[Entry]):
    """Entries of one kind."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def get_queryset(self) -> models.QuerySet[Entry]:
        """Only that kind."""
        return super().get_queryset().filter(kind=self.kind)


class Accelerator(Entry):
    """Entries that are accelerators."""

    objects: ClassVar[OfKind] = OfKind("accelerator")

    class Meta:
        proxy = True


class System(Entry):
    """Entries that are servers or racks."""

    objects: ClassVar[OfKind] = OfKind("system")

    class Meta:
        proxy = True


class Region(Entry):
    """Entries that are regions of a provider."""

    objects: ClassVar[OfKind] = OfKind("region")

    class Meta:
        proxy = True


class BatchStatus(models.TextChoices):
    """Where an import stands: draft → validated → published → rolled back. Only published rows reach a plan."""

    DRAFT = "draft", _("Draft")
    VALIDATED = "validated", _("Validated")
    PUBLISHED = "published", _("Published")
    REPLACED = "replaced", _("Replaced")
    ROLLED_BACK = "rolled_back", _("Rolled back")
    DISCARDED = "discarded", _("Discarded")


class ImportBatch(models.Model):
    """One import of prices: what was read, what was refused and why, who published it."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=batch_id)
    name = models.CharField(max_length=120, help_text="Where the rows come from: file or feed.")
    sha256 = models.CharField(max_length=64, help_text="Of the file and of how it was read.")
    status = models.CharField(max_length=12, choices=BatchStatus.choices, default=BatchStatus.DRAFT)
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    lines = models.PositiveIntegerField(default=0)
    found = models.PositiveIntegerField(default=0, help_text="Prices in the file.")
    prices = models.PositiveIntegerField(default=0, help_text="Prices of the file that were not known already.")
    refused = models.JSONField(default=dict, help_text="Reason → how often.")
    refusals = models.JSONField(default=list, help_text="The first refusals: [line, reason, text].")
    flags = models.JSONField(default=list, help_text="What a reviewer should look at: [reason, text].")
    tally = models.BinaryField(default=NOTHING, help_text="The share of its prices in the hash of a release.")
    newest_on = models.DateField(null=True, editable=False, help_text="Day of its newest price.")
    entries = models.JSONField(default=dict, help_text="Facts that came with it: kind → slug → facts as in Entry.")
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes = [models.Index(fields=["name", "status"], name="catalog_batch_name_status")]
        verbose_name_plural = "import batches"

    def __str__(self) -> str:
        return f"{self.name} ({self.get_status_display()})"


class AppendOnly(models.QuerySet["PriceObservation"]):
    """Refuses to change or remove prices."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Refuses."""
        raise TypeError("Prices are never changed; import a newer one.")

    def delete(self) -> NoReturn:
        """Refuses."""
        raise TypeError("Prices are never deleted; roll their batch back.")


class PriceObservation(models.Model):
    """One dated price of one instance type, public or a team's own. Never changed."""

    batch = models.ForeignKey(ImportBatch, on_delete=models.PROTECT, related_name="rows")
    team = models.ForeignKey(Team, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    provider = models.CharField(max_length=WIDTHS["provider"])
    instance = models.CharField(max_length=WIDTHS["instance"])
    region = models.CharField(max_length=WIDTHS["region"])
    zone = models.CharField(max_length=WIDTHS["zone"], blank=True)
    accelerator = models.CharField(max_length=60, help_text="Slug.")
    count = models.DecimalField(max_digits=12, decimal_places=4)
    option = models.CharField(max_length=20)
    amount = models.DecimalField(max_digits=18, decimal_places=8, help_text="For one hour of the whole instance.")
    currency = models.CharField(max_length=3)
    observed_on = models.DateField(help_text="Its age counts from this day.")
    valid_from = models.DateField(null=True, blank=True, help_text="Since when, where the source says so.")
    valid_until = models.DateField(
        null=True, blank=True, help_text="Of a team's own price: how long the seller holds it."
    )
    source = models.CharField(max_length=60, help_text="Key in the source table.")
    vcpus = models.DecimalField(max_digits=10, decimal_places=2, default=0)
    memory_gib = models.DecimalField(max_digits=12, decimal_places=2, default=0)
    confidence = models.CharField(max_length=12, default="repo")
    fingerprint = models.BinaryField(max_length=32, help_text="Equal prices have equal ones.")

    objects: ClassVar[models.Manager[PriceObservation]] = AppendOnly.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["provider", "instance", "region", "option"], name="catalog_price_offer"),
            models.Index(fields=["accelerator", "option", "-observed_on"], name="catalog_price_accelerator"),
            models.Index(fields=["fingerprint", "batch"], name="catalog_price_fingerprint"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.instance} {self.region} {self.option} {self.amount} {self.currency}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Inserts; an existing price is never written again."""
        if not self._state.adding:
            raise TypeError("Prices are never changed; import a newer one.")
        super().save(*args, **kwargs)


class CatalogRelease(models.Model):
    """The hash over all public facts and prices after one publication."""

    sha256 = models.CharField(max_length=64)
    date = models.DateField(help_text="The newest date of any fact.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        get_latest_by = "created_at"

    def __str__(self) -> str:
        return f"{self.sha256[:12]} of {self.date}"


class EntryStatus(models.TextChoices):
    """Where a team's own entry stands: in force → replaced by a later version, or withdrawn."""

    IN_FORCE = "in_force", _("In force")
    REPLACED = "replaced", _("Replaced")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class TeamEntry(models.Model):
    """Facts of a team of its own: an accelerator, a server, or hardware that it owns. A change is a new row.

    The one in force goes before the public entry of the same kind and slug, field by field, in that team's plans.
    """

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=entry_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=200, blank=True)
    facts = models.JSONField(help_text="As in Entry; only what the team says itself.")
    status = models.CharField(max_length=10, choices=EntryStatus.choices, default=EntryStatus.IN_FORCE)
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "kind", "slug"],
                condition=models.Q(status="in_force"),
                name="catalog_team_entry_in_force",
            )
        ]
        indexes = [models.Index(fields=["team", "status"], name="catalog_team_entry_status")]
        verbose_name_plural = "team entries"

    def __str__(self) -> str:
        return f"{self.kind} {self.slug} ({self.get_status_display()})"
