"""The proxy that docs/operations.md names, with its very lines: nginx before gunicorn, over TLS."""

from __future__ import annotations

import json
import os
import re
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests import services
from tests.jobs.test_kill import ROOT, wait_until

pytestmark = pytest.mark.needs_nginx

HOST = "plans.example.org"
_SERVED = """
import json, os, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
import django
django.setup()
from django.core.handlers.wsgi import WSGIRequest
from accounts.throttle import address_of
from config.bodies import ReadAhead

asked = 0

def counted(environ, start):
    global asked
    asked += environ["REQUEST_METHOD"] == "POST"
    return application_behind(environ, start)

def say(environ, start):
    request = WSGIRequest(environ)
    said = {"address": address_of(request), "secure": request.is_secure(), "host": request.get_host(), "posts": asked,
            "bytes": len(request.read())}
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(said).encode()]

application_behind = ReadAhead(say)
application = counted
"""


@dataclass(frozen=True, kw_only=True)
class Proxy:
    """nginx, and gunicorn with one process behind it."""

    port: int

    def ask(self, *, method: str = "GET", body: bytes = b"", **headers: str) -> tuple[int, dict[str, Any]]:
        """Status, and what the application behind says of the request."""
        with closing(HTTPSConnection("127.0.0.1", self.port, timeout=30, context=_trusting())) as connection:
            connection.request(method, "/", body, {"Host": HOST, **headers})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if answer.status == 200 else {}

    def sender(self, first: bytes) -> ssl.SSLSocket:
        """A connection on which those bytes were sent."""
        found = _trusting().wrap_socket(socket.create_connection(("127.0.0.1", self.port), timeout=30))
        found.sendall(first)
        return found


def _trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    behind, before = services.free_port(), services.free_port()
    (folder / "served.py").write_text(_SERVED)
    _certificate(folder)
    (folder / "nginx.conf").write_text(_configuration(folder, behind=behind, before=before))
    environment = {**os.environ, "TRUST_PROXY": "true", "ALLOWED_HOSTS": HOST, "SEXTANT_VAR": str(folder / "var")}
    gunicorn = [sys.executable, "-m", "gunicorn", "--workers", "1", "--threads", "8", "--chdir", str(folder)]
    gunicorn += ["--pythonpath", str(ROOT), "--bind", f"127.0.0.1:{behind}", "served:application"]
    nginx = ["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder), "-g", "daemon off;"]
    processes = [
        subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.DEVNULL)
        for command in (gunicorn, nginx)
    ]
    found = Proxy(port=before)
    try:
        wait_until(lambda: _answers(found), seconds=60, what="the application answers through the proxy")
        yield found
    finally:
        for process in processes:
            process.terminate()
            process.wait(30)


def _answers(proxy: Proxy) -> bool:
    try:
        return proxy.ask()[0] == 200
    except OSError:
        return False


def _configuration(folder: Path, *, behind: int, before: int) -> str:
    """The block of the runbook, with ports of this test and a certificate, and what nginx needs around it."""
    (block,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs/operations.md").read_text(), re.DOTALL)
    changed = block.replace("listen 443 ssl;", f"listen 127.0.0.1:{before} ssl;")
    changed = changed.replace("http://127.0.0.1:8000", f"http://127.0.0.1:{behind}")
    assert changed.count(str(before)) == changed.count(str(behind)) == 1
    own = f"ssl_certificate {folder}/site.pem; ssl_certificate_key {folder}/site.key;"
    kept = "".join(
        f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""
    return f"{user}\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\nhttp {{\naccess_log off;\n{own}\n{kept}{changed}}}\n"


def _certificate(folder: Path) -> None:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(
        issuer_name=name,
        subject_name=name,
        public_key=key.public_key(),
        serial_number=1,
        not_valid_before=now - timedelta(days=1),
        not_valid_after=now + timedelta(days=1),
    ).sign(key, hashes.SHA256())
    (folder / "site.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "site.key").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def test_a_visitor_cannot_say_who_they_are_or_how_they_came(proxy: Proxy) -> None:
    forged = {"X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "http"}
    status, said = proxy.ask(**forged)
    assert status == 200
    assert (said["address"], said["secure"], said["host"]) == ("127.0.0.1", True, HOST)


def test_a_body_comes_whole(proxy: Proxy) -> None:
    status, said = proxy.ask(method="POST", body=b"x" * 3_000_000)
    assert (status, said["bytes"]) == (200, 3_000_000)


def test_more_than_is_read_is_refused_before_it_is_sent(proxy: Proxy) -> None:
    before = proxy.ask()[1]["posts"]
    with proxy.sender(
        f"POST / HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {64 * 1024 * 1024 + 1}\r\n\r\n".encode()
    ) as sender:
        assert sender.recv(100).startswith(b"HTTP/1.1 413")
    assert proxy.ask()[1]["posts"] == before


def test_forty_slow_senders_reach_the_application_only_when_they_are_done(proxy: Proxy) -> None:
    before = proxy.ask()[1]["posts"]
    head = f"POST / HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: 10\r\nConnection: close\r\n\r\nx".encode()
    senders = [proxy.sender(head) for _ in range(40)]
    try:
        time.sleep(0.5)
        began = time.monotonic()
        assert proxy.ask()[1]["posts"] == before
        assert time.monotonic() - began < 2.0
        senders[0].sendall(b"x" * 9)
        assert senders[0].recv(100).startswith(b"HTTP/1.1 200")
        assert proxy.ask()[1]["posts"] == before + 1
    finally:
        for sender in senders:
            sender.close()
