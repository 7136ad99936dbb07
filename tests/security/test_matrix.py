"""Every route, page or operation, asked by everybody with every method: the table in matrix.py is what happens.

The routes come from the URL resolver and the committed OpenAPI file, so that one without a row fails here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from planner import accuracy
from tests.api.test_statuses import BODIES, QUERIES
from tests.planner.page_support import stub_engine
from tests.planner.test_accuracy import BODY as ACCURACY
from tests.security.matrix import ACTORS, EVERYONE, METHODS, OPERATIONS, PAGES, ROLES, Row
from tests.security.world import MARK, World, Writes, as_json, watched

pytestmark = pytest.mark.django_db
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/openapi.json").read_text(encoding="utf-8"))
DESCRIBED: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
}
DEAD = ("anonymous", "cookie", "expired", "revoked", "left the team", "share link")


def _patterns(found: list[Any], space: str = "") -> Iterator[tuple[str, URLPattern]]:
    for item in found:
        if isinstance(item, URLResolver):
            yield from _patterns(item.url_patterns, f"{space}{item.namespace}:" if item.namespace else space)
        else:
            yield f"{space}{item.name}", item


ROUTES = dict(_patterns(get_resolver().url_patterns))
HTML = {name: pattern for name, pattern in ROUTES.items() if name.removeprefix("api:") not in DESCRIBED}
ASKED = sorted(key for key in PAGES if key.split()[0] in HTML)
CALLED = sorted(OPERATIONS.keys() & DESCRIBED.keys())


@pytest.fixture(scope="module", autouse=True)
def _own_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One folder for the world's files, instead of one for each test."""
    from django.conf import settings

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "MEDIA_ROOT", tmp_path_factory.mktemp("files"))
        yield


