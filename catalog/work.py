"""Fetching a feed as a job: the row is the truth, so a fetch that is lost or killed is done again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings

from catalog import clock, prices
from catalog.feeds import Fetched, fetch
from catalog.fetch import Client, FetchFault, Limits
from catalog.importers.outcome import ImportFault, Outcome
from catalog.models import ImportBatch
from jobs import queue
from jobs.models import Job
from jobs.registry import Running
from jobs.running import JobFailed

KIND = "catalog.fetch"
_MOST_BYTES = 2**30


def request_fetches() -> list[Job]:
    """One job a day for each feed of the setting PRICE_FETCH; asking again on the same day changes nothing."""
    day = clock.today().isoformat()
    return [
        queue.enqueue(KIND, team=None, payload={"feed": name, "day": day}, key=f"{KIND}:{name}:{day}")
        for name in settings.PRICE_FETCH
    ]


def run_fetch(job: Running) -> dict[str, Any]:
    """The handler: fetches, reads and publishes one feed. JobFailed says why the last good prices stay."""
    name = str(job.payload["feed"])
    job.progress(5, f"Fetching {name}")
    try:
        batch, new, outcome = fetch_and_publish(name)
    except (FetchFault, ImportFault, prices.StepRefused) as error:
        raise JobFailed("feed", str(error)) from error
    return {"batch": batch.public_id, "new": new, "prices": batch.prices, "lines": outcome.lines}


def fetch_and_publish(name: str, *, url: str = "") -> tuple[ImportBatch, bool, Outcome]:
    """The published import of that feed as it is now, whether it is new, and what was read."""
    fetched = read_feed(name, url=url)
    batch, new = prices.publish_import(fetched.name, fetched.digest, fetched.read.outcome, entries=fetched.read.facts)
    return batch, new, fetched.read.outcome


def read_feed(name: str, *, url: str = "") -> Fetched:
    """The feed fetched and read, nothing written."""
    client = None
    if settings.OUTGOING_LOOPBACK:  # tests play the feeds on this machine
        client = Client(limits=Limits(most_bytes=_MOST_BYTES, pause_s=0.01, longest_pause_s=0.05))
    with tempfile.TemporaryDirectory(prefix="sextant-feed-") as folder:
        return fetch(name, Path(folder), day=clock.today(), url=url, client=client)
