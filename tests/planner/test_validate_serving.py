"""Measured services against predictions: the report's shape, its accuracy, feasibility, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.physics.token.machine import rates_for
from engine.physics.token.step import stack
from lab.validation.report import Report
from lab.validation.rows import read_csv
from lab.validation.serving import METRICS, excluded, report
from lab.validation.serving_names import engine_of, precision_of
from lab.validation.serving_predict import fits, numbers_of, pooled
from lab.validation.serving_rows import Case, cases
from planner.market import market_from_files

ROWS = Path(__file__).resolve().parents[2] / "lab" / "data" / "measured" / "serving.csv"
SECOND = ROWS.with_name("serving_wave2.csv")
ASSUME = Assumptions(SERVING_ASSUMPTIONS)


@pytest.fixture(scope="module")
def found() -> list[Case]:
    return cases(read_csv([ROWS]), market_from_files().devices)[0]


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Every fifth row: enough to judge, quick without a compiler."""
    rows = read_csv([ROWS])
    path = tmp_path_factory.mktemp("rows") / "serving.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows[::5])
    return report([path], market_from_files().devices)


def block(found: Report, metric: str) -> Any:
    return found.summary[metric]


def test_every_metric_has_its_block(sampled: Report) -> None:
    assert {*sampled.summary} == {*METRICS, "mlperf_rate"}
    for metric in METRICS:
        assert {"rows", "predicted", "refused"} <= set(block(sampled, metric))
    assert {"median_ape", "p90_ape", "bias", "band80_coverage", "band80_median_width"} <= set(
        block(sampled, METRICS[0])
    )
    assert "offline static batch" in block(sampled, METRICS[0])["by_scenario"]


@pytest.mark.parametrize(
    ("metric", "median", "tail"),
    [("output_tokens_per_s_per_gpu", 0.12, 0.45), ("tpot_ms", 0.15, 0.45), ("ttft_ms", 0.28, 0.9)],
)
def test_errors_stay_where_they_were_brought(sampled: Report, metric: str, median: float, tail: float) -> None:
    figures = block(sampled, metric)
    assert figures["median_ape"] <= median
    assert figures["p90_ape"] <= tail
    assert 0.65 <= figures["band80_coverage"] <= 0.95


def test_certain_rows_that_ran_are_not_called_impossible(found: list[Case]) -> None:
    certain = [case for case in found if not case.apart]
    room = fits(stack([numbers_of(case, ASSUME) for case in certain]), certain)
    assert np.mean(room < 1) <= 0.01


def test_the_knee_where_the_cache_is_full_is_found(found: list[Case]) -> None:
    """NIM, Llama-3.3-70B in FP8 on two H100, 5000 in and 500 out: throughput is flat above about 90 users."""
    knee = [
        c for c in found if "NIM" in c.row["engine"] and c.inputs == 5000 and c.row["concurrency_or_batch"] == "100"
    ]
    room = fits(stack([numbers_of(case, ASSUME) for case in knee]), knee)
    assert room[0, 0] == pytest.approx(90, rel=0.15)


def test_an_unknown_accelerator_is_refused_by_name(tmp_path: Path) -> None:
    row = dict(read_csv([ROWS])[0]) | {"accelerator": "Abacus-9000"}
    path = tmp_path / "one.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, row.keys())
        writer.writeheader()
        writer.writerow(row)
    refused = [line.refused for line in report([path], market_from_files().devices).lines]
    assert refused
    assert set(refused) == {"accelerator Abacus-9000 is not in the catalog"}


def test_few_rows_are_refused() -> None:
    good, bad = cases(read_csv([ROWS]), market_from_files().devices)
    assert len(bad) <= 0.03 * (len(good) + len(bad))


def test_names_of_sources_are_understood() -> None:
    assert precision_of("fp8 (experts fp8_block)") == "fp8"
    assert precision_of("Q4_K_M (4.83 bpw)") == "q4"
    assert precision_of("fp16/bf16") == "fp16"
    assert engine_of({"engine": "TensorRT-LLM", "engine_version": "0.9.0"}) == "tensorrt-llm-2024"
    assert engine_of({"engine": "vLLM-TPU", "engine_version": "2026"}) == "vllm"


def test_a_reviewers_exclusion_concerns_the_column_he_names() -> None:
    note = {"row_note": "ttft_ms: exclude TTFT (keep TPOT) (start-up compilation stall inside the measurement)"}
    assert excluded(note, "ttft_ms")
    assert not excluded(note, "tpot_ms")
    assert not excluded({"row_note": "kv_precision: fp8 (blank)"}, "ttft_ms")


def test_pools_are_judged_with_their_own_split() -> None:
    """DeepSeek-V3 with prompts and answers apart: pace of answers by the decode pool, first token by the other's queue."""
    rows = [row for row in read_csv([SECOND]) if row["disagg"] == "1" and row["uncertain"] == "0"]
    found = cases(rows, market_from_files().devices)[0]
    assert all(case.pools for case in found)
    errors: dict[str, list[float]] = {"tpot_ms": [], "ttft_ms": []}
    for case in found:
        said = pooled(case, ASSUME)
        for metric, own in errors.items():
            own.append(abs(said[metric] / float(case.row[metric]) - 1))
    assert np.median(errors["tpot_ms"]) <= 0.15
    assert np.median(errors["ttft_ms"]) <= 0.35


def test_more_users_wait_longer_for_a_pool() -> None:
    row = next(row for row in read_csv([SECOND]) if row["disagg"] == "1" and row["uncertain"] == "0")
    many = [dict(row) | {"concurrency_or_batch": str(users)} for users in (1, 16, 256, 4096)]
    first = [pooled(case, ASSUME)["ttft_ms"] for case in cases(many, market_from_files().devices)[0]]
    assert first == sorted(first)
    assert first[-1] > 3 * first[0]


def test_no_stack_of_2024_ran_on_hardware_of_2025() -> None:
    router = {"engine": "TensorRT-LLM", "engine_version": "0.8.1.post2"}
    assert engine_of(router | {"accelerator": "B200-SXM-180GB"}) == "tensorrt-llm"
    assert engine_of(router | {"accelerator": "H100-SXM-80GB"}) == "tensorrt-llm-2024"


def test_a_model_under_another_name_is_left_out_with_it() -> None:
    found = cases(read_csv([ROWS, SECOND]), market_from_files().devices)[0]
    groups = {case.group for case in found}
    assert not any("DeepSeek-R1" in group for group in groups)
    assert any("DeepSeek-V3" in group for group in groups)


def test_four_bits_that_must_be_unpacked_are_multiplied_more_slowly() -> None:
    devices = market_from_files().devices
    hopper, blackwell = (rates_for(devices[slug], "mxfp4", "vllm", ASSUME) for slug in ("h100-sxm5", "b200-sxm"))
    assert hopper.experts < 1 <= blackwell.experts
    assert rates_for(devices["h100-sxm5"], "fp8", "vllm", ASSUME).experts == 1
