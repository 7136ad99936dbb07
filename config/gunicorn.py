"""How gunicorn serves this: a process for each core, all forked from one that has read and compiled everything.

`manage.py up` and the image start `gunicorn --config python:config.gunicorn`; what the command line says goes before
this. What is read ahead (presets, catalog, compiled simulation, templates) is shared by the processes.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2
_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 — heartbeats must not wait for a disk

wsgi_app = "config.wsgi:application"
preload_app = True
workers = max(2, min(_CORES, 8))
threads = 8
keepalive = 75
"""Seconds. A browser that asks again and again stays with the process that remembers its searches."""
graceful_timeout = 20
loglevel = "warning"
control_socket_disable = True
worker_tmp_dir = str(_SHARED_MEMORY) if _SHARED_MEMORY.is_dir() else None
_COUNTED = Path(worker_tmp_dir or tempfile.gettempdir()) / f"sextant-counted-{os.getpid()}"
raw_env = [f"PROMETHEUS_MULTIPROC_DIR={_COUNTED}"]
"""Where the processes count requests together (operations/traffic.py). Set before the application is loaded: its library looks once."""


def on_starting(server: Any) -> None:
    """The port opens, and processes are forked, only after this: nobody waits on an open port for a cold server."""
    from planner.warm import warm  # the apps are ready only now

    shutil.rmtree(_COUNTED, ignore_errors=True)  # of a server with this number that was killed
    _COUNTED.mkdir(mode=0o700)
    warm()
    answered(server.app.wsgi(), "/healthz")  # middleware and every address: no database is asked
    gc.collect()
    gc.freeze()  # what is shared stays out of every collection: looking at it would copy its pages


def on_exit(server: Any) -> None:
    """Nothing of a server stays behind."""
    shutil.rmtree(_COUNTED, ignore_errors=True)


def answered(application: Callable[..., Iterable[bytes]], path: str) -> str:
    """The status line that the application gives to a request for that page."""
    from django.conf import settings

    host = next((name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
    said: list[str] = []
    environ: dict[str, Any] = {"PATH_INFO": path, "HTTP_HOST": host}
    setup_testing_defaults(environ)
    answer = application(environ, lambda status, _headers, _error=None: said.append(status))
    list(answer)
    close = getattr(answer, "close", None)
    if close:
        close()
    return said[0]
