"""The models that a form offers: presets by family, and the pasted config."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from catalog.presets import architectures
from engine.inputs.architecture import Architecture
from planner.request.drafts import CONFIG
from planner.request.fields import Choices, Field
from planner.request.quantities import show_quantity


def model_field(typed: Mapping[str, str], error: str = "") -> Field:
    """The choice of a model: presets by family, and the pasted config."""
    return Field(
        path="model",
        label="Model",
        widget="select",
        choices=[("", [("", "Pick a model"), (CONFIG, "Pasted config.json")]), *model_choices()],
        value=typed.get("model", ""),
        error=error,
    )


_FAMILIES = {
    "bert": "BERT", "bloom": "BLOOM", "clip": "CLIP", "coatnet": "CoAtNet", "convnext": "ConvNeXt", "deepseek": "DeepSeek",
    "densenet": "DenseNet", "dit": "DiT", "dlrm": "DLRM", "efficientdet": "EfficientDet", "efficientnet": "EfficientNet",
    "glm": "GLM", "gpt": "GPT", "gpt-oss": "gpt-oss", "internlm": "InternLM", "mask-rcnn": "Mask R-CNN", "maxvit": "MaxViT",
    "minimax": "MiniMax", "mobilenet": "MobileNet", "mpt": "MPT", "qwen2": "Qwen 2", "qwen2.5": "Qwen 2.5",
    "qwen3": "Qwen 3", "qwen3-moe": "Qwen 3 MoE", "regnet": "RegNet", "resnet": "ResNet", "retinanet": "RetinaNet",
    "ssd": "SSD", "u-net": "U-Net", "u-net-3d": "U-Net", "unet": "U-Net", "vgg": "VGG", "vit": "ViT",
}  # fmt: skip


@cache
def model_choices() -> Choices:
    """All presets as (family, [(slug, name)]), families and names in order."""
    families: dict[str, list[tuple[str, str]]] = {}
    for slug, model in architectures().items():
        family = _FAMILIES.get(model.family, model.family.replace("-", " ").title())
        families.setdefault(family, []).append((slug, _with_size(model)))
    return [
        (family, sorted(found, key=lambda item: item[1].lower()))
        for family, found in sorted(families.items(), key=lambda item: item[0].lower())
    ]


_SIZE = re.compile(r"\d\s?[BMT]\b")


def _with_size(model: Architecture) -> str:
    """“DiT-XL/2, 675 M”: the name, and the size where the name does not say it."""
    return model.name if _SIZE.search(model.name) else f"{model.name}, {show_quantity(model.parameters, '')}".strip()
