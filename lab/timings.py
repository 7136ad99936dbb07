"""How fast the engine is on this machine: searches, and a whole-catalog plan."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.defaults import default_assumptions
from engine.inputs.hardware import Market
from engine.inputs.known import Known
from engine.inputs.spec import Constraints, Serving, Spec, Training
from engine.kinds.service import search as search_serving
from engine.kinds.service import work_from as serving_work
from engine.kinds.training.best import search, work_from
from engine.supply import supplies_for
from planner.estimate import estimate
from planner.request.parse import architecture_of

MAX_ACCELERATORS = 16_384
TRAINING = Spec(
    name="Bench, training",
    workload="training",
    model="llama-3.1-70b",
    training=Training(method="continue", tokens=15e9, sequence_length=8192),
    constraints=Constraints(max_accelerators=MAX_ACCELERATORS),
)
SERVING = Spec(
    name="Bench, serving",
    workload="serving",
    model="qwen3-32b",
    serving=Serving(requests_per_s=40.0, input_tokens=1500, output_tokens=400, ttft_p95_ms=800),
)
Figures = dict[str, float]


def best_of(run: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of some runs: the one that the machine disturbed least."""
    return min(timed(run) for _ in range(times))


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def plan_seconds(spec: Spec, market: Market) -> Figures:
    """A whole-catalog plan with nothing remembered, and again when only its limits change."""

    known = Known()

    def first() -> None:
        known.forget()
        estimate(spec, market, known=known)

    return {"seconds": best_of(first), "again_seconds": best_of(lambda: estimate(spec, market, known=known))}


def training_search(market: Market) -> Figures:
    """Candidates whose memory and time were computed, per second, over every plannable accelerator."""
    work = work_from(TRAINING, architecture_of(TRAINING))
    clusters, assume, known = supplies_for(TRAINING, market).clusters, default_assumptions(), Known()
    seconds = best_of(lambda: search(work, clusters, max_count=MAX_ACCELERATORS, assume=assume, known=known))
    found = search(work, clusters, max_count=MAX_ACCELERATORS, assume=assume)
    return {
        "clusters": len(clusters),
        "searched": found.searched,
        "pruned": found.pruned,
        "seconds": seconds,
        "searched_per_s": found.searched / seconds,
        "covered_per_s": (found.searched + found.pruned) / seconds,
    }


def serving_search(market: Market) -> Figures:
    """Serving candidates per second, closed form and simulation of the finalists together."""
    work = serving_work(SERVING, architecture_of(SERVING))
    clusters, assume = supplies_for(SERVING, market).clusters, default_assumptions()
    seconds = best_of(lambda: search_serving(work, clusters, assume=assume))
    found = search_serving(work, clusters, assume=assume)
    return {"clusters": len(clusters), "searched": found.searched, "seconds": seconds}
