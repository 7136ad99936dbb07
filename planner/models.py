"""What a team keeps: its workloads as drafts, and the plan versions that were frozen from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn

from django.db import models
from django.utils import timezone

from accounts import ids
from accounts.models import Team, User
from engine.answer import Option
from planner import quotation_tables as _quotation_tables  # noqa: F401 - Django looks for a room's tables here
from planner import tables as _tables  # noqa: F401 - likewise
from planner.frozen.snapshot import Plan, costed, opened, thaw
from planner.frozen.stored import Unopened, body_bytes
from planner.versions import State, VersionManager


def workload_id() -> str:
    """A new public id of a workload, which is also the id of its plan."""
    return ids.new_id("pln")


def version_id() -> str:
    """A new public id of a plan version."""
    return ids.new_id("ver")


def comment_id() -> str:
    """A new public id of a comment."""
    return ids.new_id("cmt")


def share_id() -> str:
    """A new public id of a share link."""
    return ids.new_id("shr")


def scenario_id() -> str:
    """A new public id of a scenario."""
    return ids.new_id("scn")


class Workload(models.Model):
    """What a team wants to train or serve: a draft that may change, and the plan versions made of it."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=workload_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="workloads")
    name = models.CharField(max_length=120)
    draft = models.JSONField(default=dict, help_text="The request as it was typed; it need not be valid yet.")
    levers_taken = models.JSONField(
        null=True,
        blank=True,
        editable=False,
        help_text="Levers that the draft has taken, and what each field held before.",
    )
    revision = models.PositiveIntegerField(default=1, help_text="Grows with each change; the ETag of the draft.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    restored_at = models.DateTimeField(null=True, blank=True, help_text="When it last came back from the archive.")

    class Meta:
        # Lists and searches of a team with very many plans are told from an index alone: a row holds its draft, and reading past
        # those of a hundred thousand is most of their time.
        indexes = [
            models.Index(fields=["team", "-updated_at", "name", "archived_at", "id"], name="workload_team_changed"),
            models.Index(
                fields=["team", "-created_at", "-id", "archived_at", "restored_at"], name="workload_team_made"
            ),
            models.Index(fields=["team", "name", "id", "archived_at"], name="workload_team_named"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def newest(self) -> PlanVersion | None:
        """The plan version with the highest number, if any was frozen."""
        return self.versions.newest_first().first()


class Frozen(models.Model):
    """What a row with a plan as its `body` repeats of it, so that lists need not open it (`plans.columns_of`)."""

    sha256 = models.CharField(max_length=64, editable=False)
    feasible = models.BooleanField(editable=False)
    headline = models.CharField(max_length=500, editable=False)
    cost = models.DecimalField(max_digits=18, decimal_places=2, null=True, editable=False)
    currency = models.CharField(max_length=3, default="USD", editable=False)
    signed = models.DecimalField(
        max_digits=18,
        decimal_places=2,
        null=True,
        editable=False,
        help_text="What is signed as a whole; none = nothing.",
    )
    catalog_release = models.CharField(max_length=64, editable=False)
    engine_version = models.CharField(max_length=40, editable=False)
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        abstract = True

    @property
    def plan(self) -> Plan:
        """The snapshot itself."""
        return thaw(body_bytes(self))


class PlanVersion(Frozen):
    """One frozen plan. The body never changes after the insert; only its review state moves (planner/plans.py)."""

    TEAM_PATH: ClassVar[str] = "workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=version_id)
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    body = models.TextField(editable=False, help_text="Canonical JSON of the snapshot.")
    finish = models.DateField(null=True, editable=False, help_text="The day on which the work is done; none = no end.")
    price_day = models.CharField(
        max_length=10,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Of the price that decides: the instance rented or the server bought.",
    )
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)
    submitted_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, max_length=4000, help_text="Why it was approved or returned.")
    approvals_needed = models.PositiveSmallIntegerField(
        default=1, help_text="What its team demanded when it was submitted; a later change of that does not reach it."
    )
    superseded_by = models.ForeignKey(
        "self", null=True, on_delete=models.SET_NULL, related_name="+", help_text="The version that took its place."
    )

    objects = VersionManager()

    class Meta:
        # Which versions count is told from an index alone: a row holds its body, and reading past one is most of a list's time.
        indexes = [
            models.Index(
                fields=["workload", "state", "decided_at", "superseded_by", "number"], name="planversion_what_counts"
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["workload", "number"], name="planversion_number_once"),
            models.CheckConstraint(condition=models.Q(state__in=State.values), name="planversion_state_known"),
            models.UniqueConstraint(
                fields=["workload"], condition=models.Q(state="submitted"), name="planversion_one_waits"
            ),
            models.UniqueConstraint(
                fields=["workload"], condition=models.Q(state="approved"), name="planversion_one_approved"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workload} v{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Inserts; a frozen version is never written again (its state moves by planner/plans.py)."""
        if not self._state.adding:
            raise TypeError("A plan version is never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses: what was frozen stays."""
        raise TypeError("A plan version is never deleted.")

    @property
    def earlier(self) -> PlanVersion | None:
        """The version before this one, which never changes; none for the first."""
        return PlanVersion.objects.before(self).first()

    @property
    def counts(self) -> bool:
        """Does a budget count it? As `VersionRows.counting` asks it of many."""
        return self.state == State.APPROVED and self.workload.archived_at is None

    @property
    def head(self) -> Plan:
        """The snapshot without its alternatives, for who reads only what was asked and what is recommended."""
        return self.opened()[0]

    @property
    def costed(self) -> Plan:
        """The snapshot without alternatives, assumptions and chart, for who reads what the recommended option costs."""
        return costed(body_bytes(self))

    def opened(self) -> tuple[Plan, Iterator[Option]]:
        """The snapshot without its alternatives, and these one after another."""
        return opened(body_bytes(self))


class Approval(models.Model):
    """One person's yes to a frozen version that waits, or was approved. Rows of planner/review/approvals.py alone."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    version = models.ForeignKey(PlanVersion, on_delete=models.CASCADE, related_name="approvals")
    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    sha256 = models.CharField(max_length=64, editable=False, help_text="Of the plan that the person has approved.")
    reason = models.TextField(blank=True, max_length=4000)
    proof = models.CharField(
        max_length=20, blank=True, db_default="", help_text="How the person had shown who they are; empty: not noted."
    )
    at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "user"], name="approval_once")]

    def __str__(self) -> str:
        return f"{self.user} for {self.version}"


class PlanComment(models.Model):
    """A remark on one number of a frozen version, or on the whole of it. The text never changes; it can be resolved."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=comment_id)
    version = models.ForeignKey(PlanVersion, on_delete=models.CASCADE, related_name="comments")
    pointer = models.CharField(
        max_length=80, blank=True, help_text="The number: figure.cost, line.compute; empty = all."
    )
    text = models.TextField(max_length=4000)
    author = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["version", "created_at"], name="comment_of_version")]

    def __str__(self) -> str:
        return self.text[:60]


class ShareLink(models.Model):
    """A way for somebody without an account to read one frozen version, for a while. Only a hash of it is stored."""

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=share_id)
    version = models.ForeignKey(PlanVersion, on_delete=models.CASCADE, related_name="share_links")
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of the secret.")
    created_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    opened = models.PositiveIntegerField(default=0, help_text="How often it was used.")
    password = models.CharField(max_length=128, blank=True, editable=False, help_text="Its Argon2 hash; empty = none.")

    def __str__(self) -> str:
        return f"{self.version} until {self.expires_at:%Y-%m-%d}"


