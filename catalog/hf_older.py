"""Hugging Face configs of the older decoders, of encoders and of Whisper: LayerNorm, biases, learnt positions."""

from __future__ import annotations

from catalog.hf_families import Fields, base, speech_decoder
from catalog.hf_reader import Config


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


SPEECH_BYTES = 53.0
"""Bytes that the backward pass of Whisper needs for each element of the encoder's stream: its tensors under BF16 autocast, with those of
the decoder and its cross attention, counted one by one in the Transformers library (5.17), small and large-v3 alike."""
SPOKEN = 75
"""Tokens of a transcript of 30 s."""


def whisper(config: Config) -> Fields:
    """Whisper, by parameters and work: 30 s of audio are 1,500 encoder frames; about 200 decoded tokens are assumed."""
    d = config.integer("d_model")
    encoder, decoder = (config.integer(f"{side}_layers", kind="layers") for side in ("encoder", "decoder"))
    wide = [config.integer(f"{side}_ffn_dim") for side in ("encoder", "decoder")]
    frames = config.integer("max_source_positions", kind="tokens", default=1500)
    tokens = config.integer("max_target_positions", kind="tokens", default=448)
    bins, heads = config.integer("num_mel_bins", default=80), config.integer("encoder_attention_heads", default=d // 64)
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
        "activation_bytes_per_sample": SPEECH_BYTES * frames * d * encoder,
        "scores_per_sample": float(heads * (encoder * frames**2 + decoder * SPOKEN * (frames + SPOKEN))),
        "decoder": speech_decoder(
            float(decode + config.integer("vocab_size", kind="vocab") * d), layers=decoder, frames=frames, width=d
        ),
    }
