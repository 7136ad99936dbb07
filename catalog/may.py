"""Who may take which step of a team's own catalog: the one place that says so, and that refuses.

Every step asks here itself, whatever door it came through; pages ask only to know what to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from accounts import access
from accounts.models import Membership
from accounts.roles import Role


class Step(StrEnum):
    """What can be done."""

    ENTER = "enter"
    """Write, withdraw and restore entries of the team's own."""
    FILL = "fill"
    """Make a price list and read prices into it."""
    DISCARD = "discard"
    PUBLISH = "publish"
    ROLL_BACK = "roll-back"


ROLES: Final[Mapping[Step, tuple[Role, ...]]] = {
    Step.ENTER: (Role.PLANNER, Role.FINANCE),
    Step.FILL: (Role.PLANNER, Role.FINANCE),
    Step.DISCARD: (Role.PLANNER, Role.FINANCE),
    Step.PUBLISH: (Role.FINANCE,),
    Step.ROLL_BACK: (Role.FINANCE,),
}
"""The roles that may take each step, beside admins. What reaches plans, or leaves them, is finance's alone."""


def may(member: Membership, step: Step) -> bool:
    """Whether that member may take the step."""
    return access.has_role(member, *ROLES[step])


def require(member: Membership, step: Step) -> None:
    """Does nothing for a member who may take the step; else PermissionDenied."""
    access.require_role(member, *ROLES[step])
