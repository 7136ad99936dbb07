"""Every route, page or operation, asked by everybody with every method: the table in matrix.py is what happens.

The routes come from the URL resolver and the committed OpenAPI file, so that one without a row fails here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rest.uploads import XLSX
from tests.api.support import File
from tests.api.test_statuses import BODIES, QUERIES
from tests.security.asking import ROUTES, Answer, _own_files, address_of, ask, body_of, filled, world
from tests.security.matrix import ACTORS, EVERYONE, METHODS, OPERATIONS, PAGES, ROLES, Row
from tests.security.world import MARK, World, as_json

__all__ = ["_own_files", "world"]
pytestmark = pytest.mark.django_db
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/openapi.json").read_text(encoding="utf-8"))
DESCRIBED: dict[str, tuple[str, str, dict[str, Any]]] = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in SCHEMA["paths"].items()
    for method, operation in methods.items()
}
DEAD = ("anonymous", "cookie", "expired", "revoked", "left the team", "share link")


HTML = {name: pattern for name, pattern in ROUTES.items() if name not in {f"api:{known}" for known in DESCRIBED}}
ASKED = sorted(key for key in PAGES if key.split()[0] in HTML)
CALLED = sorted(OPERATIONS.keys() & DESCRIBED.keys())


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


@pytest.mark.parametrize("key", ASKED)
def test_page(world: World, key: str) -> None:
    row = PAGES[key]
    address = address_of(world, key, row)
    owned = bool(row.of)
    for method in METHODS:
        for actor in ACTORS:
            given = {"data": body_of(world, row)} if method == "POST" and row.body else {}
            asked = row.fresh and method == "POST" and actor in row.may[method]
            if asked:
                stale = ask(world.clients[actor], method, address, **given)
                assert stale.headers.get("Location", "").startswith("/accounts/confirm?"), (
                    f"{actor}: no fresh proof asked"
                )
                assert not stale.writes, f"{actor} wrote {stale.writes} without a fresh proof"
            answer = ask(world.clients[actor], method, address, fresh=row.fresh, **given)
            _check_page(row, owned, method, actor, answer)


_AUDIT = 'INSERT INTO "accounts_auditevent"'
"""A refusal changes nothing, but a proof that failed is in the trail."""


def _check_page(row: Row, owned: bool, method: str, actor: str, answer: Answer) -> None:
    said = f"{actor} {method}: {answer.status}, wrote {answer.writes or 'nothing'}; {answer.text[:200]}"
    audience = row.may.get(method)
    if actor == "anonymous" and audience is not EVERYONE:
        assert answer.asks_for_login or (audience is None and answer.status in (404, 405)), said
        assert not answer.writes, said
    elif audience is None:  # the login page sends people who are in to the start page, whatever the method
        assert answer.status in (404, 405) or answer.headers.get("Location") == "/", said
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
        assert [one for one in answer.writes if _AUDIT not in one] == [], said
    if actor in ("other", "anonymous") and not (audience is EVERYONE and owned):
        assert MARK not in answer.text, f"{said}: a stranger reads what the team owns"


# --- operations ------------------------------------------------------------------------------------------------


def _call(world: World, name: str, actor: str, method: str = "", headers: dict[str, str] | None = None) -> Answer:
    row, (usual, path, _) = OPERATIONS[name], DESCRIBED[name]
    method = method or usual
    names = [part.split("}")[0] for part in path.split("{")[1:]]
    address = path.format(**filled(world, names, row)) + (QUERIES.get(name, "") if method == usual else "")
    body = row.body if row.body is not None else BODIES.get(name)
    if row.of:  # the body names the object
        body = {**(body or {}), row.of: world.objects[row.of]}
    sent = {**world.headers(actor), **{key.replace("_", "-"): value for key, value in row.headers.items()}}
    if body == "=workbook":
        body = File(world.file("workbook").read(), XLSX)
    data, media = (body.data, body.media) if isinstance(body, File) else (as_json(body), "application/json")
    return ask(
        world.api, "generic", method, path=address, data=data, content_type=media,
        headers=headers if headers is not None else sent,
    )  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_operation(world: World, name: str) -> None:
    row, (method, path, _) = OPERATIONS[name], DESCRIBED[name]
    owned = "_id}" in path or "{kind}" in path or bool(row.of)
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


@pytest.mark.parametrize("name", [name for name in CALLED if "x-scope" in DESCRIBED[name][2]])
def test_an_operation_needs_its_scope(world: World, name: str) -> None:
    answer = _call(world, name, "no scope")
    assert answer.status == 403, answer.text
    assert DESCRIBED[name][2]["x-scope"] in answer.text
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
        answer = ask(world.clients["admin"], "get", address_of(world, key, PAGES[key]))
        assert MARK in answer.text, key
