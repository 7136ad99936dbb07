"""Rows with unusual, missing or broken cells: each is predicted or refused with a reason, never a crash."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path

import pytest

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.management.commands.validate import MEASURED
from lab.validation import memory, training
from lab.validation.report import Report
from lab.validation.rows import Row, read_csv
from planner.market import market_from_files

ASSUME = Assumptions(TRAINING_ASSUMPTIONS)
ODD = (
    "",
    " ",
    "0",
    "-1",
    "nan",
    "NaN",
    "inf",
    "1e400",
    "0.5",
    "1.0",
    "7",
    "1,024",
    "None",
    "n/a",
    "?",
    "true",
    "½",
    "full",
)
WORDS = {
    "accelerator": ("MI300X", "RTX 4090", "H100", "NVIDIA H100 80GB HBM3", "Gaudi2", "TPU-v5litepod", "Cray-1", "T4"),
    "precision": ("BF16", "bfloat16", "fp8-hybrid", "mixed", "int8", "FP32", "tf32", "amp", "posit16"),
    "recompute": ("0.33", "r = 0.25", "50%", "custom", "offload", "selective: core_attn"),
    "zero_stage": ("3", "zero2", "hsdp", "ddp", "None", "zero1 over 16 ranks"),
    "framework": ("torchtitan", "levanter", "GPT-NeoX", "Megatron-Core 0.9", "MaxText", "DeepSpeed", "axolotl"),
    "model": ("llama-3.1-8b", "Nemotron_3_Nano", "an unknown model", "resnet-50"),
    "train_mode": ("sft", "lora", "qlora", "dpo"),
}


def write(target: Path, rows: list[Row]) -> Path:
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return target


def broken(rows: list[Row], seed: int) -> list[Row]:
    """Every row with one to four cells replaced; ids and sources stay."""
    draw = random.Random(seed)
    names = [name for name in rows[0] if name not in ("id", "source")]
    found = []
    for row in rows:
        cells = {name: draw.choice((*ODD, *WORDS.get(name, ()))) for name in draw.sample(names, draw.randint(1, 4))}
        found.append({**row, **cells})
    return found


def whole(report: Report, count: int) -> None:
    """Each row has a line with either a finite prediction and its band, or a reason."""
    assert len(report.lines) == count
    for line in report.lines:
        if line.refused:
            assert line.predicted is None
            continue
        assert line.predicted is not None
        assert line.low is not None
        assert line.high is not None
        assert math.isfinite(line.high)
        assert 0 < line.low < line.predicted < line.high


@pytest.mark.parametrize("seed", range(4))
def test_no_cell_can_break_the_training_report(tmp_path: Path, seed: int) -> None:
    rows = read_csv([MEASURED / "training.csv"])[seed::4]
    path = write(tmp_path / "odd.csv", broken(rows, seed))
    report = training.report([path], market_from_files().devices, ASSUME)
    whole(report, len(rows))
    assert report.summary["predicted"]


def test_no_cell_can_break_the_memory_report(tmp_path: Path) -> None:
    rows = read_csv([MEASURED / "memory.csv"])
    path = write(tmp_path / "odd.csv", broken(rows, 7))
    whole(memory.report([path], market_from_files().devices, ASSUME), len(rows))


def test_an_empty_row_is_refused(tmp_path: Path) -> None:
    row = dict.fromkeys(read_csv([MEASURED / "training.csv"])[0], "")
    report = training.report([write(tmp_path / "empty.csv", [row])], market_from_files().devices, ASSUME)
    assert report.summary["predicted"] == 0
    assert report.summary["refused"] == {"architecture not stated": 1}


def test_known_names_replace_missing_widths_and_other_spellings_are_understood(tmp_path: Path) -> None:
    row = next(row for row in read_csv([MEASURED / "training.csv"]) if row["model"] == "Llama3.1-70B")
    bare = {
        **row,
        "layers": "",
        "hidden": "",
        "heads": "",
        "precision": "BFLOAT16",
        "accelerator": "NVIDIA H100 80GB HBM3",
    }
    usual = {**row, "precision": "bf16", "accelerator": "H100-SXM-80GB"}
    path = write(tmp_path / "two.csv", [bare, usual])
    first, second = training.report([path], market_from_files().devices, ASSUME).lines
    assert first.predicted == pytest.approx(second.predicted)


def test_at_most_two_per_cent_of_usable_rows_are_refused() -> None:
    report = training.report([MEASURED / "training.csv"], market_from_files().devices, ASSUME)
    # A row without any measured rate is not usable.
    usable = [line for line in report.lines if line.refused != "no step time or token rate measured"]
    assert sum(bool(line.refused) for line in usable) <= 0.02 * len(usable)


def test_the_ranking_of_layouts_agrees_with_the_measured_one() -> None:
    report = training.report([MEASURED / "training.csv"], market_from_files().devices, ASSUME)
    block = report.summary["ordering"]
    assert isinstance(block, dict)
    assert block["groups"] >= 20
    assert block["median_tau"] >= 0.8
