"""An installation of its own for one measurement: a folder that is removed afterwards, and a database that is empty."""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import Membership, Role, Team, User

LEASE_S: Final = 10
"""Of the jobs of such an installation: a killed worker costs its piece so long."""
NO_LIMIT: Final = str(1_000_000)
SLUG: Final = "scale"


def add_arguments(parser: ArgumentParser) -> None:
    """Which servers; and the sign that the command runs inside already."""
    parser.add_argument("--database", default="", metavar="URL", help="an empty PostgreSQL database (default: SQLite)")
    parser.add_argument("--redis", default="", metavar="URL", help="a Redis of its own (default: files as the broker)")
    parser.add_argument("--inside", action="store_true", help="measure in this installation, which must be empty")


def inside(command: str, options: dict[str, Any], given: Sequence[str]) -> None:
    """Runs that command once more with the same arguments, in a fresh installation. CommandError when it fails there."""
    with TemporaryDirectory(prefix="sextant-scale-") as folder:
        environment = {
            **os.environ,
            "SEXTANT_ENV": "development",
            "SEXTANT_VAR": f"{folder}/var",
            "DATABASE_URL": options["database"],
            "REDIS_URL": options["redis"],
            "DEMO_MODE": "false",
            "LOG_LEVEL": "ERROR",
            "JOB_LEASE_S": str(LEASE_S),
            "JOB_HEARTBEAT_S": "2",
            "API_READS_PER_MINUTE": NO_LIMIT,
            "API_ESTIMATES_PER_MINUTE": NO_LIMIT,
            "API_EXPORTS_PER_MINUTE": NO_LIMIT,
            "PAGE_ESTIMATES_PER_MINUTE": NO_LIMIT,
        }
        again = [sys.executable, str(settings.BASE_DIR / "manage.py"), command, "--inside", *given]
        if subprocess.run(again, env=environment, check=False).returncode:  # noqa: S603 - our own command
            raise CommandError("It could not be measured: see above.")


def prepare() -> None:
    """Tables and catalog. CommandError where somebody keeps accounts."""
    call_command("migrate", interactive=False, verbosity=0)
    if User.objects.exists():
        raise CommandError("This database holds accounts: name an empty one.")
    call_command("load_catalog", verbosity=0)


def people() -> dict[str, Membership]:
    """A team with one person in each role."""
    team = Team.objects.create(slug=SLUG, name="Scale")
    return {
        role: Membership.objects.create(
            team=team, user=User.objects.create_user(f"{role}@{SLUG}.example", name=role.title()), role=role
        )
        for role in Role.values
    }
