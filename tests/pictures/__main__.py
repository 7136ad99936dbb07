"""Takes a picture of every screen in light, dark and on a phone, from a database of its own.

    python -m tests.pictures            into docs/images/screens
    python -m tests.pictures FOLDER     elsewhere; more words name the screens that are wanted

Needs Chromium. Database and files are made anew in a folder that is gone afterwards.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SIZES = {
    "light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 360, "height": 780}, "color_scheme": "light", "is_mobile": True},
}
TALLEST = 2000
"""Pixels of a page that a picture shows at most."""
WIDEST = 800
"""Pixels of a picture that is kept."""


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
    yield "prices-today", f"/plans/{ids['spring'].public_id}/prices"
    yield "portfolio", "/portfolio"
    yield "backwards", "/backwards?question=model&budget=400k"
    yield "catalog", "/catalog/"
    yield "prices", "/catalog/prices"
    yield "accuracy", "/accuracy"
    yield "team", "/accounts/team"
    yield "account", "/accounts/account"
    yield "exports", f"/exports/plans/{plan}"


def main(words: list[str]) -> None:
    """Takes the pictures that were asked for."""
    with TemporaryDirectory() as folder:
        os.environ |= {"SEXTANT_VAR": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ |= {"DJANGO_ALLOW_ASYNC_UNSAFE": "true", "LOG_LEVEL": "WARNING"}
        ids = _filled()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        web = [sys.executable, "-m", "gunicorn", "config.wsgi:application", "--bind", f"127.0.0.1:{port}"]
        server = subprocess.Popen([*web, "--threads", "4", "--log-level", "warning"], cwd=ROOT)
        target = Path(words[0]) if words else ROOT / "docs" / "images" / "screens"
        target.mkdir(parents=True, exist_ok=True)
        try:
            take(f"http://127.0.0.1:{port}", ids, target, words[1:])
        finally:
            server.terminate()
            server.wait()


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


def take(base: str, ids: dict[str, Any], target: Path, only: list[str]) -> None:
    """A picture of each screen in each size."""
    from playwright.sync_api import sync_playwright

    from tests.browser.support import log_in, session_of

    with sync_playwright() as tools:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = tools.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for size, options in SIZES.items():
            context = browser.new_context(**options, reduced_motion="reduce")
            log_in(context, session_of(ids["alice"], base))
            page = context.new_page()
            for name, address in screens(ids):
                if only and name not in only:
                    continue
                _open(page, base + address)
                if name.startswith("request"):
                    page.locator("#live .figure").first.wait_for()
                page.wait_for_timeout(250)
                tall = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
                width = options["viewport"]["width"]
                clip = {"x": 0, "y": 0, "width": width, "height": tall}
                _save(page.screenshot(full_page=True, clip=clip), target / f"{name}-{size}.webp")
            context.close()
        browser.close()


def _save(picture: bytes, path: Path) -> None:
    """Small enough to be kept: at most 800 pixels wide."""
    from PIL import Image

    image = Image.open(BytesIO(picture)).convert("RGB")
    if image.width > WIDEST:
        image = image.resize((WIDEST, round(image.height * WIDEST / image.width)), Image.Resampling.LANCZOS)
    image.save(path, quality=80, method=6)


def _open(page: Any, address: str) -> None:
    """Goes there; the server may still be starting."""
    from playwright.sync_api import Error

    for _ in range(40):
        try:
            page.goto(address, wait_until="load")
            return
        except Error:
            page.wait_for_timeout(500)
    raise SystemExit(f"{address} does not answer.")


if __name__ == "__main__":
    main(sys.argv[1:])
