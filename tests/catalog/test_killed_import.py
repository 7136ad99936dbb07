"""``kill -9`` in the middle of an import, after its rows were written: the catalog is as it was, and a retry works."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.catalog.price_pages import aws_file, aws_line
from tests.tables import make_tables

pytestmark = pytest.mark.slow  # kills a process that imports

ROOT = Path(__file__).resolve().parent.parent.parent
_HANG = """
import sys, time
from pathlib import Path
import django
django.setup()
from django.core.management import call_command
from catalog import prices
from catalog.models import PriceObservation

def hang():
    rows = PriceObservation.objects.filter(batch__name="file/aws-bulk").count()
    Path(sys.argv[2]).write_text(str(rows))
    time.sleep(60)

prices.note_release = hang
call_command("import_prices", sys.argv[1], format="aws-bulk")
"""


def _counts(database: Path) -> tuple[int, ...]:
    with sqlite3.connect(database) as reader:
        tables = ("priceobservation", "importbatch", "catalogrelease")
        return tuple(reader.execute(f"SELECT COUNT(*) FROM catalog_{table}").fetchone()[0] for table in tables)  # noqa: S608


def test_a_killed_import_leaves_the_catalog_as_it_was(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))}
    variables = {**kept, "SEXTANT_VAR": str(tmp_path / "var"), "DJANGO_SETTINGS_MODULE": "config.settings"}

    def manage(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=variables, check=True, capture_output=True, text=True
        )
        return done.stdout

    database = tmp_path / "var" / "sextant.sqlite3"
    make_tables(database, lambda: manage("migrate", "-v0", "--skip-checks"))
    manage("load_catalog")
    path, mark = tmp_path / "index.csv", tmp_path / "mark"
    path.write_text(aws_file(*(aws_line(Region_Code=f"region-{n}") for n in range(2000))), encoding="utf-8")
    before = _counts(database)
    child = subprocess.Popen([sys.executable, "-c", _HANG, str(path), str(mark)], cwd=ROOT, env=variables)
    try:
        deadline = time.monotonic() + 60
        while not mark.exists() or not mark.read_text():
            assert child.poll() is None, "the import ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    assert mark.read_text() == "2000"
    assert _counts(database) == before
    assert "Published 2000 new prices" in manage("import_prices", str(path), "--format", "aws-bulk")
    assert _counts(database)[0] == before[0] + 2000
