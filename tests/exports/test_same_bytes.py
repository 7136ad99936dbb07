"""The same plan gives the same bytes on another worker and another day: “is this what I approved?” is a hash."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from exports.brand import OURS
from exports.render import render
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.exports.brands import brand
from tests.exports.samples import ALL

LATER = """
import datetime, time

SHIFT = 400 * 86400 + 3723
real = time.time
time.time = lambda: real() + SHIFT
local, utc, write = time.localtime, time.gmtime, time.strftime
time.localtime = lambda seconds=None: local(time.time() if seconds is None else seconds)
time.gmtime = lambda seconds=None: utc(time.time() if seconds is None else seconds)
time.strftime = lambda form, moment=None: write(form, time.localtime() if moment is None else moment)

class Later(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(time.time(), datetime.timezone.utc).replace(tzinfo=None)

class AnyDate(type):
    def __instancecheck__(cls, value, real=datetime.date):
        return isinstance(value, real)

class LaterDate(datetime.date, metaclass=AnyDate):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(time.time())

datetime.datetime, datetime.date = Later, LaterDate

import json, django
django.setup()
from tests.exports.test_same_bytes import hashes
print(json.dumps(hashes()))
"""
"""A worker of 400 days later: all clocks that a library could read are put forward before it is imported."""


def computed() -> Plan:
    """A plan of the engine itself, whose choice must not hang on the order of a set either."""
    request = {
        "name": "Run", "workload": "training", "model": "llama-3.1-8b", "as_of": "2026-09-01", "training": {"tokens": 2e9},
        "constraints": {"deadline_days": 30}, "horizon_months": 24,
    }  # fmt: skip
    return estimate(spec_from(request), market_from_files())


PLANS = {"computed": computed} | {name: ALL[name] for name in ("training", "serving", "hostile")}


def hashes() -> dict[str, str]:
    """SHA-256 of every file of those plans, in our look and in a team's."""
    looks = {"ours": OURS, "theirs": brand()}
    plans = {name: make() for name, make in PLANS.items()}
    return {
        f"{name}.{look}.{format_}": hashlib.sha256(render(plan, format_, brand=worn)).hexdigest()
        for name, plan in plans.items()
        for look, worn in looks.items()
        for format_ in ("docx", "xlsx", "pdf", "pptx")
    }


def test_another_worker_on_another_day_writes_the_same_bytes(tmp_path: Path) -> None:
    elsewhere = os.environ | {
        "PYTHONHASHSEED": "4711",
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "C",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SEXTANT_VAR": str(tmp_path / "var"),
    }
    made = subprocess.run(
        [sys.executable, "-c", LATER], cwd=tmp_path, env=elsewhere, capture_output=True, text=True, timeout=300
    )
    assert made.returncode == 0, made.stderr[-2000:]
    assert json.loads(made.stdout.splitlines()[-1]) == hashes()
