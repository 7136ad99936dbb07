"""The costliest request of each role: processor time and memory of a process that answers it and nothing else."""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final
from urllib.parse import urlencode

from django.db import connections
from django.test import Client

from accounts import tokens
from accounts.models import Membership, Role
from lab.gallery.requests import requests
from lab.memory import forget_peak, peak_mb, resident_mb
from lab.scale.lists import HOST
from planner.frozen.snapshot import plain
from planner.market import market_from_rows
from planner.models import PlanVersion
from planner.pages.form.screens import SCREENS
from planner.review import sharing
from planner.searches import SEARCHES

VISITOR: Final = "visitor"
PROMISED_CPU_S: Final = 2.0
PROMISED_MB: Final = 400.0
HEAVY: Final = ("train-405b-huge", "train-moe-deepseek", "serve-two-sites", "serve-moe-inr", "batch-large-model")
"""Requests of the gallery that take the engine longest."""
_FORM: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request."""

    name: str
    address: str
    method: str = "GET"
    body: bytes = b""
    media: str = "application/json"
    by_token: bool = False


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What its answer took: the processor's seconds of the process and of those it started; the peak of its resident memory,
    what it held before, and what it holds once the answer has left [MB = 10⁶ byte]."""

    name: str
    status: int
    cpu_s: float
    peak_mb: float
    before_mb: float
    after_mb: float

    @property
    def kept_mb(self) -> float:
        """What it does not give back: searches that are remembered, of which there is a bound, and what a library loads once."""
        return self.after_mb - self.before_mb


@dataclass(frozen=True, kw_only=True)
class Person:
    """Who asks: by a session on pages and by a token elsewhere; nobody by neither."""

    role: str
    member: Membership | None = None
    token: str = field(default="", repr=False)


def everybody(people: Mapping[str, Membership]) -> list[Person]:
    """A person of each role with a token that may do all that the role may, and a visitor."""
    known = [
        Person(role=role, member=one, token=tokens.issue(one.team, one.user, name="Costly", scopes=tokens.SCOPES)[1])
        for role, one in people.items()
    ]
    return [*known, Person(role=VISITOR)]


def asked_of(
    people: Mapping[str, Membership], versions: Sequence[PlanVersion], *, heavy: Sequence[str] = HEAVY
) -> list[Asked]:
    """Requests that are made of much: whole plans, whole lists, searches of the engine."""
    version = versions[0]
    _, secret = sharing.create(people[Role.PLANNER], version, days=min(sharing.LIVES))
    return [*_pages(version, secret), *_of_versions(versions), *_operations(version), *_estimates(people, heavy)]


def _pages(version: PlanVersion, secret: str) -> Iterator[Asked]:
    plan = f"/plans/{version.public_id}"
    addresses = (
        "/", "/?words=llama", "/portfolio", "/portfolio.csv", "/accuracy", "/catalog/", "/catalog/prices/", "/catalog/prices/history/",
        "/catalog/sources/", "/accounts/team", "/accounts/login", "/status", "/api/v1/openapi.json",
        "/api/v1/docs", f"{plan}/scenarios", f"{plan}/scenarios/new", f"{plan}/quotations",
    )  # fmt: skip
    yield from (Asked(name=address, address=address) for address in addresses)
    yield Asked(name="the team's audit trail", method="POST", address="/accounts/team/audit-trail", media=_FORM)
    yield Asked(name="a shared plan", address=f"/shared/{secret}")
    guess = urlencode({"username": "admin@scale.example", "password": "not this one"}).encode()
    yield Asked(name="signing in", method="POST", address="/accounts/login", body=guess, media=_FORM)


def _of_versions(versions: Sequence[PlanVersion]) -> Iterator[Asked]:
    for version in versions:
        what = version.workload.name
        yield Asked(name=f"plan: {what}", address=f"/plans/{version.public_id}")
        yield Asked(name=f"today's prices: {what}", address=f"/plans/{version.public_id}/prices")
        yield Asked(name=f"all documents: {what}", address=f"/exports/plans/{version.public_id}/bundle")


def _operations(version: PlanVersion) -> Iterator[Asked]:
    plan = f"plans/{version.workload.public_id}"
    addresses = (
        "plans?limit=200", "workloads?limit=200", "prices?limit=200", "audit-events?limit=200", "budget-lines?limit=200",
        "budget-lines?format=focus-csv", f"{plan}/versions/1", f"{plan}/versions/1/bundle", f"{plan}/budget-lines",
    )  # fmt: skip
    for address in addresses:
        yield Asked(name=f"API {address.replace(plan, 'plans/…')}", address=f"/api/v1/{address}", by_token=True)


