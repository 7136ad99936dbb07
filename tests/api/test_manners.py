"""What every address does alike: tokens, problems, unknown parameters, HEAD, limits, headers."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, Membership
from planner import team_market
from tests.api.support import TRAINING, Api, problem


def test_it_works(petra: Api) -> None:
    response = petra.get("/me", X_Request_ID="given-request-1")
    assert response.status_code == 200
    assert response["X-Request-ID"] == "given-request-1"
    assert response.json()["token"]["id"] == petra.row.public_id
    assert response["RateLimit-Policy"] == '"read";q=600;w=60'
    assert response["RateLimit"].startswith('"read";r=599;t=')


@pytest.mark.parametrize("header", ["", "Basic eDp5", "Bearer", "Bearer sxt_x", "Bearer \u00e9\u00e9", "sxt_x"])
def test_no_token_no_answer(db: None, client: Client, header: str) -> None:
    response: Any = client.get("/api/v1/plans", headers={"Authorization": header.encode().decode("latin-1")})
    assert response["WWW-Authenticate"].startswith("Bearer ")
    problem(response, 401)


def test_a_cookie_opens_nothing(petra: Api) -> None:
    petra.client.force_login(petra.member.user)
    response: Any = petra.client.get("/api/v1/me")
    problem(response, 401)


def test_a_token_dies_at_once(petra: Api) -> None:
    tokens.revoke(petra.row, actor=None)
    problem(petra.get("/me"), 401)


def test_an_expired_token_is_dead(petra: Api) -> None:
    ApiToken.objects.update(expires_at=timezone.now())
    problem(petra.get("/me"), 401)


def test_who_left_the_team_is_out(petra: Api) -> None:
    Membership.objects.filter(pk=petra.member.pk).delete()
    problem(petra.get("/me"), 401)


def test_a_scope_is_needed(petra: Api) -> None:
    narrow = Api(petra.member, ("plans:read",))
    assert "plans:write" in problem(narrow.post("/plans", TRAINING), 403)["detail"]


def test_a_viewer_writes_nothing(quick_engine: None, bob: Api) -> None:
    assert "planner" in problem(bob.post("/plans", TRAINING), 403)["detail"]


@pytest.mark.parametrize("query", ["nonsense=1", "limit=5&limit=6", "limit=0", "limit=ten", "cursor=abc", "LIMIT=5"])
def test_a_strange_parameter_is_named(petra: Api, query: str) -> None:
    body = problem(petra.get(f"/plans?{query}"), 400)
    assert body["errors"][0]["parameter"] == query.partition("=")[0]


def test_a_cursor_of_another_list_is_refused(quick_engine: None, petra: Api) -> None:
    cursor = petra.get("/models?limit=1").json()["next_cursor"]
    assert problem(petra.get(f"/plans?cursor={cursor}"), 400)["errors"][0]["parameter"] == "cursor"


def test_a_cursor_tells_nothing_and_holds_any_name(quick_engine: None, petra: Api) -> None:
    """Who reads the place in it learns how many rows all teams have; and the longest name has its place."""
    name = "\N{GRINNING FACE}" * 120
    for _ in range(2):
        petra.post("/plans", {**TRAINING, "name": name})
    cursor = petra.get("/plans?limit=1&sort=name").json()["next_cursor"]
    read = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert name.encode() not in read
    assert b"\\ud83d" not in read
    rest = petra.get(f"/plans?limit=1&sort=name&cursor={cursor}").json()
    assert (len(rest["data"]), rest["next_cursor"]) == (1, None)
    assert petra.get("/plans?limit=1&sort=name").json()["next_cursor"] != cursor, "not even equal places look equal"
    for odd in (cursor[:-1], f"{cursor}A", "gAAAA", "\N{SNOWMAN}", cursor.swapcase()):
        problem(petra.get(f"/plans?limit=1&sort=name&cursor={quote(odd)}"), 400)


@pytest.mark.parametrize("path", ["/", "/nothing", "/plans/", "/estimates/x", "/plans/%00", "/exports/../me/x"])
def test_an_unknown_address_is_a_problem(petra: Api, path: str) -> None:
    problem(petra.get(path), 404)


def test_an_unknown_method_is_a_problem(petra: Api) -> None:
    response = petra.send("PUT", "/plans")
    assert set(response["Allow"].replace(" ", "").split(",")) == {"GET", "POST"}
    problem(response, 405)


def test_head_is_get_without_a_body(petra: Api) -> None:
    response = petra.send("HEAD", "/me")
    assert (response.status_code, response.content) == (200, b"")


def test_a_fault_of_ours_says_nothing_of_our_insides(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a secret of ours")

    monkeypatch.setattr(team_market, "market_from_rows", fails)
    assert "secret" not in str(problem(petra.post("/estimates", TRAINING), 500))


def test_an_empty_bucket_says_when_to_come_again(petra: Api, settings: Any) -> None:
    settings.API_PER_MINUTE = {"read": 2, "estimate": 1, "export": 1}
    assert [petra.get("/me").status_code for _ in range(2)] == [200, 200]
    response = petra.get("/me")
    assert 1 <= int(response["Retry-After"]) <= 60
    assert response["RateLimit"].startswith('"read";r=0;')
    problem(response, 429)


def test_each_token_has_its_own_bucket(petra: Api, bob: Api, settings: Any) -> None:
    settings.API_PER_MINUTE = {"read": 1, "estimate": 1, "export": 1}
    assert [petra.get("/me").status_code, bob.get("/me").status_code] == [200, 200]


def test_a_huge_body_is_refused_before_it_is_read(petra: Api, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    problem(petra.post("/estimates", b" " * 2000), 413)


def test_answers_are_not_cached_by_others(petra: Api) -> None:
    response = petra.get("/me")
    assert response["Cache-Control"] == "private, no-cache"
    assert response["Vary"] == "Authorization"
    assert petra.get("/me", If_None_Match=f"W/{response['ETag']}").status_code in (200, 304)


def test_the_reference_page_needs_no_login_and_no_script(db: None, client: Client) -> None:
    response: Any = client.get("/api/v1/docs")
    page = response.content.decode()
    assert response.status_code == 200
    assert "/api/v1/plans/{plan_id}/versions/{number}/exports" in page
    assert "//cdn" not in page
    # An address of a namespace, and the one that an example of a request sends as text: nothing that a browser would load.
    named = page.replace("https://www.w3.org", "").replace("&quot;https://hooks.example/budget&quot;", "")
    assert "https://" not in named
