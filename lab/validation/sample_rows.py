"""Measured samples per second as published: vision, detection, speech, encoders, recommenders, diffusion.

A row becomes a model of the catalog, scaled to the image or text that it was measured on. It is refused only where
nothing says how much work its sample is; the reason names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from catalog.presets import UnknownModel, architectures, find_model
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Device
from engine.physics.samples import elements_of
from lab.validation.row_model import number, text_of
from lab.validation.rows import Refusal, Row, family
from lab.validation.serving_names import device_of

_MODELS: tuple[tuple[str, str], ...] = (
    ("se-?resnext101", "se-resnext-101-32x4d"),
    ("resnext101", "resnext-101-32x4d"),
    ("retinanet", "retinanet-800"),
    ("resnext50", "resnext-50-32x4d"),
    ("wide_resnet50", "wide-resnet-50-2"),
    ("resnet-?18", "resnet-18"),
    ("resnet-?101", "resnet-101"),
    ("resnet-?152", "resnet-152"),
    ("tensorflow.*/ssd|retinanet320|ssd320", "ssd-320"),
    ("ssd", "ssd-300"),
    ("mask-?rcnn", "mask-rcnn"),
    ("efficientdet", "efficientdet-d0"),
    ("(rn|resnet-?)50", "resnet-50"),
    ("efficientnetv2.*_l", "efficientnet-v2-l"),
    ("efficientnetv2", "efficientnet-v2-s"),
    ("efficientnet.*b3", "efficientnet-b3"),
    ("efficientnet.*b4", "efficientnet-b4"),
    ("efficientnet", "efficientnet-b0"),
    ("mobilenetv4", "mobilenet-v4-medium"),
    ("mobilenet", "mobilenet-v3-large"),
    ("regnet", "regnet-y-3.2gf"),
    ("convnext.*(tiny|_t|nano|pico|femto|atto|small)", "convnext-tiny"),
    ("convnext.*base", "convnext-base"),
    ("convnext", "convnext-large"),
    ("swin.*(base|large)", "swin-b"),
    ("swin", "swin-t"),
    ("coatnet", "coatnet-2"),
    ("maxvit", "maxvit-b"),
    ("densenet", "densenet-121"),
    ("vgg-?1[13]", "vgg-11"),
    ("vgg", "vgg-16"),
    ("u-?net_?3d|nnunet|3d.?u-?net", "u-net-3d"),
    ("u-?net", "u-net"),
    ("clip", "clip-vit-b-32"),
    ("vit.*(huge|giant|so\\d+m|_h|_g)", "vit-h-14"),
    ("vit.*large|beit.*large|eva.*large|deit.*large", "vit-l-16"),
    ("vit|deit|beit|eva", "vit-b-16"),
    ("(bert|electra|bge|e5|gte|minilm).*large|large.*bert", "bert-large-335m"),
    ("bert|electra|bge|e5-|gte|minilm|mpnet", "bert-base-110m"),
    ("diffusion xl|sdxl", "sdxl"),
    ("stable.?diffusion", "sd-1.5"),
    ("dlrm.?dcn|dlrm.?v2", "dlrm-dcnv2"),
    ("whisper.*small", "whisper-small"),
    ("whisper.*large|distil-whisper", "whisper-large-v3"),
)
_FORMATS = ("int8", "fp8", "nvfp4", "fp4", "int4", "tf32", "fp16", "bf16", "amp", "fp32")
_FRAMEWORKS = {"tensorrt": "tensorrt", "neuron": "compiled", "migraphx": "tensorrt", "onnx": "graph"}
_GRAPHS = ("tensorflow", "mxnet", "jax")
_GUIDED = 2.0
"""Passes of the network for a denoising step: with the text and without it."""
_USUAL_STEPS = 50
"""Steps of a diffusion pipeline whose source does not say."""
_SQUAD_TOKENS = 178.0
"""Mean length of a question with its paragraph in SQuAD v1.1 [token]; engines drop the padding."""
_PAIRS = 270.0
"""User-item pairs of one query of MLPerf's recommender."""
_WINDOWS = 48.0
"""Windows of 128 x 128 x 128 with half overlap in a kidney scan of KiTS19: of median size 128 x 248 x 248 at 3.22 x 1.62 x 1.62
mm (Isensee and Maier-Hein 2019, arXiv 1908.02182), so 258 x 335 x 335 at the benchmark's 1.6 x 1.2 x 1.2 mm: 3 x 4 x 4."""
_LIMITS = {"resnet-50": 0.015, "retinanet-800": 0.1, "bert-large-335m": 0.13, "dlrm-dcnv2": 0.06, "sdxl": 20.0}
"""What the 99th percentile of MLPerf's server scenario may take by the benchmark's rules [s]."""
_RAW = {"xlm-roberta": 250_002.0}
"""Words for each of which a raw answer of a masked language model holds a score, for each token."""
_PARTS_OF = {"industrial": 0.25, "medical": 0.6}
"""Work of variants over the padded U-Net: half of its filters; convolutions without padding."""


