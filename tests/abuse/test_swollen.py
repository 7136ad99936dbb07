"""A11: what a person types or a program sends swells at every page and operation: it is refused for little memory and time.

What is asked for is the class of the reviewers' upload bomb: a few megabytes of text that cost a web process gigabytes or
minutes. Files are in test_bombs.
"""

from __future__ import annotations

import json
import re
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.test import Client

from incoming.package import MIB
from rest.uploads import CSV
from tests.api.described import DESCRIBED as STATUSES
from tests.api.support import Api, File
from tests.api.test_statuses import BODIES
from tests.conftest import People
from tests.security.asking import Answer, _own_files, address_of, ask, filled, world
from tests.security.matrix import OPERATIONS, PAGES, Row
from tests.security.test_matrix import DESCRIBED
from tests.security.world import World

__all__ = ["_own_files", "world"]
pytestmark = pytest.mark.django_db
MOST_MEMORY = 100 * MIB
MOST_CPU_S = 8.0
"""Three times slower than without the tracing of memory; what reviewers sent took forty to a hundred seconds."""


@contextmanager
def bounded(said: str) -> Iterator[None]:
    """What happens inside takes little memory, on top of what was there, and little time of the processor."""
    tracemalloc.start()
    begun, held = time.process_time(), tracemalloc.get_traced_memory()[0]
    try:
        yield
        took, peak = time.process_time() - begun, tracemalloc.get_traced_memory()[1] - held
    finally:
        tracemalloc.stop()
    assert peak < MOST_MEMORY, f"{said}: {peak / MIB:.0f} MiB"
    assert took < MOST_CPU_S, f"{said}: {took:.1f} s"


# --- programs --------------------------------------------------------------------------------------------------

