"""How each family of Hugging Face configs spells its widths, and what its layers consist of.

Sources: the model classes of transformers (which weights a layer has) and the defaults of its configuration classes.
"""

from __future__ import annotations

from typing import Any

from catalog.hf_reader import Config
from engine.inputs.architecture import Decoder, Mla, Moe
from engine.inputs.finding import Ref

Fields = dict[str, Any]

_LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
_HIDDEN = ("hidden_size", "n_embd", "d_model", "n_embed")
_HEADS = ("num_attention_heads", "n_head", "n_heads")
_FFN = ("intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")
_SEQUENCE = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")


def base(config: Config, *, tied: bool = False, kv_heads: int | None = None, head_dim: int | None = None) -> Fields:
    """Widths that nearly every decoder has: layers, hidden, heads, feed-forward, vocabulary."""
    hidden, heads = config.integer(*_HIDDEN), config.integer(*_HEADS, kind="heads")
    kv = config.integer("num_key_value_heads", "num_kv_heads", kind="heads", default=kv_heads or heads)
    config.divides("num_attention_heads", "num_key_value_heads", heads, kv)
    width = head_dim or (
        0 if config.has("head_dim") else config.divides("hidden_size", "num_attention_heads", hidden, heads)
    )
    return {
        "layers": config.integer(*_LAYERS, kind="layers"),
        "hidden": hidden,
        "heads": heads,
        "kv_heads": kv,
        "head_dim": config.integer("head_dim", default=width),
        "ffn": config.integer(*_FFN, default=4 * hidden),
        "vocab": config.integer("vocab_size", kind="vocab"),
        "tied": config.flag("tie_word_embeddings", tied),
        "max_sequence": config.integer(*_SEQUENCE, kind="tokens", default=0, least=0),
    }


def window(config: Config, *, every: int = 0) -> Fields:
    """Sliding-window attention where the config states one; `every`: one layer in so many sees the whole sequence."""
    size = config.integer("sliding_window", kind="tokens", default=0, least=0)
    if not size or not config.flag("use_sliding_window", True):
        return {}
    return {
        "window": size,
        "global_every": config.integer("sliding_window_pattern", kind="layers", default=every, least=0),
    }


def experts(config: Config, *, count: str, width: int, **more: Any) -> Moe:
    """The mixture of experts. SpecError when more experts work on a token than there are."""
    number = config.integer(count, kind="experts")
    top = config.integer("num_experts_per_tok", "num_experts_per_token", kind="experts")
    if top > number:
        raise config.fault(
            "num_experts_per_tok",
            "range.experts",
            top=top,
            experts=number,
            other=Ref("field", f"{config.path}.{count}"),
        )
    return Moe(experts=number, top_k=top, expert_ffn=width, **more)


def llama(config: Config) -> Fields:
    """Llama, Mistral, Phi-3 and their kin: RMSNorm, gated feed-forward, biases only where the config says so."""
    biased = config.flag("attention_bias", False)
    return {
        **base(config),
        **window(config),
        "attention_bias": biased,
        "output_bias": biased,
        "mlp_bias": config.flag("mlp_bias", False),
    }


def mixtral(config: Config) -> Fields:
    """Mixtral: every feed-forward is a mixture of experts."""
    fields = {**base(config), **window(config)}
    return {**fields, "moe": experts(config, count="num_local_experts", width=fields["ffn"])}


def qwen2(config: Config) -> Fields:
    """Qwen 2 and 2.5: biases on query, key and value only."""
    return {**base(config), "attention_bias": True} | (
        window(config) if config.flag("use_sliding_window", False) else {}
    )


