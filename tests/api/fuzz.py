"""The long run of generated requests: every check and every phase of schemathesis against a server of our own.

``python -m tests.api.fuzz [--seed 1] [--examples 60] [--real]`` makes a database in a temporary folder with a team, a
token and a plan, serves the API on a free port of this machine and lets schemathesis ask it: examples, every boundary
of every field (coverage), random valid and invalid data (fuzzing), and sequences along links (stateful). Estimates
come from samples, so that thousands of requests take minutes; ``--real`` asks the engine. Of valid requests two of three name rows that
exist (fuzz_hooks.py). At the end stands which operations were met with a 2xx. The exit status is that of schemathesis, or 1 when
fewer than nine of ten were; reports lie in ``var/fuzz``. The test suite runs a small part of it (test_schemathesis.py).
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.file import File

if TYPE_CHECKING:
    from tests.api.fuzz_rows import Rows

ROOT = Path(__file__).parents[2]
BESIDE = "/rows-of-this-run/"
ROWS_AT, MET_IN = "SEXTANT_FUZZ_ROWS", "SEXTANT_FUZZ_MET"
"""Told to tests/api/fuzz_hooks.py: where rows are asked for, and the file for what came."""
MOST_UNMET = 0.1
KEY, SECRET = "fuzzfuzzfuzz", "F" * 34
TOKEN = f"sxt_{KEY}_{SECRET}"
# What a valid request may still meet, where its operation describes it: 400 for a NUL or half a surrogate pair in a text,
# 422 for a model that does not exist or a rule across fields, 404 to 412 and 428 for the rows that it names. None of these
# can be said in a schema. It is never refused for its rights, its size, its type or its rate.
_ROWS_DECIDE = ["2xx", "304", "400", "404", "409", "412", "422", "428"]
CHECK_SETTINGS: dict[str, dict[str, list[str]]] = {
    "positive_data_acceptance": {"expected-statuses": _ROWS_DECIDE},
    # RFC 6585 made 428 for a condition that is missing; schemathesis knows 400 to 422 alone.
    "missing_required_header": {"expected-statuses": ["428"]},
    "negative_data_rejection": {
        "expected-statuses": ["400", "401", "403", "404", "405", "412", "413", "415", "416", "422", "428", "429"]
    },
}
# Nobody decides on what they made: the one token of a run is refused where it has submitted a plan itself.
FOUR_EYES = {"create_approval": [*_ROWS_DECIDE, "403"]}
# A Range may ask for more than there is.
RANGES = {name: [*_ROWS_DECIDE, "416"] for name in ("get_file", "get_bundle", "get_quotation_letter")}
# Each item of a batch is answered on its own, also one that is no request at all: 200 with a problem in it.
BATCHES = {"create_estimates": ["200", *CHECK_SETTINGS["negative_data_rejection"]["expected-statuses"]]}
OPERATION_SETTINGS: list[dict[str, Any]] = [
    {"include-operation-id": name, "checks": {check: {"expected-statuses": statuses}}}
    for check, exceptions in (("positive_data_acceptance", FOUR_EYES | RANGES), ("negative_data_rejection", BATCHES))
    for name, statuses in exceptions.items()
]


def main() -> int:
    """Serves and asks; the exit status of schemathesis."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=60, help="random cases for each operation")
    parser.add_argument("--port", type=int, default=0, help="default: a free one")
    parser.add_argument("--real", action="store_true", help="estimates by the engine, not from samples")
    given, more = parser.parse_known_args()
    with tempfile.TemporaryDirectory(prefix="sextant-fuzz-") as folder:
        port = _served(Path(folder), given.port, real=given.real)
        counts = Path(folder) / "met.json"
        status = _asked(port, _config(Path(folder)), counts, given.seed, given.examples, more)
        return told(Counter(json.loads(counts.read_text(encoding="utf-8")))) or status


def told(met: Counter[str]) -> int:
    """Prints what was met by what; 1 when fewer than nine of ten operations were met with a 2xx."""
    from tests.api.described import OPERATIONS

    good = {key.split()[0] for key in met if key.split()[1].startswith("2")}
    never = sorted(OPERATIONS.keys() - good)
    sys.stdout.write(f"{met.total()} requests; {len(OPERATIONS) - len(never)} of {len(OPERATIONS)} operations met with a 2xx"
          f"{'; never: ' + ', '.join(never) if never else ''}\n")  # fmt: skip
    return int(len(never) > len(OPERATIONS) * MOST_UNMET)


