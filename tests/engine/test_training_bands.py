"""Bands and calibration."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from engine.inputs.spec import FixedLayout, Measurement
from engine.kinds.training.best import calibrate, describe, search
from engine.odds.bands import band
from engine.odds.calibrate import posterior
from tests.engine.devices import H100, LLAMA_8B, LLAMA_70B, NODES, QWEN_MOE
from tests.engine.training_helpers import ASSUME, work


def sigma(**changes: object) -> float:
    values: dict[str, object] = {
        "arch": LLAMA_70B,
        "device": H100,
        "count": 64,
        "framework": "megatron",
        "precision": "bf16",
        "tuning": "tuned",
    }
    return band(**(values | changes), assume=ASSUME).log_sigma  # type: ignore[arg-type]


def test_the_band_widens_where_less_was_measured() -> None:
    known = sigma()
    assert sigma(arch=QWEN_MOE) > 2 * known
    assert sigma(device=replace(H100, generation="cdna3")) > 1.5 * known
    assert sigma(count=16_384) > known
    assert sigma(tuning="documented") > 1.5 * known
    assert sigma(tuning="own") > 1.5 * known
    assert sigma(tuning="auto") == sigma(tuning="documented")
    assert sigma(tuning="auto", framework="maxtext", device=replace(H100, runtime="xla")) == known


def test_the_band_says_what_made_it_wide() -> None:
    reasons = band(QWEN_MOE, H100, 64, "megatron", "bf16", ASSUME).because
    assert "training.band.mixture" in reasons


def test_an_own_measurement_shifts_the_estimate_and_narrows_the_band() -> None:
    layout = FixedLayout(tp=4, pp=2)
    job = work(LLAMA_70B, fixed=layout)
    rows = search(job, [NODES], max_count=128, assume=ASSUME).rows
    place = rows.count.tolist().index(64)
    before = describe(job, NODES, rows, place, ASSUME)
    own = Measurement(accelerator="h100-sxm5", count=64, step_time_s=before.step_time_s.expected * 1.2, layout=layout)
    learnt = calibrate(job, (own,), [NODES], ASSUME)
    same = describe(job, NODES, rows, place, ASSUME, calibration=learnt)
    assert same.step_time_s.expected == pytest.approx(own.step_time_s)
    other = rows.count.tolist().index(32)
    before = describe(job, NODES, rows, other, ASSUME)
    after = describe(job, NODES, rows, other, ASSUME, calibration=learnt)
    assert before.step_time_s.expected * 1.05 < after.step_time_s.expected < before.step_time_s.expected * 1.2
    assert after.log_sigma < before.log_sigma
    assert any(re.fullmatch(r"measured\.hardware:1:0\.\d{4}", ident) for ident in after.because)
    assert sum(part.value for part in after.time) == pytest.approx(after.step_time_s.expected)


def test_many_measurements_leave_what_is_not_shared() -> None:
    many = posterior([0.1] * 50, 0.1, 0.05, 0.8)
    assert many.log_shift == pytest.approx(0.1, abs=0.005)
    assert many.log_sigma == pytest.approx(float(np.sqrt(0.2)) * 0.1, abs=0.01)


def test_other_hardware_is_not_shifted() -> None:
    job = work(LLAMA_8B)
    other = Measurement(accelerator="mi300x", count=8, step_time_s=1.0)
    assert calibrate(job, (other,), [NODES], ASSUME).shifts == {}
