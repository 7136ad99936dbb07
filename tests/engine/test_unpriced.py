"""A refusal names what is missing: a price, a horizon, or software for this kind of work, and what to do about it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from catalog.presets import find_model
from engine.answer import Recommendation
from engine.entry import recommend
from engine.inputs.hardware import Device, Market
from engine.inputs.spec import Constraints, Owned, Serving, Spec, Training
from engine.supply import rented, sold
from planner.market import market_from_files
from tests.told import told

ARCH = find_model("llama-3.1-8b")


@cache
def market() -> Market:
    return market_from_files()


def able() -> list[Device]:
    return [device for device in market().devices.values() if device.plannable]


def unpriced() -> list[str]:
    return sorted(one.slug for one in able() if not rented(market(), one.slug) and not sold(market(), one.slug))


def only_sold() -> list[str]:
    return sorted(one.slug for one in able() if not rented(market(), one.slug) and sold(market(), one.slug))


APPLE = sorted(one.slug for one in able() if one.runtime == "metal" and sold(market(), one.slug))


def service(slug: str, *, horizon: int = 0, owned: int = 0, precision: str = "int4") -> Recommendation:
    """A small service of an 8B model on that accelerator."""
    spec = Spec(
        name="x",
        workload="serving",
        model="llama-3.1-8b",
        serving=Serving(requests_per_s=0.05, input_tokens=500, output_tokens=200, precision=precision),  # type: ignore[arg-type]
        constraints=Constraints(accelerators=(slug,)),
        horizon_months=horizon,
        owned=(Owned(accelerator=slug, count=owned),) if owned else (),
    )
    return recommend(replace(spec, model=ARCH), market())


def run(slug: str) -> Recommendation:
    """A small training run on that accelerator."""
    spec = Spec(
        name="x",
        workload="training",
        model="llama-3.1-8b",
        training=Training(tokens=1e8),
        constraints=Constraints(accelerators=(slug,)),
    )
    return recommend(replace(spec, model=ARCH), market())


def test_there_are_such_accelerators() -> None:
    assert {"trainium2", "tpu7x"} <= set(unpriced())
    assert "gaudi3" in only_sold()
    assert {"apple-m3-ultra", "apple-m4-max"} <= set(APPLE)


@pytest.mark.parametrize("slug", unpriced())
def test_without_a_price_the_refusal_says_so_and_asks_for_one(slug: str) -> None:
    name = market().devices[slug].name
    for answer in (service(slug, precision="auto"), *([run(slug)] if market().devices[slug].trains else [])):
        assert not answer.feasible
        assert "no price in the catalog" in told(answer.headline)
        assert name in told(answer.headline)
        assert any(item.code == "no_price" and name in told(item.nearest) for item in answer.rejected)
        assert answer.nearest[0].field == "agreed"
        assert name in told(answer.nearest[0].told)


@pytest.mark.parametrize("slug", only_sold())
def test_what_is_only_sold_asks_for_a_horizon(slug: str) -> None:
    """A service does so only where it helps: nobody buys a server of eight for two of them."""
    small = service(slug, precision="auto")
    helps = [(small, service(slug, horizon=36, precision="auto").feasible)]
    for answer, does in (*helps, *([(run(slug), True)] if market().devices[slug].trains else [])):
        assert not answer.feasible
        assert "horizon" in told(answer.headline)
        assert [item.field for item in answer.nearest].count("horizon_months") == int(does)
        assert not any("accelerators instead of" in told(item.told) for item in answer.nearest)


@pytest.mark.parametrize("slug", APPLE)
@pytest.mark.parametrize("precision", ["int4", "int8"])
def test_apple_machines_serve_quantised_models_when_bought_or_owned(slug: str, precision: str) -> None:
    """Decoding is bound by bandwidth: a token takes at least the weights over the memory's rate."""
    for answer in (service(slug, horizon=36, precision=precision), service(slug, owned=2, precision=precision)):
        best = answer.recommended
        assert best is not None, told(answer.headline)
        assert best.serving is not None
        assert best.serving.engine == "llama.cpp"
        bits = 0.5 if precision == "int4" else 1.0
        least_ms = 8.03e9 * bits / market().devices[slug].memory_bandwidth * 1e3
        assert best.serving.tpot_ms.p50.expected > least_ms


def test_an_owned_machine_that_is_no_longer_sold_serves() -> None:
    best = service("apple-m2-ultra", owned=2).recommended
    assert best is not None
    assert best.framework == "llama.cpp"


@pytest.mark.parametrize("slug", [one.slug for one in able()])
def test_a_service_is_never_refused_for_want_of_a_training_framework(slug: str) -> None:
    answer = service(slug, precision="auto")
    assert not any("training" in f"{told(item.reason)} {told(item.nearest)}" for item in answer.rejected)
