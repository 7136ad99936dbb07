"""An OpenID Connect provider on this machine that answers what a test tells it to, also what no honest one would."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID = "sextant"


class Provider:
    """Tests change `claims`, `about`, `header`, `key` or `user_info`, then send somebody through."""

    def __init__(self) -> None:
        self.own_key = RSAKey.generate_key(2048, {"kid": "k1"})
        self.key: Any = self.own_key
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "k1"}
        self.claims: dict[str, Any] = {}
        self.about: dict[str, Any] = {}
        self.user_info: dict[str, Any] | None = None
        self.answer: dict[str, str] = {}
        self.asked: dict[str, str] = {}
        self.exchanged: dict[str, str] = {}
        self.raw_token = ""
        self.issuer = ""

    def description(self) -> dict[str, Any]:
        """Its own description."""
        names = ("authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "end_session_endpoint")
        return {"issuer": self.issuer, **{name: f"{self.issuer}/{name}" for name in names}, **self.about}

    def send_back(self, location: str) -> str:
        """What the browser brings back after the person has agreed: the query of the redirect."""
        self.asked = {key: values[0] for key, values in parse_qs(urlsplit(location).query).items()}
        answer = {"code": "the-code", "state": self.asked["state"], **self.answer}
        return "&".join(f"{key}={value}" for key, value in answer.items())

    def token(self) -> dict[str, Any]:
        """The answer of the token endpoint."""
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": CLIENT_ID, "sub": "u-1", "iat": now, "exp": now + 300, "name": "Dora Diaz",
            "nonce": self.asked["nonce"], "email": "dora@north.example", "email_verified": True, **self.claims,
        }  # fmt: skip
        claims = {key: _moment(value, now) for key, value in claims.items() if value is not None}
        signed = self.raw_token or jwt.encode(self.header, claims, self.key, algorithms=["RS256"])
        return {"access_token": "at", "token_type": "Bearer", "expires_in": 300, "id_token": signed}

    def verified_pkce(self) -> bool:
        """Whether the code was exchanged with the verifier of the challenge that it was asked with."""
        digest = hashlib.sha256(self.exchanged["code_verifier"].encode()).digest()
        return self.asked["code_challenge_method"] == "S256" and self.asked["code_challenge"] == _coded(digest)


def unsigned(claims: dict[str, Any]) -> str:
    """A token with `alg: none`."""
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def signed_by_public_key(provider: Provider, claims: dict[str, Any]) -> str:
    """A token of HS256 whose secret is the provider's public key, which everybody has."""
    text = f"{_part({'alg': 'HS256', 'kid': 'k1'})}.{_part(claims)}"
    secret = provider.own_key.as_pem(private=False)
    return f"{text}.{_coded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


def _moment(value: Any, now: int) -> Any:
    """Seconds for a time written as ``now-120``; all else as it is."""
    return now + int(value[3:]) if isinstance(value, str) and value.startswith("now") else value


def _part(found: dict[str, Any]) -> str:
    return _coded(json.dumps(found).encode())


def _coded(found: bytes) -> str:
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode()


@contextmanager
def running() -> Iterator[Provider]:
    """The provider, listening."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = urlsplit(self.path).path
            answers: dict[str, Any] = {
                "/.well-known/openid-configuration": provider.description,
                "/jwks_uri": lambda: {"keys": [provider.own_key.as_dict(private=False)]},
                "/userinfo_endpoint": lambda: provider.user_info,
            }
            self._say(answers[path]())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            provider.exchanged = {key: values[0] for key, values in parse_qs(body).items()}
            provider.exchanged["authorization"] = self.headers.get("Authorization", "")
            self._say(provider.token())

        def _say(self, found: Any) -> None:
            text = json.dumps(found).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("localhost", 0), Handler)
    provider.issuer = f"http://localhost:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
