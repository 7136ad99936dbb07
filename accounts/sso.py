"""Single sign-on by OpenID Connect: code flow with PKCE, state and nonce, against the one provider of the settings.

authlib speaks the protocol; joserfc, which comes with it, checks signatures; every request goes out through
`outgoing.client`. Both are in the extra ``sso`` and are imported only when a provider is set.
"""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final
from urllib.parse import urlencode

import structlog
from django.conf import settings
from django.core import checks
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare

from accounts.typed import one_line
from outgoing import client
from outgoing.faults import OutgoingFault

log = structlog.get_logger("sextant.accounts")

AWAY_S: Final = 10 * 60
LEEWAY_S: Final = 60
_KEY: Final = "sso"
_FAREWELL: Final = "sso_farewell"
_ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
# RFC 8176: what a provider calls a sign-in with more than a password.
_STRONG: Final = frozenset({"mfa", "otp", "hwk", "swk", "fpt", "face", "sc"})
_LIMITS: Final = client.Limits(total_s=8, most_bytes=256 * 1024)


class Refused(Exception):
    """The provider's answer is not taken; the text is for the person, of whom the provider said `email`, if anything."""

    def __init__(self, told: str, *, email: str = "") -> None:
        super().__init__(told)
        self.email = email


@dataclass(frozen=True, kw_only=True)
class Claims:
    """What the provider says of a person, after every check."""

    issuer: str
    subject: str
    email: str
    name: str
    strong: bool
    """The provider asked for a second factor itself."""
    goto: str
    farewell: str
    """The provider's page for logging out there too; empty when it has none."""
    link_to: int | None
    """The signed-in person who asked to connect this identity, by primary key."""


def name() -> str:
    """What the button calls the provider; empty when there is none."""
    return settings.OIDC_NAME if settings.OIDC_ISSUER and _installed() else ""


def start(request: HttpRequest, *, goto: str, link_to: int | None = None) -> str:
    """The provider's address to send the person to; what will be checked on return is kept in the session."""
    about = _provider()
    session, verifier, nonce = _session(), secrets.token_urlsafe(48), secrets.token_urlsafe(24)
    url, state = session.create_authorization_url(
        about["authorization_endpoint"], nonce=nonce, code_verifier=verifier, redirect_uri=_callback()
    )
    request.session[_KEY] = {
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "goto": goto,
        "link_to": link_to,
        "at": time.time(),
    }
    return str(url)


def arrive(request: HttpRequest) -> Claims:
    """Who came back from the provider; Refused with one sentence. Works once for each start."""
    kept = request.session.pop(_KEY, None)
    if not kept or not 0 <= time.time() - kept["at"] < AWAY_S:
        raise Refused("This sign-in took too long or was finished already; begin again.")
    if not constant_time_compare(request.GET.get("state", ""), kept["state"]):
        raise _odd("state")
    if request.GET.get("iss", settings.OIDC_ISSUER) != settings.OIDC_ISSUER:
        raise _odd("issuer of the answer")  # RFC 9207: another provider's answer is not ours
    if "error" in request.GET:
        log.info("sso_declined", error=request.GET["error"][:60])
        raise Refused("The provider did not let you in; try again, or sign in another way.")
    about = _provider()
    token = _fetch_token(about, code=request.GET.get("code", ""), verifier=kept["verifier"])
    found = _checked(token, about, nonce=kept["nonce"])
    if "email" not in found:
        found |= _user_info(token, about, subject=found.get("sub"))
    return _claims(found, goto=kept["goto"], farewell=_farewell(about), link_to=kept["link_to"])


def farewell(request: HttpRequest) -> str:
    """Where a person who came by single sign-on ends the provider's session too; empty for everybody else."""
    return str(request.session.get(_FAREWELL, ""))


def remember_farewell(request: HttpRequest, claims: Claims) -> None:
    """Keeps the provider's page for logging out in the session that was just opened."""
    request.session[_FAREWELL] = claims.farewell


def _farewell(about: dict[str, Any]) -> str:
    ending = about.get("end_session_endpoint")
    if not isinstance(ending, str) or not ending.startswith(("https://", "http://")):
        return ""
    asked = {
        "client_id": settings.OIDC_CLIENT_ID,
        "post_logout_redirect_uri": settings.SITE_URL + reverse("accounts:login"),
    }
    return f"{ending}{'&' if '?' in ending else '?'}{urlencode(asked)}"


def check_installed(**_: Any) -> list[checks.CheckMessage]:
    """A warning at the start when a provider is set but the libraries are missing."""
    if not settings.OIDC_ISSUER or _installed():
        return []
    return [
        checks.Warning(
            "OIDC_ISSUER is set, but single sign-on is not installed, so its button is not shown.",
            hint="Install it with: pip install 'sextant[sso]'",
            id="accounts.W001",
        )
    ]


def _installed() -> bool:
    return all(find_spec(module) is not None for module in ("authlib", "joserfc", "requests"))


def _callback() -> str:
    return str(settings.SITE_URL + reverse("accounts:sso-callback"))


