"""No layout of a service is cut without a bound: the bounds hold in simulation, and the search finds what trying all finds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

import numpy as np
import pytest

from engine.inputs.hardware import Cluster
from engine.inputs.spec import FixedLayout
from engine.kinds.service import ServingWork, search
from engine.kinds.service.burdens import by_cluster, least_needs, ranked_rows
from engine.kinds.service.capacity import Latencies, reached
from engine.kinds.service.choices import choices_from
from engine.kinds.service.prospects import Prospects, prospects
from engine.kinds.service.replica_size import size_replica
from engine.kinds.service.simulate import lengths
from engine.kinds.service.sizing import Sizes, choices_at, choices_of
from tests.engine.devices import A100, LLAMA_8B, LLAMA_70B, NODES
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, service
from tests.told import told

FEW = replace(NODES, max_devices=256)
OLD = Cluster(device=A100, devices_per_node=8, nic_bandwidth=50e9, max_devices=256)
SEEDS = range(10)
ANY = Latencies(ttft_ms=np.inf, tpot_ms=np.inf)


def asked(seed: int) -> ServingWork:
    """A random service: short and long prompts, even and uneven lengths, promises of either kind, both or none."""
    random = Random(seed)
    return service(
        arch=replace(random.choice([LLAMA_8B, QWEN3_32B, LLAMA_70B]), max_sequence=131_072),
        requests_per_s=random.choice([0.02, 0.5, 3.0, 20.0]),
        input_tokens=random.choice([200.0, 2000.0, 30_000.0, 110_000.0]),
        output_tokens=random.choice([50.0, 400.0, 3000.0]),
        length_spread=random.choice([0.0, 0.3, 0.8]),
        ttft_p95_ms=random.choice([0.0, 800.0, 5000.0, 30_000.0]),
        tpot_p95_ms=random.choice([0.0, 25.0, 80.0]),
        speculative_accepted=random.choice([0.0, 0.0, 2.5]),
        framework=random.choice(["vllm", "sglang", "tensorrt-llm"]),
        requests=300,
    )


@cache
def field(seed: int) -> Prospects:
    return prospects(asked(seed), (FEW, OLD), assume=ASSUME)


def least(work: ServingWork, clusters: tuple[Cluster, ...] = (FEW,)) -> float:
    """Accelerators of the smallest answer; infinite when it is refused."""
    return min((one.accelerators for one in search(work, clusters, assume=ASSUME).choices), default=np.inf)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_load_is_answered_sooner_than_an_idle_replica_would(seed: int) -> None:
    every, work = field(seed), asked(seed)
    fitting = [row for row in range(len(every.space.found)) if every.closed.saturated[row] > 0]
    for row in Random(seed).sample(fitting, min(4, len(fitting))):
        one = every.replica(row)
        engine = one.candidate.engine
        for share in (0.001, 0.3, 0.9):
            rate = share * one.saturated
            came = reached(one.simulated(work, ASSUME), work, rate=rate, limits=ANY, engine=engine, assume=ASSUME)
            assert came is not None
            assert came.ttft_ms >= every.alone.ttft_ms[row]
            assert came.tpot_ms >= every.alone.tpot_ms[row]


@pytest.mark.parametrize("seed", SEEDS)
def test_an_idle_replica_comes_to_its_bound(seed: int) -> None:
    """The bound is no idle one: without drafts and pools, a replica with next to no load stays within a tenth of it."""
    work = replace(asked(seed), speculative_accepted=0.0, tpot_p95_ms=0.0)
    every = prospects(work, (FEW,), assume=ASSUME)
    row = next(row for row in range(len(every.space.found)) if every.closed.saturated[row] > 0)
    one = every.replica(row)
    rate = 0.0005 * one.saturated
    came = reached(one.simulated(work, ASSUME), work, rate=rate, limits=ANY, engine=work.framework, assume=ASSUME)
    assert came is not None
    assert came.ttft_ms <= every.alone.ttft_ms[row] * 1.1 + 40
    assert came.tpot_ms <= every.alone.tpot_ms[row] * 1.1


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_finds_what_trying_every_layout_finds(seed: int) -> None:
    every, work = field(seed), asked(seed)
    for rows, ranked in zip(every.space.rows, ranked_rows(every), strict=True):
        tried = []
        for row in (row for row in rows if every.closed.saturated[row] > 0):
            sized = size_replica(every.replica(row), work, ASSUME)
            assert sized.rate / sized.replicas <= every.most[row] * (1 + 1e-9)
            assert every.able[row] or sized.rate == 0, "what was ruled out holds nothing in simulation either"
            tried += choices_from(
                every.space.found[row], sized, 1.0, work, carry=float(every.carry[row]), down=float(every.down[row])
            )
        smallest = min((one.accelerators for one in tried), default=np.inf)
        found = choices_of(every, ranked, ASSUME, Sizes())
        assert min((one.accelerators for one in found.choices), default=np.inf) == smallest
        if not found.choices:
            able = sum(bool(every.able[row]) for row in rows)
            assert len(found.late) + len(found.many) == able, "each layout that was left out is counted once"


@pytest.mark.parametrize("curve", [(), (0.0, 0.3, 1.0, 0.7)], ids=["flat", "by hour"])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_needs_least_is_the_same_for_all_at_once_as_one_by_one(seed: int, curve: tuple[float, ...]) -> None:
    every = field(seed)
    every = replace(every, work=replace(every.work, load_curve=curve))
    needs = least_needs(every, ranked_rows(every))
    for ranked, least in zip(ranked_rows(every), by_cluster(every, needs.rows), strict=True):
        burdens = {row: one.burden for row in ranked for one in choices_at(every, row, float(every.most[row]))}
        unbeaten = [
            row
            for row, own in burdens.items()
            if not any(
                all(its <= mine for its, mine in zip(other, own, strict=True)) and (other != own or at < row_at)
                for row_at in (list(burdens).index(row),)
                for at, other in enumerate(burdens.values())
                if at != row_at
            )
        ]
        assert least == unbeaten


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_that_is_fixed_or_promised_makes_a_service_cheaper(seed: int) -> None:
    """The free answer is never beaten by a fixed layout; a looser promise and a smaller load never cost more."""
    work, random = asked(seed), Random(seed)
    free = least(work)
    pools = 1.08  # pools of their own must bring so much before their operation is worth it
    for tp, pp in random.sample([(1, 1), (2, 1), (4, 1), (8, 1), (4, 2), (8, 2), (4, 4)], 3):
        assert free <= least(replace(work, fixed=FixedLayout(tp=tp, pp=pp)))
    assert least(work, (FEW, OLD)) <= free
    assert least(replace(work, requests_per_s=work.requests_per_s * 0.7)) <= free
    if work.ttft_p95_ms:
        assert least(replace(work, ttft_p95_ms=work.ttft_p95_ms * random.choice([1.2, 3.0]))) <= free * pools
    if work.tpot_p95_ms:
        assert least(replace(work, tpot_p95_ms=work.tpot_p95_ms * random.choice([1.2, 3.0]))) <= free * pools


def test_long_prompts_are_served_by_the_layout_that_is_quick_enough() -> None:
    """Few accelerators in the closed form are slow ones: four of them were tried, and the service was refused."""
    work = service(
        arch=replace(LLAMA_70B, max_sequence=131_072), requests_per_s=0.01, input_tokens=120_000.0, output_tokens=500.0,
        length_spread=0.1, ttft_p95_ms=15_000.0, tpot_p95_ms=0.0, requests=600, kept=0.5,
    )  # fmt: skip
    choice = search(work, (NODES,), assume=ASSUME).choices[0]
    assert choice.accelerators_per_replica >= 8
    assert choice.ttft_p95_ms <= work.ttft_p95_ms


def test_a_replica_within_one_node_is_preferred_at_equal_cost() -> None:
    for seed in SEEDS:
        for one in search(asked(seed), (FEW,), assume=ASSUME).choices:
            pools = one.split.prefill + one.split.decode if one.split else 1  # each may stand in a node of its own
            if one.accelerators_per_replica / pools > one.cluster.devices_per_node:
                inside = search(replace(asked(seed), fixed=FixedLayout(tp=8, pp=1)), (FEW,), assume=ASSUME).choices
                assert all((one.nodes, one.accelerators) != (two.nodes, two.accelerators) for two in inside)


@pytest.mark.parametrize(("mean", "spread"), [(120_000.0, 0.5), (130_000.0, 1.5), (60_000.0, 1.0)])
def test_lengths_are_cut_at_what_a_model_takes_and_keep_their_mean(mean: float, spread: float) -> None:
    found = lengths(np.random.default_rng(1), mean=mean, spread=spread, count=4000, most=131_072.0)
    assert found.max() <= 131_072
    assert found.mean() == pytest.approx(mean, rel=0.01)


def test_a_mean_request_beyond_the_context_is_refused_by_that_reason() -> None:
    work = service(arch=replace(LLAMA_8B, max_sequence=8192), input_tokens=8000.0, output_tokens=400.0)
    found = search(work, (NODES,), assume=ASSUME)
    assert not found.choices
    assert [(one.code, one.count) for one in found.rejected] == [("context", found.searched)]
    assert "8,192 tokens" in told(found.rejected[0].nearest)
    assert search(replace(work, input_tokens=7000.0), (NODES,), assume=ASSUME).choices