@dataclass(frozen=True, kw_only=True)
class SampleCase:
    """One measured row with nothing left open."""

    id: str
    source: str
    task: str
    device: Device
    arch: Architecture
    tokens: float
    """Length of a text sample."""
    passes: float
    """Passes of the network for one sample as the row counts it."""
    trained: bool
    precision: str
    stack: str
    """eager | graph | compiled | tensorrt."""
    host: bool
    """Does the pipeline work on each image on the host, as reference code of detection does?"""
    batch: float
    limit: float
    """What the 99th percentile of an answer may take [s]; 0 = nothing is promised."""
    cores: int
    """Cores of all accelerators, each with a network and a share of the memory of its own; 0 = an accelerator is one."""
    copied: float
    """Bytes of one sample that the process which drives all accelerators copies to them and back; 0 = others do, or nobody."""
    measured: float
    """[sample/s] of one accelerator."""
    apart: str
    row: Row


def sample_cases(rows: Sequence[Row], devices: Mapping[str, Device]) -> tuple[list[SampleCase], list[Refusal]]:
    """Every row as a case, or as a refusal with its reason."""
    good: list[SampleCase] = []
    bad: list[Refusal] = []
    for place, row in enumerate(rows, start=1):
        name = text_of(row, "id") or f"row {place}"
        try:
            good.append(_case(row, name, devices))
        except ValueError as fault:
            bad.append(Refusal(id=name, source=publisher(row), reason=str(fault)))
    return good, bad


def publisher(row: Row) -> str:
    """Who measured it; submissions to MLPerf are one publisher whatever the year or copy."""
    source = family(text_of(row, "source"))
    return "MLPerf Inference" if "inference_results" in source else source


def _case(row: Row, name: str, devices: Mapping[str, Device]) -> SampleCase:
    device = device_of(row, devices)
    arch, tokens = model_of(row)
    engine, scenario = text_of(row, "engine").lower(), text_of(row, "scenario").lower()
    batch = _batch(row, arch)
    measured, apart = _measured(row, batch)
    stack = _stack(engine)
    cores = _cores(row, device, arch)
    return SampleCase(
        id=name,
        source=publisher(row),
        task=text_of(row, "task") or "unnamed",
        device=device,
        arch=arch,
        tokens=tokens,
        passes=_passes(row, arch),
        trained="train" in scenario,
        precision=_precision(row),
        stack=stack,
        host=stack in ("eager", "graph") and bool(re.search("tensorflow/.*ssd|rcnn", text_of(row, "model").lower())),
        batch=batch,
        limit=_LIMITS.get(arch.slug, 0.0) if "mlperf server" in scenario else 0.0,
        cores=cores,
        copied=_copied(row, arch, tokens) if cores else 0.0,
        measured=measured / _units(row, arch),
        apart=apart,
        row=row,
    )


