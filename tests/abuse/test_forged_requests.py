"""A5 and A20: requests that another site makes in a visitor's name, redirects that leave the site, frames, sniffing."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.accounts.sign_in_support import proved
from tests.conftest import People
from tests.security.asking import ROUTES, _own_files, address_of, ask, body_of
from tests.security.matrix import PAGES
from tests.security.world import PASSWORD, World

__all__ = ["_own_files"]
pytestmark = pytest.mark.django_db
POSTED = sorted(key for key, row in PAGES.items() if "POST" in row.may and key.split()[0] in ROUTES
                and not key.startswith("api:"))  # fmt: skip
LEAVING = ["https://evil.example/", "//evil.example", "///evil.example", "javascript:alert(1)", "/\\evil.example",
           "https:evil.example", "http://testserver@evil.example/", "\thttps://evil.example"]  # fmt: skip
# What every page says, whoever asks. A change here is a decision, not an accident.
HEADERS = {
    "Content-Security-Policy": "base-uri 'none'; connect-src 'self'; default-src 'none'; font-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; script-src 'self'; style-src 'self'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@pytest.mark.parametrize("key", POSTED)
def test_no_form_is_taken_without_its_token(world: World, key: str) -> None:
    """Posted with the visitor's cookies but without the token of a form of ours: refused, nothing written."""
    row = PAGES[key]
    person = Client(enforce_csrf_checks=True, raise_request_exception=False)
    person.force_login(world.members["admin"].user)
    answer = ask(person, "post", address_of(world, key, row), data=body_of(world, row) or {})
    assert answer.status == 403, answer.text[:300]
    assert not answer.writes


def test_a_form_of_another_site_is_refused_though_it_holds_the_token(db: None, people: People) -> None:
    person = Client(enforce_csrf_checks=True)
    person.force_login(people.alice)
    proved(person).get("/accounts/team")
    form = {"csrfmiddlewaretoken": person.cookies["csrf"].value, "name": "x", "scopes": ["plans:read"], "days": "7"}
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}):
        assert person.post("/accounts/team/tokens", form, headers=headers).status_code == 403
    assert person.post("/accounts/team/tokens", form, secure=True).status_code == 403, "TLS without Referer or Origin"
    assert person.post("/accounts/team/tokens", form).status_code == 200


def test_cookies_are_sent_to_this_site_only(people: People) -> None:
    people.alice.set_password(PASSWORD)
    people.alice.save()
    person = Client()
    person.post("/accounts/login", {"username": people.alice.email, "password": PASSWORD})
    person.get("/accounts/team")
    for name in ("session", "csrf"):
        assert (person.cookies[name]["samesite"], person.cookies[name]["httponly"]) == ("Lax", True)


@pytest.mark.parametrize("target", LEAVING)
def test_next_never_leaves_the_site(people: People, settings: Any, target: str) -> None:
    settings.DEMO_MODE = True
    people.alice.set_password(PASSWORD)
    people.alice.save()
    typed = {"username": people.alice.email, "password": PASSWORD, "next": target}
    inside = Client()
    inside.force_login(people.alice)
    for response in (
        Client().post("/accounts/login", typed),
        Client().post("/accounts/demo", {"next": target}),
        inside.post("/accounts/teams/north/choose", {"next": target}),
        inside.get("/accounts/login", {"next": target}),
    ):
        assert response.status_code == 302
        assert "evil" not in response["Location"]
        assert "script" not in response["Location"]
    assert User.objects.get(pk=people.alice.pk).last_login is not None


def test_another_host_is_refused(client: Client, people: People) -> None:
    for host in ("evil.example", "testserver.evil.example", "testserver:80@evil.example"):
        for path in ("/accounts/login", "/api/v1/me", "/"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == 400, f"{host} {path}"
            assert "evil.example" not in answer.content.decode().replace("Invalid HTTP_HOST header", "")


@pytest.mark.parametrize("path", ["/accounts/login", "/", "/catalog/", "/accounts/team", "/nowhere", "/shared/nothing"])
def test_the_headers_of_a_page(people: People, path: str) -> None:
    person = Client()
    person.force_login(people.alice)
    answer = person.get(path)
    policy = answer.headers["Content-Security-Policy"].split("; ")
    plain = "; ".join(sorted(part for part in policy if part))
    found = {name: answer.headers[name] for name in HEADERS} | {"Content-Security-Policy": plain}
    assert found == HEADERS
    assert "Server" not in answer.headers
    assert "X-Powered-By" not in answer.headers
