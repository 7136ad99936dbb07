"""How each family of Hugging Face configs spells its widths, and what its layers consist of.

Sources: the model classes of transformers (which weights a layer has) and the defaults of its configuration classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.hf_reader import Config
from planner.engine.architecture import Mla, Moe

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
            "num_experts_per_tok", "range", f"is {top}, more than the {number} experts of “{config.path}.{count}”."
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
    """DeepSeek V2, V3, R1 and Kimi K2: latent attention, leading dense layers, shared experts."""
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


def _plain(config: Config, *, tied: bool) -> Fields:
    """LayerNorm with bias, two-matrix feed-forward, biases everywhere."""
    return {
        **base(config, tied=tied),
        "gated": False,
        "norm_weights": 2,
        "attention_bias": True,
        "output_bias": True,
        "mlp_bias": True,
    }


def gpt2(config: Config) -> Fields:
    """GPT-2: learnt positions, tied embedding."""
    return {**_plain(config, tied=True), "positions": config.integer("n_positions", "n_ctx", kind="tokens")}


def gpt_neox(config: Config) -> Fields:
    """GPT-NeoX and Pythia."""
    biased = config.flag("attention_bias", True)
    return {**_plain(config, tied=False), "attention_bias": biased, "output_bias": biased}


def phi(config: Config) -> Fields:
    """Phi 1 and 2: attention and feed-forward side by side behind one norm, bias on the logits."""
    return {**_plain(config, tied=False), "norms_per_layer": 1, "lm_head_bias": True}


def bloom(config: Config) -> Fields:
    """BLOOM: a norm behind the embedding, tied."""
    return {**_plain(config, tied=True), "embedding_norm": True}


def falcon(config: Config) -> Fields:
    """Falcon: multi-query or grouped heads, blocks side by side behind one norm or two."""
    grouped = config.flag("new_decoder_architecture", False)
    multi_query = config.flag("multi_query", True) and not grouped
    if multi_query:
        config = Config({**config.data, "num_kv_heads": 1}, config.path)
    biased = config.flag("bias", False)
    two_norms = grouped or not config.flag("parallel_attn", True)
    return {
        **_plain(config, tied=True),
        "attention_bias": biased,
        "output_bias": biased,
        "mlp_bias": biased,
        "norms_per_layer": 2 if two_norms else 1,
    }


def bert(config: Config) -> Fields:
    """BERT: learnt positions, token types, a norm behind the embedding, the pooler; no head."""
    fields = {**_plain(config, tied=True), "tied": True, "embedding_norm": True, "final_norm": False}
    hidden = fields["hidden"]
    return {
        **fields,
        "positions": config.integer("max_position_embeddings", kind="tokens"),
        "token_types": config.integer("type_vocab_size", default=2, least=0),
        "extra_parameters": hidden * hidden + hidden,
    }


def vit(config: Config) -> Fields:
    """Vision transformer: patches of an image as tokens, a class token, a classifier."""
    image, patch = config.integer("image_size"), config.integer("patch_size")
    tokens = config.divides("image_size", "patch_size", image, patch) ** 2 + 1
    labels = config.data.get("id2label")
    classes = len(labels) if isinstance(labels, dict) else config.integer("num_labels", default=1000)
    fields = _plain(Config({**config.data, "vocab_size": 1}, config.path), tied=True)
    hidden, channels = fields["hidden"], config.integer("num_channels", default=3)
    extra = hidden * (channels * patch * patch) + hidden + hidden + classes * (hidden + 1)
    return {
        **fields,
        "vocab": 0,
        "tied": True,
        "modality": "image",
        "positions": tokens,
        "max_sequence": tokens,
        "extra_parameters": extra,
    }


def whisper(config: Config) -> Fields:
    """Whisper, by parameters and work: 30 s of audio are 1,500 encoder frames; about 200 decoded tokens are assumed."""
    d = config.integer("d_model")
    encoder, decoder = (config.integer(f"{side}_layers", kind="layers") for side in ("encoder", "decoder"))
    wide = [config.integer(f"{side}_ffn_dim") for side in ("encoder", "decoder")]
    frames = config.integer("max_source_positions", kind="tokens", default=1500)
    tokens = config.integer("max_target_positions", kind="tokens", default=448)
    bins = config.integer("num_mel_bins", default=80)
    attention = 4 * d * d + 3 * d
    ffn = [2 * d * width + width + d for width in wide]
    encode = encoder * (attention + ffn[0] + 4 * d)
    decode = decoder * (2 * attention + ffn[1] + 6 * d)
    stem = 3 * d * bins + d + 3 * d * d + d
    tables = frames * d + tokens * d + config.integer("vocab_size", kind="vocab") * d
    return {
        "kind": "generic",
        "modality": "audio",
        "generic_parameters": float(encode + decode + stem + tables + 4 * d),
        "flops_per_sample": 2.0 * (encode * frames + decode * 200) + 4.0 * encoder * frames * frames * d,
        "activation_bytes_per_sample": 34.0 * frames * d * encoder,
    }


def usual(config: Config) -> Fields:
    """A decoder of an unknown family with the usual keys, taken as Llama-like."""
    fields = llama(config)
    for key in ("num_local_experts", "num_experts", "n_routed_experts"):
        if config.has(key):
            width = config.integer("moe_intermediate_size", default=fields["ffn"])
            shared = config.integer("n_shared_experts", "num_shared_experts", kind="experts", default=0, least=0)
            dense = config.integer("first_k_dense_replace", kind="layers", default=0, least=0)
            moe = experts(config, count=key, width=width, shared_experts=shared, dense_layers=dense)
            return {**fields, "moe": moe, "qk_norm": config.flag("use_qk_norm", False)}
    return {**fields, "qk_norm": config.flag("use_qk_norm", False)}


FAMILIES: dict[str, Callable[[Config], Fields]] = {
    "llama": llama,
    "mistral": llama,
    "phi3": llama,
    "mixtral": mixtral,
    "qwen2": qwen2,
    "qwen2_moe": qwen2_moe,
    "qwen3": qwen3,
    "qwen3_moe": qwen3_moe,
    "deepseek_v2": deepseek,
    "deepseek_v3": deepseek,
    "kimi_k2": deepseek,
    "gemma": gemma,
    "gemma2": gemma2,
    "gemma3": gemma3,
    "gemma3_text": gemma3,
    "llama4": llama4,
    "llama4_text": llama4,
    "gpt_oss": gpt_oss,
    "gpt2": gpt2,
    "gpt_neox": gpt_neox,
    "phi": phi,
    "bloom": bloom,
    "falcon": falcon,
    "bert": bert,
    "vit": vit,
    "whisper": whisper,
}
