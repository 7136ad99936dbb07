"""The receiver of docs/api.md, run as it stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.conftest import People
from tests.webhooks.support import deliver, happen, hook
from webhooks.models import Delivery, State

DOCS = Path(__file__).parents[2] / "docs/api.md"


def _example() -> str:
    found = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return next(one for one in found if "class Receiver" in one)


def test_the_example_takes_ours_and_refuses_others(people: People, free_port: int, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port}/"
    _, secret = hook(people, url)
    script = tmp_path / "receiver.py"
    script.write_text(_example(), encoding="utf-8")
    environment = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(free_port)}
    with subprocess.Popen(
        [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert _status(url) == 401  # listens, and takes nothing that is not signed
            delivery = happen(people)
            deliver()
            assert process.stdout is not None
            assert process.stdout.readline().split() == [delivery.event.public_id, "plan.approved"]
        finally:
            process.kill()
    assert Delivery.objects.get().state == State.DELIVERED


def _status(url: str) -> int:
    """What the receiver answers to a forged message, asked until it listens."""
    forged = {"webhook-id": "msg_x", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,AAAA"}
    until = time.monotonic() + 10
    while True:
        try:
            request = urllib.request.Request(url, data=b"{}", headers=forged)  # noqa: S310 - our own receiver
            with urllib.request.urlopen(request, timeout=5) as response:  # noqa: S310
                return int(response.status)
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            assert time.monotonic() < until, "the receiver does not listen"
            time.sleep(0.05)


def test_it_is_as_short_as_it_is_said() -> None:
    lines = [line for line in _example().splitlines() if line.strip()]
    assert len(lines) <= 15
