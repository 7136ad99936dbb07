"""Bells for a lane in which jobs wait although no message of it is left at the broker: its messages were lost.

Each job that nobody takes is rung again after 30 seconds, then after twice as long each time, up to a quarter of an hour, so
that a long queue is not rung through again and again. When the broker loses everything, what stood at the end of that queue
would wait as long, beside idle workers. So a lane without a bell is rung for at each look, and whoever has done a job there
rings for the next one that has waited for long. Whether jobs begin there says nothing: jobs that kill their worker and are
tried again begin, too, and others waited behind them for minutes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import structlog
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from jobs import queue, turns
from jobs.lanes import Lane

log = structlog.get_logger("sextant.jobs")

SILENT_S: Final = 15.0
_HEARD_S: Final = 30.0
_BELLS: Final = 50
"""At one look. Of two sweepers each rings: a bell too many finds nothing to take."""


def break_silence() -> int:
    """Rings for the oldest jobs of each lane that lost its bells and has a worker; how many bells."""
    served = {
        lane for lanes in queue.heard(within_s=_HEARD_S).values_list("lanes", flat=True) for lane in lanes.split(",")
    }
    return sum(_broken(lane) for lane in Lane if lane in served)


def pass_on(lane: Lane) -> bool:
    """Rings for the next job of the lane when it has waited for so long that its own message may be lost; whether it did.

    A bell too many finds nothing to take and ends; so there are never more than twice as many as jobs.
    """
    overdue = turns.waiting_in(lane).filter(created_at__lt=_silent_since()).order_by("created_at", "pk")
    found = overdue.values_list("pk", flat=True).first()
    return found is not None and queue.ring(found)


def _silent_since() -> Combinable:
    return Now() - timedelta(seconds=SILENT_S)


def _broken(lane: Lane) -> int:
    waiting = turns.waiting_in(lane).filter(created_at__lt=_silent_since(), ring_again_at__gt=Now())
    found = list(waiting.order_by("created_at", "pk").values_list("pk", flat=True)[:_BELLS])
    if not found or queue.bells_in(lane) != 0:
        return 0
    rung = 0
    for job_pk in found:
        if not queue.ring(job_pk):
            break  # the broker is away: the next look tries again
        rung += 1
    log.warning("lane_was_silent", lane=str(lane), waiting=len(found), rung=rung)
    return rung
