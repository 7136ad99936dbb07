"""Names from forms: one line, storable, and unable to turn what stands beside them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import ApiToken, Passkey
from accounts.typed import one_line
from tests.accounts.sign_in_support import log_in, with_password
from tests.conftest import People

ODD = "Bob\x00 \u202eevil\r\n\tBrandt\x1b[0m"


def test_a_name_keeps_its_letters_and_loses_what_is_none() -> None:
    assert one_line(ODD) == "Bob evil Brandt[0m"
    assert one_line("  Zoë  O’Brien-李 \u00a0 ") == "Zoë O’Brien-李"


@given(st.text())
def test_every_name_is_one_clean_line(text: str) -> None:
    found = one_line(text)
    assert one_line(found) == found
    assert found == found.strip()
    assert not set("\x00\n\r\t\u202e") & set(found)
    found.encode("utf-8")  # no lone surrogate


def test_odd_names_are_stored_clean(client: Client, people: People) -> None:
    bob = with_password(people.bob)
    log_in(client, bob)
    client.post("/accounts/account/name", {"name": ODD})
    bob.refresh_from_db()
    assert bob.name == "Bob evil Brandt[0m"
    client.post("/accounts/team/tokens", {"name": ODD, "scopes": ["plans:read"], "days": "7"})
    assert ApiToken.objects.get().name == "Bob evil Brandt[0m"


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/account/sessions/a%00b/end",
        "/accounts/account/passkeys/a%00b/rename",
        "/accounts/account/passkeys/a%00b/remove",
        "/accounts/account/identities/a%00b/remove",
        "/accounts/team/members/a%00b/remove",
        "/accounts/team/invitations/a%00b/again",
    ],
)
def test_odd_ids_are_nobodys(client: Client, people: People, path: str, settings: Any) -> None:
    log_in(client, with_password(people.alice))
    assert client.post(path, {"name": "x"}).status_code == 404
    assert not Passkey.objects.exists()


def test_odd_addresses_are_refused_with_a_sentence(client: Client, people: People) -> None:
    log_in(client, with_password(people.alice))
    for path in ("/accounts/team/role", "/accounts/team/invitations"):
        page = client.post(path, {"email": "bob\x00@north.example", "role": "viewer\x00"}, follow=True)
        assert page.status_code == 200
    assert client.post("/accounts/forgotten", {"email": "bob\x00@north.example"}).status_code == 422
    assert Client().post("/accounts/login", {"username": "bob\x00@north.example", "password": "x"}).status_code == 200
