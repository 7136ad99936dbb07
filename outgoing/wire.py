"""A connection to an address that was checked, with one deadline for everything that happens on it."""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Sequence
from typing import Any

from outgoing.addresses import Target

_PIECE = 1 << 14


class TooMuch(Exception):
    """More bytes came than an answer may have."""


class Wire:
    """What http.client takes for a socket. Each wait is cut to what is left of the deadline, so that a server which
    sends one byte at a time gains nothing; all bytes are counted, so that endless headers end too."""

    def __init__(self, sock: socket.socket, *, deadline: float, silence_s: float, most_bytes: int) -> None:
        self._sock = sock
        self._deadline = deadline
        self._silence_s = silence_s
        self._left_bytes = most_bytes

    def sendall(self, data: bytes) -> None:
        """Sends it all, or raises TimeoutError at the deadline."""
        for start in range(0, len(data), _PIECE):
            self._sock.settimeout(_left(self._deadline, self._silence_s))
            self._sock.sendall(data[start : start + _PIECE])

    def makefile(self, mode: str) -> io.BufferedReader:
        """The incoming bytes."""
        return io.BufferedReader(_Incoming(self), _PIECE)

    def receive(self, buffer: Any) -> int:
        """Some bytes into the buffer, and how many; 0 at the end."""
        self._sock.settimeout(_left(self._deadline, self._silence_s))
        count = self._sock.recv_into(buffer)
        self._left_bytes -= count
        if self._left_bytes < 0:
            raise TooMuch
        return count

    def close(self) -> None:
        """Nothing: the answer is still read after http.client has let go; `hang_up` ends the connection."""

    def hang_up(self) -> None:
        """Ends the connection."""
        self._sock.close()


class _Incoming(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._wire.receive(buffer)


def connected(target: Target, addresses: Sequence[str], *, deadline: float, connect_s: float) -> socket.socket:
    """A socket to the first of these addresses that answers, with TLS under the target's own name where it is https.

    OSError (TimeoutError, ssl.SSLCertVerificationError) when none does.
    """
    sock = _first(target, addresses, deadline, connect_s)
    if target.scheme == "http":
        return sock
    try:
        sock.settimeout(_left(deadline, connect_s))
        return ssl.create_default_context().wrap_socket(sock, server_hostname=target.host)
    except BaseException:
        sock.close()
        raise


def _first(target: Target, addresses: Sequence[str], deadline: float, connect_s: float) -> socket.socket:
    last: OSError = OSError("no address")
    for address in addresses:
        try:
            return socket.create_connection((address, target.port), _left(deadline, connect_s))
        except OSError as error:
            last = error
    raise last


def _left(deadline: float, most_s: float) -> float:
    """Seconds that may still be waited. TimeoutError when none are left."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("the deadline is over")
    return min(left, most_s)
