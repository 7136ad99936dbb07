"""What is remembered changes no answer, whatever was asked before; and the engine itself keeps nothing."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import _lru_cache_wrapper
from typing import Any

import numpy as np
import pytest

import engine
from engine.context import Context
from engine.defaults import default_assumptions
from engine.entry import glance, recommend
from engine.inputs.architecture import Architecture, Mla, Moe, Ssm
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device, Fact, Holding, Market
from engine.inputs.known import Known, weight_of
from engine.inputs.spec import (
    ApiPrice,
    BatchJob,
    Constraints,
    FixedLayout,
    Measurement,
    Operations,
    Owned,
    Serving,
    Spec,
    SpecError,
    Training,
)
from engine.kinds.service import ServingWork, choice
from engine.kinds.training import priced
from engine.kinds.training.best import TrainingWork
from tests.engine.devices import H100, LLAMA_8B
from tests.engine.small_market import OFFERS, market, offer
from tests.engine.variations import variations

SMALL = replace(
    market(*OFFERS, offer("three", "h100-sxm5", 11.0, option="spot")),
    holdings=(Holding(slug="cellar", name="Cellar", device="a100-sxm4-80", count=16, devices_per_server=4,
                      server_power_w=4000.0, pue=1.3, usd_per_kwh=0.2, country="USA"),),
    facts=(Fact(id="accelerator.h100-sxm5.tdp_w", value="700", unit="W", source="a data sheet", date="2026-01-01"),),
    fx_usd={"EUR": (1.1, "2026-01-01"), "GBP": (1.3, "2026-01-01"), "CHF": (1.2, "2026-01-01"),
            "JPY": (0.007, "2026-01-01"), "INR": (0.012, "2026-01-01")},
)  # fmt: skip
TRAINING = Spec(
    name="Run",
    workload="training",
    model="llama-3.1-8b",
    start=date(2026, 2, 1),
    training=Training(tokens=20e9, sequence_length=4096, global_batch_tokens=1e6),
    constraints=Constraints(deadline_days=30.0, budget_usd=1e6, max_accelerators=32),
    owned=(Owned(accelerator="a100-sxm4-80", count=16),),
    measured=(Measurement(accelerator="a100-sxm4-80", count=16, step_time_s=20.0, layout=FixedLayout(tp=8, pp=1)),),
    operations=Operations(security=("gdpr",)),
    horizon_months=24.0,
    assumptions={"training.gemm_best.hopper": 0.7},
)
SERVICE = Spec(
    name="Service",
    workload="serving",
    model="llama-3.1-8b",
    serving=Serving(
        requests_per_s=20.0, input_tokens=1000, output_tokens=200, ttft_p95_ms=900, load_curve=(0.5, 1.0),
        api_price=ApiPrice(usd_per_million_input=0.1, usd_per_million_output=0.2, date=date(2026, 1, 1)),
    ),
    constraints=Constraints(max_accelerators=32),
)  # fmt: skip
BATCH = replace(SERVICE, serving=Serving(batch=BatchJob(requests=1e6, deadline_hours=24.0)))
HYBRID = Architecture(
    slug="hybrid", name="Hybrid", family="hybrid", layers=32, hidden=2048, heads=16, kv_heads=4, head_dim=128, ffn=8192,
    vocab=64_000, attention_layers=8, ffn_layers=16, window=4096, global_every=4, max_sequence=131_072,
    moe=Moe(experts=16, top_k=2, expert_ffn=4096, shared_experts=1, dense_layers=1),
    ssm=Ssm(layers=8, heads=32, head_dim=64, state=128),
)  # fmt: skip
LATENT = Architecture(
    slug="latent", name="Latent", family="latent", layers=24, hidden=2048, heads=16, kv_heads=16, head_dim=128, ffn=8192,
    vocab=64_000, attention="mla",
    mla=Mla(q_lora_rank=768, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128),
)  # fmt: skip
Asked = tuple[Spec, Architecture, Market]


def answer(asked: Asked, known: Known | None, *, whole: bool = False) -> Any:
    """What is chosen, or the `whole` answer, or the fault that is told instead."""
    try:
        spec, arch, sold = asked
        return (recommend if whole else glance)(replace(spec, model=arch), sold, known=known)
    except (SpecError, KeyError) as fault:
        return type(fault), str(fault)


def changed(asked: Asked) -> Iterator[tuple[str, Asked]]:
    """That request with every field of the request, the model and the market changed in turn."""
    spec, arch, sold = asked
    yield from ((f"model.{path}", (spec, other, sold)) for path, other in variations(arch))
    if arch is not LLAMA_8B:
        return
    yield from ((f"spec.{path}", (other, arch, sold)) for path, other in variations(spec))
    for place, one in enumerate(sold.offers):
        for path, other in variations(one):
            offers = (*sold.offers[:place], other, *sold.offers[place + 1 :])
            yield f"offer {place}.{path}", (spec, arch, replace(sold, offers=offers))
    for slug, device in sold.devices.items():
        for path, another in variations(device):
            yield f"{slug}.{path}", (spec, arch, replace(sold, devices={**sold.devices, slug: another}))
    bare = replace(sold, devices={}, offers=())
    yield from (
        (f"market.{path}", (spec, arch, replace(other, devices=sold.devices, offers=sold.offers)))
        for path, other in variations(bare)
    )


@pytest.mark.parametrize(
    "asked",
    [pytest.param((TRAINING, LLAMA_8B, SMALL), id="training", marks=pytest.mark.slow),
     pytest.param((TRAINING, HYBRID, SMALL), id="training of a hybrid"),
     pytest.param((SERVICE, LLAMA_8B, SMALL), id="service", marks=pytest.mark.slow),
     pytest.param((SERVICE, LATENT, SMALL), id="service with latent attention"),
     pytest.param((BATCH, LLAMA_8B, SMALL), id="batch", marks=pytest.mark.slow)],
)  # fmt: skip
def test_no_answer_depends_on_what_was_asked_before(asked: Asked) -> None:
    """Every field of every input: who remembers all the others gives the answer of who remembers nothing. What was left
    out, and why, is told in whole answers only: of a training run they are compared for each field of an accelerator."""
    known = Known()
    first, told = answer(asked, known), 0
    for path, other in changed(asked):
        whole = path.startswith("h100-sxm5") and asked[0].workload == "training"
        fresh = answer(other, None, whole=whole)
        assert answer(other, known, whole=whole) == fresh, path
        told += not isinstance(fresh, tuple)
    assert told > 25
    assert answer(asked, known) == first == answer(asked, None)


CLUSTER = Cluster(device=replace(H100, purchase_usd=(2e4, 3e4)), devices_per_node=8, nic_bandwidth=50e9, max_devices=64)
TRAINED = TrainingWork(
    arch=HYBRID, method="lora", total=1.0, sequence=4096, global_batch=256, precision="bf16", optimizer="adamw",
    lora_rank=16, framework="any", recompute="auto", fixed=FixedLayout(), measured=TRAINING.measured,
    because=("batch: as asked",), warnings=("long",),
)  # fmt: skip
SERVED = ServingWork(
    arch=LATENT, requests_per_s=1.0, input_tokens=1.0, output_tokens=1.0, fixed=FixedLayout(), load_curve=(0.5, 1.0),
    batch=BatchJob(requests=1.0, deadline_hours=1.0),
)  # fmt: skip


def key(work: Any, cluster: Cluster, *, sold: Market = SMALL, assume: Assumptions | None = None) -> Any:
    context = Context(spec=TRAINING, arch=LLAMA_8B, market=sold, assume=assume or default_assumptions())
    return context.key("training", work, (cluster,))


@pytest.mark.parametrize("work", [TRAINED, SERVED], ids=lambda work: type(work).__name__)
def test_every_field_of_a_search_is_in_its_key(work: Any) -> None:
    base = key(work, CLUSTER)
    assert base == key(replace(work), replace(CLUSTER, device=replace(CLUSTER.device)))
    assert hash(base) == hash(key(replace(work), replace(CLUSTER, device=replace(CLUSTER.device))))
    found = [(path, key(other, CLUSTER)) for path, other in variations(work)]
    found += [(path, key(work, other)) for path, other in variations(CLUSTER)]
    assert len(found) > 60
    assert not [path for path, other in found if other == base]
    assert key(work, CLUSTER, sold=replace(SMALL, release="1" * 64)) != base


def test_every_field_of_every_assumption_is_in_the_key() -> None:
    items = {item.id: item for item in default_assumptions().all()}
    base = key(TRAINED, CLUSTER)
    assert base == key(TRAINED, CLUSTER, assume=Assumptions(dict(items)))
    for name, item in items.items():
        for path, other in variations(item):
            assert key(TRAINED, CLUSTER, assume=Assumptions({**items, name: other})) != base, (name, path)


def test_the_same_key_is_made_once() -> None:
    known, made = Known(), list[int]()
    for _ in range(3):
        known.remembered(("training", 1), lambda: made.append(1))
    assert made == [1]
    assert known.kinds == {"training"}


def test_too_many_results_push_out_the_least_lately_used() -> None:
    known = Known(most=3)
    for number in (1, 2, 3, 1, 4):
        known.remembered(number, str)
    assert [known.holds(number) for number in (1, 2, 3, 4)] == [True, False, True, True]


def test_results_that_are_too_large_together_push_each_other_out() -> None:
    known = Known(most_bytes=1_000_000)
    for number in range(10):
        known.remembered(number, lambda: np.zeros(25_000))
        assert known.bytes <= 1_000_000
    assert known.count == 4
    known.remembered("huge", lambda: np.zeros(200_000))
    assert (known.count, known.bytes) == (0, 0)
    with known.growing("grows", dict) as grows:
        grows["more"] = np.zeros(100_000)
        assert known.holds("grows")
    assert known.bytes > 800_000
    with known.growing("grows", dict) as grows:
        grows["too much"] = np.zeros(100_000)
    assert not known.holds("grows")
    whole = np.zeros(90_000)
    known.remembered("whole", lambda: whole)
    known.remembered("part", lambda: (whole, 1), beside=whole)
    assert known.holds("whole")


def test_what_is_large_and_quickly_made_pushes_nothing_else_out() -> None:
    known = Known(most_bytes=1_000_000)
    known.remembered(("clusters", 1), lambda: np.zeros(50_000))
    for number in range(20):
        known.remembered(("layouts", number), lambda: np.zeros(6_000))
    assert known.holds(("clusters", 1))
    assert [number for number in range(20) if known.holds(("layouts", number))] == [16, 17, 18, 19]
    assert known.bytes < 700_000


@pytest.mark.parametrize(
    ("value", "bytes_"),
    [
        (np.zeros(1000), 8000),
        ([np.zeros(1000) for _ in range(500)], 4_000_000),
        ({number: np.zeros(10_000) for number in range(5)}, 400_000),
        (replace(TRAINING, name="x" * 3_000), 5_000),
        ([H100, *([CLUSTER] * 3)], 500),
        ("x" * 50_000, 50_000),
    ],
    ids=["array", "long list", "mapping", "dataclass", "what the market holds", "text"],
)
def test_what_is_kept_is_weighed_roughly(value: object, bytes_: int) -> None:
    assert 0.5 < weight_of(value) / bytes_ < 2.0


def test_what_searches_leave_is_within_bounds() -> None:
    """Fifty models and lengths after one another: the memory fills, and stays full."""
    known = Known(most=60, most_bytes=4 * 2**20)
    for length in range(1, 51):
        wanted = replace(TRAINING, measured=(), training=Training(tokens=1e9, sequence_length=1024 + 64 * length))
        glance(replace(wanted, model=LLAMA_8B), SMALL, known=known)
        assert known.count <= 60
        assert known.bytes <= 4 * 2**20
    assert known.count > 10


def modules() -> list[Any]:
    found = pkgutil.walk_packages(engine.__path__, "engine.")
    return [importlib.import_module(one.name) for one in found]


def held() -> dict[str, int]:
    """How much each container at the level of a module holds, and each cache of a function that may grow without end."""
    sizes: dict[str, int] = {}
    for module in modules():
        for name, value in vars(module).items():
            if name.startswith("__"):
                continue
            if isinstance(value, dict | list | set | bytearray):
                sizes[f"{module.__name__}.{name}"] = len(repr(value))
            elif isinstance(value, Known):
                sizes[f"{module.__name__}.{name}"] = -1
            elif isinstance(value, _lru_cache_wrapper) and value.cache_parameters()["maxsize"] is None:
                sizes[f"{module.__name__}.{name}"] = value.cache_info().currsize
    return sizes


def test_the_engine_keeps_nothing_between_calls() -> None:
    """Containers stay as they were, and only functions without unbounded arguments keep what they answered."""
    calls: list[Callable[[], object]] = [
        lambda: recommend(replace(TRAINING, model=LLAMA_8B), SMALL),
        lambda: recommend(replace(SERVICE, model=LLAMA_8B), SMALL),
        lambda: glance(replace(BATCH, model=LLAMA_8B), SMALL),
    ]
    for call in calls:
        call()
    before = held()
    assert -1 not in before.values()
    other = {slug: renamed(device) for slug, device in SMALL.devices.items()}
    recommend(replace(replace(TRAINING, name="Other"), model=HYBRID), replace(SMALL, devices=other))
    recommend(replace(replace(SERVICE, name="Other"), model=LATENT), replace(SMALL, devices=other))
    assert held() == before


def renamed(device: Device) -> Device:
    return replace(device, name=f"Secret {device.name}", memory_bytes=device.memory_bytes * 1.01)


@pytest.mark.parametrize("wanted", [TRAINING, SERVICE, BATCH], ids=["training", "service", "batch"])
def test_another_budget_prices_nothing_again(wanted: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only ranks is no part of what is remembered of prices: a panel took 140 ms to weigh a budget, most of it for prices that
    the budget does not move."""
    known, made = Known(), []
    asked = [
        replace(wanted, model=LLAMA_8B, constraints=replace(wanted.constraints, budget_usd=usd)) for usd in (9e5, 8e5)
    ]
    glance(asked[0], SMALL, known=known)
    for module, name in ((priced, "price_pairs"), (choice, "sums_of")):
        real = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given, real=real, **named: made.append(1) or real(*given, **named))
    assert glance(asked[1], SMALL, known=known) == glance(asked[1], SMALL)
    assert len(made) == 1  # by the one that nothing was remembered for
