"""An upgrade without downtime: what the version before does is still possible on the tables of this one.

``released.json`` holds the tables of the version that runs elsewhere; ``python -m tests.operations.test_upgrades`` writes it
anew when a version is released, on PostgreSQL: DATABASE_URL names an empty one with this version's tables.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from operations.schema import Column, as_json, from_json, what_breaks
from tests.jobs.test_kill import Installation

RELEASED = Path(__file__).with_name("released.json")
PLAIN = Column(null=False, defaulted=False, size=40)
EMPTY_OK = replace(PLAIN, null=True)
OLDER = {"plan": {"name": PLAIN, "note": EMPTY_OK}}
_SCHEMA = """
import json
from operations.schema import as_json, schema_now
print(json.dumps(as_json(schema_now())))
"""


@pytest.mark.parametrize(
    ("newer", "said"),
    [
        ({}, "The table plan is gone"),
        ({"plan": {"name": PLAIN}}, "plan.note is gone"),
        ({"plan": {"name": PLAIN, "remark": EMPTY_OK}}, "plan.note is gone"),
        ({"plan": {**OLDER["plan"], "owner": PLAIN}}, "plan.owner is new and must be filled"),
        ({"plan": {"name": PLAIN, "note": PLAIN}}, "plan.note must be filled now"),
        ({"plan": {"name": replace(PLAIN, size=20), "note": EMPTY_OK}}, "plan.name holds 20 characters now"),
    ],
    ids=["table", "column", "renamed", "not null", "filled", "shorter"],
)
def test_what_older_processes_would_not_survive_is_named(newer: dict[str, dict[str, Column]], said: str) -> None:
    assert [sentence for sentence in what_breaks(OLDER, newer) if sentence.startswith(said)]


@pytest.mark.parametrize(
    "newer",
    [
        OLDER,
        {**OLDER, "another": {"must": PLAIN}},
        {"plan": {**OLDER["plan"], "owner": EMPTY_OK}},
        {"plan": {**OLDER["plan"], "owner": replace(PLAIN, defaulted=True)}},
        {"plan": {"name": replace(PLAIN, size=80), "note": EMPTY_OK}},
        {"plan": {"name": EMPTY_OK, "note": EMPTY_OK}},
    ],
    ids=["nothing", "new table", "nullable", "defaulted", "longer", "may be empty"],
)
def test_what_only_adds_is_survived(newer: dict[str, dict[str, Column]]) -> None:
    assert list(what_breaks(OLDER, newer)) == []


@pytest.mark.needs_postgres
def test_the_version_before_works_on_the_tables_of_this_one(tmp_path: Path, postgres_url: str) -> None:
    """Migrations only expand; what contracts waits for the next release, when this file is written anew."""
    subprocess.run(["psql", postgres_url, "-qc", "CREATE DATABASE upgraded"], check=True)
    url = postgres_url.rsplit("/", 1)[0] + "/upgraded"
    installation = Installation(folder=tmp_path, variables={"DATABASE_URL": url, "REDIS_URL": ""})
    installation.migrate()
    now = from_json(json.loads(installation.ask(_SCHEMA)))

    released = from_json(json.loads(RELEASED.read_text()))
    assert len(released) > 30
    assert list(what_breaks(released, now)) == []


def _write() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()\n" + _SCHEMA],
        env={"DJANGO_SETTINGS_MODULE": "config.settings", **os.environ}, check=True, capture_output=True, text=True,
    )  # fmt: skip
    schema = as_json(from_json(json.loads(done.stdout)))
    lines = [f"{json.dumps(table)}: {json.dumps(columns, sort_keys=True)}" for table, columns in sorted(schema.items())]
    RELEASED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _write()