@pytest.fixture(scope="module")
def world(
    django_db_setup: None, django_db_blocker: Any, _own_files: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """The world, made once; each question is rolled back."""
    from django.conf import settings

    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch, transaction.atomic():
        stub_engine(patch)
        patch.setattr(settings, "DEMO_MODE", False)
        patch.setattr(accuracy, "FILE", tmp_path_factory.mktemp("accuracy") / "accuracy.json")
        accuracy.FILE.write_text(json.dumps(ACCURACY))
        patch.setattr(settings, "API_PER_MINUTE", dict.fromkeys(settings.API_PER_MINUTE, 10**9))
        yield World()
        transaction.set_rollback(True)


class Answer:
    """What came back, and what it changed."""

    def __init__(self, response: Any, writes: Writes) -> None:
        self.status, self.headers, self.writes = response.status_code, response.headers, writes
        streamed = b"".join(response.streaming_content) if response.streaming else response.content
        self.text = streamed.decode("utf-8", "replace")

    @property
    def asks_for_login(self) -> bool:
        """Is the visitor sent to the login page?"""
        return self.status == 302 and self.headers["Location"].startswith("/accounts/login")


def _ask(client: Client, method: str, address: str, **given: Any) -> Answer:
    """One request, undone afterwards: rows, cache and cookies are as before."""
    kept = deepcopy(client.cookies)
    try:
        with watched() as writes, transaction.atomic():
            answer = Answer(getattr(client, method.lower())(address, **given), writes)
            transaction.set_rollback(True)
    finally:
        client.cookies = kept
        cache.clear()
    return answer


# --- no route without a row ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(HTML))
def test_every_page_has_a_row(name: str) -> None:
    assert not name.startswith("api:") or name in PAGES, (
        f"{name} ({HTML[name].pattern}) answers but is not described: run manage.py openapi --write."
    )
    assert name in {key.split()[0] for key in PAGES}, (
        f"{name} ({HTML[name].pattern}) has no row: add one to PAGES in tests/security/matrix.py that says who may do "
        f"what there, and the object that its address names to World.objects in tests/security/world.py."
    )


@pytest.mark.parametrize("name", sorted(DESCRIBED))
def test_every_operation_has_a_row(name: str) -> None:
    method, path, _ = DESCRIBED[name]
    assert name in OPERATIONS, (
        f"{name} ({method} {path}) has no row: add one to OPERATIONS in tests/security/matrix.py that says which roles "
        f"may call it, and the object that its address names to World.objects in tests/security/world.py."
    )


def test_no_row_is_left_behind() -> None:
    gone = {key for key in PAGES if key.split()[0] not in HTML} | (OPERATIONS.keys() - DESCRIBED.keys())
    assert not gone, f"No such route: take {', '.join(sorted(gone))} out of tests/security/matrix.py."


# --- pages -----------------------------------------------------------------------------------------------------


def _filled(world: World, names: list[str], row: Row) -> dict[str, Any]:
    """A value for each path parameter: the row's own, or the world's object of that name; the first is ``of``."""
    found: dict[str, Any] = {}
    for at, name in enumerate(names):
        given = row.at.get(name) or (row.of if row.of and at == 0 else name)
        if given.startswith("="):
            found[name] = given[1:]
            continue
        assert given in world.objects, (
            f"There is no object “{given}” for the path parameter “{name}”: add it to World.objects in "
            "tests/security/world.py, or name another one in the row (at=…)."
        )
        found[name] = world.objects[given]
    return found


def _body(world: World, row: Row) -> Any:
    if not isinstance(row.body, dict):
        return row.body
    return {
        key: world.file(value[1:]) if isinstance(value, str) and value.startswith("=") else value
        for key, value in row.body.items()
    }


@pytest.mark.parametrize("key", ASKED)
def test_page(world: World, key: str) -> None:
    row, name = PAGES[key], key.split()[0]
    pattern = HTML[name].pattern
    names = list(getattr(pattern, "regex").groupindex)  # noqa: B009 - every kind of pattern has it, mypy knows one
    address = reverse(name, kwargs=_filled(world, names, row)) + (f"?{row.query}" if row.query else "")
    owned = bool(row.of)
    for method in METHODS:
        for actor in ACTORS:
            given = {"data": _body(world, row)} if method == "POST" and row.body else {}
            answer = _ask(world.clients[actor], method, address, **given)
            _check_page(row, owned, method, actor, answer)


def _check_page(row: Row, owned: bool, method: str, actor: str, answer: Answer) -> None:
    said = f"{actor} {method}: {answer.status}, wrote {answer.writes or 'nothing'}; {answer.text[:200]}"
    audience = row.may.get(method)
    if actor == "anonymous" and audience is not EVERYONE:
        assert answer.asks_for_login or (audience is None and answer.status in (404, 405)), said
        assert not answer.writes, said
    elif audience is None:
        assert answer.status in (404, 405), said
        assert not answer.writes, said
    elif actor == "other" and owned and audience is not EVERYONE:
        assert answer.status == 404, said
        assert not answer.writes, said
    elif (actor if actor != "other" or owned else "admin") in audience:
        assert answer.status < 400, said
        assert not answer.asks_for_login or row.may[method] is EVERYONE, said
        assert method == "GET" or not row.writes or answer.writes, f"{said}: the row's body is no good one"
    else:
        assert answer.status == row.refusal, said
        assert not answer.writes, said
    if actor in ("other", "anonymous") and not (audience is EVERYONE and owned):
        assert MARK not in answer.text, f"{said}: a stranger reads what the team owns"


# --- operations ------------------------------------------------------------------------------------------------


def _call(world: World, name: str, actor: str, method: str = "", headers: dict[str, str] | None = None) -> Answer:
    row, (usual, path, _) = OPERATIONS[name], DESCRIBED[name]
    method = method or usual
    names = [part.split("}")[0] for part in path.split("{")[1:]]
    address = path.format(**_filled(world, names, row)) + (QUERIES.get(name, "") if method == usual else "")
    body = row.body if row.body is not None else BODIES.get(name)
    sent = {**world.headers(actor), **{key.replace("_", "-"): value for key, value in row.headers.items()}}
    return _ask(
        world.api, "generic", method, path=address, data=as_json(body), content_type="application/json",
        headers=headers if headers is not None else sent,
    )  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_operation(world: World, name: str) -> None:
    row, (method, path, _) = OPERATIONS[name], DESCRIBED[name]
    owned = "_id}" in path
    for actor in ACTORS:
        answer = _call(world, name, actor)
        said = f"{actor} {method} {path}: {answer.status} {answer.text[:300]}, wrote {answer.writes or 'nothing'}"
        if actor == "anonymous":
            assert answer.status == 401, said
        elif actor == "other" and owned:
            assert answer.status == 404, said
        elif (actor if actor != "other" else "admin") in row.may[""]:
            assert answer.status < 300, said
            assert method == "GET" or not row.writes or answer.writes, f"{said}: the row's body is no good one"
            assert actor != "other" or MARK not in answer.text, f"{said}: a stranger reads what the team owns"
            continue
        else:
            assert answer.status == row.refusal, said
        assert not answer.writes, said
        assert actor in ROLES or MARK not in answer.text, said


@pytest.mark.parametrize("name", CALLED)
def test_no_dead_key_opens_an_operation(world: World, name: str) -> None:
    """A session cookie, a share link, no token, an expired or revoked one, and one whose maker has left: all 401."""
    for kind in DEAD:
        answer = _with_dead_key(world, name, kind)
        said = f"{kind}: {answer.status} {answer.text[:300]}"
        assert answer.status == 401, said
        assert not answer.writes, said
        assert MARK not in answer.text, said


def _with_dead_key(world: World, name: str, kind: str) -> Answer:
    if kind == "share link":
        return _call(world, name, kind, headers={"Authorization": f"Bearer {world.objects['share_secret']}"})
    if kind == "cookie":
        session = world.clients["admin"].cookies["session"].value
        return _call(world, name, kind, headers={"Cookie": f"session={session}"})
    return _call(world, name, kind)


@pytest.mark.parametrize("name", sorted(name for name in CALLED if DESCRIBED[name][2]["security"][0]["Bearer"]))
def test_an_operation_needs_its_scope(world: World, name: str) -> None:
    answer = _call(world, name, "no scope")
    assert answer.status == 403, answer.text
    assert DESCRIBED[name][2]["security"][0]["Bearer"][0] in answer.text
    assert not answer.writes


@pytest.mark.parametrize("path", sorted(SCHEMA["paths"]))
def test_other_methods_are_refused(world: World, path: str) -> None:
    methods = SCHEMA["paths"][path]
    name = next(iter(methods.values()))["operationId"]
    if name in OPERATIONS:
        for method in METHODS:
            for actor in ("anonymous", "other", "admin") if method.lower() not in methods else ():
                answer = _call(world, name, actor, method)
                assert answer.status == 405, f"{actor} {method}: {answer.status}"
                assert not answer.writes


def test_the_world_is_not_vacuous(world: World) -> None:
    """The stranger's silence means something: the team itself reads its mark on these pages."""
    for key in ("planner:home", "planner:plan", "accounts:team", "planner:shared"):
        row = PAGES[key]
        names = list(getattr(HTML[key].pattern, "regex").groupindex)  # noqa: B009
        answer = _ask(world.clients["admin"], "get", reverse(key, kwargs=_filled(world, names, row)))
        assert MARK in answer.text, key
