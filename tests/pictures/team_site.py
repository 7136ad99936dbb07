"""A server of its own with a team that has something on every screen; database and files are gone afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def screens(ids: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and address of every screen."""
    plan, workload = ids["plan"].public_id, ids["plan"].workload.public_id
    yield "start", "/"
    yield "request", "/new/train?example=llama-70b-15b"
    yield "request-serve", "/new/serve?example=qwen-32b-40rps"
    yield "answer", f"/workloads/{workload}"
    yield "what-if", f"/plans/{plan}/what-if"
    yield "plan", f"/plans/{plan}"
    yield "service", f"/plans/{ids['chat'].public_id}"
    yield "scenarios", f"/plans/{plan}/scenarios"
    yield "scenario-new", f"/plans/{plan}/scenarios/new?tokens=30B"
    yield "series-new", f"/plans/{plan}/series/new"
    yield "prices-today", f"/plans/{ids['spring'].public_id}/prices"
    yield "portfolio", "/portfolio"
    yield "backwards", "/backwards?question=model&budget=400k"
    yield "catalog", "/catalog/"
    yield "accelerator", "/catalog/accelerators/h100-sxm5/"
    yield "prices", "/catalog/prices"
    yield "accuracy", "/accuracy"
    yield "team", "/accounts/team"
    yield "account", "/accounts/account"
    yield "exports", f"/exports/plans/{plan}"


@contextmanager
def running() -> Iterator[tuple[str, dict[str, Any]]]:
    """Its address, and what is in it by name, while the block runs."""
    with TemporaryDirectory() as folder:
        os.environ |= {"SEXTANT_VAR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "true", "LOG_LEVEL": "WARNING"}
        ids = _filled()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        web = [sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", f"127.0.0.1:{port}"]
        server = subprocess.Popen([*web, "--threads", "4", "--log-level", "warning"], cwd=ROOT)
        try:
            yield f"http://127.0.0.1:{port}", ids
        finally:
            server.terminate()
            server.wait()


def chromium() -> str | None:
    """Where Chromium lies."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


def visit(page: Any, address: str) -> None:
    """Goes there; the server may still be starting."""
    from playwright.sync_api import Error

    for _ in range(40):
        try:
            page.goto(address, wait_until="load")
            return
        except Error:
            page.wait_for_timeout(500)
    raise SystemExit(f"{address} does not answer.")


def _filled() -> dict[str, Any]:
    """A new database with a team in it."""
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    from tests.pictures.data import fill

    call_command("migrate", interactive=False, verbosity=0)
    call_command("load_catalog", verbosity=0)
    if settings.STORAGES["staticfiles"]["BACKEND"].startswith("whitenoise"):
        call_command("collectstatic", interactive=False, verbosity=0)
    return fill()