CORES = 2
"""Cores of an Inferentia2 or Trainium1 chip, each with half of the matrix units and of the memory's channels."""


def _cores(row: Row, device: Device, arch: Architecture) -> int:
    """Cores that hold a network each, 0 where an accelerator is one. Rows do not state how many batches wait for a core: the row's own
    rate and latency would tell it, and are what is to be predicted.

    A denoising network works on the pass with the text on one core and on the pass without on the other, for one picture.
    """
    if device.runtime != "neuron" or "Data Parallel" not in text_of(row, "scenario") or arch.modality == "diffusion":
        return 0
    return CORES * max(round(number(row, "gpus", 1.0)), 1)


def _copied(row: Row, arch: Architecture, tokens: float) -> float:
    """Bytes of FP32 that a sample and its raw answer are: pictures in three colours; hidden states, or a score for each word."""
    said = text_of(row, "input_description")
    if arch.kind == "generic" or arch.modality != "text":
        return 4.0 * 3.0 * _pixels(said)
    name = text_of(row, "model").lower()
    words = (
        next((count for word, count in _RAW.items() if word in name), 0.0)
        if "MaskedLM" in text_of(row, "task")
        else 0.0
    )
    return 4.0 * tokens * (words or arch.hidden)


def _measured(row: Row, batch: float) -> tuple[float, str]:
    """Samples/s of one accelerator and why the row stands apart; latencies stand apart as such."""
    uncertain = "uncertain" if text_of(row, "uncertain") in ("1", "1.0") else ""
    passing = "forward pass" if "forward pass" in text_of(row, "scenario") else ""
    if text_of(row, "samples_per_s_per_gpu"):
        return _positive(row, "samples_per_s_per_gpu"), uncertain or passing
    if text_of(row, "realtime_factor"):
        return _positive(row, "realtime_factor") / 30.0, uncertain or "real-time factor"
    if text_of(row, "latency_mean_ms"):
        return 1e3 * batch / _positive(row, "latency_mean_ms"), uncertain or "latency"
    raise ValueError("no samples/s measured")


def _positive(row: Row, name: str) -> float:
    value = number(row, name)
    if value <= 0:
        raise ValueError(f"{name} must be above 0")
    return value


def _units(row: Row, arch: Architecture) -> float:
    """The row's samples in one of ours: a query of MLPerf's recommender holds many pairs, a volume many windows."""
    said = text_of(row, "input_description")
    if arch.tables and "query" in said:
        return 1.0 / _PAIRS
    return 1.0 / _WINDOWS if "sliding window" in said else 1.0


def _batch(row: Row, arch: Architecture) -> float:
    """Samples in a batch; MLPerf logs name one for each part of a pipeline, the network's counts."""
    text = text_of(row, "batch_size").replace("_", "")
    parts = dict(re.findall(r"'([\w.-]+)': *(\d+(?: *\* *\d+)?)", text))
    chosen = next((parts[key] for key in ("unet", "encoder", *parts) if key in parts), text)
    numbers = [float(found) for found in re.findall(r"\d+(?:\.\d+)?", chosen)][:2]
    if not numbers:
        return 16384.0 if arch.tables else 1.0 if "single" in text_of(row, "scenario").lower() else 32.0
    size = numbers[0] * (numbers[1] if len(numbers) > 1 and "*" in chosen else 1.0)
    return min(max(size, 1.0), 1e6)


def _precision(row: Row) -> str:
    """First format that the row names; an automatic cast counts, for it is what the products run in."""
    text = text_of(row, "weight_precision").lower()
    if "autocast" in text and "bf16" in text:
        return "bf16"
    found = next((name for name in _FORMATS if name in text), "fp16")
    return {"amp": "fp16", "fp4": "nvfp4", "int4": "fp16"}.get(found, found)


def _stack(engine: str) -> str:
    known = next((stack for word, stack in _FRAMEWORKS.items() if word in engine), "")
    return known or (
        "graph" if any(word in engine for word in _GRAPHS) else "compiled" if "compile" in engine else "eager"
    )


