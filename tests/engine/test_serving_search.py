"""What a serving search answers: choices, refusals, hours, scaling, batches, models that are not language models."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.inputs.spec import ApiPrice, BatchJob, FixedLayout, Serving, Spec
from engine.kinds.service import SERVING_ASSUMPTIONS, ServingChoice, ServingWork, describe, search, work_from
from engine.kinds.service.choices import node_count
from engine.kinds.service.description import drafts_left_off
from engine.physics.token.coefficients import PRIORS
from engine.physics.token.fitted import FITTED
from tests.engine.devices import NODES, T4_NODE
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, RESNET50, service
from tests.told import told
from voice.speech import say


def best(work: ServingWork) -> ServingChoice:
    return search(work, (NODES,), assume=ASSUME).choices[0]


def test_a_service_is_sized_and_described() -> None:
    work = service()
    choice = best(work)
    detail = describe(work, choice, ASSUME)
    assert choice.accelerators == (choice.replicas + 1) * choice.accelerators_per_replica
    assert choice.replicas * choice.rate_per_replica >= work.requests_per_s
    assert detail.result.ttft_ms.p50.expected < detail.result.ttft_ms.p95.expected <= work.ttft_p95_ms
    assert detail.result.tpot_ms.p95.low < detail.result.tpot_ms.p95.expected < detail.result.tpot_ms.p95.high
    assert detail.result.bound in ("compute", "bandwidth", "kv", "network", "queue")
    assert 0 < detail.input_share < 1


def test_the_parts_of_memory_add_up_to_the_device() -> None:
    detail = describe(service(), best(service()), ASSUME)
    total = sum(part.value for part in detail.memory.parts)
    assert total == pytest.approx(detail.memory.capacity_gb, rel=1e-6)
    assert {part.key for part in detail.memory.parts} == {"weights", "kv_cache", "free", "context", "kept_free"}


def test_the_parts_of_the_first_token_are_all_there() -> None:
    detail = describe(service(network_latency_ms=40.0), best(service()), ASSUME)
    parts = {part.key: part.value for part in detail.time}
    assert list(parts) == ["network", "queue", "compute", "communication", "overhead"]
    assert parts["network"] == 40.0
    assert all(value >= 0 for value in parts.values())


def test_a_model_that_does_not_fit_is_refused_with_its_nearest_miss() -> None:
    found = search(service(arch=replace(QWEN3_32B, layers=640), framework="auto"), (T4_NODE,), assume=ASSUME)
    assert not found.choices
    refused = {one.code: one for one in found.rejected}
    assert "GB per accelerator" in told(refused["memory"].nearest)
    assert "T4" in told(refused["memory"].nearest)


def test_a_promise_nobody_holds_is_refused_with_what_was_reached() -> None:
    found = search(service(ttft_p95_ms=1.0), (NODES,), assume=ASSUME)
    assert not found.choices
    assert any(one.code == "latency" and "ms to the first token" in told(one.nearest) for one in found.rejected)


def test_an_engine_that_does_not_run_there_is_refused() -> None:
    found = search(service(framework="neuron"), (NODES,), assume=ASSUME)
    assert [one.code for one in found.rejected] == ["engine"]


def test_replicas_follow_the_load_curve() -> None:
    work = service(load_curve=(0.1, 0.5, 1.0, 0.5))
    choice = best(work)
    detail = describe(work, choice, ASSUME)
    assert choice.replicas_by_hour[0] <= choice.replicas_by_hour[2] == choice.replicas + choice.spare_replicas
    assert choice.accelerator_hours == pytest.approx(
        24 * sum(choice.replicas_by_hour) / 4 * choice.accelerators_per_replica
    )
    assert detail.result.autoscale.min < detail.result.autoscale.max
    assert detail.result.autoscale.warmup_s > 60
    assert detail.requests == pytest.approx(40 * 86400 * 0.525)


def test_a_batch_meets_its_deadline() -> None:
    work = service(
        requests_per_s=0.0, batch=BatchJob(requests=2e6, deadline_hours=6.0), ttft_p95_ms=0.0, tpot_p95_ms=0.0
    )
    choice = best(work)
    assert choice.hours <= 6.0
    assert choice.spare_replicas == 0
    assert choice.accelerator_hours == pytest.approx(choice.hours * choice.accelerators)


def test_a_fixed_layout_is_kept() -> None:
    assert best(service(fixed=FixedLayout(tp=4))).layout.tp == 4


def test_longer_prefix_hits_never_cost_more() -> None:
    assert best(service(prefix_hit_share=0.8)).accelerators <= best(service()).accelerators


def test_accepted_drafts_shorten_the_time_between_tokens_at_low_load() -> None:
    slow = service(requests_per_s=0.4, requests=200)
    quick = replace(slow, speculative_accepted=2.5)
    pace = [describe(work, best(work), ASSUME).result.tpot_ms.p50.expected for work in (slow, quick)]
    assert pace[1] < pace[0]


@pytest.mark.parametrize("accepted", [1.2, 2.0, 3.0])
@pytest.mark.parametrize("asked", [{"requests_per_s": 10.0, "input_tokens": 4000.0, "tpot_p95_ms": 15.0}, {}])
def test_drafts_that_are_offered_never_make_it_dearer(accepted: float, asked: dict[str, float]) -> None:
    """They need not be taken: pools, and answers without drafts, stay what they were."""
    plain = service(**asked)
    assert best(replace(plain, speculative_accepted=accepted)).accelerators <= best(plain).accelerators


@pytest.mark.parametrize("accepted", [1.2, 2.0, 3.0])
def test_drafts_that_are_offered_never_make_a_batch_longer(accepted: float) -> None:
    plain = service(
        requests_per_s=0.0, ttft_p95_ms=0.0, tpot_p95_ms=0.0, batch=BatchJob(requests=1e5, deadline_hours=100.0)
    )
    assert best(replace(plain, speculative_accepted=accepted)).accelerator_hours <= best(plain).accelerator_hours


def test_samples_are_served_by_single_accelerators() -> None:
    work = service(arch=RESNET50, requests_per_s=20_000.0, ttft_p95_ms=50.0, tpot_p95_ms=0.0, framework="auto")
    choice = search(work, (NODES, T4_NODE), assume=ASSUME).choices[0]
    detail = describe(work, choice, ASSUME)
    assert choice.accelerators_per_replica == 1
    assert detail.result.ttft_ms.p95.expected <= 50.0
    assert detail.result.output_tokens_per_s_per_gpu.unit == "image/s"


def test_nodes_hold_whole_replicas() -> None:
    assert node_count(2, 5, 8) == 2
    assert node_count(16, 3, 8) == 6
    assert node_count(3, 3, 8) == 2


def test_work_is_read_from_a_spec() -> None:
    serving = Serving(
        requests_per_s=3.0,
        batch=None,
        api_price=ApiPrice(usd_per_million_input=1, usd_per_million_output=2, date="2026-01-01"),  # type: ignore[arg-type]
    )
    work = work_from(Spec(name="chat", workload="serving", model="qwen3-32b", serving=serving), QWEN3_32B)
    assert work.requests_per_s == 3.0
    assert work.language
    with pytest.raises(ValueError, match="serving"):
        work_from(Spec(name="chat", workload="serving", model="qwen3-32b"), QWEN3_32B)


def test_every_coefficient_has_a_range_a_meaning_and_a_source() -> None:
    for entry in SERVING_ASSUMPTIONS.values():
        assert entry.low <= entry.value <= entry.high, entry.id
        assert say(entry.told)
        assert entry.source
    assert set(FITTED) <= set(PRIORS)


def test_whether_offered_drafts_are_used_is_told() -> None:
    """Alone they shorten the time between tokens, in large batches they cost as much as they gain: either is said, nothing where
    none are offered."""
    alone = replace(service(requests_per_s=0.4, requests=200, tpot_p95_ms=15.0), speculative_accepted=2.5)
    crowd = replace(
        service(
            requests_per_s=0.0, ttft_p95_ms=0.0, tpot_p95_ms=0.0, batch=BatchJob(requests=1e5, deadline_hours=100.0)
        ),
        speculative_accepted=1.05,
    )
    for work, used, left in ((alone, True, False), (crowd, False, True), (service(), False, False)):
        choice = best(work)
        assert [one.code for one in describe(work, choice, ASSUME).warnings].count("warning.drafts") == used
        assert len(list(drafts_left_off(work, choice))) == left


def test_drafts_are_left_off_where_they_need_as_many_accelerators_and_leave_less_room() -> None:
    plain = service(requests_per_s=10.0)
    taken, left = best(replace(plain, speculative_accepted=1.2)), best(plain)
    assert taken.accelerators == left.accelerators
    assert taken.rate_per_replica * taken.replicas >= left.rate_per_replica * left.replicas
