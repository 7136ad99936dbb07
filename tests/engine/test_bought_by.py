"""Which promise takes the hardware: the parts add up, and what is not promised takes none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Option
from engine.entry import recommend
from engine.inputs.finding import Finding
from engine.inputs.spec import BatchJob, Constraints, Operations, Serving, Spec
from tests.engine.small_market import OFFERS, market
from tests.told import told

MARKET = market(*OFFERS)
TIGHT = Serving(requests_per_s=100.0, input_tokens=1500, output_tokens=300, ttft_p95_ms=200.0, tpot_p95_ms=10.0)
LOOSE = replace(TIGHT, ttft_p95_ms=0.0, tpot_p95_ms=0.0)


def best_of(serving: Serving, **operations: object) -> Option:
    asked = Spec(
        name="Promises",
        workload="serving",
        model="llama-3.1-8b",
        serving=serving,
        operations=Operations(**operations),  # type: ignore[arg-type]
        constraints=Constraints(max_accelerators=256),
    )
    best = recommend(asked, MARKET).recommended
    assert best
    return best


def parts_of(best: Option) -> tuple[Finding | None, dict[str, int]]:
    found = next((one for one in best.reasons if one.code.startswith("reason.bought_by")), None)
    parts = found.values["parts"] if found else ()
    assert isinstance(parts, tuple)
    return found, {one.code: int(one.values["count"]) for one in parts if isinstance(one, Finding)}  # type: ignore[call-overload]


@pytest.mark.parametrize("serving", [TIGHT, LOOSE], ids=["tight", "loose"])
@pytest.mark.parametrize("pattern", ["n", "n+1", "spares"])
def test_load_and_promises_add_up_to_what_is_paid_for(serving: Serving, pattern: str) -> None:
    best = best_of(serving, pattern=pattern)
    found, parts = parts_of(best)
    assert found
    assert best.serving
    held = best.nodes * 8
    assert found.values["held"] == held
    assert found.values["load"] + sum(parts.values()) == held  # type: ignore[operator]
    assert parts.get("bought.standby", 0) == best.serving.spare_replicas * best.serving.accelerators_per_replica
    assert parts.get("bought.machines", 0) == held - best.count
    assert all(count > 0 for count in parts.values())
    assert f"Of {held} accelerators" in told(found)


def test_only_a_promised_speed_takes_hardware_for_speed() -> None:
    assert parts_of(best_of(TIGHT, pattern="n"))[1].get("bought.speed", 0) > 0
    assert "bought.speed" not in parts_of(best_of(LOOSE, pattern="n"))[1]


def test_less_certainty_takes_no_more() -> None:
    asked = {name: parts_of(best_of(LOOSE, pattern=name))[1] for name in ("n", "n+n")}
    assert asked["n"].get("bought.standby", 0) == 0
    assert asked["n+n"]["bought.standby"] > 0


def test_a_batch_has_no_promise_that_is_paid_for() -> None:
    assert parts_of(best_of(Serving(batch=BatchJob(requests=2e6, deadline_hours=400.0)))) == (None, {})
