"""Asking the world: one request at a time, undone afterwards, with everything that it changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.signin import SECOND_FACTOR
from planner.pages.accuracy import figures
from tests.accounts.sign_in_support import proved
from tests.planner.page_support import stub_engine
from tests.planner.test_accuracy import BODY as ACCURACY
from tests.security.matrix import Row
from tests.security.world import World, Writes, watched


def patterns(found: list[Any], space: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every route below those, by name with its namespace."""
    for item in found:
        if isinstance(item, URLResolver):
            yield from patterns(item.url_patterns, f"{space}{item.namespace}:" if item.namespace else space)
        else:
            yield f"{space}{item.name}", item


ROUTES = dict(patterns(get_resolver().url_patterns))


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
        patch.setattr(figures, "FILE", tmp_path_factory.mktemp("accuracy") / "accuracy.json")
        figures.FILE.write_text(json.dumps(ACCURACY))
        patch.setattr(settings, "API_PER_MINUTE", dict.fromkeys(settings.API_PER_MINUTE, 10**9))
        yield World()
        transaction.set_rollback(True)


class Answer:
    """What came back, and what it changed."""

    def __init__(self, response: Any, writes: Writes) -> None:
        self.status, self.headers, self.writes = response.status_code, response.headers, writes
        self.content = b"".join(response.streaming_content) if response.streaming else response.content
        self.text = self.content.decode("utf-8", "replace")

    @property
    def asks_for_login(self) -> bool:
        """Is the visitor sent to the login page?"""
        return self.status == 302 and self.headers["Location"].startswith("/accounts/login")


def ask(client: Client, method: str, address: str, *, fresh: bool = False, **given: Any) -> Answer:
    """One request, undone afterwards: rows, cache and cookies are as before. `fresh`: after a proof of who one is."""
    kept = deepcopy(client.cookies)
    try:
        with transaction.atomic(), watched() as writes:
            if fresh and "session" in client.cookies:
                proved(client, by=SECOND_FACTOR)
            answer = Answer(getattr(client, method.lower())(address, **given), writes)
            transaction.set_rollback(True)
    finally:
        client.cookies = kept
        cache.clear()
    return answer


def filled(world: World, names: list[str], row: Row) -> dict[str, Any]:
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


def body_of(world: World, row: Row) -> Any:
    """The good body of that row, files included."""
    if not isinstance(row.body, dict):
        return row.body
    return {
        key: world.file(value[1:]) if isinstance(value, str) and value.startswith("=") else value
        for key, value in row.body.items()
    }


def address_of(world: World, key: str, row: Row) -> str:
    """The address of the page of that row, on the world's objects."""
    name = key.split()[0]
    names = list(getattr(ROUTES[name].pattern, "regex").groupindex)  # noqa: B009 - mypy knows one kind of pattern
    return reverse(name, kwargs=filled(world, names, row)) + (f"?{row.query}" if row.query else "")