def _estimates(people: Mapping[str, Membership], heavy: Sequence[str]) -> Iterator[Asked]:
    """Forms as they are shown filled, and the engine's heaviest requests over the API, one by one and a hundred at once."""
    for screen in SCREENS.values():
        typed = urlencode({**screen.defaults, **screen.examples[0].values}).encode()
        for verb, address in (("typed", f"/estimate/{screen.kind}"), ("sent", f"/new/{screen.kind}")):
            yield Asked(name=f"form {verb}: {screen.kind}", method="POST", address=address, body=typed, media=_FORM)
    market = market_from_rows(people[Role.PLANNER].team)
    for name in heavy:
        (spec,) = (plain(one.spec) for one in requests(market, only=name) if one.name == name)
        bodies = {
            "estimates": spec,
            "estimates/sensitivity": {"spec": spec, "method": "monte_carlo", "draws": 20_000},
            "plans": spec,
        }
        for path, body in bodies.items():
            data = json.dumps(body).encode()
            yield Asked(name=f"API {path}: {name}", method="POST", address=f"/api/v1/{path}", body=data, by_token=True)


def measured(
    everyone: Sequence[Person], asked: Sequence[Asked], *, progress: Callable[[int, int], None]
) -> dict[str, list[Cost]]:
    """For each role what each request costs that it is answered, the costliest first; refusals are left out."""
    found: dict[str, list[Cost]] = {person.role: [] for person in everyone}
    pairs = [(person, one) for person in everyone for one in asked]
    for number, (person, one) in enumerate(pairs, start=1):
        cost = _apart(person, one)
        if cost.status < 400:
            found[person.role].append(cost)
        progress(number, len(pairs))
    return {role: sorted(costs, key=lambda cost: -cost.cpu_s) for role, costs in found.items()}


def _apart(person: Person, one: Asked) -> Cost:
    """In a process that is forked for it, as those of the server are from one that is warm. RuntimeError for a fault of ours."""
    connections.close_all()
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(person, one, theirs))
    process.start()
    theirs.close()
    try:
        cost: Cost = ours.recv()
    except EOFError:
        raise RuntimeError(f"{one.name}, asked by {person.role}, ended its process.") from None
    finally:
        process.join()
    if cost.status >= 500:
        raise RuntimeError(f"{one.name}, asked by {person.role}, was answered with {cost.status}.")
    return cost


def _answer(person: Person, one: Asked, told: Connection) -> None:
    SEARCHES.forget()  # the dearest case: nothing was asked before
    client = Client(SERVER_NAME=HOST, raise_request_exception=False)
    headers = {"Authorization": f"Bearer {person.token}"} if one.by_token and person.token else {}
    if person.member and not one.by_token:
        client.force_login(person.member.user)
    forget_peak()
    before, began = resident_mb(), _cpu_s()
    answer: Any = client.generic(one.method, one.address, one.body, content_type=one.media, headers=headers)
    for _ in answer.streaming_content if answer.streaming else ():
        pass
    took, peak, status = _cpu_s() - began, peak_mb(), answer.status_code
    answer.close()
    del answer
    gc.collect()
    told.send(Cost(name=one.name, status=status, cpu_s=took, peak_mb=peak, before_mb=before, after_mb=resident_mb()))


def _cpu_s() -> float:
    started = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + started.ru_utime + started.ru_stime


def told(found: Mapping[str, Sequence[Cost]], *, most: int = 3) -> Iterator[str]:
    """For each role its costliest requests by time, the one that takes most memory, and the one that gives least of it back."""
    for role, costs in found.items():
        yield f"{role}: {len(costs)} requests answered"
        largest, keeper = max(costs, key=lambda cost: cost.peak_mb), max(costs, key=lambda cost: cost.kept_mb)
        for cost in dict.fromkeys((*costs[:most], largest, keeper)):
            over = [
                *([f"above {PROMISED_CPU_S:g} s"] if cost.cpu_s > PROMISED_CPU_S else []),
                *([f"above {PROMISED_MB:.0f} MB"] if cost.peak_mb > PROMISED_MB else []),
            ]
            held = f"peak {cost.peak_mb:4.0f} MB (before {cost.before_mb:.0f}, after {cost.after_mb:.0f})"
            yield f"  {cost.cpu_s:6.2f} s CPU  {held}  {cost.name}{'  ' + ', '.join(over) if over else ''}"
