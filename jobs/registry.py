"""Which function does which kind of job, and what else happens at a sweep. An app registers in ``AppConfig.ready()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from jobs.lanes import Lane

if TYPE_CHECKING:  # registered before Django's models are ready
    from jobs.models import Job


class Running(Protocol):
    """The job as its handler sees it. ``payload``, ``team_id``, ``attempt`` (1 to 3) and ``public_id`` are to read."""

    payload: dict[str, Any]
    team_id: int | None
    attempt: int
    public_id: str

    def progress(self, percent: int, note: str = "") -> None:
        """Writes how far the work is (0 to 100) and extends the lease; LostLease when the job is ours no more."""


Handler = Callable[[Running], dict[str, Any]]
Ended = Callable[["Job"], None]

HANDLERS: dict[str, Handler] = {}
ENDED: dict[str, Ended] = {}
LANES: dict[str, Lane] = {}
AT_EACH_SWEEP: list[Callable[[], object]] = []


def register(kind: str, handler: Handler, *, ended: Ended | None = None, lane: Lane = Lane.INTERACTIVE) -> None:
    """Makes ``handler`` do the jobs of ``kind``, in that lane; ValueError when another function does already.

    ``ended`` is called with the row of a job that succeeded or failed, in the transaction that says so: what it writes
    is there exactly when the end is.
    """
    if HANDLERS.setdefault(kind, handler) is not handler:
        raise ValueError(f"The kind of job {kind!r} has a handler already.")
    LANES[kind] = lane
    if ended is not None:
        ENDED[kind] = ended


def lane_of(kind: str) -> Lane:
    """The lane of that kind of job; of one that this version does not know, the first: its worker says so at once."""
    return LANES.get(kind, Lane.INTERACTIVE)


def kinds_in(lane: Lane) -> list[str]:
    """The kinds of job that the lane carries."""
    return [kind for kind, its_lane in LANES.items() if its_lane == lane]


def at_each_sweep(step: Callable[[], object]) -> None:
    """Calls ``step`` at each sweep, every five seconds: for work that begins at a time and not at a request."""
    if step not in AT_EACH_SWEEP:
        AT_EACH_SWEEP.append(step)
