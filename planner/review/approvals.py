"""How many people stand behind a version: one or two, as its team demanded when it was submitted, none of them its author.

Every approval names the hash that it is for. While a version waits, an approval counts as long as its giver may approve
in the team: who has left, or lost the role, vouches for nothing any more.
"""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet

from accounts import audit
from accounts.models import AuditEvent, Invitation, Membership, User
from accounts.roles import DECIDERS
from planner.models import Approval, PlanVersion
from planner.versions import State


def standing() -> QuerySet[Approval]:
    """The approvals that count, of whatever version, in the order in which they were given."""
    may_approve = Membership.objects.filter(
        team=OuterRef("version__workload__team"), user=OuterRef("user"), user__is_active=True, role__in=DECIDERS
    )
    counts = ~Q(version__state=State.SUBMITTED) | Exists(may_approve)
    return Approval.objects.filter(counts).select_related("user").order_by("pk")


def with_versions() -> Prefetch[str]:
    """For a query of versions: reads `standing` approvals along, as the list `given`."""
    return Prefetch("approvals", standing(), to_attr="given")


def of(version: PlanVersion) -> list[Approval]:
    """The approvals of that version that count; read along by `with_versions`, or now."""
    given: list[Approval] | None = getattr(version, "given", None)
    return list(standing().filter(version=version)) if given is None else given


BY_TOKEN: Final = "token"  # noqa: S105 - the name of a proof, none itself
"""The proof of a program: that it holds a token of the person."""


def give(member: Membership, version: PlanVersion, *, reason: str, proof: str) -> bool:
    """Notes the member's approval of that very hash; False when there is one already. The caller holds the plan.

    `proof` says how the member has shown who they are; PermissionDenied for a token where the team takes none.

    Who owes the place or the role to an author of the plan is noted as that in the audit trail; PermissionDenied where the
    installation refuses such approvals.
    """
    if proof == BY_TOKEN and not member.team.approvals_by_token:
        raise PermissionDenied("This team takes no approvals by token: approve on the page of the plan.")
    brought = member.user_id in brought_by_authors(version)
    if brought and settings.INVITED_APPROVERS == "refused":
        raise PermissionDenied("An author of this plan brought you into the team: somebody else must approve it.")
    said = {"sha256": version.sha256, "reason": reason.strip()[:4000], "proof": proof}
    new = Approval.objects.get_or_create(version=version, user=member.user, defaults=said)[1]
    if new and brought:
        data = {"sha256": version.sha256}
        audit.record("plan.approver_from_author", version.public_id, team=member.team, actor=member.user, data=data)
    return new


def brought_by_authors(version: PlanVersion) -> set[int]:
    """The keys of those whom somebody who made or submitted the version invited, or made an approver."""
    team, authors = version.workload.team, {version.created_by_id, version.submitted_by_id}
    invited = Invitation.objects.filter(team=team, invited_by__in=authors, accepted_at__isnull=False).values("email")
    roles = AuditEvent.objects.filter(team=team, actor__in=authors, verb="member.role_set", data__role__in=DECIDERS)
    people = User.objects.filter(Q(email__in=invited) | Q(public_id__in=roles.values("subject")))
    return set(people.exclude(pk__in=[key for key in authors if key]).values_list("pk", flat=True))


def missing(version: PlanVersion) -> int:
    """How many more people must approve it; counted anew."""
    given = standing().filter(version=version, sha256=version.sha256).count()
    return max(0, version.approvals_needed - given)


def progress(version: PlanVersion) -> str:
    """“1 of 2” for a version that waits for two people; empty where one is enough or nobody is asked."""
    if version.state != State.SUBMITTED or version.approvals_needed == 1:
        return ""
    return f"{version.approvals_needed - missing(version)} of {version.approvals_needed}"


def void(version: PlanVersion) -> None:
    """Forgets the approvals of a version that goes back or gives way; the audit trail keeps them."""
    Approval.objects.filter(version=version).delete()
