"""Which addresses may be asked: the form of a URL, and what its name leads to.

A name is resolved once, every address it gives is checked, and the connection goes to exactly those: a name that
answers differently the second time is not asked a second time.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlsplit

from django.conf import settings

from outgoing.faults import OutgoingFault

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

LONGEST_URL: Final = 2_000
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
_AS_WRITTEN: Final = "/%:@!$&'()*+,;=~?[]-._"

# IANA special-purpose address registries (2025-10), besides what the internet carries to anybody.
_CLOSED_4: Final = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # public by number, yet it is the host of a virtual machine in Azure
    )
)  # fmt: skip
# Of IPv6 only global unicast is carried; this leaves out mapped IPv4, NAT64, unique local, link-local and multicast.
_OPEN_6: Final = ipaddress.IPv6Network("2000::/3")
_CLOSED_6: Final = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments; Teredo carries an IPv4 address inside
        "2001:db8::/32", "3fff::/20",  # documentation
        "2002::/16",  # 6to4 carries an IPv4 address inside
    )
)  # fmt: skip
# Where clouds answer any process of a machine with its credentials; no setting opens these.
_NEVER: Final = tuple(
    ipaddress.ip_network(text)
    for text in ("169.254.0.0/16", "fe80::/10", "fd00:ec2::/32", "168.63.129.16/32", "100.100.100.200/32",
                 "192.0.0.192/32", "224.0.0.0/4", "ff00::/8", "0.0.0.0/32", "::/128")
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """What the installation allows beyond https to public addresses at port 443."""

    ports: frozenset[int] = frozenset({443})
    networks: tuple[Network, ...] = ()
    """Private networks that the operator has opened."""
    loopback: bool = False
    """This machine too, at any port and over plain http; for tests and development."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A URL taken apart: what to connect to, and what to ask for there."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The host as the header `Host` carries it, with the port where it is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"https": 443, "http": 80}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """What must stay the same for a header that is meant for one server."""
        return (self.scheme, self.host, self.port)


def policy_of_settings() -> Policy:
    """The policy of this installation."""
    return Policy(
        ports=frozenset(settings.OUTGOING_PORTS),
        networks=tuple(settings.OUTGOING_NETWORKS),
        loopback=settings.OUTGOING_LOOPBACK,
    )


def target_of(url: str, policy: Policy) -> Target:
    """The URL taken apart. OutgoingFault, code `address`, for anything but plain https to an allowed port."""
    if len(url) > LONGEST_URL or any(ord(letter) <= 32 or ord(letter) == 127 for letter in url):
        raise _odd(f"An address has up to {LONGEST_URL} characters and no white space.")
    try:
        parts = urlsplit(url)
        port = parts.port
        name = parts.hostname or ""
        host = name if ":" in name else name.encode("idna").decode("ascii").lower().rstrip(".")
        query = f"?{quote(parts.query, safe=_AS_WRITTEN)}" if parts.query else ""
        path = quote(parts.path or "/", safe=_AS_WRITTEN) + query
    except ValueError as error:
        raise _odd("The address cannot be read; write https://HOST/PATH.") from error
    if parts.scheme != "https" and not (policy.loopback and parts.scheme == "http"):
        raise _odd("The address must begin with https://.")
    if "@" in parts.netloc:
        raise _odd("The address must be https://HOST/PATH, without a name or password.")
    if not (":" in host and "%" not in host) and not _HOST.fullmatch(host):
        raise _odd("The address names no host; write https://HOST/PATH.")
    port = port if port is not None else {"https": 443, "http": 80}[parts.scheme]
    if port not in policy.ports and not policy.loopback:
        allowed = ", ".join(str(number) for number in sorted(policy.ports))
        raise _odd(f"Port {port} is not asked; allowed is {allowed}.")
    return Target(scheme=parts.scheme, host=host, port=port, path=path)


def addresses_of(target: Target, policy: Policy, *, within_s: float) -> list[str]:
    """All addresses of the target's host, each allowed. OutgoingFault `private_address` when one of them is not."""
    found = list(dict.fromkeys(str(entry[4][0]) for entry in _looked_up(target, within_s)))
    _check_all(found, target, policy)
    return found


def _check_all(addresses: list[str], target: Target, policy: Policy) -> None:
    for text in addresses:
        address = ipaddress.ip_address(text.partition("%")[0])
        local = policy.loopback and _is_loopback(address)
        if not local and not is_allowed(address, policy.networks):
            raise OutgoingFault("private_address", f"{target.host} is not a public address; only those are asked.")
        if not local and (target.scheme != "https" or target.port not in policy.ports):
            raise _odd("The address must begin with https:// and use an allowed port, except on this machine.")


def refuse_at_sight(url: str) -> None:
    """OutgoingFault for a URL that can never be asked: its form, or a closed address written as such. Asks no resolver;
    what a name leads to is checked when it is asked."""
    policy = policy_of_settings()
    target = target_of(url, policy)
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return  # a name
    _check_all([str(entry[4][0]) for entry in found], target, policy)


def is_allowed(address: Address, networks: tuple[Network, ...] = ()) -> bool:
    """Whether the address is public, or in a network that the operator has opened."""
    if any(address in network for network in _NEVER):
        return False
    if any(address in network for network in networks):
        return True
    if isinstance(address, ipaddress.IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)


def _is_loopback(address: Address) -> bool:
    return address in ipaddress.ip_network("127.0.0.0/8") or address == ipaddress.ip_address("::1")


def _looked_up(target: Target, within_s: float) -> list[Any]:
    """What the resolver says, asked in a thread of its own: it takes no time limit itself."""
    answer: Future[list[Any]] = Future()

    def look() -> None:
        try:
            answer.set_result(socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM))
        except Exception as error:  # handed over to whoever waits
            answer.set_exception(error)

    threading.Thread(target=look, name="resolve", daemon=True).start()
    try:
        return answer.result(timeout=within_s)
    except TimeoutError as error:
        raise OutgoingFault("timeout", f"{target.host} was not found in time.", passing=True) from error
    except (OSError, UnicodeError) as error:
        raise OutgoingFault("unknown_host", f"{target.host} cannot be found.", passing=True) from error


def _odd(sentence: str) -> OutgoingFault:
    return OutgoingFault("address", sentence)