def qwen2_moe(config: Config) -> Fields:
    """Qwen 2 mixture: routed experts beside one shared expert with a gate of one column."""
    fields = qwen2(config)
    shared = config.integer("shared_expert_intermediate_size", default=0, least=0)
    moe = experts(
        config,
        count="num_experts",
        width=config.integer("moe_intermediate_size"),
        shared_experts=1 if shared else 0,
        shared_ffn=shared,
        every=config.integer("decoder_sparse_step", kind="layers", default=1),
    )
    gates = fields["hidden"] * (fields["layers"] // moe.every) if shared else 0
    return {**fields, "moe": moe, "extra_parameters": gates}


def qwen3(config: Config) -> Fields:
    """Qwen 3: norms on the heads of query and key."""
    return {**base(config), "qk_norm": True, "attention_bias": config.flag("attention_bias", False)}


def qwen3_moe(config: Config) -> Fields:
    """Qwen 3 mixture."""
    every = config.integer("decoder_sparse_step", kind="layers", default=1)
    return {
        **qwen3(config),
        "moe": experts(config, count="num_experts", width=config.integer("moe_intermediate_size"), every=every),
    }


def deepseek(config: Config) -> Fields:
    """DeepSeek V2 to V3.2, R1 and Kimi K2: latent attention, leading dense layers, shared experts."""
    mla = Mla(
        q_lora_rank=config.integer("q_lora_rank", default=0, least=0),
        kv_lora_rank=config.integer("kv_lora_rank"),
        qk_nope_head_dim=config.integer("qk_nope_head_dim"),
        qk_rope_head_dim=config.integer("qk_rope_head_dim"),
        v_head_dim=config.integer("v_head_dim"),
    )
    fields = {**base(config, head_dim=mla.v_head_dim), "attention": "mla", "mla": mla}
    if not config.has("n_routed_experts"):
        return fields
    moe = experts(
        config,
        count="n_routed_experts",
        width=config.integer("moe_intermediate_size"),
        shared_experts=config.integer("n_shared_experts", kind="experts", default=0, least=0),
        dense_layers=config.integer("first_k_dense_replace", kind="layers", default=0, least=0),
        every=config.integer("moe_layer_freq", kind="layers", default=1),
        router_bias=config.text("topk_method") == "noaux_tc",
    )
    return {**fields, "moe": moe}


def gemma(config: Config) -> Fields:
    """Gemma 1: tied embedding."""
    return base(config, tied=True, head_dim=None if config.has("head_dim") else 256)


def gemma2(config: Config) -> Fields:
    """Gemma 2: norms before and after each block, every second layer windowed."""
    return {**gemma(config), "norms_per_layer": 4, **window(config, every=2)}


def gemma3(config: Config) -> Fields:
    """Gemma 3: head norms, five windowed layers for each global one; absent keys have the library's defaults."""
    defaults = {
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "vocab_size": 262208,
        "sliding_window": 4096,
    }
    filled = Config(
        {**defaults, **{key: value for key, value in config.data.items() if value is not None}}, config.path
    )
    return {**base(filled, tied=True), "norms_per_layer": 4, "qk_norm": True, **window(filled, every=6)}


def llama4(config: Config) -> Fields:
    """Llama 4 text: one routed and one shared expert a token; Maverick interleaves dense layers of another width."""
    width = config.integer("intermediate_size")
    every = config.integer("interleave_moe_layer_step", kind="layers", default=1)
    moe = experts(config, count="num_local_experts", width=width, shared_experts=1, every=every)
    fields = {**base(config), "ffn": config.integer("intermediate_size_mlp", default=width), "moe": moe}
    chunk = config.integer("attention_chunk_size", kind="tokens", default=0, least=0)
    return {**fields, "window": chunk, "global_every": 4} if chunk else fields


def gpt_oss(config: Config) -> Fields:
    """gpt-oss: biases everywhere, a sink for each head, every second layer windowed."""
    fields = {**base(config), **window(config, every=2)}
    moe = experts(config, count="num_local_experts", width=fields["ffn"], router_bias=True)
    return {
        **fields,
        "moe": moe,
        "attention_bias": True,
        "output_bias": True,
        "mlp_bias": True,
        "attention_sinks": True,
    }


def usual(config: Config) -> Fields:
    """A decoder of an unknown family with the usual keys: with latent attention as DeepSeek's, else as Llama-like."""
    if config.has("kv_lora_rank"):
        return deepseek(config)
    fields = llama(config)
    for key in ("num_local_experts", "num_experts", "n_routed_experts"):
        if config.has(key):
            width = config.integer("moe_intermediate_size", default=fields["ffn"])
            shared = config.integer("n_shared_experts", "num_shared_experts", kind="experts", default=0, least=0)
            dense = config.integer("first_k_dense_replace", kind="layers", default=0, least=0)
            moe = experts(config, count=key, width=width, shared_experts=shared, dense_layers=dense)
            return {**fields, "moe": moe, "qk_norm": config.flag("use_qk_norm", False)}
    return {**fields, "qk_norm": config.flag("use_qk_norm", False)}


def speech_decoder(parameters: float, *, layers: int, frames: int, width: int) -> Decoder:
    """What writes the text of 30 s of speech: 64 to 75 tokens a segment in the logs of MLPerf Inference v6.0. Each token
    reads the keys and values of all frames in every layer."""
    return Decoder(parameters=parameters, tokens=75, cache_bytes=4.0 * layers * frames * width)
