"""Asking for a file, and making it: the two ends of an export job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db import transaction

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from exports import files
from exports.brand import OURS
from exports.branding.store import current_look
from exports.formats import MEDIA_TYPES, PAPERS, renderer
from exports.healing import heal
from exports.models import Export, Look
from exports.room import KIND, check_room
from jobs import queue
from jobs.registry import Running
from planner.levers.kept import weighed_of
from planner.models import PlanVersion
from planner.notices import documents_ready
from planner.review.issue import issue_of


@transaction.atomic
def request_export(
    member: Membership, version: PlanVersion, format_: str, *, paper: str = "", token: ApiToken | None = None
) -> Export:
    """The export of that version, format and paper in the team's look: the one that exists, else a new one, queued.

    One whose file was lost is queued again. CapReached when many of the team's wait.

    `paper` is A4, Letter, or empty for that of the look. ValueError for a format or paper that we do not write.
    """
    access.require_role(member, Role.VIEWER, Role.PLANNER, Role.FINANCE, Role.APPROVER)
    if format_ not in MEDIA_TYPES:
        raise ValueError(f"“format” must be one of {', '.join(MEDIA_TYPES)}.")
    look = current_look(member.team)
    paper = paper or (look.settings["paper"] if look else OURS.paper)
    if paper not in PAPERS:
        raise ValueError(f"“paper” must be {' or '.join(PAPERS)}.")
    key = key_of(version, format_, paper, look)
    found = Export.objects.select_related("job", "version__workload__team").filter(key=key).first()
    if found is not None:
        heal(found, member, token=token)
        return found
    check_room(member.team)
    job = queue.enqueue(KIND, team=member.team, payload={"key": key}, key=key)
    export, new = Export.objects.get_or_create(
        key=key,
        defaults={
            "version": version,
            "format": format_,
            "paper": paper,
            "look": look,
            "review": version.state,
            "job": job,
            "requested_by": member.user,
        },
    )
    if new:
        data = {"format": format_, "paper": paper, "plan_sha256": version.sha256}
        audit.record("export.requested", export.public_id, team=member.team, actor=member.user, token=token, data=data)
    return export


def key_of(version: PlanVersion, format_: str, paper: str, look: Look | None) -> str:
    """Names the content: version (and so team and plan hash), review state, format, paper, look, renderer."""
    dress = f":l{look.sha256[:16]}" if look else ""
    return f"export:{version.public_id}:{version.sha256[:16]}:{version.state}:{format_}:{paper}{dress}:r{renderer()}"


def render_export(job: Running) -> dict[str, Any]:
    """Renders and stores the file of one export; safe to repeat, since the name of a file is its hash."""
    beside = ("version__workload__team", "version__created_by", "version__decided_by", "requested_by", "look")
    rows = Export.objects.select_related(*beside).defer("version__body")
    export = rows.get(key=job.payload["key"])
    data = contents(export, progress=job.progress)
    job.progress(85, "Storing the file")
    digest = files.store(data)
    Export.objects.filter(pk=export.pk).update(sha256=digest, bytes=len(data))
    if not export.sha256:
        _tell_when_all_are_ready(export)
    elif export.sha256 != digest:  # a lost file of other writers: whoever kept its hash finds here why it is another
        said = {"sha256": digest, "was": export.sha256}
        audit.record("export.rewritten", export.public_id, team=export.version.workload.team, actor=None, data=said)
    return {"sha256": digest, "bytes": len(data)}


def contents(export: Export, *, progress: Callable[[int, str], None]) -> bytes:
    """The bytes of that file, the same each time: from the frozen plan, the version before it and what is kept beside both."""
    from exports.composing.changes import earlier  # what composes and writes loads only where files are made
    from exports.composing.proportion import weighs_levers
    from exports.render import render

    progress(10, "Reading the plan")
    before = export.version.earlier
    previous = earlier(*before.opened()) if before else None
    plan = export.version.plan
    weighed = weighed_of(export.version, plan) if weighs_levers(plan) else None
    progress(30, f"Writing the {export.format} file")
    return render(
        plan,
        export.format,
        state=export.review,
        paper=export.paper,
        previous=previous,
        issue=replace(issue_of(export.version, export.review), on=None),  # a file has one date: that of the request
        weighed=weighed,
        brand=export.look.brand if export.look else OURS,
    )


def _tell_when_all_are_ready(export: Export) -> None:
    """One mail for the files that somebody asked for together, with the last of them."""
    asked = Export.objects.filter(version=export.version, review=export.review, requested_by=export.requested_by)
    rows = list(asked.values_list("format", "sha256"))
    if all(digest for _, digest in rows):
        documents_ready(export.version, export.requested_by, [name for name, _ in rows])