def _provider() -> dict[str, Any]:
    """The provider's own description (OpenID Connect Discovery 1.0); Refused when it is not the one we know."""
    url = settings.OIDC_ISSUER.rstrip("/") + "/.well-known/openid-configuration"
    about = _json(url)
    if about.get("issuer") != settings.OIDC_ISSUER:
        raise _odd("issuer of the description")
    if not all(isinstance(about.get(key), str) for key in ("authorization_endpoint", "token_endpoint", "jwks_uri")):
        raise _odd("description")
    return about


def _json(url: str, **headers: str) -> dict[str, Any]:
    try:
        answer = client.ask("GET", url, headers={"Accept": "application/json", **headers}, limits=_LIMITS)
        found = json.loads(answer.body) if answer.status == 200 else None
    except OutgoingFault as error:
        raise _away(error.code) from error
    except ValueError as error:
        raise _away("not JSON") from error
    if not isinstance(found, dict):
        raise _away(f"status {answer.status}")
    return found


def _session() -> Any:
    """authlib's session for this provider, whose every request takes the guarded way out."""
    from authlib.integrations.requests_client import OAuth2Session

    from accounts.sso_transport import Guarded

    session = OAuth2Session(
        client_id=settings.OIDC_CLIENT_ID,
        client_secret=settings.OIDC_CLIENT_SECRET,
        scope="openid email profile",
        code_challenge_method="S256",
    )
    session.trust_env = False  # neither a proxy nor a .netrc of the machine
    for scheme in ("https://", "http://"):
        session.mount(scheme, Guarded(_LIMITS))
    return session


def _fetch_token(about: dict[str, Any], *, code: str, verifier: str) -> dict[str, Any]:
    from authlib.common.errors import AuthlibBaseError
    from requests import RequestException

    session = _session()
    methods = about.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        session.token_endpoint_auth_method = "client_secret_post"  # noqa: S105  # the name of a method
    try:
        found = session.fetch_token(
            about["token_endpoint"],
            grant_type="authorization_code",
            code=code,
            code_verifier=verifier,
            redirect_uri=_callback(),
        )
    except (AuthlibBaseError, RequestException, ValueError) as error:
        raise _away(type(error).__name__) from error
    if not isinstance(found, dict) or not isinstance(found.get("id_token"), str):
        raise _odd("token")
    return dict(found)


def _checked(token: dict[str, Any], about: dict[str, Any], *, nonce: str) -> dict[str, Any]:
    """The claims of the ID token: signed by the provider, for us, now, and for this very sign-in."""
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import KeySet

    keys = _json(about["jwks_uri"])
    try:
        decoded = jwt.decode(token["id_token"], KeySet.import_key_set(keys), algorithms=list(_ALGORITHMS))  # type: ignore[arg-type]
        claims = CodeIDToken(
            decoded.claims,
            decoded.header,
            options={
                "iss": {"essential": True, "value": settings.OIDC_ISSUER},
                "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
            },
            params={"nonce": nonce, "client_id": settings.OIDC_CLIENT_ID, "access_token": token.get("access_token")},
        )
        claims.validate(leeway=LEEWAY_S)
    except (JoseError, ValueError, KeyError, TypeError) as error:
        raise _odd(f"ID token ({type(error).__name__})") from error
    return dict(claims)


def _user_info(token: dict[str, Any], about: dict[str, Any], *, subject: Any) -> dict[str, Any]:
    """What some providers tell only where one asks with the access token; it must be about the same person."""
    where = about.get("userinfo_endpoint")
    if not isinstance(where, str):
        return {}
    told = _json(where, Authorization=f"Bearer {token.get('access_token')}")
    if told.get("sub") != subject:
        raise _odd("subject of the user info")
    return {key: told[key] for key in ("email", "email_verified", "name") if key in told}


def _claims(found: dict[str, Any], *, goto: str, farewell: str, link_to: int | None) -> Claims:
    subject, email = found.get("sub"), str(found.get("email") or "").lower()
    if not isinstance(subject, str) or not 0 < len(subject) <= 255 or not subject.isprintable():
        raise _odd("subject")
    if not email.isprintable() or len(email) > 254:
        raise _odd("e-mail address")
    if not email or found.get("email_verified") is not True:
        told = "The provider has not verified your e-mail address; have it verified there, then try again."
        raise Refused(told, email=email)
    if settings.OIDC_DOMAINS and email.rpartition("@")[2] not in settings.OIDC_DOMAINS:
        told = "Your e-mail address is of a domain that may not sign in here; use your work account."
        raise Refused(told, email=email)
    methods = found.get("amr") if isinstance(found.get("amr"), list) else []
    return Claims(
        issuer=settings.OIDC_ISSUER,
        subject=subject,
        email=email,
        name=one_line(str(found.get("name") or ""))[:120],
        strong=settings.OIDC_SECOND_FACTOR or bool(_STRONG & {str(method) for method in methods or []}),
        goto=goto,
        farewell=farewell,
        link_to=link_to,
    )


def _odd(what: str) -> Refused:
    log.warning("sso_refused", what=what)
    return Refused("The provider's answer does not fit this sign-in; begin again.")


def _away(why: str) -> Refused:
    log.warning("sso_away", why=why)
    return Refused("The provider does not answer as it should; try again in a few minutes.")
