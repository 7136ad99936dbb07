"""Settings need nothing, take what is given, and stop loudly on nonsense. Each test starts a process of its own."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PRODUCTION = {
    "SEXTANT_ENV": "production",
    "SECRET_KEY": "k3" * 20 + "abcdefghij",
    "TOKEN_PEPPER": "pepper" * 8,
    "ALLOWED_HOSTS": "plans.example.org",
    "DATABASE_URL": "postgresql://app:s%40crt@db:5433/sextant?sslmode=require",
    "REDIS_URL": "redis://cache:6379/1",
}
_ASK = """
import json, sys
from config import settings
print(json.dumps({name: getattr(settings, name) for name in sys.argv[1:]}, default=str))
"""


def _start(folder: Path, code: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    environment = {
        **clean,
        "SEXTANT_VAR": str(folder / "var"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **variables,
    }
    return subprocess.run(
        [sys.executable, *code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=60
    )


def _settings(folder: Path, *names: str, **variables: str) -> dict[str, Any]:
    done = _start(folder, ["-c", _ASK, *names], **variables)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_nothing_is_needed(tmp_path: Path) -> None:
    found = _settings(tmp_path, "DEMO_MODE", "DEBUG", "DATABASES", "CELERY_BROKER_URL", "PRODUCTION", "CACHES")

    assert (found["DEMO_MODE"], found["DEBUG"], found["PRODUCTION"]) == (True, False, False)
    assert found["DATABASES"]["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert found["CELERY_BROKER_URL"].startswith("filesystem://")


def test_the_secret_key_is_made_once_and_read_by_the_owner_only(tmp_path: Path) -> None:
    first = _settings(tmp_path, "SECRET_KEY")
    again = _settings(tmp_path, "SECRET_KEY")

    assert first == again
    assert len(first["SECRET_KEY"]) >= 50
    key = tmp_path / "var/secret_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path.name for path in key.parent.glob("secret_key*")] == ["secret_key"]


def test_addresses_of_services_are_taken_apart(tmp_path: Path) -> None:
    found = _settings(tmp_path, "DATABASES", "CELERY_BROKER_URL", "CELERY_BROKER_TRANSPORT_OPTIONS", **PRODUCTION)

    database = found["DATABASES"]["default"]
    assert (database["HOST"], database["PORT"], database["NAME"]) == ("db", "5433", "sextant")
    assert (database["USER"], database["PASSWORD"]) == ("app", "s@crt")
    assert database["OPTIONS"]["sslmode"] == "require"
    assert found["CELERY_BROKER_URL"] == "redis://cache:6379/1"
    assert found["CELERY_BROKER_TRANSPORT_OPTIONS"]["visibility_timeout"] == 3600


def test_a_secret_may_lie_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-a-file\n")

    assert _settings(tmp_path, "SECRET_KEY", SECRET_KEY_FILE=str(file)) == {"SECRET_KEY": "from-a-file"}


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PORT": "eighty"}, "PORT is 'eighty'; write a whole number from 1 to 65535."),
        ({"PORT": "70000"}, "PORT is '70000'; write a whole number from 1 to 65535."),
        ({"PORT": "-1"}, "PORT is '-1'"),
        ({"DEBUG": "maybe"}, "DEBUG is 'maybe'; write true or false."),
        ({"SEXTANT_ENV": "prod"}, "SEXTANT_ENV is 'prod'; write one of development, production."),
        ({"LOG_LEVEL": "LOUD"}, "LOG_LEVEL is 'LOUD'"),
        ({"DATABASE_URL": "mysql://db/x"}, "DATABASE_URL is not a PostgreSQL address"),
        ({"DATABASE_URL": "postgresql://db"}, "DATABASE_URL is not a PostgreSQL address"),
        ({"DATABASE_URL": "postgresql://db:none/x"}, "its host or port cannot be read"),
        ({"REDIS_URL": "http://cache"}, "REDIS_URL is not a Redis address"),
        ({"SECRET_KEY_FILE": "/no/such/file"}, "SECRET_KEY_FILE cannot be read: No such file or directory"),
        ({"SECRET_KEY_FILE": "/x", "SECRET_KEY": "y"}, "SECRET_KEY and SECRET_KEY_FILE are both set"),
        ({"JOB_LEASE_S": "10", "JOB_HEARTBEAT_S": "9"}, "make the lease at least twice as long"),
        ({"CSRF_TRUSTED_ORIGINS": "plans.example.org"}, "begin each origin with https://"),
        ({"DEMO_MODE": "1", "REDIS_URL": "redis://c"}, "DEMO_MODE lets anyone in without a password"),
        ({"DEMO_MODE": "1", "BIND": "0.0.0.0"}, "DEMO_MODE lets anyone in without a password"),
        ({"DEMO_MODE": "1", **PRODUCTION}, "DEMO_MODE lets anyone in without a password"),
        ({"OUTGOING_PORTS": "443,https"}, "OUTGOING_PORTS holds 'https'; write port numbers"),
        ({"OUTGOING_NETWORKS": "10.0.0.1/8"}, "OUTGOING_NETWORKS: 10.0.0.1/8 has host bits set; write networks"),
        ({**PRODUCTION, "OUTGOING_LOOPBACK": "1"}, "OUTGOING_LOOPBACK lets teams reach this machine"),
        ({**PRODUCTION, "DEBUG": "1"}, "DEBUG shows secrets to visitors"),
        ({**PRODUCTION, "SECRET_KEY": "short"}, "SECRET_KEY must hold at least 50 random characters"),
        ({**PRODUCTION, "SECRETS_KEY": f"short,{'k3' * 20}"}, "Each key in SECRETS_KEY must hold at least 32"),
        ({"OIDC_ISSUER": "https://login.example.org"}, "OIDC_ISSUER also needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET"),
        ({"OIDC_ISSUER": "http://x", "OIDC_CLIENT_ID": "x", "OIDC_CLIENT_SECRET": "x"}, "must begin with https://"),
        ({"OIDC_TEAM": "north"}, "it also needs OIDC_DOMAINS"),
        ({"OIDC_ROLE": "admin"}, "OIDC_ROLE is 'admin'; write one of"),
        ({**PRODUCTION, "DATABASE_URL": "", "ALLOWED_HOSTS": ""}, "also needs ALLOWED_HOSTS, DATABASE_URL; set them."),
    ],
)
def test_nonsense_stops_the_start_with_one_sentence(tmp_path: Path, variables: dict[str, str], sentence: str) -> None:
    done = _start(tmp_path, ["manage.py", "check"], **variables)

    assert done.returncode == 1
    assert done.stderr.startswith("Sextant cannot start: ")
    assert sentence in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "s%40crt" not in done.stderr


@pytest.mark.parametrize("change", [{"BIND": "0.0.0.0"}, {"ALLOWED_HOSTS": "plans.example.org"}, PRODUCTION])
def test_demo_is_off_as_soon_as_anything_is_configured(tmp_path: Path, change: dict[str, str]) -> None:
    assert _settings(tmp_path, "DEMO_MODE", **change) == {"DEMO_MODE": False}


def test_production_passes_the_deployment_checks(tmp_path: Path) -> None:
    done = _start(tmp_path, ["manage.py", "check", "--deploy", "--fail-level", "INFO"], **PRODUCTION)

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_every_variable_is_documented() -> None:
    source = (ROOT / "config/settings.py").read_text()
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', source))
    documented = set(re.findall(r"^\| `([A-Z_]+)`", (ROOT / "docs/configuration.md").read_text(), flags=re.MULTILINE))

    assert len(read) >= 15
    assert documented == read
