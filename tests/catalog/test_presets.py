"""Presets: the computed parameter count against the count of the published weights."""

from __future__ import annotations

import pytest

from catalog.presets import UnknownModel, architectures, find_model, model_aliases
from engine.inputs.architecture import Architecture

EXACT = sorted(
    slug for slug, arch in architectures().items() if arch.published_parameters and arch.kind == "transformer"
)
PRINTED = {
    "gpt-3-175b": (175.0e9, 0.005),
    "gpt-3-6.7b": (6.7e9, 0.01),
    "mpt-30b": (30e9, 0.005),
    "grok-1": (314e9, 0.01),
    "nemotron-4-15b": (15.7e9, 0.01),
    "nemotron-4-340b": (341.0e9, 0.001),
    "internlm-7b": (7.3e9, 0.01),
    "internlm-20b": (20.1e9, 0.01),
    "glm-4.5": (355e9, 0.01),
    "glm-4.5-air": (106e9, 0.01),
    "minimax-m2": (229e9, 0.005),
    "nemotron-3-nano-30b-a3b": (31.6e9, 0.002),
    "nemotron-3-super-120b-a12b": (120.6e9, 0.005),
    "nemotron-3-ultra-550b-a55b": (550e9, 0.01),
}
"""Models whose exact count we could not confirm: the rounded figure that the publisher prints, and its tolerance."""


def test_there_are_enough_models_of_every_family_of_the_scope() -> None:
    found = architectures()
    assert len(found) >= 55
    families = {arch.family for arch in found.values()}
    assert {
        "llama",
        "llama-4",
        "mistral",
        "mixtral",
        "qwen2.5",
        "qwen3",
        "qwen3-moe",
        "deepseek",
        "gemma",
        "phi",
    } <= families
    assert {
        "gpt-oss",
        "gpt",
        "bloom",
        "falcon",
        "vit",
        "resnet",
        "stable-diffusion",
        "dit",
        "whisper",
        "bert",
    } <= families


@pytest.mark.parametrize("slug", EXACT)
def test_the_computed_count_is_the_published_one(slug: str) -> None:
    arch = architectures()[slug]
    assert arch.parameters == pytest.approx(arch.published_parameters, rel=0.001)


@pytest.mark.parametrize("slug", sorted(PRINTED))
def test_a_model_without_a_confirmed_count_is_near_the_printed_figure_and_says_so(slug: str) -> None:
    arch, (printed, tolerance) = architectures()[slug], PRINTED[slug]
    assert arch.parameters == pytest.approx(printed, rel=tolerance)
    assert "print" in arch.notes


def test_every_model_is_tested_against_some_count() -> None:
    generic = {slug for slug, arch in architectures().items() if arch.kind == "generic"}
    assert set(architectures()) == set(EXACT) | set(PRINTED) | generic


def test_the_count_of_resnet_50_follows_from_its_blocks() -> None:
    def conv(inputs: int, outputs: int, size: int) -> int:
        return inputs * outputs * size * size + 2 * outputs  # batch norm has a scale and a shift

    total, inputs = conv(3, 64, 7), 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for block in range(blocks):
            total += conv(inputs, width, 1) + conv(width, width, 3) + conv(width, 4 * width, 1)
            total += conv(inputs, 4 * width, 1) if block == 0 else 0
            inputs = 4 * width
    total += 2048 * 1000 + 1000
    assert find_model("resnet-50").parameters == total


@pytest.mark.parametrize(
    ("slug", "active"),
    [
        ("mixtral-8x7b", 12.88e9),
        ("deepseek-v3", 37.55e9),
        ("qwen3-235b-a22b", 22.19e9),
        ("gpt-oss-120b", 5.71e9),
        ("nemotron-3-nano-30b-a3b", 3.58e9),
    ],
)
def test_active_parameters_of_mixtures(slug: str, active: float) -> None:
    assert find_model(slug).active_parameters == pytest.approx(active, rel=0.005)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Llama-3.1-70B", "llama-3.1-70b"),
        ("LLAMA3_8B", "llama-3-8b"),
        ("Qwen3_30B_a3B", "qwen3-30b-a3b"),
        ("GPT OSS 120B", "gpt-oss-120b"),
        ("DeepSeekV3", "deepseek-v3"),
        ("Grok1-314B", "grok-1"),
        ("Mixtral-8x7B", "mixtral-8x7b"),
    ],
)
def test_names_of_publications_lead_to_the_preset(name: str, slug: str) -> None:
    assert find_model(name).slug == slug


def test_an_unknown_name_gives_the_three_closest() -> None:
    with pytest.raises(UnknownModel) as caught:
        find_model("llama-3.1-80b")
    assert len(caught.value.closest) == 3
    assert "llama-3.1-8b" in caught.value.closest
    assert "Did you mean" in str(caught.value)


def test_an_endless_name_is_cut_in_the_message() -> None:
    with pytest.raises(UnknownModel) as caught:
        find_model("x" * 10_000)
    assert len(str(caught.value)) < 200


def test_every_alias_and_slug_finds_its_model_and_every_model_has_a_dated_source() -> None:
    assert all(slug in architectures() for slug in model_aliases().values())
    assert all(arch.source and len(arch.source_date) == 10 for arch in architectures().values())
    assert all(find_model(slug).slug == slug for slug in architectures())


def test_image_and_audio_models_state_work_and_activations() -> None:
    def complete(arch: Architecture) -> bool:
        return arch.flops_per_sample > 0 and arch.activation_bytes_per_sample > 0

    assert all(complete(arch) for arch in architectures().values() if arch.kind == "generic")
