"""What the page of a version says about its review, and which steps its reader may take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accounts import access
from accounts.models import Membership, Role
from planner import plans
from planner.models import Approval, PlanVersion
from planner.review import approvals
from planner.versions import OPEN, State


@dataclass(frozen=True, kw_only=True)
class ReviewPanel:
    """The steps that are open to this reader, what has been said, and how other versions of the plan bear on it."""

    may_submit: bool
    may_withdraw: bool
    may_decide: bool
    may_approve: bool
    """May decide, and has not said yes yet, or nobody's yes is missing any more."""
    needed: int
    """How many people must approve: as demanded at submission, else as the team demands now."""
    given: tuple[Approval, ...]
    brought: frozenset[int]
    """Of those who approved, whom an author of the plan invited or made an approver."""
    progress: str
    """“1 of 2” of the version of this plan that waits, this one or another; empty where one is enough."""
    waiting: PlanVersion | None
    """The other version that waits: submitting this one would supersede it."""
    in_force: PlanVersion | None
    """The other version that is approved, until this one is."""

    @property
    def shown(self) -> bool:
        """Whether there is anything to say or to do."""
        return self.may_submit or bool(
            self.given or self.in_force or self.waiting or self.may_withdraw or self.may_decide
        )


def review_panel(member: Membership, version: PlanVersion, versions: Sequence[PlanVersion]) -> ReviewPanel:
    """The panel for that reader; `versions` are all of the plan, newest first."""
    waits = version.state == State.SUBMITTED
    own = member.user_id in plans.authors_of(version)
    decides = waits and not own and access.has_role(member, Role.APPROVER)
    may_plan = access.has_role(member, Role.PLANNER)
    given = tuple(approvals.of(version))
    others = {other.state: other for other in versions if other.pk != version.pk}
    is_open = version.state in OPEN and versions[0].pk == version.pk
    one = version if waits else others.get(State.SUBMITTED)
    return ReviewPanel(
        may_submit=is_open and may_plan and version.feasible,
        may_withdraw=waits and own and may_plan,
        may_decide=decides,
        may_approve=decides
        and version.feasible
        and (len(given) >= version.approvals_needed or member.user_id not in {approval.user_id for approval in given}),
        needed=version.approvals_needed if waits or given else member.team.approvals_needed,
        given=given,
        brought=frozenset(approvals.brought_by_authors(version)) if given else frozenset(),
        progress=approvals.progress(one) if one else "",
        waiting=others.get(State.SUBMITTED) if is_open else None,
        in_force=others.get(State.APPROVED) if is_open or waits else None,
    )
