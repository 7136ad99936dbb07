"""The production shape for real: gunicorn, a worker, PostgreSQL, Redis, behind something that ends TLS."""

from __future__ import annotations

import http.client
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.config.test_settings import PRODUCTION
from tests.jobs.test_kill import ROOT, Installation, wait_until

HOST = PRODUCTION["ALLOWED_HOSTS"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back; status 0 when nothing listens."""

    status: int
    headers: Mapping[str, str]
    body: str


def _ask(port: int, path: str, *, method: str = "GET", **headers: str) -> Answer:
    """Asks as a proxy would, for the site's own name unless ``Host`` is given."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        try:
            connection.request(method, path, headers={"Host": HOST, **headers})
            response = connection.getresponse()
            return Answer(status=response.status, headers=response.headers, body=response.read().decode())
        except OSError:
            return Answer(status=0, headers={}, body="")


@pytest.mark.needs_postgres
@pytest.mark.needs_redis
def test_production_starts_and_is_strict(tmp_path: Path, free_port: int, postgres_url: str, redis_url: str) -> None:
    variables = {**PRODUCTION, "DATABASE_URL": postgres_url, "REDIS_URL": redis_url, "TRUST_PROXY": "true"}
    installation = Installation(folder=tmp_path, variables=variables)
    command = [sys.executable, "manage.py", "up", "--port", str(free_port)]
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=installation.environment, stdout=out, stderr=out)
    try:
        wait_until(lambda: _ask(free_port, "/readyz").status == 200, seconds=60, what="everything is ready")

        plain = _ask(free_port, "/accounts/login")
        assert (plain.status, plain.headers["Location"]) == (301, f"https://{HOST}/accounts/login")
        tls = {"X-Forwarded-Proto": "https"}
        page = _ask(free_port, "/accounts/login", **tls)
        assert page.status == 200
        assert page.headers["Set-Cookie"].startswith("__Host-csrf=")
        assert "Secure" in page.headers["Set-Cookie"]
        assert "max-age=31536000" in page.headers["Strict-Transport-Security"]
        assert "demo team" not in page.body
        assert _ask(free_port, "/accounts/demo", method="POST", **tls).status in (403, 404)
        assert _ask(free_port, "/accounts/login", **{**tls, "Host": "evil.example"}).status == 400
    finally:
        process.terminate()
        code = process.wait(60)
    assert code == 0
    assert "sxt_" not in (tmp_path / "out").read_text()
