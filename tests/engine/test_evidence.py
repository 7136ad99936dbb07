"""A plan says whether measurements support it, and its band is as wide as the errors where they are weak."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from catalog.presets import architectures, find_model
from engine.answer import Evidence
from engine.entry import recommend
from engine.inputs.architecture import Architecture, is_language_model
from engine.inputs.hardware import Device
from engine.inputs.spec import Constraints, FixedLayout, Spec, Training
from engine.odds.evidence import WEAK_COVERAGE, WEAK_MEDIAN, groups, least_log_sigma, serving_evidence
from engine.odds.evidence import training_evidence as of_training
from engine.odds.evidence_told import told_of
from engine.odds.normal import P90
from planner.market import market_from_files
from tests.told import told
from voice.terms import WORDS

DEVICES = market_from_files().devices
LLAMA = find_model("llama-3.1-8b")
OTHERS = [arch for arch in architectures().values() if not is_language_model(arch)]


def devices(*slugs: str) -> list[Device]:
    return [DEVICES[slug] for slug in slugs]


@pytest.mark.parametrize("arch", OTHERS, ids=lambda arch: arch.slug)
def test_kinds_of_model_without_a_measured_row_say_so(arch: Architecture) -> None:
    for found in (
        of_training(arch, DEVICES["h100-sxm5"], "bf16", "pretrain"),
        serving_evidence(arch, DEVICES["h100-sxm5"], "fp16"),
    ):
        assert (found.level, found.about, found.rows) == ("modelled", "model", 0)
        assert WORDS[found.name] in told(found.told)
        assert "No measured run" in told(found.told)
        assert found.doubtful


@pytest.mark.parametrize("slug", sorted(DEVICES))
def test_every_accelerator_has_what_the_file_says_of_it(slug: str) -> None:
    """With rows: their figures. Without: modelled, or near where its generation was measured; never silently measured."""
    found = of_training(LLAMA, DEVICES[slug], "bf16", "pretrain")
    group = groups().get(("training", "accelerator", slug))
    if group is None:
        assert found.level in ("near", "modelled")
        assert not found.rows
        assert DEVICES[slug].name in told(found.told)
        return
    assert (found.rows, found.median_error, found.coverage) == (group.rows, group.median_error, group.coverage)
    assert f"{group.median_error:.1%}" in told(found.told)
    pair = ("training", "pair", f"{slug} bf16") in groups()
    assert found.level == ("measured" if pair else "near")


def test_what_the_page_on_accuracy_shows_as_weak_is_said_with_its_figures() -> None:
    card = of_training(LLAMA, DEVICES["b300-sxm"], "bf16", "pretrain")
    assert card.weak
    assert "39.9%" in told(card.told)
    assert "43%" in told(card.told)
    four_bits = of_training(LLAMA, DEVICES["b200-sxm"], "nvfp4", "pretrain")
    assert (four_bits.about, four_bits.weak) == ("precision", True)
    assert "33.3%" in told(four_bits.told)


@pytest.mark.parametrize("group", [one for one in groups().values() if one.work == "training"], ids=str)
def test_weak_is_what_the_limits_say_and_bands_hold_its_errors(group: object) -> None:
    one = group
    assert isinstance(one, type(next(iter(groups().values()))))
    if one.rows >= 3:
        assert one.weak == (one.median_error > WEAK_MEDIAN or one.coverage < WEAK_COVERAGE)
    if one.axis == "accelerator" and one.weak:
        sigma = least_log_sigma(LLAMA, DEVICES[one.name], "bf16")
        assert math.exp(P90 * sigma) >= math.exp(one.log_error) * 0.999


@pytest.mark.parametrize(("slug", "precision"), [("b300-sxm", "bf16"), ("b200-sxm", "nvfp4"), ("gb300", "nvfp4")])
def test_the_band_of_a_plan_is_as_wide_as_the_errors_were(slug: str, precision: str) -> None:
    spec = Spec(
        name="x",
        workload="training",
        model=LLAMA.slug,
        training=Training(tokens=2e10, precision=precision),  # type: ignore[arg-type]
        constraints=Constraints(accelerators=(slug,)),
        fixed=FixedLayout(count=8),
    )
    best = recommend(replace(spec, model=LLAMA), market_from_files()).recommended
    assert best is not None
    assert best.step_time_s is not None
    errors = [
        groups()["training", axis, name].log_error
        for axis, name in (("accelerator", slug), ("precision", precision))
        if groups()["training", axis, name].weak
    ]
    assert errors
    assert best.step_time_s.high / best.step_time_s.expected >= math.exp(max(errors)) * 0.999
    assert best.evidence is not None
    assert best.evidence.weak
    warned = any("NVFP4 is young" in text for text in map(told, best.warnings))
    assert warned == (precision == "nvfp4")


def test_adapters_have_evidence_of_their_own() -> None:
    found = of_training(LLAMA, DEVICES["h100-sxm5"], "bf16", "qlora")
    assert (found.level, found.about) == ("near", "method")
    assert found.rows == groups()["training", "method", "lora"].rows


def test_words_fit_every_state() -> None:
    base, lacks = (
        Evidence(level="modelled", about="model", name="recommenders"),
        {"accelerator": "FP8", "precision": "B200"},
    )
    for about in ("model", "method", "precision", "accelerator"):
        for level in ("near", "modelled"):
            text = told(told_of(replace(base, about=about, level=level), widened=False, lacks=lacks))  # type: ignore[arg-type]
            assert "recommenders" in text
            assert text.endswith(".")


def test_runs_that_are_like_it_say_what_they_lack() -> None:
    for about, said in (("accelerator", "none of them in FP8"), ("precision", "none of them on B200")):
        near = Evidence(level="near", about=about, name="X", rows=57, median_error=0.1, coverage=0.8)  # type: ignore[arg-type]
        text = told(told_of(near, widened=False, lacks={"accelerator": "FP8", "precision": "B200"}))
        assert said in text
