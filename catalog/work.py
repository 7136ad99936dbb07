"""Fetching a feed as a job: the row is the truth, so a fetch that is lost or killed is done again."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings

from catalog import clock, prices
from catalog.changed import Changed, changed_since
from catalog.feeds import Fetched, fetch
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.outcome import ImportFault, Outcome
from catalog.models import ImportBatch
from catalog.progress import Stage, seldom, told_to
from jobs import queue
from jobs.models import Job, State
from jobs.registry import Running
from jobs.running import JobFailed

KIND = "catalog.fetch"
_MOST_BYTES = 2**30
_SHOWN = 20
"""Feeds on the page that are fetched at the same time."""


def request_fetches() -> list[Job]:
    """One job a day for each feed of the setting PRICE_FETCH; asking again on the same day changes nothing."""
    day = clock.today().isoformat()
    return [
        queue.enqueue(KIND, team=None, payload={"feed": name, "day": day}, key=f"{KIND}:{name}:{day}")
        for name in settings.PRICE_FETCH
    ]


def feeds_at_work() -> list[Job]:
    """The fetches that run or wait, the oldest first: public feeds, which belong to no team."""
    waiting = Job.objects.filter(kind=KIND, team=None, state__in=(State.QUEUED, State.RUNNING))
    return list(waiting.order_by("pk")[:_SHOWN])


def run_fetch(job: Running) -> dict[str, Any]:
    """The handler: fetches, reads and publishes one feed. JobFailed says why the last good prices stay."""
    name = str(job.payload["feed"])
    try:
        with told_to(seldom(_written_to(job, name))):
            batch, new, outcome, changed = fetch_and_publish(name)
    except (FetchFault, ImportFault, prices.StepRefused) as error:
        raise JobFailed("feed", str(error)) from error
    told = {"batch": batch.public_id, "new": new, "prices": batch.prices, "lines": outcome.lines}
    if changed is not None:
        told["changed"] = {
            "new": changed.new, "gone": changed.gone, "same": changed.same, "dearer": changed.dearer,
            "cheaper": len(changed.moves) - changed.dearer, "middle": round(changed.middle, 4),
        }  # fmt: skip
    return told


def _written_to(job: Running, name: str) -> Callable[[int, Stage], None]:
    """Writes the percentage into the job's row until the prices are written, since that is one transaction with its own."""

    def write(share: int, stage: Stage) -> None:
        if stage in (Stage.FETCHING, Stage.READING):
            job.progress(share, f"{stage} {name}")

    return write


def fetch_and_publish(name: str, *, url: str = "") -> tuple[ImportBatch, bool, Outcome, Changed | None]:
    """The published import of that feed as it is now, whether it is new, what was read, and what it changes of the last one."""
    fetched = read_feed(name, url=url)
    changed = changed_since(fetched.name, fetched.read.outcome)
    batch, new = prices.publish_import(fetched.name, fetched.digest, fetched.read.outcome, entries=fetched.read.facts)
    return batch, new, fetched.read.outcome, changed


def read_feed(name: str, *, url: str = "") -> Fetched:
    """The feed fetched and read, nothing written."""
    client = None
    if settings.OUTGOING_LOOPBACK:  # tests play the feeds on this machine
        client = Client(limits=Limits(most_bytes=_MOST_BYTES, pause_s=0.01, longest_pause_s=0.05))
    with tempfile.TemporaryDirectory(prefix="sextant-feed-") as folder:
        return fetch(name, Path(folder), day=clock.today(), url=url, client=client)
