"""Secrets at rest: sealed, bound to a key, and movable to a new one."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts import authenticator, secrets
from accounts.models import User

OLD, NEW = "old-key-" * 6, "new-key-" * 6


def test_a_sealed_text_opens_again_and_does_not_show_itself(settings: Any) -> None:
    sealed = secrets.seal("whsec_Grüße")

    assert secrets.unseal(sealed) == "whsec_Grüße"
    assert "whsec" not in sealed
    assert sealed.isascii()
    assert secrets.seal("whsec_Grüße") != sealed  # equal secrets cannot be told from their seals


def test_another_key_does_not_open_it(settings: Any) -> None:
    settings.SECRETS_KEYS = [OLD]
    sealed = secrets.seal("secret")
    settings.SECRETS_KEYS = [NEW]

    with pytest.raises(secrets.BrokenSeal, match="SECRETS_KEY"):
        secrets.unseal(sealed)


@pytest.mark.parametrize("at", [0, 20, -2])
def test_a_changed_seal_is_refused(at: int) -> None:
    sealed = secrets.seal("secret")
    changed = sealed[:at] + ("A" if sealed[at] != "A" else "B") + (sealed[at:][1:])

    with pytest.raises(secrets.BrokenSeal):
        secrets.unseal(changed)


def test_keys_rotate_newest_first(settings: Any) -> None:
    settings.SECRETS_KEYS = [OLD]
    sealed = secrets.seal("secret")
    settings.SECRETS_KEYS = [NEW, OLD]
    assert secrets.unseal(sealed) == "secret"
    moved = secrets.reseal(sealed)

    settings.SECRETS_KEYS = [NEW]
    assert secrets.unseal(moved) == "secret"
    with pytest.raises(secrets.BrokenSeal):
        secrets.unseal(sealed)


@pytest.mark.django_db
def test_the_command_moves_every_stored_secret_to_the_newest_key(settings: Any) -> None:
    settings.SECRETS_KEYS = [OLD]
    user = User.objects.create_user("ada@example.org")
    secret = authenticator.offer(user)
    settings.SECRETS_KEYS = [NEW, OLD]
    call_command("reseal", stdout=StringIO())
    settings.SECRETS_KEYS = [NEW]
    assert authenticator.offer(user) == secret

    settings.SECRETS_KEYS = ["a third key, which sealed nothing" * 2]
    with pytest.raises(CommandError, match="SECRETS_KEY"):
        call_command("reseal", stdout=StringIO())
