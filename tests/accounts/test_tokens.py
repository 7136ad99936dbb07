"""API tokens: shown once, stored as an HMAC, and dead as soon as they should be."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, AuditEvent, Membership
from tests.conftest import People


@pytest.fixture
def issued(people: People) -> tuple[ApiToken, str]:
    """A token of Bob with one scope."""
    return tokens.issue(people.team, people.bob, name="CI", scopes=["plans:read"])


def test_a_fresh_token_verifies(issued: tuple[ApiToken, str], people: People) -> None:
    found = tokens.verify(issued[1])

    assert found == issued[0]
    assert found is not None
    assert (found.team, found.user, found.scopes) == (people.team, people.bob, ["plans:read"])
    assert issued[1].startswith("sxt_")


def test_no_column_holds_the_secret(issued: tuple[ApiToken, str]) -> None:
    secret = issued[1].rpartition("_")[2]
    row = ApiToken.objects.filter(pk=issued[0].pk).values().get()

    assert len(secret) == 34
    assert secret not in str(row)
    assert secret not in str(list(AuditEvent.objects.values()))


def test_another_pepper_opens_nothing(issued: tuple[ApiToken, str], settings: Any) -> None:
    settings.TOKEN_PEPPER = "another"

    assert tokens.verify(issued[1]) is None


@pytest.mark.parametrize(
    "raw", ["", "sxt_", "Bearer x", "sxt_" + "a" * 12 + "_" + "B" * 34, "sxt_" + "é" * 12, "x" * 99_999]
)
def test_anything_else_is_no_token(db: None, raw: str) -> None:
    assert tokens.verify(raw) is None


def test_a_wrong_secret_with_the_right_key_is_no_token(issued: tuple[ApiToken, str]) -> None:
    raw = issued[1][:-1] + ("A" if issued[1][-1] != "A" else "B")

    assert tokens.verify(raw) is None


def test_an_expired_token_is_dead(issued: tuple[ApiToken, str]) -> None:
    ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert tokens.verify(issued[1]) is None


def test_a_revoked_token_is_dead_at_once_and_revoked_once(issued: tuple[ApiToken, str], people: People) -> None:
    tokens.revoke(issued[0], actor=people.alice)
    tokens.revoke(issued[0], actor=people.alice)

    assert tokens.verify(issued[1]) is None
    assert AuditEvent.objects.filter(verb="token.revoked", subject=issued[0].public_id).count() == 1


def test_a_token_dies_when_its_maker_leaves_the_team(issued: tuple[ApiToken, str], people: People) -> None:
    Membership.objects.filter(user=people.bob).delete()

    assert tokens.verify(issued[1]) is None


def test_a_token_dies_when_its_maker_is_switched_off(issued: tuple[ApiToken, str], people: People) -> None:
    people.bob.is_active = False
    people.bob.save()

    assert tokens.verify(issued[1]) is None


def test_use_is_noted_at_most_once_a_minute(
    issued: tuple[ApiToken, str], django_assert_num_queries: Any, people: People
) -> None:
    tokens.verify(issued[1])
    first = ApiToken.objects.get(pk=issued[0].pk).last_used_at
    assert first is not None
    with django_assert_num_queries(2):  # the token and the membership; no write
        tokens.verify(issued[1])

    earlier = timezone.now() - timedelta(minutes=2)
    ApiToken.objects.update(last_used_at=earlier)
    tokens.verify(issued[1])
    noted = ApiToken.objects.get(pk=issued[0].pk).last_used_at
    assert noted is not None
    assert noted > earlier


def test_an_unknown_scope_is_refused_by_name(people: People) -> None:
    with pytest.raises(ValueError, match="no scope 'plans:everything'"):
        tokens.issue(people.team, people.bob, name="CI", scopes=["plans:everything"])
    assert not ApiToken.objects.exists()


def test_an_expiry_in_the_past_is_refused(people: People) -> None:
    with pytest.raises(ValueError, match="choose a later date"):
        tokens.issue(people.team, people.bob, name="CI", scopes=[], expires_at=timezone.now())
