"""Log lines never hold an address that is a key."""

from __future__ import annotations

import logging

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/shared/", "/accounts/invitation/"])
def test_an_address_that_is_a_key_is_in_no_line(path: str, client: Client, caplog: pytest.LogCaptureFixture) -> None:
    secret = "k" * 32
    with caplog.at_level(logging.DEBUG):
        answer = client.get(f"{path}{secret}")
    assert answer.status_code in (302, 404, 410)
    assert caplog.records
    assert secret not in caplog.text
    assert not any(secret in str(record.__dict__) for record in caplog.records)
