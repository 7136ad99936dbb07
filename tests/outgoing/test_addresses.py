"""What may be asked: the form of a URL, the addresses that a name leads to, and that they are asked for once."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest

from outgoing import addresses, wire
from outgoing.addresses import Policy, is_allowed, refuse_at_sight, target_of
from outgoing.client import ask
from outgoing.faults import OutgoingFault

PUBLIC = "93.184.215.14"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "//example.com/",
        "example.com", "", "https://", "https:///path", "https://[::1", "https://user:secret@example.com/",
        "https://user@example.com/", "https://@example.com/", "https://example.com\\@evil.example/",
        "https://exa mple.com/", "https://example.com/\r\nX: 1", "https://example.com/\tx", "https://example.com:8443/",
        "https://example.com:0/", "https://example.com:99999/", "https://example.com:22/", "https://exa<mple.com/",
        "https://[fe80::1%25eth0]/", "https://-/", "https://./", "https://example.com/\ud800",
        "https://" + "a" * 64 + ".example/", "https://example.com/" + "x" * 2000,
    ],
)  # fmt: skip
def test_only_plain_https_to_the_usual_port_is_asked(url: str) -> None:
    with pytest.raises(OutgoingFault) as caught:
        ask("GET", url)
    assert caught.value.code == "address"
    assert not caught.value.passing


def test_a_url_is_taken_apart() -> None:
    target = target_of("https://Bücher.Example.:443/ä/b%20c?q=ü&x=%2F#part", Policy())
    assert (target.host, target.port) == ("xn--bcher-kva.example", 443)
    assert target.path == "/%C3%A4/b%20c?q=%C3%BC&x=%2F"
    assert target.authority == "xn--bcher-kva.example"
    wider = Policy(ports=frozenset({443, 8443}))
    assert target_of("https://[2606:4700::1]:8443", wider).authority == "[2606:4700::1]:8443"


CLOSED = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1",
    "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:93.184.215.14",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:53aa:64c:0:0:80ff:fffe",
    "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1",
    "fec0::1", "ff02::1",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_a_name_that_leads_to_a_closed_address_is_not_asked(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Nor is it when only one of its addresses is closed."""
    _resolver(monkeypatch, [[PUBLIC, address]])
    _no_connections(monkeypatch)
    with pytest.raises(OutgoingFault, match="not a public address") as caught:
        ask("GET", "https://feed.example/")
    assert caught.value.code == "private_address"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "localhost", "LOCALHOST.", "①②⑦.⓪.⓪.①",
     "[::1]", "[::ffff:7f00:1]", "[::ffff:169.254.169.254]", "169.254.169.254", "2852039166", "0xa9fea9fe"],
)  # fmt: skip
def test_no_way_of_writing_this_machine_gets_through(monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    _no_connections(monkeypatch)
    with pytest.raises(OutgoingFault) as caught:
        ask("GET", f"https://{host}/")
    assert caught.value.code in ("private_address", "address")


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "172.32.0.1", "192.0.1.1", "2606:4700::1", "2a00:1450::1"])
def test_public_addresses_are_allowed(address: str) -> None:
    assert is_allowed(ipaddress.ip_address(address))


def test_an_operator_opens_private_networks_but_never_the_metadata_addresses() -> None:
    networks = tuple(ipaddress.ip_network(text) for text in ("10.20.0.0/16", "0.0.0.0/0", "::/0"))
    assert is_allowed(ipaddress.ip_address("10.20.3.4"), networks[:1])
    assert not is_allowed(ipaddress.ip_address("10.21.3.4"), networks[:1])
    for text in ("169.254.169.254", "fd00:ec2::254", "168.63.129.16", "100.100.100.200", "fe80::1"):
        assert not is_allowed(ipaddress.ip_address(text), networks)


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A resolver that answers differently the second time (DNS rebinding) is not asked a second time."""
    asked = _resolver(monkeypatch, [[PUBLIC], ["127.0.0.1"]])
    tried: list[Any] = []

    def connect(address: Any, timeout: float) -> socket.socket:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(wire.socket, "create_connection", connect)
    with pytest.raises(OutgoingFault) as caught:
        ask("GET", "https://rebinds.example/")
    assert (caught.value.code, caught.value.passing) == ("no_connection", True)
    assert tried == [(PUBLIC, 443)]
    assert asked == ["rebinds.example"]


def test_this_machine_in_development_does_not_open_others(monkeypatch: pytest.MonkeyPatch) -> None:
    _no_connections(monkeypatch)
    policy = Policy(loopback=True)
    for url, code in (("http://169.254.169.254/", "private_address"), ("http://10.0.0.1/", "private_address"),
                      (f"http://{PUBLIC}/", "address"), (f"https://{PUBLIC}:22/", "address")):  # fmt: skip
        with pytest.raises(OutgoingFault) as caught:
            ask("GET", url, policy=policy)
        assert caught.value.code == code


def test_at_sight_only_what_is_written_is_judged(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    for url, code in (("http://example.com/", "address"), ("https://10.0.0.1/", "private_address"),
                      ("https://0x7f.1/", "private_address"), ("https://[::ffff:a9fe:a9fe]/", "private_address")):  # fmt: skip
        with pytest.raises(OutgoingFault) as caught:
            refuse_at_sight(url)
        assert caught.value.code == code
    refuse_at_sight(f"https://{PUBLIC}/hook")
    refuse_at_sight("https://hooks.example/plans?team=1")
    settings.OUTGOING_LOOPBACK = True
    refuse_at_sight("http://127.0.0.1:8080/")


def test_a_name_that_nobody_knows_may_be_known_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: Any, **_more: Any) -> list[Any]:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(addresses.socket, "getaddrinfo", unknown)
    with pytest.raises(OutgoingFault) as caught:
        ask("GET", "https://nobody.example/")
    assert (caught.value.code, caught.value.passing) == ("unknown_host", True)


def _resolver(monkeypatch: pytest.MonkeyPatch, answers: list[list[str]]) -> list[str]:
    """Names lead to these addresses, one list per question; returns what was asked."""
    asked: list[str] = []

    def look(host: str, port: int, **_more: Any) -> list[Any]:
        asked.append(host)
        found = answers.pop(0)
        families = [socket.AF_INET6 if ":" in text else socket.AF_INET for text in found]
        return [(family, 1, 6, "", (text, port)) for family, text in zip(families, found, strict=True)]

    monkeypatch.setattr(addresses.socket, "getaddrinfo", look)
    return asked


def _no_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_more: Any) -> socket.socket:
        pytest.fail("a connection was opened")

    monkeypatch.setattr(wire.socket, "create_connection", refuse)
