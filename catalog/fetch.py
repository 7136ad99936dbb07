"""The one client that fetches a price feed: https to public addresses only, bounded in time, size and attempts.

The name is resolved once and the connection goes to the address that was checked, so that a name cannot point to a
private address between check and use. Redirects are followed by the same rules. A feed that throttles (429, 503) is
asked again after the pause it names, else after a growing one.
"""

from __future__ import annotations

import http.client
import ipaddress
import random
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import SplitResult, urljoin, urlsplit

_AGAIN = frozenset({429, 500, 502, 503, 504})
_MOVED = frozenset({301, 302, 303, 307, 308})
_BLOCK = 1 << 16


class FetchFault(ValueError):
    """The feed was not fetched: one sentence that says why."""


class _Passing(Exception):
    """A fault that may be gone at the next attempt, and after how many seconds to try."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How much a fetch may take."""

    most_bytes: int
    total_s: float = 480.0
    """For all attempts together; less than a job may take."""
    silence_s: float = 30.0
    """Longest pause between two pieces of an answer."""
    attempts: int = 5
    redirects: int = 3
    pause_s: float = 1.0
    """Before the second attempt; doubled each time."""
    longest_pause_s: float = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """Fetches files. `loopback` lets tests play a feed on this machine over plain http."""

    limits: Limits
    loopback: bool = False
    sleep: Callable[[float], None] = time.sleep

    def save(self, url: str, path: Path) -> None:
        """Put the answer at that address into the file. FetchFault says why it was not got; then no file is left."""
        deadline = time.monotonic() + self.limits.total_s
        part = path.with_name(path.name + ".part")
        try:
            for attempt in range(1, self.limits.attempts + 1):
                try:
                    self._follow(url, part, deadline)
                    part.replace(path)
                    return
                except _Passing as fault:
                    if attempt == self.limits.attempts:
                        raise FetchFault(f"{_host(url)} {fault}, {attempt} times; it is tried again later.") from fault
                    self._pause(fault, attempt, deadline)
        finally:
            part.unlink(missing_ok=True)

    def _pause(self, fault: _Passing, attempt: int, deadline: float) -> None:
        usual = self.limits.pause_s * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)  # noqa: S311 - spreads clients
        pause = min(usual if fault.wait_s is None else max(fault.wait_s, usual), self.limits.longest_pause_s)
        if time.monotonic() + pause > deadline:
            raise FetchFault(f"The feed {fault} and asks for more time than a fetch may take.") from fault
        self.sleep(pause)

    def _follow(self, url: str, part: Path, deadline: float) -> None:
        for _ in range(self.limits.redirects + 1):
            moved = self._get(url, part, deadline)
            if moved is None:
                return
            url = urljoin(url, moved)
        raise FetchFault(f"{_host(url)} redirects more than {self.limits.redirects} times.")

    def _get(self, url: str, part: Path, deadline: float) -> str | None:
        """One request: None when the answer is in the file, else where it has moved."""
        parts = _checked(url, loopback=self.loopback)
        connection = _connection(parts, self.limits.silence_s, loopback=self.loopback)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("GET", target, headers={"User-Agent": "Sextant", "Accept-Encoding": "identity"})
            answer = connection.getresponse()
            if answer.status in _MOVED:
                return answer.getheader("Location") or ""
            if answer.status in _AGAIN:
                raise _Passing(f"answered {answer.status}", _wait(answer.getheader("Retry-After")))
            if answer.status != 200:
                raise FetchFault(f"{parts.hostname} answered {answer.status}; check the address of the feed.")
            self._read(answer, part, deadline)
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, ssl.SSLCertVerificationError):
                raise FetchFault(f"{parts.hostname} has no valid certificate.") from error
            raise _Passing(f"did not answer whole ({type(error).__name__})") from error
        finally:
            connection.close()
        return None

    def _read(self, answer: http.client.HTTPResponse, part: Path, deadline: float) -> None:
        if answer.getheader("Content-Encoding", "identity").lower() not in ("", "identity"):
            raise FetchFault("The feed answers packed, though plain was asked for.")
        size = 0
        with part.open("wb") as file:
            while block := answer.read(_BLOCK):
                size += len(block)
                if size > self.limits.most_bytes:
                    raise FetchFault(
                        f"The feed is larger than {self.limits.most_bytes // 2**20} MiB; nothing was kept."
                    )
                if time.monotonic() > deadline:
                    raise FetchFault(f"The feed took longer than {self.limits.total_s:.0f} s; nothing was kept.")
                file.write(block)
        if answer.length:
            raise _Passing("broke off")


def _host(url: str) -> str:
    return urlsplit(url).hostname or "The feed"


def _checked(url: str, *, loopback: bool) -> SplitResult:
    """The parts of an address that may be asked. FetchFault for anything but plain https."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise FetchFault("The address of the feed cannot be read.") from error
    if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
        raise FetchFault("The address of a feed must begin with https://.")
    if not parts.hostname or parts.username is not None or any(ord(letter) <= 32 for letter in url):
        raise FetchFault("The address of a feed must be https://HOST/PATH, without a name or password.")
    if port not in (None, 443) and not loopback:
        raise FetchFault("A feed is fetched from port 443 only.")
    return parts


def _connection(parts: SplitResult, timeout: float, *, loopback: bool) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    addresses = _addresses(host, port, loopback=loopback)
    if parts.scheme == "https":
        return _Pinned(host, port, addresses=addresses, timeout=timeout)
    return http.client.HTTPConnection(addresses[0], port, timeout=timeout)


def _addresses(host: str, port: int, *, loopback: bool) -> list[str]:
    """All addresses of the host. FetchFault when one of them is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (socket.gaierror, UnicodeError) as error:
        raise _Passing("cannot be found") from error
    addresses = [str(entry[4][0]) for entry in found]
    for text in addresses:
        if not _allowed(ipaddress.ip_address(text.split("%")[0]), loopback=loopback):
            raise FetchFault(f"{host} is not a public address; feeds are fetched from public addresses only.")
    return addresses


def _allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address, *, loopback: bool) -> bool:
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None) or address
    if loopback:
        return bool(inner.is_loopback)
    return bool(inner.is_global and address.is_global and not inner.is_multicast and not inner.is_reserved)


class _Pinned(http.client.HTTPSConnection):
    """TLS to an address that was checked, under the host's own name."""

    def __init__(self, host: str, port: int, *, addresses: list[str], timeout: float) -> None:
        self._own_context = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._own_context)
        self._checked_addresses = addresses

    def connect(self) -> None:
        """Connect to a checked address instead of asking for the name again."""
        self.sock = self._own_context.wrap_socket(self._raw(), server_hostname=self.host)

    def _raw(self) -> socket.socket:
        last = OSError("no address")
        for address in self._checked_addresses:
            try:
                return socket.create_connection((address, self.port), self.timeout)
            except OSError as error:
                last = error
        raise last


def _wait(text: str | None) -> float | None:
    """Seconds that the feed asks to wait: a number, or a date."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text.strip()[:6])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
