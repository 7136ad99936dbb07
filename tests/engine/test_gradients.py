"""In how many bytes a framework keeps and exchanges a gradient, and what that takes of memory."""

from __future__ import annotations

import pytest

from engine.answer import Recommendation
from engine.physics.holding import gradient_bytes
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.engine.answers import answered

MARKET = market_from_files()
PARAMETERS = 70.6e9


@pytest.mark.parametrize(
    ("framework", "tuning", "bytes_"),
    [
        ("megatron", "auto", 4.0),
        ("megatron", "documented", 4.0),
        ("megatron", "tuned", 2.0),
        ("megatron-plain", "auto", 4.0),
        ("mlperf", "auto", 2.0),
        ("deepspeed", "auto", 2.0),
        ("fsdp", "auto", 4.0),
        ("pytorch", "auto", 4.0),
        ("neuron", "auto", 4.0),
        ("maxtext", "auto", 4.0),
    ],
)
def test_each_framework_has_its_own(framework: str, tuning: str, bytes_: float) -> None:
    assert gradient_bytes(framework, tuning, "bf16") == bytes_
    assert gradient_bytes(framework, tuning, "fp32") == 4.0


def _planned(tuning: str) -> Recommendation:
    body = {
        "name": "Gradients",
        "workload": "training",
        "model": "llama-3.1-70b",
        "training": {
            "tokens": 1e9, "sequence_length": 4096, "global_batch_size": 512, "framework": "megatron", "stack": tuning,
            "precision": "bf16",
        },
        "constraints": {"accelerators": ["h100-sxm5"], "max_accelerators": 64},
    }  # fmt: skip
    return answered(spec_from(body), MARKET)


def test_megatron_as_documented_holds_them_in_fp32() -> None:
    """Two bytes were reckoned with for every parameter, and half the exchange."""
    for tuning, each in (("documented", 4.0), ("tuned", 2.0)):
        best = _planned(tuning).recommended
        assert best is not None
        held = next(part.value for part in best.memory.parts if part.key == "gradients") * 1e9
        ranks = best.parallelism.tp * best.parallelism.pp
        assert held * ranks / PARAMETERS == pytest.approx(each, rel=0.25), (
            "the fullest rank holds a vocabulary table more"
        )
