"""A stored file that is missing or damaged is made again from its frozen plan: noticed by whoever asks for it.

The plan, the look and the state of review lie in the database, so a lost file is a delay and never a loss.
"""

from __future__ import annotations

from django.db import transaction

from accounts import audit
from accounts.models import ApiToken, Membership
from exports import files
from exports.models import Export
from exports.room import check_room
from jobs import queue
from jobs.models import State

AGAIN = "The stored file was lost or damaged and is being made again from the plan: ask for it again in a few seconds."


def made(export: Export) -> bool:
    """Was the file finished? It may have been lost since."""
    return export.ready and export.job.state == State.SUCCEEDED


def is_lost(export: Export) -> bool:
    """Was it made, and is it missing or not what it was? The bytes are read for this."""
    return made(export) and not files.is_whole(export.sha256)


def seems_lost(export: Export) -> bool:
    """The same by size alone, for long lists; in an object store a file is taken for whole until somebody asks for it."""
    return files.lies_here() and _is_another_size(export)


@transaction.atomic
def heal(export: Export, member: Membership, *, token: ApiToken | None = None) -> bool:
    """Queues the work again when the file is lost; False when it is not. Of several who ask at once, one queues it. CapReached."""
    if not is_lost(export):
        return False
    check_room(member.team)
    if not queue.retry(export.job, ended=True):
        return False
    team = export.version.workload.team
    data = {"lost": True, "sha256": export.sha256}
    audit.record("export.retried", export.public_id, team=team, actor=member.user, token=token, data=data)
    export.job.refresh_from_db()
    return True


def queue_all_lost() -> int:
    """Queues every document whose file is missing, as after a restore; how many. Nobody asked, so it is nobody's act."""
    queued = 0
    for export in Export.objects.filter(job__state=State.SUCCEEDED).exclude(sha256="").select_related("job").iterator():
        queued += _is_another_size(export) and queue.retry(export.job, ended=True)
    return queued


def _is_another_size(export: Export) -> bool:
    return made(export) and files.size_of(export.sha256) != export.bytes
