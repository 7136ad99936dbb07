"""A backup is restored on another database, and what it holds is what was there."""

from __future__ import annotations

import json
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.test_kill import Installation

_FILL = """
from accounts.models import Team, User, Membership, AuditEvent
from accounts import audit
from exports.models import Export
from jobs import queue
from jobs.models import Job, State
team = Team.objects.create(slug="north", name="Nörd \\\\ \\t\\n“tab”")
for number in range(30):
    user = User.objects.create_user(f"p{number}@north.example", name=f"P {number}")
    Membership.objects.create(team=team, user=user, role="planner")
    audit.record("user.created", user.public_id, team=team, actor=user, data={"odd": "a\\\\b\\nc", "none": None})
queue.enqueue("test.slow", team=team, payload={"effects": "x", "hang": False}, key="waits")
"""
_LOOK = """
import json
from accounts.models import Team, User, AuditEvent
from jobs.models import Job
print(json.dumps([
    list(Team.objects.values("public_id", "name")),
    list(User.objects.order_by("pk").values_list("pk", "email", "password")),
    [[e.public_id, e.data, e.at.isoformat()] for e in AuditEvent.objects.order_by("pk")],
    list(Job.objects.order_by("pk").values_list("public_id", "state", "key")),
]))
"""
_GO_ON = """
from accounts.models import User
print(User.objects.create_user("new@north.example").pk)
"""


@dataclass(frozen=True, kw_only=True)
class Drill:
    """What was there, what is there where it was restored, and what came after."""

    before: list[Any]
    after: list[Any]
    next_key: int
    """Of the next account there."""
    second: str
    """What a second restore into the same database says."""
    mode: int
    """Permissions of the archive."""


def _drill(before: Installation, after: Installation, folder: Path) -> Drill:
    """Fills, backs up, restores elsewhere, looks at both, and goes on working there."""
    archive = folder / "night.zip"
    before.migrate()
    before.ask(_FILL)
    before.manage("backup", str(archive))
    after.manage("restore", str(archive))
    looks = [json.loads(site.ask(_LOOK)) for site in (before, after)]
    key = int(after.ask(_GO_ON))
    with pytest.raises(subprocess.CalledProcessError) as refused:
        after.manage("restore", str(archive))
    said, mode = refused.value.stderr.decode(), archive.stat().st_mode
    return Drill(before=looks[0], after=looks[1], next_key=key, second=said, mode=mode)


def _holds(drill: Drill) -> None:
    assert [len(rows) for rows in drill.before] == [1, 30, 30, 1]
    assert drill.after == drill.before
    assert drill.next_key > 30  # sequences go on behind what was restored
    assert "holds accounts; restore into an empty one" in drill.second
    assert drill.mode & 0o077 == 0


def test_the_embedded_default_is_restored_in_another_folder(tmp_path: Path) -> None:
    none = {"DATABASE_URL": "", "REDIS_URL": ""}
    one, two = (Installation(folder=tmp_path / name, variables=none) for name in ("one", "two"))
    drill = _drill(one, two, tmp_path)

    assert drill.after == drill.before
    _holds(drill)


@pytest.mark.needs_postgres
def test_postgresql_is_restored_in_another_database(tmp_path: Path, postgres_url: str) -> None:
    servers = []
    for name in ("before", "after"):
        subprocess.run(["psql", postgres_url, "-qc", f"CREATE DATABASE backup_{name}"], check=True)
        url = postgres_url.rsplit("/", 1)[0] + f"/backup_{name}"
        servers.append(Installation(folder=tmp_path / name, variables={"DATABASE_URL": url, "REDIS_URL": ""}))
    drill = _drill(servers[0], servers[1], tmp_path)

    assert drill.after == drill.before
    _holds(drill)


def test_a_damaged_backup_is_refused_before_anything_is_touched(tmp_path: Path) -> None:
    installation = Installation(folder=tmp_path, variables={"DATABASE_URL": "", "REDIS_URL": ""})
    installation.migrate()
    whole, damaged = tmp_path / "whole.zip", tmp_path / "damaged.zip"
    installation.manage("backup", str(whole))
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(damaged, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            target.writestr(name, data if name == "manifest.json" else data[:-1] + b"?")
    for path, said in ((damaged, "is not what was written"), (tmp_path / "none.zip", "no whole backup")):
        with pytest.raises(subprocess.CalledProcessError) as refused:
            installation.manage("restore", str(path))
        assert said in refused.value.stderr.decode()
