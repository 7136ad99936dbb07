"""The roles of a team."""

from __future__ import annotations

from typing import Final

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """What a member may do. An admin may do all; the others are not steps of a ladder."""

    VIEWER = "viewer", _("Viewer")
    PLANNER = "planner", _("Planner")
    FINANCE = "finance", _("Finance")
    APPROVER = "approver", _("Approver")
    ADMIN = "admin", _("Admin")


class PriceMail(models.TextChoices):
    """Of which approved plans of a team a member is written to when the market has moved away from them."""

    MINE = "mine", _("Mine only")
    ALL = "all", _("All of the team")
    NONE = "none", _("None")


DECIDERS: Final = (Role.APPROVER, Role.ADMIN)
"""Who may approve a plan."""