def _passes(row: Row, arch: Architecture) -> float:
    """Passes of the network for one sample."""
    if arch.modality != "diffusion":
        return 1.0
    if "iteration" in text_of(row, "sample_unit"):
        return _GUIDED
    said = re.search(
        r"(\d+) (?:denoising |inference )?steps", text_of(row, "input_description") + " " + text_of(row, "notes")
    )
    return _GUIDED * (float(said.group(1)) if said else _USUAL_STEPS)


def model_of(row: Row) -> tuple[Architecture, float]:
    """The model of a row and the length of a text sample. ValueError where nothing says how much work a sample is."""
    name, said = text_of(row, "model"), text_of(row, "input_description")
    lowered = name.lower()
    slug = next((slug for pattern, slug in _MODELS if re.search(pattern, lowered)), "")
    if slug == "bert-base-110m" and "large" in said.lower():
        slug = "bert-large-335m"
    arch = architectures().get(slug) or _known(name)
    stated = number(row, "gmacs_per_sample", 0.0)
    if stated > 0:
        return _stated(row, arch, stated), 1.0
    if arch is None:
        raise ValueError("work of a sample not stated")
    return _scaled(arch, said, lowered), _tokens(said, lowered)


def _known(name: str) -> Architecture | None:
    try:
        found = find_model(name)
    except UnknownModel:
        return None
    return found if found.kind == "generic" or found.modality != "text" else None


def _stated(row: Row, near: Architecture | None, gmacs: float) -> Architecture:
    """A model by its stated multiply-adds; its activations go with those of the nearest catalog model."""
    base = near or architectures()["resnet-50"]
    work, elements = base.flops_per_sample, elements_of(base, float(base.positions or 512))
    return Architecture(
        slug=text_of(row, "model"),
        name=text_of(row, "model"),
        family=base.family,
        kind="generic",
        modality="image",
        layers=base.layers * (1 if base.kind == "generic" else 8),
        batch_norm=base.batch_norm,
        generic_parameters=number(row, "params_m", base.parameters / 1e6) * 1e6,
        flops_per_sample=2e9 * gmacs,
        activation_bytes_per_sample=4.0 * elements * (2e9 * gmacs / work) ** _ACTIVATIONS_GROW,
    )


_ACTIVATIONS_GROW = 0.75
"""Activations grow with the image like the work, with the width like its root; between both."""


def _scaled(arch: Architecture, said: str, name: str) -> Architecture:
    """The model on the image that the row states, with the layers of its family member."""
    if arch.kind == "transformer":
        return replace(arch, layers=arch.layers // 2) if "distil" in name else arch
    own = _pixels(arch.name)
    stated = _pixels(said)
    share = stated / own if own and stated and arch.modality in ("image", "diffusion") else 1.0
    share *= next((part for word, part in _PARTS_OF.items() if word in name), 1.0)
    return replace(
        arch,
        flops_per_sample=arch.flops_per_sample * share,
        activation_bytes_per_sample=arch.activation_bytes_per_sample * share,
        scores_per_sample=arch.scores_per_sample * share**2,
    )


def _pixels(text: str) -> float:
    """Elements of the image or volume that a text names; 0 where it names none."""
    found = re.search(r"(\d{2,4}) ?x ?(\d{2,4})(?: ?x ?(\d{2,4}))?", text)
    if found:
        return float(found.group(1)) * float(found.group(2)) * float(found.group(3) or 1)
    side = re.search(r"at (\d{2,4}) px", text)
    return float(side.group(1)) ** 2 if side else 0.0


def _tokens(said: str, name: str) -> float:
    if "SQuAD" in said and "variable" in said:
        return _SQUAD_TOKENS
    found = re.search(r"sequence length:? ?(\d+)|about (\d+) tokens a sentence", said, re.IGNORECASE)
    return float(found.group(1) or found.group(2)) if found else 384.0
