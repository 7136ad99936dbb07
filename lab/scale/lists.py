"""Every list and search of the product under very many plans: how long each page takes, through all middleware."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from django.test import Client

from accounts import tokens
from accounts.models import Membership
from config.api import api

PROMISED_MS: Final = 300.0
HOST: Final = "localhost"
PAGES: Final = {
    "start page": "/",
    "search, a third found": "/?words=Search",
    "search, one found": "/?words=no.+000031",
    "search, none found": "/?words=nothing+of+the+kind",
    "archived": "/?archived=",
    "archived, search": "/?archived=&words=llama",
    "portfolio": "/portfolio",
    "catalog": "/catalog/",
    "prices": "/catalog/prices/",
}
PLANS: Final = {
    "plans by name": "sort=name",
    "plans, changed last first": "sort=-updated_at",
    "plans, changed since": "updated_since=2026-01-01T00:00:00Z&sort=updated_at",
    "plans, 200 of them": "limit=200",
    "plans, archived": "archived=true",
    **{f"plans, {state}": f"status={state}" for state in ("draft", "submitted", "approved", "returned", "superseded")},
}


@dataclass(frozen=True, kw_only=True)
class Timed:
    """One list, each time it was asked for."""

    name: str
    ms: tuple[float, ...]
    """On the clock, the database and whatever else the machine did included."""
    cpu_ms: tuple[float, ...]
    """Of this process alone."""

    @property
    def p95(self) -> float:
        """Nineteen of twenty came within."""
        return float(np.percentile(self.ms, 95))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One list: what it is called, and how it is asked for."""

    name: str
    address: str
    headers: dict[str, str]


def lists_of(member: Membership) -> list[Asked]:
    """Pages with a list, and every list of the API that names no other object, each also from its middle on."""
    _, token = tokens.issue(member.team, member.user, name="Lists", scopes=tokens.SCOPES)
    bearer = {"Authorization": f"Bearer {token}"}
    described = api.get_openapi_schema(path_prefix="/api/v1/")["paths"]
    found = [Asked(name=name, address=address, headers={}) for name, address in PAGES.items()]
    found += [Asked(name=name, address=address, headers=bearer) for name, address in _of_api(described)]
    return found + [Asked(name=name, address=f"/api/v1/plans?{query}", headers=bearer) for name, query in PLANS.items()]


def _of_api(described: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, methods in described.items():
        operation = methods.get("get")
        if operation and "{" not in path and "cursor" in {one["name"] for one in operation.get("parameters", ())}:
            yield f"API {operation['operationId'].removeprefix('list_').replace('_', ' ')}", path


def measured(member: Membership, *, times: int, walk: int = 20, progress: Callable[[int, int], None]) -> list[Timed]:
    """Each list so often, after one that warms it; of the API's plans also a page that is `walk` pages in. RuntimeError for an
    answer that is not 200."""
    client = Client(SERVER_NAME=HOST, raise_request_exception=False)
    client.force_login(member.user)
    asked = lists_of(member)
    deep = _deep(client, next(one for one in asked if one.name == "API plans"), walk)
    asked += [deep] if deep else []
    found = []
    for number, one in enumerate(asked, start=1):
        _ms(client, one)
        clock, cpu = zip(*(_ms(client, one) for _ in range(times)), strict=True)
        found.append(Timed(name=one.name, ms=clock, cpu_ms=cpu))
        progress(number, len(asked))
    return sorted(found, key=lambda one: -one.p95)


def _deep(client: Client, first: Asked, walk: int) -> Asked | None:
    """That list so many pages further on; None where it ends before."""
    address = first.address
    for _ in range(walk):
        answer = client.get(address, headers=first.headers).json()
        if not answer["next_cursor"]:
            return None
        address = f"{first.address}?cursor={answer['next_cursor']}"
    return Asked(name=f"{first.name}, page {walk + 1}", address=address, headers=first.headers)


def _ms(client: Client, one: Asked) -> tuple[float, float]:
    """Milliseconds on the clock, and of this process."""
    began, cpu = time.perf_counter(), time.process_time()
    answer: Any = client.get(one.address, headers=one.headers)
    size = sum(map(len, answer.streaming_content)) if answer.streaming else len(answer.content)
    taken = (time.perf_counter() - began) * 1e3, (time.process_time() - cpu) * 1e3
    if answer.status_code != 200 or not size:
        raise RuntimeError(f"{one.address} answers {answer.status_code}: {answer.content[:300]!r}")
    return taken


def told(found: list[Timed]) -> Iterator[str]:
    """A line for each, the slowest first."""
    for one in found:
        mark = "" if one.p95 <= PROMISED_MS else f"  above {PROMISED_MS:.0f} ms"
        clock, cpu = np.median(one.ms), np.median(one.cpu_ms)
        yield f"{one.name:28} median {clock:6.0f} ms ({cpu:4.0f} of it here)  P95 {one.p95:6.0f} ms{mark}"
