"""Measured samples per second against predictions: the report's shape, its accuracy, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.physics.samples import batch_seconds, sample_of
from lab.validation.rows import read_csv
from lab.validation.sample_rows import SampleCase, model_of, sample_cases
from lab.validation.samples import predict, report
from planner.market import market_from_files

ROWS = Path(__file__).resolve().parents[2] / "lab" / "data" / "measured" / "samples.csv"
ASSUME = Assumptions(SERVING_ASSUMPTIONS)
DEVICES = market_from_files().devices


@pytest.fixture(scope="module")
def found() -> list[SampleCase]:
    return sample_cases(read_csv([ROWS]), DEVICES)[0]


def test_the_report_has_its_headline_its_tasks_and_forward_passes_apart() -> None:
    block = report([ROWS], DEVICES).summary
    assert {"median_ape", "p90_ape", "bias", "band80_coverage", "by_source", "by_task", "apart"} <= {*block}
    assert block["median_ape"] <= 0.17
    apart = block["apart"]
    assert apart["forward pass"]["median_ape"] <= 0.21
    assert "text to image" in block["by_task"]


def test_only_rows_without_the_work_of_a_sample_or_on_a_card_whose_rates_nobody_states_are_refused() -> None:
    bad = sample_cases(read_csv([ROWS]), DEVICES)[1]
    unlisted = "accelerator RTX-2000E-Ada-16GB is not in the catalog"  # no source states its rates
    assert {one.reason for one in bad} == {"work of a sample not stated", unlisted}
    assert sum(one.reason == unlisted for one in bad) == 6
    assert len(bad) < 100


def test_a_model_that_the_catalog_lacks_is_predicted_from_its_stated_work() -> None:
    arch, _ = model_of({"model": "someones_net_xl", "gmacs_per_sample": "12.5", "params_m": "77"})
    assert arch.flops_per_sample == 25e9
    assert arch.parameters == 77e6


def test_work_goes_with_the_picture() -> None:
    small, _ = model_of({"model": "sd-1.5", "input_description": "image 512x512"})
    large, _ = model_of({"model": "sd-1.5", "input_description": "image 768x768"})
    assert large.flops_per_sample == pytest.approx(2.25 * small.flops_per_sample)


@pytest.mark.parametrize("name", ["launch_us.tensorrt", "traffic.tensorrt", "batch_us.tensorrt"])
def test_more_overhead_never_makes_a_batch_faster(found: list[SampleCase], name: str) -> None:
    case = next(case for case in found if case.stack == "tensorrt" and case.arch.slug == "resnet-50")
    values = {key: entry.value for key, entry in SERVING_ASSUMPTIONS.items()}
    worse = values | {f"serving.sample_{name}": 2 * values[f"serving.sample_{name}"]}
    assert predict(case, worse) <= predict(case, values)


def test_a_batch_is_never_quicker_than_its_work_at_the_peak() -> None:
    """ResNet-50 and every other model: the share of the peak is below one, bytes and launches only add."""
    for slug in ("h100-sxm5", "l4", "mi300x", "tpu-v5e"):
        device = DEVICES[slug]
        for case in ("resnet-50", "vit-l-16", "sdxl"):
            arch, _ = model_of({"model": case})
            sample = replace(sample_of(arch, 1.0, ASSUME), passes=1.0)
            seconds = batch_seconds(sample, device, precision="bf16", batch=64, stack="compiled", assume=ASSUME)
            peak = device.dense_flops.get("fp16") or device.dense_flops["bf16"]
            assert seconds > 64 * sample.operations / peak
