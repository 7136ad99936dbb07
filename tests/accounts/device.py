"""A device that holds passkeys, in software: answers as a browser would, and as one never should."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec


def coded(found: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


class Device:
    """One passkey (ES256). Each method takes what a test wants to be wrong."""

    def __init__(self, *, site: str = "localhost", origin: str = "http://localhost:8000") -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = os.urandom(32)
        self.site, self.origin, self.count, self.user = site, origin, 0, b""

    def make(self, options: dict[str, Any], *, seen: bool = True, **wrong: Any) -> str:
        """The browser's answer to options for a new passkey."""
        self.user = base64.urlsafe_b64decode(options["user"]["id"] + "==")
        numbers = self.key.public_key().public_numbers()
        public = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})
        credential = bytes(16) + struct.pack(">H", len(self.id)) + self.id + public
        data = self._data(0x41 | (0x04 if seen else 0), wrong.get("site")) + credential
        statement = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        return self._answer(
            {
                "clientDataJSON": coded(self._client("webauthn.create", options, wrong)),
                "attestationObject": coded(statement),
                "transports": ["internal", "telepathy"],
            }
        )

    def show(self, options: dict[str, Any], *, seen: bool = True, **wrong: Any) -> str:
        """The browser's answer to options for showing this passkey."""
        self.count += wrong.get("steps", 1)
        data = self._data(0x01 | (0x04 if seen else 0), wrong.get("site"))
        client = self._client("webauthn.get", options, wrong)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        if wrong.get("signature"):
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        return self._answer(
            {
                "clientDataJSON": coded(client),
                "authenticatorData": coded(data),
                "signature": coded(signature),
                "userHandle": coded(wrong.get("user", self.user)),
            }
        )

    def _data(self, flags: int, site: str | None) -> bytes:
        name = hashlib.sha256((site or self.site).encode()).digest()
        return name + bytes([flags]) + struct.pack(">I", self.count)

    def _client(self, doing: str, options: dict[str, Any], wrong: dict[str, Any]) -> bytes:
        challenge = wrong.get("challenge", options["challenge"])
        found = {"type": wrong.get("doing", doing), "challenge": challenge, "origin": wrong.get("origin", self.origin)}
        return json.dumps(found).encode()

    def _answer(self, response: dict[str, Any]) -> str:
        return json.dumps({"id": coded(self.id), "rawId": coded(self.id), "type": "public-key", "response": response})
