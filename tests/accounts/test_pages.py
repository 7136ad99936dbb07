"""Coming in and going out."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts import demo, throttle, tokens
from accounts.models import ApiToken, AuditEvent, Role, User
from tests.conftest import People

PASSWORD = "correct horse battery"


@pytest.fixture
def ada(db: None) -> User:
    """A person with a password."""
    return User.objects.create_user("ada@example.org", PASSWORD)


def _log_in(client: Client, password: str = PASSWORD, email: str = "Ada@example.org") -> Any:
    return client.post("/accounts/login", {"username": email, "password": password})


def test_login_works_and_is_recorded(client: Client, ada: User) -> None:
    response = _log_in(client)

    assert response.status_code == 302
    assert client.session["_auth_user_id"] == str(ada.pk)
    assert AuditEvent.objects.get().verb == "user.logged_in"


def test_the_answer_does_not_tell_whether_the_address_exists(client: Client, ada: User) -> None:
    wrong = _log_in(client, "wrong").context["form"].non_field_errors()
    unknown = _log_in(client, "wrong", "nobody@example.org").context["form"].non_field_errors()
    ada.is_active = False
    ada.save()
    off = _log_in(client).context["form"].non_field_errors()

    assert wrong == unknown == off
    assert len(wrong) == 1


def test_guessing_is_stopped_even_with_the_right_password(client: Client, ada: User) -> None:
    for _ in range(throttle.FAILURES):
        _log_in(client, "wrong")

    response = _log_in(client)
    assert "Too many attempts" in response.content.decode()
    assert "_auth_user_id" not in client.session


def test_people_come_in_while_the_cache_is_down(client: Client, ada: User, settings: Any, free_port: int) -> None:
    redis = "django.core.cache.backends.redis.RedisCache"
    settings.CACHES = {"default": {"BACKEND": redis, "LOCATION": f"redis://127.0.0.1:{free_port}/0"}}

    assert _log_in(client, "wrong").status_code == 200
    assert _log_in(client).status_code == 302


@pytest.mark.parametrize(("trusted", "expected"), [(True, "203.0.113.9"), (False, "127.0.0.1")])
def test_a_forged_address_does_not_reset_the_count(settings: Any, rf: Any, trusted: bool, expected: str) -> None:
    settings.TRUST_PROXY = trusted
    request = rf.get("/", headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.9"})

    assert throttle.address_of(request) == expected


def test_logout_answers_post_only(client: Client, ada: User) -> None:
    client.force_login(ada)

    assert client.get("/accounts/logout").status_code == 405
    assert client.post("/accounts/logout").status_code == 302
    assert "_auth_user_id" not in client.session


def test_demo_lets_in_with_one_click_and_needs_the_form_token(settings: Any, db: None) -> None:
    settings.DEMO_MODE = True
    client = Client(enforce_csrf_checks=True)
    assert client.post("/accounts/demo").status_code == 403
    assert client.get("/accounts/demo").status_code == 405

    client.get("/accounts/login")
    token = client.cookies["csrf"].value
    response = client.post("/accounts/demo", {"csrfmiddlewaretoken": token, "next": "/plans"})
    assert (response.status_code, response.headers["Location"]) == (302, "/plans")
    user = User.objects.get(pk=client.session["_auth_user_id"])
    assert (user.email, user.memberships.get().role) == (demo.EMAIL, Role.ADMIN)
    assert not user.has_usable_password()


def test_demo_is_a_404_when_it_is_off(client: Client, settings: Any, db: None) -> None:
    settings.DEMO_MODE = False

    assert client.post("/accounts/demo").status_code == 404
    assert not User.objects.exists()
    with pytest.raises(demo.DemoOff):
        demo.new_tokens()


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"]
)
def test_next_never_leaves_the_site(client: Client, settings: Any, db: None, target: str) -> None:
    settings.DEMO_MODE = True

    assert client.post("/accounts/demo", {"next": target}).headers["Location"] == "/"


def test_a_login_that_ended_while_a_form_was_filled_leads_back_to_the_page_of_the_form(client: Client) -> None:
    asked = client.post("/plans/ver_x/comments", {"text": "x"}, HTTP_REFERER="http://testserver/plans/ver_x?a=1")
    assert asked["Location"] == "/accounts/login?next=/plans/ver_x%3Fa%3D1"
    elsewhere = client.post("/plans/ver_x/comments", {"text": "x"}, HTTP_REFERER="https://evil.example/plans")
    assert elsewhere["Location"] == "/accounts/login?next=/plans/ver_x/comments"
    assert client.get("/plans/ver_x")["Location"] == "/accounts/login?next=/plans/ver_x"


def test_a_bare_word_as_next_is_no_way_on(client: Client, ada: User) -> None:
    answer = client.post("/accounts/login", {"username": ada.email, "password": PASSWORD, "next": "word"})

    assert answer.headers["Location"] == "/"
    assert client.get("/accounts/login", {"next": "/accounts/team"}).headers["Location"] == "/accounts/team"


def test_each_start_ends_the_demo_tokens_of_earlier_starts(settings: Any, db: None) -> None:
    settings.DEMO_MODE = True
    first, second = demo.new_tokens(), demo.new_tokens()

    assert [tokens.verify(one) for one in first] == [None, None]
    visitor, approver = (tokens.verify(one) for one in second)
    assert visitor is not None
    assert approver is not None
    assert (visitor.user.email, approver.user.email) == (demo.EMAIL, demo.COLLEAGUE)
    assert set(approver.scopes) == {"plans:read", "approvals:write"}
    assert ApiToken.objects.filter(revoked_at=None).count() == 2


def test_a_team_of_others_cannot_be_chosen(client: Client, people: People) -> None:
    client.force_login(people.charlie)

    assert client.post("/accounts/teams/north/choose").status_code == 404
    assert client.post("/accounts/teams/south/choose").status_code == 302
    page = client.get("/accounts/teams").content.decode()
    assert "South" in page
    assert "North" not in page