def _served(folder: Path, port: int, *, real: bool) -> int:
    """The port on which the API answers, in a thread, until this process ends."""
    os.environ |= {
        "SEXTANT_VAR": str(folder / "var"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "LOG_LEVEL": "ERROR",
    }
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("load_catalog", verbosity=0)
    settings.API_PER_MINUTE = dict.fromkeys(settings.API_PER_MINUTE, 10**9)
    settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, "testserver"]
    settings.CAPS = dict.fromkeys(settings.CAPS, 10**9)
    patch = pytest.MonkeyPatch()
    import_module("config.urls")
    for module in [one for one in sys.modules.values() if hasattr(one, "wait_for_end")]:
        patch.setattr(module, "wait_for_end", lambda *_: None)
    if not real:
        from tests.planner.page_support import stub_engine

        stub_engine(patch)
    rows = _filled(patch)
    import_module("config.api").api.get_openapi_schema(path_params={})  # takes seconds once; schemathesis waits for ten
    return _listening(port, rows)


def _filled(patch: Any) -> Rows:
    """The rows of a team with an admin and the token of this run, which nothing revokes."""
    from accounts import tokens
    from accounts.models import ApiToken, Membership, Role, Team, User
    from planner import scenarios
    from tests.api.fuzz_rows import Rows
    from tests.api.support import Api
    from webhooks import endpoints

    team = Team.objects.create(slug="fuzz", name="Fuzz")
    user = User.objects.create_user("fuzz@example.org", name="Fuzz")
    caller = Api(Membership.objects.create(team=team, user=user, role=Role.ADMIN))
    row, _ = tokens.issue(team, user, name="fuzz", scopes=tokens.SCOPES)
    ApiToken.objects.filter(pk=row.pk).update(key=KEY, digest=tokens._digest(KEY, SECRET))
    revoke = tokens.revoke
    kept = (row.pk, caller.row.pk)
    patch.setattr(tokens, "revoke", lambda token, **how: None if token.pk in kept else revoke(token, **how))
    patch.setattr(endpoints, "MOST", 10**9)
    patch.setattr(endpoints, "BY_HAND", 10**9)
    patch.setattr(scenarios, "MOST", 10**9)
    return Rows(caller)


def _listening(port: int, rows: Rows) -> int:
    from socketserver import ThreadingMixIn
    from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

    from config.wsgi import application

    def with_rows(environ: dict[str, Any], start: Any) -> Any:
        """The API, and beside it what rows there are for an operation."""
        path = str(environ["PATH_INFO"])
        if not path.startswith(BESIDE):
            return application(environ, start)
        start("200 OK", [("Content-Type", "application/json")])
        return [json.dumps(_sendable(rows.of(path.removeprefix(BESIDE)))).encode()]

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True
        request_queue_size = 64

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            """Schemathesis reports what matters."""

    server = make_server("127.0.0.1", port, with_rows, server_class=Server, handler_class=Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return int(server.server_port)


def _sendable(known: dict[str, Any]) -> dict[str, Any]:
    """The same for JSON: a file as base64."""
    body = known["body"]
    if not isinstance(body, File):
        return {**known, "media": ""}
    return {**known, "media": body.media, "body": base64.b64encode(body.data).decode()}


def _config(folder: Path) -> Path:
    """What schemathesis cannot read in the description."""
    path = folder / "schemathesis.toml"
    accepted = ((name, json.dumps(item["expected-statuses"])) for name, item in CHECK_SETTINGS.items())
    lines = ['hooks = "tests.api.fuzz_hooks"\n']
    lines += [f"[checks.{name}]\nexpected-statuses = {statuses}\n" for name, statuses in accepted]
    for one in OPERATION_SETTINGS:
        lines += ["[[operations]]", f'include-operation-id = "{one["include-operation-id"]}"']
        lines += [f"checks.{check}.expected-statuses = {json.dumps(item['expected-statuses'])}\n"
                  for check, item in one["checks"].items()]  # fmt: skip
    path.write_text("\n".join(lines))
    return path


def _asked(port: int, config: Path, counts: Path, seed: int, examples: int, more: list[str]) -> int:
    reports = ROOT / "var/fuzz"
    reports.mkdir(parents=True, exist_ok=True)
    command = [
        str(Path(sys.executable).with_name("st")), "--config-file", str(config), "run",
        f"http://127.0.0.1:{port}/api/v1/openapi.json", "-H", f"Authorization: Bearer {TOKEN}", "--checks", "all",
        "--phases", "examples,coverage,fuzzing,stateful", "--mode", "all", "--max-examples", str(examples), "--seed", str(seed),
        "--generation-allow-x00", "true", "--continue-on-failure", "--workers", "1", "--request-timeout", "120",
        "--report", "junit", "--report-dir", str(reports), "--suppress-health-check", "all", *more,
    ]  # fmt: skip
    env = {"PYTHONPATH": str(ROOT), ROWS_AT: f"http://127.0.0.1:{port}{BESIDE.rstrip('/')}", MET_IN: str(counts)}
    return subprocess.run(command, cwd=ROOT, env=os.environ | env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
