"""A Hugging Face config.json as an architecture: the same shape that a preset has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import get_args

from catalog import hf_families, hf_older
from catalog.hf_reader import Config
from engine.inputs.architecture import Architecture, Weights
from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, SpecError

MOST_PARAMETERS = 1e14
FAMILIES: dict[str, Callable[[Config], hf_families.Fields]] = {
    "llama": hf_families.llama,
    "mistral": hf_families.llama,
    "phi3": hf_families.llama,
    "mixtral": hf_families.mixtral,
    "qwen2": hf_families.qwen2,
    "qwen2_moe": hf_families.qwen2_moe,
    "qwen3": hf_families.qwen3,
    "qwen3_moe": hf_families.qwen3_moe,
    "deepseek_v2": hf_families.deepseek,
    "deepseek_v3": hf_families.deepseek,
    "deepseek_v32": hf_families.deepseek,
    "kimi_k2": hf_families.deepseek,
    "gemma": hf_families.gemma,
    "gemma2": hf_families.gemma2,
    "gemma3": hf_families.gemma3,
    "gemma3_text": hf_families.gemma3,
    "llama4": hf_families.llama4,
    "llama4_text": hf_families.llama4,
    "glm4_moe": hf_families.usual,
    "gpt_oss": hf_families.gpt_oss,
    "olmo2": hf_families.qwen3,
    "gpt2": hf_older.gpt2,
    "gpt_neox": hf_older.gpt_neox,
    "phi": hf_older.phi,
    "bloom": hf_older.bloom,
    "falcon": hf_older.falcon,
    "bert": hf_older.bert,
    "vit": hf_older.vit,
    "whisper": hf_older.whisper,
}
"""Reader of each `model_type`."""
_SLUG = re.compile(r"[^a-z0-9.]+")


def parse_config(data: object) -> Architecture:
    """The architecture that this config.json describes. SpecError names the key that is wrong, and what to change."""
    if not isinstance(data, Mapping) or not data:
        kind = {"list": "a list", "str": "a text"}.get(type(data).__name__, "empty" if not data else "not one")
        raise SpecError(Fault("model", "type.config", {"kind": Typed(kind)}))
    outer = Config({str(key): value for key, value in data.items()})
    config = outer.inner("text_config") if outer.data.get("text_config") is not None else outer
    family = config.text("model_type") or outer.text("model_type") or "unknown"
    _check_readable(outer, config, family)
    fields = FAMILIES.get(family, hf_families.usual)(config)
    arch = Architecture(
        slug="config",
        name="config.json",
        family=family,
        source="config.json",
        notes=_notes(family, config is not outer),
        published_format=_format(outer),
        **fields,
    )
    if not 0 < arch.parameters <= MOST_PARAMETERS:
        raise SpecError(
            Fault("model", "range.parameters", {"parameters": arch.parameters, "most": Typed(f"{MOST_PARAMETERS:.0e}")})
        )
    name = _name(outer, arch)
    return replace(arch, name=name, slug=_SLUG.sub("-", name.lower()).strip("-.") or "config")


def _format(config: Config) -> Weights:
    """In which format the checkpoint beside that file holds its weights, as far as publishers release models in it."""
    if config.data.get("quantization_config") is None:
        return "bf16"
    method = config.inner("quantization_config").text("quant_method")
    return next((one for one in get_args(Weights) if one == method), "bf16")


def _check_readable(outer: Config, config: Config, family: str) -> None:
    """SpecError for what is no decoder of equal layers with attention: read as one it would be another model."""
    if outer.has("peft_type"):
        raise outer.fault("peft_type", "unsupported.adapter", family=Typed(outer.text("peft_type")))
    if outer.has("_class_name") or outer.has("_diffusers_version"):
        raise outer.fault("_class_name", "unsupported.diffusers", family=Typed(outer.text("_class_name", "unknown")))
    if family in FAMILIES:
        return
    if outer.flag("is_encoder_decoder", False):
        raise outer.fault("model_type", "unsupported.family", family=Typed(family))
    if _has_states(config) or family.startswith("rwkv"):
        raise outer.fault("model_type", "unsupported.states", family=Typed(family))
    if isinstance(config.data.get("intermediate_size"), list):
        raise outer.fault("model_type", "unsupported.uneven", family=Typed(family))


_STATES = (
    *("state_size", "ssm_cfg", "mamba_d_state", "ssm_state_size", "mamba_state_dim", "d_state"),  # Mamba and hybrids
    *("full_attention_interval", "linear_num_key_heads", "linear_attn_config", "attn_type_list"),  # linear attention
)


def _has_states(config: Config) -> bool:
    """Whether layers keep a state instead of keys and values, all or some of them."""
    kinds = config.data.get("layer_types")
    listed = isinstance(kinds, list) and any("linear" in str(kind) or "mamba" in str(kind) for kind in kinds)
    return listed or config.has(*_STATES)


def _name(config: Config, arch: Architecture) -> str:
    """The name in the file, else family and size: “Llama (70.6 B)”."""
    path = config.text("_name_or_path").rstrip("/").split("/")[-1].strip()
    size = f"{arch.parameters / 1e9:.3g} B" if arch.parameters >= 1e9 else f"{arch.parameters / 1e6:.3g} M"
    return path[:80] or f"{arch.family.replace('_', ' ').capitalize()[:40]} ({size})"


def _notes(family: str, inner: bool) -> str:
    notes = []
    if family not in FAMILIES:
        notes.append(f"The family “{family}” is not known; read as a Llama-like decoder.")
    if family == "deepseek_v32":
        notes.append("Its sparse attention is counted as dense: long prompts come out too slow.")
    if inner:
        notes.append("The text model only; other towers are left out.")
    return " ".join(notes)
