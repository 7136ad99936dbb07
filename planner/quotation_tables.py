"""What is kept of a request for quotation, and of each answer to it. Written by planner/quotation_steps.py alone."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.models import User


def request_id() -> str:
    """A new public id of a request for quotation."""
    return ids.new_id("rfq")


def quote_id() -> str:
    """A new public id of a quote."""
    return ids.new_id("quo")


class QuotationRequest(models.Model):
    """What one version asks some sellers for. Never changes: its letters can be made again from it and the version."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=request_id)
    version = models.ForeignKey("planner.PlanVersion", on_delete=models.CASCADE, related_name="quotation_requests")
    number = models.PositiveIntegerField(help_text="1 for the first of its version.")
    options = models.JSONField(help_text="Ids of the options that are asked for, one for each seller.")
    reply_by = models.DateField()
    valid_until = models.DateField(help_text="Until when the price is asked to hold.")
    contact = models.CharField(max_length=200, blank=True)
    place = models.CharField(max_length=200, blank=True, help_text="Where servers are delivered to.")
    note = models.CharField(max_length=1000, blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "number"], name="quotation_number_once")]

    def __str__(self) -> str:
        return self.reference

    @property
    def reference(self) -> str:
        """What sellers are to name; it tells them nothing of the plan."""
        return f"RFQ-{self.public_id.partition('_')[2][:8].upper()}-{self.number}"


class Unit(models.TextChoices):
    """What a quoted amount is for."""

    INSTANCE_HOUR = "instance_hour", _("one instance-hour")
    ACCELERATOR_HOUR = "accelerator_hour", _("one accelerator-hour")
    SERVER = "server", _("one server")
    STORAGE = "storage_gb_month", _("one GB stored for a month")
    EGRESS = "egress_gb", _("one GB transferred out")


class Quote(models.Model):
    """One seller's price for one thing, until a day. Never changes; a newer one takes its place."""

    TEAM_PATH: ClassVar[str] = "request__version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=quote_id)
    request = models.ForeignKey(QuotationRequest, on_delete=models.CASCADE, related_name="quotes")
    option = models.CharField(max_length=300, help_text="Id of the option that it is for.")
    item = models.CharField(max_length=200, help_text="As an agreed price names it.")
    unit = models.CharField(max_length=16, choices=Unit.choices)
    amount = models.DecimalField(max_digits=18, decimal_places=8, help_text="For one unit, in its currency.")
    currency = models.CharField(max_length=3)
    usd = models.DecimalField(max_digits=18, decimal_places=8, help_text="Of one instance-hour, server or GB.")
    rate_day = models.CharField(
        max_length=10, blank=True, help_text="Day of the rate of exchange; empty for US dollars."
    )
    quoted_on = models.DateField()
    valid_until = models.DateField()
    conditions = models.TextField(max_length=2000, blank=True)
    seller_reference = models.CharField(max_length=120, blank=True)
    recorded_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.item}: {self.amount} {self.currency} until {self.valid_until}"

    @property
    def what(self) -> str:
        """What an agreed price of it is for."""
        return Unit.INSTANCE_HOUR.value if self.unit == Unit.ACCELERATOR_HOUR else self.unit
