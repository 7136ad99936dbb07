"""What the free text of a measured row says of fine-tuning and of how its stack holds memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.physics.activations import POLICIES
from lab.validation.row_defaults import kept
from lab.validation.tuning import tuning_of
from tests.engine.devices import LLAMA_70B

SEVEN = replace(LLAMA_70B, layers=32, hidden=4096, heads=32, kv_heads=32, head_dim=128, ffn=11008, vocab=32000)


def test_adapters_are_counted_from_rank_and_targets() -> None:
    """LoRA of rank 8 on the four attention matrices of a 7B model has 8.4 million weights (Hu et al. 2021, section 4.2)."""
    row = {"method_note": "LoRA rank 8 on attention", "optimizer": "AdamW"}
    assert tuning_of(row, SEVEN, "lora").trained * SEVEN.parameters == pytest.approx(8.39e6, rel=0.01)
    wide = tuning_of({**row, "method_note": "LoRA rank 8, all linear"}, SEVEN, "lora").trained
    assert wide > 2 * tuning_of(row, SEVEN, "lora").trained


def test_quantised_base_and_small_states() -> None:
    row = {"method_note": "QLoRA rank 64; 4-bit GPTQ base", "optimizer": "AdamW 8-bit", "zero_stage": "zero2"}
    found = tuning_of(row, SEVEN, "lora")
    assert found.quantised
    assert found.optimizer_bytes == pytest.approx(6.1)
    pure = tuning_of({"method_note": "full fine-tuning, pure bf16", "optimizer": "AdamW"}, SEVEN, "sft")
    assert (pure.optimizer_bytes, pure.gradient_bytes) == (4.0, 2.0)


@pytest.mark.parametrize(
    ("recompute", "policy", "share"),
    [
        ("none", "all", 1.0),
        ("full", "all", 0.0),
        ("full on 5/32 layers (r = 0.16)", "all", 0.84),
        ("selective (per op)", "operators", 1.0),
        ("selective: mla_up_proj, mlp", "wide", 1.0),
        ("selective: layernorm, moe_act", "light", 1.0),
    ],
)
def test_recomputation_in_the_words_of_the_sources(recompute: str, policy: str, share: float) -> None:
    assert kept({"recompute": recompute}, "megatron") == (POLICIES.index(policy), pytest.approx(share))
