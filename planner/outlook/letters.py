"""Mail about approved plans that the market has left: one letter a person and day, once the whole team has been asked again.

What is to be said of a version is written down with its outlook, in the transaction in which it was found (`unmailed`); a sweep takes it up
when no piece of that team's work waits any more. So nothing is lost with a worker, and a hundred plans make one letter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import Membership, PriceMail, Role, Team
from jobs import queue
from jobs.models import Job, State
from planner import notices
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion
from planner.outlook.compare import Side
from planner.presenters.currency import currency_of
from planner.tables import Outlook

MOST: Final = 25
"""Plans that one letter tells of; it counts the others."""
_SIDES: Final = {
    "above": gettext_lazy("Today it would cost %(now)s, above its band of %(band)s."),
    "below": gettext_lazy("Today it would cost %(now)s, below its band of %(band)s."),
    "within": gettext_lazy("Its cost is back within its band of %(band)s: today %(now)s."),
}
_PARTS: Final = {
    "feasible": gettext_lazy("whether anything keeps its limits"),
    "accelerator": gettext_lazy("the accelerator"),
    "count": gettext_lazy("how many accelerators"),
    "place": gettext_lazy("the seller or the region"),
    "terms": gettext_lazy("the terms"),
    "days": gettext_lazy("how long it takes"),
}


def said(frozen: Plan, today: Plan | None, *, side: Side | None, parts: Sequence[str] | None) -> str:
    """What is new of a plan, as sentences; `side` and `parts` are None where they are what they were."""
    before = frozen.recommendation.recommended
    now = today.recommendation.recommended if today else None
    told = []
    if side is not None and before is not None and now is not None:
        money = currency_of(frozen)
        about = {"now": money.amount(now.cost.total.expected), "band": f"{money.code} {money.range(before.cost.total)}"}
        told.append(_SIDES[side] % about)
    if parts:
        told.append(
            _("Another choice would be made today: %(what)s.")
            % {"what": ", ".join(str(_PARTS[part]) for part in parts)}
        )
    elif parts is not None:
        told.append(_("The same choice would be made again."))
    return " ".join(told)


def request(pieces: str) -> None:
    """Writes the letters of every team of which no job of that kind waits or runs."""
    waiting = Outlook.objects.exclude(unmailed="").order_by()
    for pk in waiting.values_list("version__workload__team", flat=True).distinct():
        if not Job.objects.filter(kind=pieces, team=pk, state__in=(State.QUEUED, State.RUNNING)).exists():
            post(Team.objects.get(pk=pk))


@transaction.atomic
def post(team: Team) -> int:
    """Writes the letters of that team; how many people get one. What counts no more is told to nobody."""
    waiting = Outlook.objects.select_for_update(of=("self",)).filter(version__workload__team=team).exclude(unmailed="")
    rows = {row.version_id: row.unmailed for row in waiting}
    Outlook.objects.filter(version__in=rows).update(unmailed="")
    versions = PlanVersion.objects.filter(pk__in=rows).counting()
    counted = list(versions.select_related("workload").prefetch_related("approvals").order_by("workload__name", "pk"))
    members = list(Membership.objects.filter(team=team, user__is_active=True).select_related("user"))
    told: dict[tuple[PlanVersion, ...], list[str]] = defaultdict(list)
    for member in members:
        told[tuple(version for version in counted if _concerns(member, version, members))].append(member.user.email)
    told.pop((), None)
    for chosen, addresses in told.items():
        _send(team, [_about(version, rows[version.pk]) for version in chosen], addresses)
    return sum(map(len, told.values()))


def _concerns(member: Membership, version: PlanVersion, members: Iterable[Membership]) -> bool:
    """Is that member written to of that version? Admins are of one whose people have all left."""
    if member.price_mail != PriceMail.MINE:
        return member.price_mail == PriceMail.ALL
    own = {version.created_by_id, version.submitted_by_id, version.decided_by_id}
    own |= {row.user_id for row in version.approvals.all()}
    if member.role == Role.ADMIN and not any(one.user_id in own for one in members):
        return True
    return member.user_id in own


def _send(team: Team, plans: Sequence[str], to: Iterable[str]) -> None:
    count = len(plans)
    subject = ngettext(
        "Prices have moved: an approved plan of %(team)s",
        "Prices have moved: %(count)s approved plans of %(team)s",
        count,
    ) % {"team": team.name, "count": count}
    more = [_("And %(count)s more.") % {"count": count - MOST}] if count > MOST else []
    account = settings.SITE_URL + reverse("accounts:account") + "#mail"
    why = _("Of which plans you are written to is chosen on your account: %(address)s") % {"address": account}
    payload = {
        "to": sorted(to),
        "subject": f"[Sextant] {' '.join(subject.split())[:180]}",
        "body": "\n\n".join([*plans[:MOST], *more, why]) + "\n",
    }
    queue.enqueue(notices.KIND, team=team, payload=payload)


def _about(version: PlanVersion, news: str) -> str:
    address = settings.SITE_URL + reverse("planner:reprice", args=[version.public_id])
    name = _("%(name)s, version %(number)s") % {"name": version.workload.name, "number": version.number}
    return f"{name}\n{news}\n{address}"
