"""The sign of life of a worker: a thread beside its work, so that an idle worker and a busy one are heard alike."""

from __future__ import annotations

import threading
from typing import Any, Final

import structlog
from celery.signals import celeryd_init, worker_ready, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connection, connections

from jobs import queue

log = structlog.get_logger("sextant.jobs")

EVERY_S: Final = 10.0
_stopped = threading.Event()


@celeryd_init.connect
def _patient(conf: Any = None, **_: Any) -> None:
    """A worker waits for messages and for the database; only who is waited for must give up soon (config/settings.py). And it
    has no pool of connections: its processes have a thread or two each, and those that are forked later would share the pool
    of their parent."""
    database = connections.settings["default"]
    database.setdefault("OPTIONS", {}).update(getattr(settings, "WORKER_DATABASE_OPTIONS", {}))
    if database["OPTIONS"].pop("pool", None):
        database["CONN_MAX_AGE"] = 60
    options = getattr(settings, "CELERY_WORKER_TRANSPORT_OPTIONS", None)
    if conf is not None and options:
        conf.broker_transport_options = {**conf.broker_transport_options, **options}


@worker_ready.connect
def _begin(sender: Any, **_: Any) -> None:
    lanes = sorted(queue_.name for queue_ in sender.task_consumer.queues)
    threading.Thread(target=_live, args=(str(sender.hostname), lanes), name="alive", daemon=True).start()


@worker_shutting_down.connect
def _end(**_: Any) -> None:
    _stopped.set()


def _live(worker: str, lanes: list[str]) -> None:
    """Notes the worker every ten seconds; sweeps while nobody else does."""
    while not _stopped.is_set():
        try:
            queue.note_worker(worker, lanes=lanes)
            if not queue.heard(within_s=3 * EVERY_S, sweepers=True).exists():
                log.warning("no_sweeper", sweeping=worker)
                queue.sweep()
        except DatabaseError as error:
            log.warning("alive_failed", error=type(error).__name__)
            connection.close()
        _stopped.wait(EVERY_S)
    connection.close()
