"""The whole gallery on every core: each request planned, judged, and its head asked for again with each limit loosened."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from multiprocessing import get_context
from typing import Any

from engine.inputs.known import Known
from engine.inputs.spec import Spec
from lab.gallery import focus_rules
from lab.gallery.drawn import drawn
from lab.gallery.invariants import Answer, violations
from lab.gallery.loosening import score, worsened
from lab.gallery.requests import Request, requests
from planner.body import estimate_body, option_body
from planner.estimate import estimate, first_look
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import architecture_of
from planner.weight import EVERYTHING
from rest.answers import answer as answer_of

MOST_BYTES = 60_000
"""What the default body of an estimate may weigh, uncompressed."""
NEAR_EQUAL = "select.near_equal"
"""The share of its cost by which an option may be dearer and count as equal."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What one request was answered, and what is wrong with the answer."""

    name: str
    headline: str
    feasible: bool
    seconds: float
    violations: tuple[str, ...]


def judged(
    *, as_of: date, only: str = "", workers: int = 0, numbers: range = range(0), exact: bool = False
) -> Iterator[Verdict]:
    """A verdict for each request, as they come, or for those drawn by these numbers instead. `exact`: no two costs count as equal,
    and of each answer its head alone is judged. The processes are forked from one that has read the catalog."""
    market = market_from_files()
    wanted = drawn(market, numbers, as_of=as_of) if numbers else requests(market, as_of=as_of, only=only)
    workers = min(workers or os.cpu_count() or 1, len(wanted)) or 1
    judge = _judge_exactly if exact else _judge
    if workers == 1:
        yield from map(judge, wanted)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        yield from (one.result() for one in as_completed([pool.submit(judge, request) for request in wanted]))


def _judge(request: Request) -> Verdict:
    """One memory of searches for a request and what is loosened of it, as pages and API have one: it changes no answer, and
    what is loosened asks again for much of what was searched before."""
    start, known = time.perf_counter(), Known()
    plan = estimate(request.spec, market_from_files(), known=known)
    body = estimate_body(plan, expand=EVERYTHING)
    answer = Answer(
        spec=request.spec,
        arch=architecture_of(request.spec),
        body=body,
        devices=market_from_files().devices,
    )
    found = violations(answer) + focus_rules.broken(plan) + _too_heavy(plan)
    found += _other_head(request.spec, body, known)
    found += worsened(request.spec, partial(_head, known=known), body, near_equal=_near_equal(body))
    return Verdict(
        name=request.name,
        headline=body["headline"]["text"],
        feasible=body["feasible"],
        seconds=time.perf_counter() - start,
        violations=tuple(found),
    )


def _judge_exactly(request: Request) -> Verdict:
    """The same request, of which no two costs count as equal: the least one leads, and no looser one may lead to a dearer one."""
    start, known = time.perf_counter(), Known()
    spec = replace(request.spec, assumptions=request.spec.assumptions | {NEAR_EQUAL: 0.0})
    body = _head(spec, known=known)
    best = body["recommended"]
    found = worsened(spec, partial(_head, known=known), body, near_equal=0.0)
    return Verdict(
        name=request.name,
        headline=f"{spec.kind}: {best['id'] if best else 'nothing is feasible'}",
        feasible=body["feasible"],
        seconds=time.perf_counter() - start,
        violations=tuple(found),
    )


def _too_heavy(plan: Plan) -> list[str]:
    """Every request is answered in few bytes unless more is asked for."""
    weight = len(answer_of(estimate_body(plan, expand=())).content)  # as it is sent
    return [f"the default body weighs {weight:,} bytes"] if weight > MOST_BYTES else []


def _head(spec: Spec, *, known: Known) -> dict[str, Any]:
    """The head of the answer alone, in a ninth of the time: that is what a looser request is compared by."""
    best = first_look(spec, market_from_files(), known=known).best
    return {"feasible": best is not None, "recommended": option_body(best, months=False) if best else None}


def _other_head(spec: Spec, body: dict[str, Any], known: Known) -> list[str]:
    """Is the head of a plan what the whole of it says?"""
    head = _head(spec, known=known)
    if head["feasible"] != body["feasible"]:
        return [f"head: feasible is {head['feasible']} in the head and {body['feasible']} in the plan"]
    if not head["feasible"]:
        return []
    chosen = [one["recommended"]["id"] for one in (head, body)]
    scores = [score(one, spec) for one in (head, body)]
    if chosen[0] == chosen[1] and math.isclose(*scores, rel_tol=1e-9):
        return []
    return [f"head: it recommends {chosen[0]} at {scores[0]:,.4g}, the plan {chosen[1]} at {scores[1]:,.4g}"]


def _near_equal(body: dict[str, Any]) -> float:
    """The difference in cost below which the engine says that it takes the smaller cluster."""
    return next(float(item["value"]) for item in body["assumptions"] if item["id"] == NEAR_EQUAL)
