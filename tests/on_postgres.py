"""Runs tests against PostgreSQL instead of SQLite: ``python -m tests.on_postgres [what pytest takes]``.

Without arguments those that meet every page, in every role and with a long odd text in every column: PostgreSQL checks
lengths, sorts by its own rules and breaks off a transaction at the first fault, all of which SQLite lets pass. Their two files
run beside one another, each on a database of its own. The server is that of TEST_DATABASE_URL, or a private one of the system's
binaries that ends with the run.
"""

from __future__ import annotations

import os
import subprocess
import sys

from tests import services

PAGES = ("tests/security/test_matrix.py::test_page", "tests/abuse/test_canaries.py")
BESIDE = ("-n", str(len(PAGES)), "--dist", "loadfile")


def main(arguments: list[str]) -> int:
    """The exit status of pytest."""
    if not services.postgres_present():
        print("PostgreSQL is missing: apt install postgresql, or set TEST_DATABASE_URL.")  # noqa: T201 - a command
        return 1
    with services.postgres() as url:
        command = [sys.executable, "-m", "pytest", "-q", *(arguments or (*BESIDE, *PAGES))]
        return subprocess.run(command, env=os.environ | {"DATABASE_URL": url}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
