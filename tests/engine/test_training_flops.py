"""Model FLOPs against published counts."""

from __future__ import annotations

import pytest

from engine.kinds.training.flops import attention_flops, forward_flops, matmul_flops, train_flops
from tests.engine.devices import LLAMA_70B, QWEN_MOE
from tests.engine.training_helpers import RESNET, work


def test_products_of_a_dense_model_are_two_for_each_weight_that_multiplies() -> None:
    tables = LLAMA_70B.vocab * LLAMA_70B.hidden
    norms = (2 * LLAMA_70B.layers + 1) * LLAMA_70B.hidden
    assert matmul_flops(LLAMA_70B) == pytest.approx(2 * (LLAMA_70B.parameters - tables - norms))


def test_a_mixture_counts_only_the_experts_that_work() -> None:
    per_token = matmul_flops(QWEN_MOE)
    assert per_token < 2.2 * QWEN_MOE.active_parameters
    assert per_token < 0.2 * 2 * QWEN_MOE.parameters


def test_causal_attention_counts_half_of_the_scores() -> None:
    expected = LLAMA_70B.layers * 4 * 8192 * (4096 / 2)
    assert attention_flops(LLAMA_70B, 4096) == pytest.approx(expected)


def test_training_takes_three_forward_passes_and_adapters_two() -> None:
    full, adapters = work(), work(method="lora")
    assert train_flops(full, 4) == pytest.approx(3 * 4 * forward_flops(full.arch, 8192))
    assert train_flops(adapters, 4) == pytest.approx(2 * 4 * forward_flops(full.arch, 8192))


def test_a_generic_model_states_its_own_work() -> None:
    assert forward_flops(RESNET, 1) == 8.2e9
