"""Every assumption at each end of what is allowed, and just outside; work beyond any calendar."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.defaults import assumption_faults, default_assumptions
from engine.entry import recommend
from engine.inputs.assumptions import Assumption, Assumptions
from engine.inputs.spec import BatchJob, Constraints, Owned, Serving, Spec
from tests.engine.devices import LLAMA_8B
from tests.engine.small_market import market, offer, spec
from tests.finite import endless
from tests.refused import refused
from voice.speech import ENGLISH, fault_text
from voice.writing import number

EVERY = default_assumptions().all()
MARKET = market(offer("one", "h100-sxm5", 24.0), offer("two", "h100-sxm5", 11.0, option="spot"))
LIMITS = Constraints(max_accelerators=8, deadline_days=300.0)
OWN = (Owned(accelerator="a100-sxm4-80", count=8),)
TRAINING = replace(spec(), constraints=LIMITS, owned=OWN, horizon_months=24.0)
SERVICE = Spec(
    name="Service",
    workload="serving",
    model="x",
    serving=Serving(
        requests_per_s=2.0, input_tokens=400, output_tokens=100, ttft_p95_ms=2000, tpot_p95_ms=100, framework="vllm"
    ),
    constraints=Constraints(max_accelerators=8),
    horizon_months=24.0,
)
BATCH = replace(
    SERVICE,
    serving=Serving(
        input_tokens=400, output_tokens=100, framework="vllm", batch=BatchJob(requests=1e5, deadline_hours=48)
    ),
)


def outside(item: Assumption) -> Iterator[float]:
    assert item.limits is not None
    yield item.limits.least - max(abs(item.limits.least) * 1e-3, 1e-3)
    yield item.limits.most * 1.001
    yield from (math.nan, math.inf, item.limits.least - 1.0)
    if item.limits.whole:
        yield item.limits.least + 0.5


def test_every_assumption_states_what_is_allowed_and_lies_within() -> None:
    for item in EVERY:
        assert item.limits is not None, item.id
        assert item.limits.least <= item.low <= item.value <= item.high <= item.limits.most, item.id
        assert item.limits.admit(item.value), item.id


def test_a_value_outside_is_refused_with_the_name_the_value_and_what_is_allowed() -> None:
    for item in EVERY:
        assert item.limits is not None
        for value in outside(item):
            (fault,) = assumption_faults(replace(TRAINING, assumptions={item.id: value}))
            assert fault.path == f"assumptions.{item.id}"
            assert f"“assumptions.{item.id}” " in fault_text(fault)
            if item.editable:
                least, most = (number(end, "6", ENGLISH.writes) for end in (item.limits.least, item.limits.most))
                assert f" is {value:g}: give a " in fault_text(fault)
                assert f" number from {least} to {most}" in fault_text(fault)
    with refused(r"“assumptions.carbon.load” is 0: give a number from 0.05 to 1 \(share\)\."):
        recommend(replace(replace(TRAINING, assumptions={"carbon.load": 0.0}), model=LLAMA_8B), MARKET)


def test_what_no_plan_reads_cannot_be_changed() -> None:
    assert not assumption_faults(
        replace(TRAINING, assumptions={item.id: item.value for item in EVERY if item.editable})
    )
    (fault,) = assumption_faults(replace(TRAINING, assumptions={"serving.bench_ms.vllm": 3.0}))
    assert fault_text(fault) == "“assumptions.serving.bench_ms.vllm” cannot be changed: no plan reads it."


@pytest.mark.parametrize("wanted", [TRAINING, SERVICE, BATCH], ids=["training", "service", "batch"])
def test_at_each_end_of_its_limits_an_assumption_gives_finite_numbers(
    wanted: Spec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what the request reads: nothing else can change its answer."""
    for item in _read_by(wanted, monkeypatch):
        assert item.limits is not None
        for end in (item.limits.least, item.limits.most):
            answer = recommend(replace(replace(wanted, assumptions={item.id: float(end)}), model=LLAMA_8B), MARKET)
            assert not endless(answer), f"{item.id} = {end:g}"


def _read_by(wanted: Spec, monkeypatch: pytest.MonkeyPatch) -> list[Assumption]:
    read: set[str] = set()
    with monkeypatch.context() as patch:
        for name in ("__getitem__", "get"):
            patch.setattr(Assumptions, name, _noting(getattr(Assumptions, name), read))
        assert recommend(replace(wanted, model=LLAMA_8B), MARKET).feasible
    return [item for item in EVERY if item.id in read and item.editable]


def _noting(asked: object, read: set[str]) -> object:
    def noted(self: Assumptions, key: str) -> object:
        read.add(key)
        return asked(self, key)  # type: ignore[operator]

    return noted


def test_a_range_keeps_to_the_limits_and_holds_its_value() -> None:
    full = default_assumptions().override({"carbon.load": 1.0}).get("carbon.load")
    assert (full.low, full.value, full.high) == (pytest.approx(0.8), 1.0, 1.0)
    set_price = default_assumptions().override({"cost.managed_premium": 0.2}).get("cost.managed_premium")
    assert (set_price.low, set_price.high) == (0.2, 0.2)
    shown = default_assumptions().override({"training.dp_hidden_plain": 0.5}).get("training.dp_hidden_plain")
    assert (shown.low, shown.high) == (0.0, 0.5)


@pytest.mark.parametrize(("tokens", "runs"), [(1e17, 1), (8e12, 100_000)])
def test_work_that_ends_beyond_the_calendar_is_refused_and_not_an_error(tokens: float, runs: int) -> None:
    assert TRAINING.training is not None
    asked = replace(TRAINING.training, tokens=tokens, runs=runs)
    wanted = replace(TRAINING, training=asked, constraints=Constraints(max_accelerators=8))
    answer = recommend(replace(wanted, model=LLAMA_8B), MARKET)
    assert not answer.feasible
    assert not endless(answer)
    assert any(option.finish is None and not option.cost.model.cash for option in answer.alternatives)