class Scenario(Frozen):
    """A named what-if of a frozen version: what its request would change, and the plan that comes of it, frozen too.

    The version never changes by it. Only the name of a scenario can change (planner/scenarios.py).
    """

    TEAM_PATH: ClassVar[str] = "version__workload__team"

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=scenario_id)
    version = models.ForeignKey(PlanVersion, on_delete=models.CASCADE, related_name="scenarios")
    name = models.CharField(max_length=80)
    changes = models.JSONField(editable=False, help_text="A merge patch (RFC 7396) of the version's request.")
    body = models.TextField(editable=False, help_text="Canonical JSON of the plan that comes of it.")

    objects = Unopened()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["version", "name"], name="scenario_name_once")]

    def __str__(self) -> str:
        return self.name


class TeamBudget(models.Model):
    """What a team may spend on accelerators in one calendar year, in its own currency."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="budgets")
    year = models.PositiveSmallIntegerField()
    amount = models.DecimalField(max_digits=18, decimal_places=2)
    currency = models.CharField(max_length=3)
    changed_by = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "year"], name="budget_of_a_year_once")]

    def __str__(self) -> str:
        return f"{self.team} {self.year}: {self.currency} {self.amount}"


class KeptForm(models.Model):
    """What somebody has typed into a form and not sent yet, kept for them alone (planner/pages/form/keeping.py)."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    form = models.CharField(max_length=40, help_text="The form: train, serve, or the public id of a workload.")
    tab = models.CharField(max_length=32, help_text="The window in which it was typed.")
    typed = models.JSONField(default=dict)
    kept_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "team", "form", "tab"], name="kept_form_of_a_window")]

    def __str__(self) -> str:
        return f"{self.form} of {self.user}"
