"""The base of a service is the publisher's format; fewer bits are a lever with its saving and what it needs first."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from engine.answer import Recommendation
from engine.inputs.architecture import Architecture
from engine.inputs.finding import Ref
from engine.inputs.spec import BatchJob, Constraints, Serving, Spec
from engine.physics.token.machine import published_on
from tests.engine.answers import answered
from tests.engine.devices import LLAMA_70B
from tests.engine.serving_helpers import RESNET50
from tests.engine.small_market import OFFERS, market
from tests.told import followed, told

MARKET = market(*OFFERS)
CHAT = Serving(requests_per_s=5.0, input_tokens=1500, output_tokens=300, ttft_p95_ms=1500.0, tpot_p95_ms=60.0)
MANY = Serving(input_tokens=1500, output_tokens=300, batch=BatchJob(requests=1e6, deadline_hours=48.0))
NATIVE_FP8 = replace(LLAMA_70B, slug="native", name="Native", published_format="fp8")


def asked(serving: Serving = CHAT, model: Architecture = LLAMA_70B, *, max_accelerators: int = 256) -> Spec:
    limited = Constraints(max_accelerators=max_accelerators)
    return Spec(name="Lever", workload="serving", model=model, serving=serving, constraints=limited)


def answer(spec: Spec) -> Recommendation:
    return answered(spec, MARKET)


@pytest.mark.parametrize("serving", [CHAT, MANY], ids=["service", "batch"])
def test_a_lever_is_what_the_request_with_that_format_gets(serving: Serving) -> None:
    spec = asked(serving)
    base = answer(spec)
    best, lever = base.recommended, base.levers[0]
    assert best is not None
    assert best.serving is not None
    assert best.precision in ("bf16", "fp16")
    assert best.serving.kv_precision == "fp16"
    assert "warning.reduced" not in {one.code for one in best.warnings}
    assert [change.needed for change in lever.changes] == [Ref("precision", "fp8")]
    taken = answer(followed(spec, lever)).recommended
    assert taken is not None
    assert (taken.precision, taken.accelerator) == ("fp8", lever.accelerator)
    assert taken.cost.total.expected == pytest.approx(lever.cost.expected, rel=0.02)  # sizes that cost the same
    assert lever.saving.expected == pytest.approx(best.cost.total.expected - lever.cost.expected)
    assert lever.saving.low <= lever.saving.expected <= lever.saving.high
    assert lever.needs.code == "needs.evaluation"
    assert LLAMA_70B.name in told(lever.told)


def test_a_format_that_is_asked_for_has_no_lever() -> None:
    for precision in ("bf16", "fp8"):
        found = answer(asked(replace(CHAT, precision=precision)))
        assert found.recommended is not None
        assert found.recommended.precision == precision
        assert not found.levers


def test_each_lever_saves_more_than_what_counts_as_equal() -> None:
    found = answer(asked())
    assert found.recommended is not None
    costs = [found.recommended.cost.total.expected, *(lever.cost.expected for lever in found.levers)]
    assert all(later < 0.98 * earlier for earlier, later in itertools.pairwise(costs))


def test_a_model_that_is_published_in_fp8_is_planned_in_it() -> None:
    best = answer(asked(model=NATIVE_FP8)).recommended
    assert best is not None
    assert best.serving is not None
    assert best.precision == best.serving.kv_precision == "fp8"
    assert "warning.reduced" not in {one.code for one in best.warnings}


def test_a_device_without_that_format_holds_it_in_sixteen_bits() -> None:
    device = MARKET.devices["h100-sxm5"]
    old = replace(device, dense_flops={"fp16": 312e12, "bf16": 312e12})
    assert published_on(device, "fp8") == "fp8"
    assert published_on(old, "fp8") == "bf16"
    assert published_on(old, "mxfp4") == "mxfp4"


def test_what_counts_no_tokens_has_no_such_lever() -> None:
    assert not answer(asked(Serving(requests_per_s=50.0, ttft_p95_ms=100.0), RESNET50)).levers


def test_a_request_that_only_fewer_bits_keep_says_so() -> None:
    spec = asked(replace(CHAT, requests_per_s=0.2), max_accelerators=2)
    refused = answer(spec)
    assert not refused.feasible
    ways = [way for way in refused.nearest if way.field == "serving.precision"]
    assert ways
    assert answer(followed(spec, ways[0])).feasible
