"""The feed of budgets under thousands of approved plans: first page, whole export, memory; on a server of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPConnection
from typing import Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts import tokens
from accounts.models import Membership, Role, Team, User
from lab.crowd.server import Server
from lab.gallery.requests import requests
from planner import plans
from planner.estimate import estimate
from planner.market import market_from_rows
from planner.models import PlanVersion, Workload
from planner.versions import State

KINDS: Final = ("train-8b-two-weeks", "serve-committed-year", "buy-forty-runs", "serve-assistant-office-hours")
"""Short and long budgets, rented and bought, in turn."""
_AT_ONCE: Final = 100
_LINE = b"\n"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What was measured."""

    plans: int
    unkept_s: float
    """The whole export where no sheet is kept: the first one after an upgrade that reckons lines otherwise."""
    first_page_ms: tuple[float, ...]
    lines: int
    bytes: int
    export_s: float
    """The whole export where plans were approved by this version, or read once."""
    memory_mib: tuple[float, ...]
    """While both exports ran, one figure each half second."""


def fill(count: int) -> str:
    """Adds a team with that many approved plans, really answered and then copied; a token that reads them."""
    team = Team.objects.create(slug="feed", name="Feed")
    user = User.objects.create_user("feed@example.org", name="Feed")
    member = Membership.objects.create(team=team, user=user, role=Role.PLANNER)
    columns = _answered(team)
    begun = timezone.now() - timedelta(seconds=count)
    for start in range(0, count, _AT_ONCE):
        numbers = range(start, min(count, start + _AT_ONCE))
        with transaction.atomic():
            rows = Workload.objects.bulk_create(
                Workload(team=team, name=f"Plan {number}", draft={}, created_by=user) for number in numbers
            )
            PlanVersion.objects.bulk_create(
                PlanVersion(
                    workload=row,
                    number=1,
                    created_by=user,
                    state=State.APPROVED,
                    decided_by=user,
                    decided_at=begun + timedelta(seconds=number),
                    **columns[number % len(columns)],
                )
                for row, number in zip(rows, numbers, strict=True)
            )
    _, token = tokens.issue(member.team, user, name="Feed", scopes=("plans:read",))
    return token


def _answered(team: Team) -> list[dict[str, object]]:
    market = market_from_rows(team)
    asked = [one.spec for kind in KINDS for one in requests(market, only=kind)]
    return [plans.columns_of(estimate(spec, market)) for spec in asked]


def filled(server: Server, count: int) -> str:
    """The same in the database of that server, by a process of its own."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "feed", "--fill", "--plans", str(count)]
    changed = dict(one.split("=", 1) for one in server.environment)
    done = subprocess.run(command, env={**os.environ, **changed}, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own
    return done.stdout.split()[-1]


def measured(server: Server, token: str, count: int, *, pages: int) -> Found:
    """Asks for everything as one file, whose plans nobody has opened before, for the first page so often, and for everything again."""
    memory, ended = [server.memory_mib()], threading.Event()

    def watch() -> None:
        while not ended.wait(0.5):
            memory.append(server.memory_mib())

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        unkept = _timed(server.port, token, "format=focus-csv")
        first = tuple(_timed(server.port, token, "limit=20")[0] * 1e3 for _ in range(pages))
        seconds, lines, size = _timed(server.port, token, "format=focus-csv")
    finally:
        ended.set()
        watcher.join()
    if (lines, size) != unkept[1:]:
        raise RuntimeError(f"Kept sheets say {lines} lines and {size} bytes, the plans {unkept[1]} and {unkept[2]}")
    return Found(
        plans=count,
        unkept_s=unkept[0],
        first_page_ms=first,
        lines=lines - 1,
        bytes=size,
        export_s=seconds,
        memory_mib=tuple(memory),
    )


def _timed(port: int, token: str, query: str) -> tuple[float, int, int]:
    """Seconds until the last byte, line ends, bytes."""
    begun = time.perf_counter()
    line = HTTPConnection("127.0.0.1", port, timeout=3600)
    try:
        line.request("GET", f"/api/v1/budget-lines?{query}", headers={"Authorization": f"Bearer {token}"})
        answer = line.getresponse()
        if answer.status != 200:
            raise RuntimeError(answer.read(500).decode(errors="replace"))
        lines = size = 0
        while piece := answer.read(1 << 16):
            lines, size = lines + piece.count(_LINE), size + len(piece)
        return time.perf_counter() - begun, lines, size
    finally:
        line.close()


def told(found: Found) -> list[str]:
    """In four lines."""
    ordered, memory = sorted(found.first_page_ms), found.memory_mib
    p95 = ordered[int(len(ordered) * 0.95) - 1]
    settled = memory[len(memory) // 5 :]
    return [
        f"{found.plans} approved plans: first page median {ordered[len(ordered) // 2]:.0f} ms, P95 {p95:.0f} ms",
        f"the first export, of plans that nobody opened: {found.unkept_s:.1f} s, {found.lines / found.unkept_s:.0f} lines/s",
        f"whole export {found.lines} lines, {found.bytes / 1e6:.1f} MB in {found.export_s:.1f} s: "
        f"{found.lines / found.export_s:.0f} lines/s",
        f"memory {memory[0]:.0f} MiB before, {max(memory):.0f} MiB at most; after a fifth {min(settled):.0f} to {max(settled):.0f}",
    ]
