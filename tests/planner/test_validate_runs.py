"""Whole published programmes: the report's shape, its accuracy, and what counts once."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalog.presets import find_model
from engine.defaults import default_assumptions
from engine.odds.programme import beyond_steps
from lab.validation.rows import read_csv
from lab.validation.run_rows import whole_runs
from lab.validation.runs import alike, left_out, line_of, report
from planner.market import market_from_files

ROWS = Path(__file__).resolve().parents[2] / "lab" / "data" / "measured" / "whole_runs.csv"
MARKET = market_from_files()


def test_organisations_weigh_alike_and_are_missed_by_a_sixth() -> None:
    block = report([ROWS], MARKET).summary
    assert {"median_ape", "bias", "band80_coverage", "by_organisation", "refused", "apart"} <= {*block}
    found = block["alike"]
    assert found["organisations"] >= 10
    assert found["median_ape"] <= 0.2
    assert len(block["by_organisation"]) == found["organisations"]


def test_a_level_of_other_organisations_is_better_than_the_plan_alone() -> None:
    good = [run for run in whole_runs(read_csv([ROWS]), MARKET)[0] if not run.apart]
    plan = [line_of(run, MARKET, level=1.0) for run in good]
    assert alike(left_out(plan))["median_ape"] <= 0.25 < alike(plan)["median_ape"]


def test_a_name_counts_once() -> None:
    good = whole_runs(read_csv([ROWS]), MARKET)[0]
    counted = [run.name for run in good if not run.apart]
    assert sum("TinyLlama" in name for name in counted) == 1
    assert sum("BERT-Large pre-training DeepSpeed" in name for name in counted) == 1


def over(method: str, count: float, *, model: str = "llama-3.1-8b", measured: bool = False) -> float:
    found = beyond_steps(find_model(model), method, count, default_assumptions(), measured=measured)
    return 1.0 + found.expected if found else 1.0


@pytest.mark.parametrize("count", [1, 8])
def test_one_node_takes_what_it_was_planned_with(count: int) -> None:
    assert over("pretrain", count) == 1.0


@pytest.mark.parametrize("method", ["finetune", "lora", "qlora"])
def test_nothing_is_added_to_fine_tuning(method: str) -> None:
    assert over(method, 512) == 1.0


@pytest.mark.parametrize("method", ["pretrain", "continue"])
def test_what_is_added_grows_with_size_and_ends(method: str) -> None:
    found = [over(method, count) for count in (8, 16, 32, 64, 4096)]
    assert found == sorted(found)
    assert found[0] < found[1] < found[-1]
    assert found[-2] == found[-1] == pytest.approx(default_assumptions()["training.beyond_steps.language"])
