"""What other programs are told about documents: that one is there, or why it is not."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from exports.models import Export
from jobs.models import Job, State
from planner.events import version_data
from webhooks import outbox


def export_ended(job: Job) -> None:
    """Tells how the rendering ended, in the transaction that says so."""
    export = Export.objects.select_related("version__workload__team").defer("version__body").filter(job=job).first()
    if export is None:  # deleted with its plan while it was rendered
        return
    address = f"{settings.SITE_URL}/api/v1/exports/{export.public_id}"
    data: dict[str, Any] = {
        **version_data(export.version),
        "export_id": export.public_id,
        "format": export.format,
        "paper": export.paper,
        "links": {"self": address},
    }
    figures = {"name": export.version.workload.name}
    team = export.version.workload.team
    if job.state == State.SUCCEEDED:
        data |= {"file_sha256": export.sha256, "bytes": export.bytes}
        data["links"]["file"] = f"{address}/file"
        outbox.emit(team, "export.succeeded", data=data, figures=figures)
    else:
        error = job.error or {}
        data["error"] = {"code": error.get("code"), "detail": error.get("message")}
        outbox.emit(team, "export.failed", data=data, figures=figures)
