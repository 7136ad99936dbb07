"""People log in by e-mail; what was done is written once and never changed."""

from __future__ import annotations

import pytest
from django.db import IntegrityError

from accounts import audit, ids
from accounts.models import AuditEvent, User
from tests.conftest import People


def test_one_address_is_one_account_whatever_its_capitals(db: None) -> None:
    user = User.objects.create_user("Ada@Example.ORG", "correct horse battery")

    assert user.email == "ada@example.org"
    assert User.objects.get_by_natural_key("ADA@example.org") == user
    with pytest.raises(IntegrityError):
        User.objects.create_user("aDa@example.org")


def test_a_password_is_stored_by_argon2(db: None) -> None:
    user = User.objects.create_user("ada@example.org", "correct horse battery")

    assert user.password.startswith("argon2")
    assert user.check_password("correct horse battery")
    assert not User.objects.create_user("eve@example.org").has_usable_password()


def test_an_event_is_never_changed_and_never_deleted(people: People) -> None:
    event = audit.record("plan.approved", "pln_x", team=people.team, actor=people.alice, data={"version": 2})
    event.verb = "plan.rejected"

    with pytest.raises(TypeError, match="never changed"):
        event.save()
    with pytest.raises(TypeError, match="never deleted"):
        event.delete()
    with pytest.raises(TypeError, match="never changed"):
        AuditEvent.objects.update(verb="plan.rejected")
    with pytest.raises(TypeError, match="never deleted"):
        AuditEvent.objects.filter(pk=event.pk).delete()
    assert AuditEvent.objects.get().verb == "plan.approved"


def test_ids_are_opaque_prefixed_and_different() -> None:
    made = {ids.new_id("pln") for _ in range(1000)}

    assert len(made) == 1000
    assert all(ids.is_id(value) and value.startswith("pln_") and len(value) <= ids.MAX_LENGTH for value in made)


@pytest.mark.parametrize("prefix", ["", "p", "PLN", "pl_n", "plans-of-mine"])
def test_an_odd_prefix_is_refused(prefix: str) -> None:
    with pytest.raises(ValueError, match="three to six small letters"):
        ids.new_id(prefix)
