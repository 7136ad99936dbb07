"""A pasted config.json: published values give the published count, and nonsense gives one sentence with a path."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.hf_config import parse_config
from catalog.presets import architectures
from engine.inputs.spec import SpecError
from voice.speech import fault_text

LLAMA_70B = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 8192,
    "intermediate_size": 28672,
    "num_attention_heads": 64,
    "num_hidden_layers": 80,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
    "rope_scaling": {"factor": 8.0, "rope_type": "llama3"},
}


def _decoder(
    model_type: str, layers: int, hidden: int, heads: int, kv: int, ffn: int, vocab: int, **more: Any
) -> dict[str, Any]:
    return {
        "model_type": model_type,
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "intermediate_size": ffn,
        "vocab_size": vocab,
        **more,
    }


MLA = {"kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
PUBLISHED = [
    (LLAMA_70B, 70_553_706_496),
    (_decoder("mistral", 32, 4096, 32, 8, 14336, 32000, sliding_window=4096), 7_241_732_096),
    (_decoder("mixtral", 32, 4096, 32, 8, 14336, 32000, num_local_experts=8, num_experts_per_tok=2), 46_702_792_704),
    (_decoder("qwen2", 28, 3584, 28, 4, 18944, 152064, use_sliding_window=False, sliding_window=131072), 7_615_616_512),
    (
        _decoder(
            "qwen2_moe",
            24,
            2048,
            16,
            16,
            5632,
            151936,
            num_experts=60,
            num_experts_per_tok=4,
            moe_intermediate_size=1408,
            shared_expert_intermediate_size=5632,
        ),
        14_315_784_192,
    ),
    (_decoder("qwen3", 64, 5120, 64, 8, 25600, 151936, head_dim=128), 32_762_123_264),
    (
        _decoder(
            "qwen3_moe",
            48,
            2048,
            32,
            4,
            6144,
            151936,
            head_dim=128,
            num_experts=128,
            num_experts_per_tok=8,
            moe_intermediate_size=768,
        ),
        30_532_122_624,
    ),
    (
        _decoder(
            "deepseek_v3",
            61,
            7168,
            128,
            128,
            18432,
            129280,
            n_routed_experts=256,
            num_experts_per_tok=8,
            moe_intermediate_size=2048,
            n_shared_experts=1,
            first_k_dense_replace=3,
            topk_method="noaux_tc",
            **MLA,
        ),
        671_026_419_200,
    ),
    (
        _decoder(
            "deepseek_v2",
            60,
            5120,
            128,
            128,
            12288,
            102400,
            n_routed_experts=160,
            num_experts_per_tok=6,
            moe_intermediate_size=1536,
            n_shared_experts=2,
            first_k_dense_replace=1,
            **MLA,
        ),
        235_741_434_880,
    ),
    (_decoder("gemma2", 42, 3584, 16, 8, 14336, 256000, head_dim=256, sliding_window=4096), 9_241_705_984),
    (_decoder("gemma3_text", 26, 1152, 4, 1, 6912, 262144, head_dim=256, sliding_window=512), 999_885_952),
    (_decoder("phi3", 32, 3072, 32, 32, 8192, 32064), 3_821_079_552),
    (_decoder("phi", 32, 2560, 32, 32, 10240, 51200), 2_779_683_840),
    (
        _decoder(
            "gpt_oss",
            36,
            2880,
            64,
            8,
            2880,
            201088,
            head_dim=64,
            num_local_experts=128,
            num_experts_per_tok=4,
            sliding_window=128,
        ),
        116_829_156_672,
    ),
    (
        {"model_type": "gpt2", "n_layer": 12, "n_embd": 768, "n_head": 12, "n_positions": 1024, "vocab_size": 50257},
        124_439_808,
    ),
    (
        {
            "model_type": "gpt_neox",
            "num_hidden_layers": 44,
            "hidden_size": 6144,
            "num_attention_heads": 64,
            "intermediate_size": 24576,
            "vocab_size": 50432,
        },
        20_554_567_680,
    ),
    (
        {"model_type": "bloom", "n_layer": 70, "hidden_size": 14336, "num_attention_heads": 112, "vocab_size": 250880},
        176_247_271_424,
    ),
    (
        {
            "model_type": "falcon",
            "num_hidden_layers": 32,
            "hidden_size": 4544,
            "num_attention_heads": 71,
            "vocab_size": 65024,
            "multi_query": True,
            "parallel_attn": True,
        },
        6_921_720_704,
    ),
    (
        {
            "model_type": "falcon",
            "num_hidden_layers": 60,
            "hidden_size": 8192,
            "num_attention_heads": 128,
            "num_kv_heads": 8,
            "vocab_size": 65024,
            "new_decoder_architecture": True,
        },
        41_303_293_952,
    ),
    (
        {
            "model_type": "bert",
            "num_hidden_layers": 12,
            "hidden_size": 768,
            "num_attention_heads": 12,
            "intermediate_size": 3072,
            "vocab_size": 30522,
            "max_position_embeddings": 512,
            "type_vocab_size": 2,
        },
        109_482_240,
    ),
    (
        {
            "model_type": "vit",
            "num_hidden_layers": 12,
            "hidden_size": 768,
            "num_attention_heads": 12,
            "intermediate_size": 3072,
            "image_size": 224,
            "patch_size": 16,
            "id2label": {str(index): "" for index in range(1000)},
        },
        86_567_656,
    ),
    (
        {
            "model_type": "whisper",
            "d_model": 1280,
            "encoder_layers": 32,
            "decoder_layers": 32,
            "encoder_ffn_dim": 5120,
            "decoder_ffn_dim": 5120,
            "vocab_size": 51866,
            "num_mel_bins": 128,
            "is_encoder_decoder": True,
        },
        1_543_490_560,
    ),
]


@pytest.mark.parametrize(
    ("config", "count"), PUBLISHED, ids=[f"{config['model_type']}-{count}" for config, count in PUBLISHED]
)
def test_published_values_give_the_published_count(config: dict[str, Any], count: int) -> None:
    assert parse_config(config).parameters == pytest.approx(count, rel=1e-9)


def test_llama_4_reads_the_text_model_inside() -> None:
    text = _decoder(
        "llama4_text", 48, 5120, 40, 8, 8192, 202048, head_dim=128, num_local_experts=16, num_experts_per_tok=1
    )
    text |= {"intermediate_size_mlp": 16384, "interleave_moe_layer_step": 1, "attention_chunk_size": 8192}
    arch = parse_config({"model_type": "llama4", "text_config": text, "vision_config": {}})
    assert arch.parameters == 107_769_861_120
    assert "text model only" in arch.notes


def test_gemma_3_fills_what_its_published_config_leaves_out() -> None:
    text = {
        "model_type": "gemma3_text",
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_hidden_layers": 34,
        "sliding_window": 1024,
    }
    arch = parse_config({"model_type": "gemma3", "text_config": text})
    assert arch.parameters == 4_300_079_472 - 419_816_304
    assert (arch.window, arch.global_every) == (1024, 6)


def test_latent_attention_is_read_as_such_in_families_that_nobody_has_named() -> None:
    """DeepSeek-V3.2 was read with 128 whole key-value heads: half as dear again to serve."""
    named = next(config for config, _ in PUBLISHED if config["model_type"] == "deepseek_v3")
    known = parse_config(named)
    for family in ("deepseek_v32", "brandnew"):
        arch = parse_config({**named, "model_type": family})
        assert (arch.attention, arch.mla, arch.parameters) == (known.attention, known.mla, known.parameters)
    assert "sparse attention" in parse_config({**named, "model_type": "deepseek_v32"}).notes


def test_an_unknown_decoder_is_read_by_its_usual_keys_and_says_so() -> None:
    arch = parse_config({**LLAMA_70B, "model_type": "brandnew", "_name_or_path": "lab/Brand New-70B"})
    assert arch.parameters == 70_553_706_496
    assert arch.slug == "brand-new-70b"
    assert "not known" in arch.notes


@pytest.mark.parametrize(
    ("data", "path", "words"),
    [
        ([LLAMA_70B], "model", "a list"),
        ("text", "model", "a text"),
        (None, "model", "empty"),
        ({}, "model", "object in braces"),
        ({**LLAMA_70B, "num_hidden_layers": None}, "model.num_hidden_layers", "is missing"),
        ({**LLAMA_70B, "num_hidden_layers": -80}, "model.num_hidden_layers", "between 1 and 2,000"),
        ({**LLAMA_70B, "num_hidden_layers": 10**9}, "model.num_hidden_layers", "between 1 and 2,000"),
        ({**LLAMA_70B, "num_hidden_layers": True}, "model.num_hidden_layers", "not true"),
        ({**LLAMA_70B, "hidden_size": math.nan}, "model.hidden_size", "whole number"),
        ({**LLAMA_70B, "hidden_size": math.inf}, "model.hidden_size", "whole number"),
        ({**LLAMA_70B, "hidden_size": 8192.5}, "model.hidden_size", "whole number"),
        ({**LLAMA_70B, "hidden_size": "8192"}, "model.hidden_size", "whole number"),
        ({**LLAMA_70B, "hidden_size": 10**4000}, "model.hidden_size", "more than 18 digits"),
        ({**LLAMA_70B, "hidden_size": 8191}, "model.hidden_size", "multiple of"),
        ({**LLAMA_70B, "num_key_value_heads": 7}, "model.num_attention_heads", "multiple of"),
        ({**LLAMA_70B, "tie_word_embeddings": "no"}, "model.tie_word_embeddings", "true or false"),
        ({**LLAMA_70B, "model_type": ["llama"]}, "model.model_type", "text"),
        ({**LLAMA_70B, "text_config": [1]}, "model.text_config", "object in braces"),
        ({"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.30"}, "model._class_name", "diffusion model"),
        ({"peft_type": "LORA", "r": 16, "base_model_name_or_path": "x"}, "model.peft_type", "an adapter"),
        ({"model_type": "rwkv6", "hidden_size": 2048}, "model.model_type", "keep states"),
        ({**LLAMA_70B, "model_type": "qwen3_next", "full_attention_interval": 4}, "model.model_type", "keep states"),
        ({**LLAMA_70B, "model_type": "x", "layer_types": ["linear_attention"]}, "model.model_type", "keep states"),
        (
            {**LLAMA_70B, "model_type": "gemma3n_text", "intermediate_size": [8, 16]},
            "model.model_type",
            "differ in width",
        ),
        ({"model_type": "t5", "is_encoder_decoder": True}, "model.model_type", "encoder-decoder"),
        (
            _decoder("mixtral", 32, 4096, 32, 8, 14336, 32000, num_local_experts=2, num_experts_per_tok=8),
            "model.num_experts_per_tok",
            "more than the 2 experts",
        ),
        (
            {**LLAMA_70B, "hidden_size": 819_200, "num_hidden_layers": 2000, "intermediate_size": 999_999},
            "model",
            "parameters",
        ),
    ],
)
def test_a_wrong_config_is_one_sentence_that_names_the_key(data: object, path: str, words: str) -> None:
    with pytest.raises(SpecError) as caught:
        parse_config(data)
    (fault,) = caught.value.faults
    assert fault.path == path
    assert words in fault_text(fault)
    assert len(fault_text(fault)) < 300


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from([*LLAMA_70B, "num_experts", "head_dim", "text_config", "sliding_window"]), _ANYTHING
    )
)
def test_hostile_values_are_refused_and_never_crash(changes: dict[str, object]) -> None:
    paths: list[str] = []
    parameters = 1.0
    try:
        parameters = parse_config({**LLAMA_70B, **changes}).parameters
    except SpecError as error:
        paths = [fault.path for fault in error.faults]
    assert 0 < parameters <= 1e14
    assert all(path.startswith("model") for path in paths)


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, "bf16"),
        ({"quant_method": "fp8"}, "fp8"),
        ({"quant_method": "mxfp4"}, "mxfp4"),
        ({"quant_method": "gptq"}, "bf16"),
    ],
)
def test_the_format_of_the_checkpoint_is_read(stated: dict[str, str], expected: str) -> None:
    config = {**LLAMA_70B, **({"quantization_config": stated} if stated else {})}
    assert parse_config(config).published_format == expected


def test_whisper_reads_the_work_and_the_activations_of_the_catalogs_own_entry() -> None:
    """Scores of attention are a figure of their own: heads, layers and both lengths."""
    config = next(config for config, _ in PUBLISHED if config["model_type"] == "whisper")
    found, known = parse_config(config), architectures()["whisper-large-v3"]
    assert found.activation_bytes_per_sample == pytest.approx(known.activation_bytes_per_sample, rel=0.02)
    assert found.scores_per_sample == pytest.approx(known.scores_per_sample, rel=0.001)
    assert found.scores_per_sample == 20 * 32 * (1500**2 + 75 * 1575)
