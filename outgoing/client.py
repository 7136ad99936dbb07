"""The guarded client: https to public addresses only, bounded in time, bytes and redirects.

The name is resolved once and the connection goes to an address that was checked. No proxy of the environment is used,
no cookie is kept, nothing is unpacked. A redirect is followed only where the caller allows it, and each hop is checked
anew.
"""

from __future__ import annotations

import http.client
import io
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import BinaryIO, Final
from urllib.parse import urljoin

from outgoing.addresses import Policy, Target, addresses_of, policy_of_settings, target_of
from outgoing.faults import OutgoingFault
from outgoing.wire import TooMuch, Wire, connected

_MOVED: Final = frozenset({301, 302, 303, 307, 308})
_BLOCK: Final = 1 << 16
_HEADERS_BYTES: Final = 1 << 18
_MEANT_FOR_ONE_SERVER: Final = frozenset({"authorization", "cookie"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How much one request, with its redirects, may take."""

    total_s: float = 10.0
    """From the question for the name to the last byte."""
    connect_s: float = 5.0
    silence_s: float = 5.0
    """Longest pause between two pieces of an answer."""
    most_bytes: int = 1 << 20
    redirects: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came back. Header names are in lower case; of a repeated one the first counts."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    """Empty when the answer went into a file."""
    whole: bool
    """False when the body was cut at the limit or broke off."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Request:
    """What is asked, the same at each hop but for headers that are meant for one server."""

    method: str
    headers: Mapping[str, str]
    body: bytes | None
    into: BinaryIO | None
    cut: bool
    limits: Limits
    deadline: float


def ask(
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    limits: Limits | None = None,
    into: BinaryIO | None = None,
    cut: bool = False,
    policy: Policy | None = None,
) -> Answer:
    """The answer to one request, whatever its status. OutgoingFault says why there is none.

    `into` takes the body of a 200 instead of `Answer.body`. With `cut` a body that is too large or breaks off is cut
    and not a fault: for a caller to whom the status is the answer. `policy` defaults to that of the settings.
    """
    limits = limits or Limits()
    policy = policy or policy_of_settings()
    if limits.redirects and method not in ("GET", "HEAD"):
        raise ValueError("Only a request that changes nothing may be redirected.")
    request = _Request(
        method=method,
        headers={"User-Agent": "Sextant", **(headers or {})},
        body=body,
        into=into,
        cut=cut,
        limits=limits,
        deadline=time.monotonic() + limits.total_s,
    )
    before: Target | None = None
    for _ in range(limits.redirects + 1):
        target = target_of(url, policy)
        if before is not None and target.origin != before.origin:
            request = _for_another_server(request)
        answer = _hop(target, request, policy)
        if not limits.redirects or answer.status not in _MOVED:
            return answer
        url, before = urljoin(url, answer.headers.get("location", "")), target
    raise OutgoingFault("redirects", f"{target.host} redirects more than {limits.redirects} times.")


def _for_another_server(request: _Request) -> _Request:
    kept = {name: value for name, value in request.headers.items() if name.lower() not in _MEANT_FOR_ONE_SERVER}
    return replace(request, headers=kept)


def _hop(target: Target, request: _Request, policy: Policy) -> Answer:
    """One exchange with one server, every fault of the surroundings turned into an OutgoingFault."""
    limits = request.limits
    try:
        left = max(0.001, request.deadline - time.monotonic())
        addresses = addresses_of(target, policy, within_s=min(left, limits.connect_s))
        sock = connected(target, addresses, deadline=request.deadline, connect_s=limits.connect_s)
    except ssl.SSLCertVerificationError as error:
        raise OutgoingFault("certificate", f"{target.host} has no valid certificate.") from error
    except TimeoutError as error:
        raise _late(target) from error
    except OSError as error:
        raise OutgoingFault("no_connection", f"{target.host} takes no connection.", passing=True) from error
    most = limits.most_bytes + _HEADERS_BYTES
    wire = Wire(sock, deadline=request.deadline, silence_s=limits.silence_s, most_bytes=most)
    try:
        return _exchange(wire, target, request)
    except TimeoutError as error:
        raise _late(target) from error
    except TooMuch as error:
        size = f"{limits.most_bytes >> 20} MiB" if limits.most_bytes >> 20 else f"{limits.most_bytes} bytes"
        raise OutgoingFault("too_large", f"The answer of {target.host} is larger than {size}.") from error
    except (OSError, http.client.HTTPException) as error:
        raise OutgoingFault("broken_off", f"{target.host} did not answer whole.", passing=True) from error
    finally:
        wire.hang_up()


def _exchange(wire: Wire, target: Target, request: _Request) -> Answer:
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = wire  # connected already, to an address that was checked
    sent = {"Host": target.authority, "Accept-Encoding": "identity", "Connection": "close", **request.headers}
    connection.request(request.method, target.path, body=request.body, headers=sent)
    response = connection.getresponse()
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        headers.setdefault(name.lower(), value)
    if request.limits.redirects and response.status in _MOVED:
        return Answer(status=response.status, headers=headers, body=b"", whole=False)
    kept = io.BytesIO()
    into = request.into if request.into is not None and response.status == 200 else kept
    whole = _read(response, into, request)
    return Answer(status=response.status, headers=headers, body=kept.getvalue(), whole=whole)


def _read(response: http.client.HTTPResponse, into: BinaryIO, request: _Request) -> bool:
    """Reads the body into the file; whether all of it came, which is a question only where it may be cut."""
    left = request.limits.most_bytes
    try:
        while block := response.read(min(_BLOCK, left + 1)):
            into.write(block[:left])
            left -= len(block)
            if left < 0:
                raise TooMuch
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
    except (OSError, http.client.HTTPException, TooMuch):
        if request.cut:
            return False
        raise
    return True


def _late(target: Target) -> OutgoingFault:
    return OutgoingFault("timeout", f"{target.host} did not answer in time.", passing=True)
