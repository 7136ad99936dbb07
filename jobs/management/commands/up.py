"""``manage.py up``: everything on one machine with one command."""

from __future__ import annotations

import fcntl
import os
import socket
import sys
import threading
import time
from argparse import ArgumentParser
from typing import IO, Any

import structlog
from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command, get_commands
from django.db import connection

from accounts import demo
from jobs import sweeper
from jobs.supervisor import Child, Supervisor

log = structlog.get_logger("sextant.up")


class Command(BaseCommand):
    """Migrates, loads the catalog, starts web and worker, restarts what dies, sweeps the queue."""

    help = "Runs everything on this machine: web, worker and sweep. Stop it with Ctrl-C."
    requires_system_checks: list[str] = []  # after the migration, and by the processes themselves

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--port`` and ``--workers``."""
        parser.add_argument("--port", type=int, default=settings.PORT, help="port of the page (default: PORT or 8000)")
        parser.add_argument("--workers", type=int, default=2, help="processes for background work (default: 2)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Returns when it is told to stop."""
        held = _only_one()
        _port_is_free(settings.BIND, options["port"])
        call_command("migrate", interactive=False, verbosity=0)
        if "load_catalog" in get_commands():
            call_command("load_catalog", verbosity=0)
        if settings.STORAGES["staticfiles"]["BACKEND"].startswith("whitenoise"):
            call_command("collectstatic", interactive=False, verbosity=0)
        greeting = self._greeting(options["port"])
        connection.close()
        threading.Thread(target=self._greet, args=(greeting, options["port"]), daemon=True).start()
        Supervisor(children=_children(**options), every=_sweep, period_s=sweeper.PERIOD_S).run()
        held.close()
        self.stdout.write("Sextant has stopped.")

    def _greeting(self, port: int) -> str:
        lines = [f"\nSextant: http://localhost:{port}/"]
        if settings.DEMO_MODE:
            visitor, approver = demo.new_tokens()
            lines += [
                f"Demo team: one click on that page. API token: {visitor}",
                f"Token of a colleague who approves what you submit: {approver}",
                f"API: http://localhost:{port}/api/v1/openapi.json",
            ]
        return "\n".join([*lines, "Stop with Ctrl-C.\n"])

    def _greet(self, greeting: str, port: int) -> None:
        """Says where the page is, once it is there: the port opens when the server is warm."""
        while not _answers(settings.BIND, port):
            time.sleep(0.1)
        self.stdout.write(greeting)
        self.stdout.flush()


def _answers(host: str, port: int) -> bool:
    """Does somebody listen there? Of an address for every interface, the machine's own is asked."""
    try:
        reached = "127.0.0.1" if host in ("", "0.0.0.0") else host  # noqa: S104 - read here, bound by nobody
        socket.create_connection((reached, port), timeout=1).close()
    except OSError:
        return False
    return True


def _children(*, port: int, workers: int, **_: Any) -> list[Child]:
    web = ["-m", "gunicorn", "--config", "python:config.gunicorn", "--bind", f"{settings.BIND}:{port}"]
    worker = ["-m", "celery", "--app", "config", "--quiet", "worker", "--concurrency", str(workers)]
    worker += ["--pool", "prefork", "--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return [
        Child(name="web", command=[sys.executable, *web], stop_within_s=25),
        Child(name="worker", command=[sys.executable, *worker], stop_within_s=60),
    ]


def _sweep() -> None:
    """Sweeps here, so that recovery needs no worker."""
    sweeper.sweep_once()
    connection.close()


def _only_one() -> IO[str]:
    """Holds ``var/up.lock`` until it is closed or the process ends, however it ends."""
    held = (settings.VAR_DIR / "up.lock").open("a")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise CommandError("Sextant already runs from this folder; stop it first, or set SEXTANT_VAR.") from error
    os.set_inheritable(held.fileno(), False)
    return held


def _port_is_free(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise CommandError(f"Port {port} is taken; choose another one: make run PORT=8001") from error