SWELL: dict[str, Callable[[int], Any]] = {
    "objects": lambda most: [{}] * (most // 12),
    "keys": lambda most: {f"key{number}": 1 for number in range(min(most // 14, 18_000))},
    "a text": lambda most: "\n" * (most // 2),
}
SENT = sorted(name for name, body in BODIES.items() if isinstance(body, dict) and name in OPERATIONS)


def swollen(body: dict[str, Any], swell: Callable[[int], Any], most: int) -> dict[str, Any]:
    """The body with each of its values swollen, in objects one level down too."""
    leaves = [(key, None) for key in body] + [
        (key, name) for key, inner in body.items() if isinstance(inner, dict) for name in inner
    ]
    made = json.loads(json.dumps(body))
    share = most // max(1, len(leaves))
    for key, name in leaves:
        if name is not None:
            made[key][name] = swell(share)
        elif not isinstance(body[key], dict):
            made[key] = swell(share)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", SENT)
def test_no_body_swells(world: World, name: str) -> None:
    row, (method, path, _) = OPERATIONS[name], DESCRIBED[name]
    given = row.body if isinstance(row.body, dict) else BODIES[name]
    bodies = {kind: swollen(given, swell, 900_000) for kind, swell in SWELL.items() if given}
    bodies["unknown keys"] = {**given, **SWELL["keys"](900_000), "k" * 500_000: 1}
    for kind, body in bodies.items():
        with bounded(kind):
            answer = call(world, row, method, path, json.dumps(body).encode())
        assert (name, answer.status) in STATUSES, f"{kind}: {answer.status} {answer.text[:200]}"
        assert len(answer.content) < 200_000, f"{kind}: {len(answer.content):,} bytes"


def call(world: World, row: Row, method: str, path: str, data: bytes, media: str = "application/json") -> Answer:
    """That operation on the world's objects, asked by an admin."""
    names = [part.split("}")[0] for part in path.split("{")[1:]]
    headers = {
        **world.headers("admin"),
        **{key.replace("_", "-"): value for key, value in row.headers.items()},
    }
    address = path.format(**filled(world, names, row))
    return ask(world.api, "generic", method, path=address, data=data, content_type=media, headers=headers)


ROW = {"provider": "a", "instance": "b", "region": "c", "accelerator": "d", "count": "8", "option": "on_demand",
       "amount": "1", "currency": "USD", "date": "2026-08-20"}  # fmt: skip
LONG: dict[str, Callable[[], bytes]] = {
    "empty prices": lambda: b'{"prices":[' + b",".join([b"{}"] * 480_000) + b"]}",
    "faulty prices": lambda: b'{"prices":[' + b",".join([b'{"a":1}'] * 19_000) + b"]}",
    "wide prices": lambda: json.dumps({"prices": [{f"k{n}": 1 for n in range(10_000)}] * 30}).encode(),
    "no list": lambda: b'{"prices":"' + b"k" * 5_200_000 + b'"}',
    "escapes": lambda: b'{"prices":"' + b"\\n" * 2_600_000 + b'"}',
    "an open text": lambda: b'{"prices":"' + b"\\n" * 2_600_000,
    "many keys": lambda: b"{" + b",".join(b'"k%d":1' % number for number in range(400_000)) + b"}",
    "too large": lambda: b" " * (6 * MIB),
}


@pytest.mark.parametrize("kind", LONG)
def test_a_list_of_prices_does_not_swell(world: World, kind: str) -> None:
    """The one body of JSON that may have five megabytes."""
    body = LONG[kind]()  # made by who sends it: what is measured is the reading
    with bounded(kind):
        answer = call(world, OPERATIONS["import_prices"], *DESCRIBED["import_prices"][:2], body)
    assert answer.status in (400, 413, 422), answer.text[:300]
    assert len(answer.content) < 100_000


def test_what_is_wrong_far_down_in_a_list_is_named_by_its_place(world: World) -> None:
    rows = [ROW] * 5_000 + [{key: value for key, value in ROW.items() if key != "region"}]
    where = (OPERATIONS["import_prices"], *DESCRIBED["import_prices"][:2])
    assert call(world, *where, json.dumps({"prices": rows[:-1]}).encode()).status == 202
    found = json.loads(call(world, *where, json.dumps({"prices": rows}).encode()).content)["errors"]
    assert [(item["pointer"], item["detail"]) for item in found] == [
        ("/prices/5000/region", "“prices.5000.region” is missing: give a value.")
    ]
    most = json.loads(call(world, *where, json.dumps({"prices": rows * 4}).encode()).content)
    assert most["detail"] == "“prices” has 20,004 entries: send at most 20,000."


def test_a_body_that_is_too_large_is_told_the_limit_of_its_address(people: People) -> None:
    api = Api(people.memberships["alice"])
    batch = api.post("/catalogs", {"name": "Quotes"}).json()["id"]
    for answer in (
        api.post(f"/catalogs/{batch}/prices:import", File(b" " * 6 * MIB, CSV)),
        api.post("/plans", b" " * 6 * MIB),
    ):
        assert answer.status_code == 413
        assert "1,048,576 bytes, where it is a file 5,242,880" in answer.json()["detail"]


# --- people ----------------------------------------------------------------------------------------------------

TEXTS: dict[str, Callable[[int], str]] = {
    "words": lambda length: "h100 " * (length // 5),
    "lines": lambda length: "x\n" * (length // 2),
    "pairs": lambda length: "key = 1\n" * (length // 8),
    "digits": lambda length: "9" * length,
}
TYPED = sorted(key for key, row in PAGES.items() if isinstance(row.body, dict) and row.may.get("POST"))
_NAMED = re.compile(r'<(?:input|select|textarea)[^>]* name="([^"]+)"')


@pytest.mark.slow
@pytest.mark.parametrize("key", TYPED)
def test_no_form_swells(world: World, key: str, settings: Any) -> None:
    """Each field that the page shows, and that a good post has, holds as much as gets in."""
    settings.PAGE_ESTIMATES_PER_MINUTE = settings.UPLOADS_PER_MINUTE = 10_000
    row = PAGES[key]
    actor = next(name for name in ("admin", "planner", *sorted(row.may["POST"])) if name in row.may["POST"])
    client, address = world.clients[actor], address_of(world, key, row)
    shown = ask(client, "GET", address, fresh=row.fresh).text if row.may.get("GET") else ""
    names = {name for name in (*row.body, *_NAMED.findall(shown)) if name != "csrfmiddlewaretoken"}
    for kind, text in TEXTS.items():
        long = text(700_000 // max(1, len(names)))
        with bounded(kind):
            answer = ask(client, "POST", address, fresh=row.fresh, data=dict.fromkeys(names, long))
        assert answer.status < 500, f"{kind}: {answer.status}"
        assert len(answer.content) < 2_000_000, f"{kind}: {len(answer.content):,} bytes"


@pytest.mark.parametrize(
    "field", ["assumptions", "constraints.accelerators", "serving.load_curve", "name", "fixed.zero_stage"]
)
@pytest.mark.parametrize("path", ["/new/serve", "/estimate/serve"])
def test_no_field_of_a_plan_swells(client: Client, people: People, path: str, field: str) -> None:
    """One field holds as much as gets in: a line of it may be a fault, a word a box to tick."""
    client.force_login(people.alice)
    for kind, text in TEXTS.items():
        with bounded(kind):
            answer = client.post(path, {"model": "qwen3-32b", "serving.requests_per_s": "4", field: text(700_000)})
        assert answer.status_code in (200, 302, 422), kind
        assert len(answer.content) < 300_000, f"{kind}: {len(answer.content):,} bytes"


@pytest.mark.parametrize("path", ["/accounts/login", "/accounts/demo", "/new/train"])
def test_a_form_that_no_person_fills_is_not_read(client: Client, path: str) -> None:
    """A visitor without an account sends one: decoding it took four hundred megabytes."""
    for piece in (b"%5B", b"%E2%82%AC", b"&a=1"):
        body = b"username=" + piece * (4_900_000 // len(piece))
        with bounded(path):
            answer = client.post(path, body, content_type="application/x-www-form-urlencoded")
        assert answer.status_code == 413
        assert "too much text" in answer.content.decode()
    with bounded(path):
        answer = client.post(path, {"username": "x", "password": "x" * 4_900_000})  # in parts
    assert answer.status_code == 413


def test_what_a_person_can_type_still_comes_in(client: Client, people: People, quick_engine: None) -> None:
    client.force_login(people.alice)
    config = json.dumps({"x": ["é"] * 20_000}, ensure_ascii=False)
    answer = client.post("/new/train", {"model": "config", "config": config})
    assert "config.json has more than" not in answer.content.decode()
    answer = client.post("/new/train", {"model": "config", "config": config + " " * 5 + "x" * 200_000})
    assert "The config.json has more than 200,000 characters" in answer.content.decode()
    answer = client.post("/new/train", {"model": "llama-3.1-8b", "assumptions": "a = 1\n" * 5_000})
    assert "is too long: at most 20,000 characters" in answer.content.decode()
