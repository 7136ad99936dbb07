"""How long a sequence is: what was asked for, within what the model has positions for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.presets import architectures
from engine.inputs.spec import Spec
from engine.kinds.training.flops import forward_flops, train_flops
from planner.request.parse import architecture_of, spec_from
from tests.engine.devices import LLAMA_8B
from tests.engine.test_nearest import answer
from tests.engine.training_helpers import RESNET, work
from tests.told import told


def preset(slug: str, **training: object) -> Spec:
    return spec_from({"name": "Run", "workload": "training", "model": slug, "training": training})


@pytest.mark.parametrize("slug", ["vit-b-16", "vit-l-16", "vit-h-14"])
def test_an_image_is_as_long_as_its_patches(slug: str) -> None:
    """The default of 4,096 tokens made an image cost more than twenty times what it does."""
    arch = architecture_of(preset(slug, samples=1e6))
    asked = work(arch, samples=1e6, epochs=1.0, sequence_length=4096, global_batch_size=256)
    assert asked.sequence == arch.positions
    assert asked.total == 1e6 * arch.positions
    assert asked.steps == 3907
    # The publishers' counts, 2 for each multiply-add; the patch projection is not in ours.
    assert forward_flops(arch, asked.sequence) == pytest.approx(arch.flops_per_sample, rel=0.01)
    assert train_flops(asked, 256) == pytest.approx(3 * 256 * arch.flops_per_sample, rel=0.01)
    assert asked.warnings == ()


def test_a_run_on_images_costs_what_its_flops_say() -> None:
    """ViT-L/16, 90 passes over 14 million images: 4.65e20 FLOPs, at 1.5 USD and half of 989 TFLOP/s about 400 USD."""
    found = answer(preset("vit-l-16", samples=14e6, epochs=90.0))
    assert found.recommended is not None
    assert 300 < found.recommended.cost.total.expected < 1200


def test_learnt_positions_bound_a_language_model_and_the_plan_says_so() -> None:
    bounded = replace(LLAMA_8B, positions=2048)
    asked = work(bounded, sequence_length=4096)
    assert (asked.sequence, work(bounded, sequence_length=1024).sequence) == (2048, 1024)
    assert tuple(map(told, asked.warnings)) == (
        "The model has 2,048 positions: sequences are that long instead of 4,096 tokens.",
    )
    found = answer(preset("gpt-3-175b", tokens=1e9, sequence_length=4096))
    assert found.recommended is not None
    assert asked.warnings[0] in found.recommended.warnings


def test_computed_positions_may_be_stretched_with_a_warning() -> None:
    published = replace(LLAMA_8B, max_sequence=8192)
    asked = work(published, sequence_length=32_768)
    assert asked.sequence == 32_768
    assert "published for 8,192 tokens" in told(asked.warnings[0])
    assert work(published, sequence_length=8192).warnings == ()


def test_a_model_that_counts_samples_has_no_length() -> None:
    assert work(RESNET, samples=1e6, sequence_length=4096).sequence == 1


def test_every_language_model_of_the_catalog_takes_its_own_length() -> None:
    for arch in architectures().values():
        if arch.kind == "transformer" and arch.max_sequence:
            asked = work(arch, sequence_length=arch.max_sequence)
            assert (asked.sequence, asked.warnings) == (arch.max_sequence, ()), arch.slug
