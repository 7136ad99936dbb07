"""The guarded client against servers that hang, drip, flood, break off and redirect."""

from __future__ import annotations

import io
import ssl
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from outgoing.addresses import Policy
from outgoing.client import Limits, ask
from outgoing.faults import OutgoingFault
from tests.outgoing.bad_server import Behaviour, answer, close_early, drip, flood, hang, serving

HERE = Policy(loopback=True)
HEAD = b"HTTP/1.1 200 OK\r\n"


def test_it_works() -> None:
    with serving(answer(200, b"hello", X_Told="1")) as server:
        got = ask("POST", server.url("/hook?a=1"), headers={"X-Own": "2"}, body=b"{}", policy=HERE)
    assert (got.status, got.body, got.whole, got.headers["x-told"]) == (200, b"hello", True, "1")
    lines = server.asked[0].decode().split("\r\n")
    assert lines[0] == "POST /hook?a=1 HTTP/1.1"
    assert {f"Host: 127.0.0.1:{server.port}", "X-Own: 2", "User-Agent: Sextant"} <= set(lines)
    assert lines[-1] == "{}"


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (hang, "timeout"),
        (drip(HEAD), "timeout"),
        (drip(HEAD + b"Content-Length: 900\r\n\r\n"), "timeout"),
        (drip(HEAD + b"X-Long: "), "timeout"),
        (close_early, "broken_off"),
        (answer(200, b"x" * 2000), "too_large"),
        (flood(HEAD + b"\r\n", b"x" * 65536), "too_large"),
        (flood(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"5;" + b"e" * 9000 + b"\r\nxxxxx\r\n"), "too_large"),
        (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "too_large"),
        (flood(HEAD, b"X-Many: 1\r\n"), "broken_off"),
        (lambda sock, _stop: sock.sendall(b"\x00\x01 nonsense\r\n\r\n"), "broken_off"),
        (lambda sock, _stop: sock.close(), "broken_off"),
    ],
)
def test_a_bad_server_costs_no_more_than_the_limits(behaviour: Behaviour, code: str) -> None:
    limits = Limits(total_s=0.6, silence_s=0.4, most_bytes=1000)
    with serving(behaviour) as server:
        began = time.monotonic()
        with pytest.raises(OutgoingFault) as caught:
            ask("GET", server.url(), limits=limits, policy=HERE)
        took = time.monotonic() - began
    assert caught.value.code == code
    assert caught.value.passing == (code != "too_large")
    assert took < 2.0


@pytest.mark.parametrize("behaviour", [close_early, drip(HEAD + b"\r\n"), flood(HEAD + b"\r\n", b"y" * 9000)])
def test_to_whom_the_status_is_the_answer_a_bad_body_is_no_fault(behaviour: Behaviour) -> None:
    with serving(behaviour) as server:
        got = ask("POST", server.url(), body=b"", cut=True, limits=Limits(total_s=0.6, most_bytes=100), policy=HERE)
    assert (got.status, got.whole) == (200, False)
    assert len(got.body) <= 100


def test_a_redirect_is_an_answer_unless_it_may_be_followed() -> None:
    with serving(answer(302, Location="/there"), answer(200, b"moved")) as server:
        assert ask("GET", server.url(), policy=HERE).status == 302
    with serving(answer(302, Location="/there"), answer(200, b"moved")) as server:
        assert ask("GET", server.url(), limits=Limits(redirects=1), policy=HERE).body == b"moved"
        assert server.asked[1].startswith(b"GET /there ")
    with serving(answer(302, Location="/again")) as server:
        with pytest.raises(OutgoingFault, match="more than 2 times"):
            ask("GET", server.url(), limits=Limits(redirects=2), policy=HERE)
        assert len(server.asked) == 3
    with pytest.raises(ValueError, match="changes nothing"):
        ask("POST", "https://example.com/", limits=Limits(redirects=1))


@pytest.mark.parametrize(
    ("location", "code"),
    [
        ("http://169.254.169.254/latest/meta-data/", "private_address"),
        ("https://10.0.0.1/", "private_address"),
        ("file:///etc/passwd", "address"),
        ("https://user:secret@example.com/", "address"),
    ],
)
def test_each_hop_is_checked_anew(location: str, code: str) -> None:
    with serving(answer(302, Location=location)) as server, pytest.raises(OutgoingFault) as caught:
        ask("GET", server.url(), limits=Limits(redirects=3), policy=HERE)
    assert caught.value.code == code


def test_what_is_meant_for_one_server_is_not_told_to_another() -> None:
    with serving(answer(200)) as other, serving(answer(302, Location=other.url("/x"))) as server:
        headers = {"Authorization": "Bearer canary", "X-Kept": "1"}
        ask("GET", server.url(), headers=headers, limits=Limits(redirects=1), policy=HERE)
    assert b"canary" in server.asked[0]
    assert b"canary" not in other.asked[0]
    assert b"X-Kept: 1" in other.asked[0]


def test_the_body_of_a_200_goes_into_the_file_and_no_other() -> None:
    file = io.BytesIO()
    with serving(answer(503, b"busy"), answer(200, b"prices")) as server:
        assert ask("GET", server.url(), into=file, policy=HERE).body == b"busy"
        assert file.getvalue() == b""
        assert ask("GET", server.url(), into=file, policy=HERE).body == b""
    assert file.getvalue() == b"prices"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with serving(answer(204)) as server:
        assert ask("GET", server.url(), policy=HERE).status == 204


def test_the_certificate_must_be_valid_for_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = (_certificate(tmp_path, name) for name in ("localhost", "elsewhere.example"))
    names: list[Any] = []
    for pem, trusted, works in ((right, right, True), (right, wrong, False), (wrong, wrong, False)):
        monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        context.sni_callback = lambda _sock, name, _context: names.append(name)
        with serving(answer(200, b"safe"), context=context) as server:
            url = f"https://localhost:{server.port}/"
            if works:
                assert ask("GET", url, policy=HERE).body == b"safe"
                continue
            with pytest.raises(OutgoingFault) as caught:
                ask("GET", url, policy=HERE)
            assert (caught.value.code, caught.value.passing) == ("certificate", False)
            assert server.asked == []
    assert set(names) == {"localhost"}


def _certificate(folder: Path, name: str) -> Path:
    """A file with a key and a certificate that signs itself, for that name."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / f"{name}.pem"
    plain = serialization.NoEncryption()
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path
