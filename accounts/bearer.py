"""Who is asking over the API: a bearer token, its scopes, its member and what it may still do this minute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest
from ninja.security import HttpBearer

from accounts import access, tokens
from accounts.models import ApiToken, Membership, Team
from rest.door import check_parameters
from rest.limits import spend


@dataclass(frozen=True, kw_only=True)
class Caller:
    """A verified token and the membership behind it."""

    token: ApiToken
    member: Membership

    @property
    def team(self) -> Team:
        """The one team that the token is bound to."""
        return self.member.team

    @property
    def key(self) -> str:
        """Names the caller where requests are counted or remembered."""
        return self.token.public_id

    @property
    def person(self) -> str:
        """Names the person behind the token, whatever token they use."""
        return self.member.user.public_id


class Bearer(HttpBearer):
    """Lets a live token in that has the scope, counts the request, and refuses unknown query parameters.

    Cookies are never looked at, so a page of another site can do nothing in a visitor's name.
    """

    def __init__(self, scope: str = "", *, bucket: str = "read") -> None:
        super().__init__()
        self.scope, self.bucket = scope, bucket

    def authenticate(self, request: HttpRequest, token: str) -> Caller | None:
        """The caller, or None for a token that is not alive. PermissionDenied without the scope."""
        found = tokens.verify(token)
        if found is None:
            return None
        caller = Caller(token=found, member=access.membership_of_token(found))
        if self.scope:
            access.require_scope(found, self.scope)
        request.allowance = spend(caller.key, self.bucket, person=caller.person)  # type: ignore[attr-defined]  # for the headers
        check_parameters(request)
        return caller


def caller_of(request: HttpRequest) -> Caller:
    """The caller of a request that passed `Bearer`."""
    return cast(Caller, request.auth)  # type: ignore[attr-defined]  # set by ninja
