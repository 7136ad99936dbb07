"""`validate`: the figures promised, the fixed shape of its JSON, and honest refusals."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.management.commands.validate import MEASURED
from lab.validation import training
from lab.validation.rows import read_csv, runs
from planner.market import market_from_files


def validate(*arguments: str) -> dict[str, Any]:
    out = StringIO()
    call_command("validate", "--json", *arguments, stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_the_json_has_the_fixed_keys_and_the_promised_errors() -> None:
    body = validate("--training", str(MEASURED / "training.csv"), "--memory", str(MEASURED / "memory.csv"))
    keys = {"rows", "predicted", "refused", "median_ape", "p90_ape", "bias", "band80_coverage", "band80_median_width"}
    assert keys | {"by_source", "apart"} <= set(body["training"])
    assert set(body) == {"training", "memory", "serving", "samples", "runs"}
    assert body["training"]["median_ape"] <= 0.08
    assert body["training"]["p90_ape"] <= 0.25
    assert body["memory"]["median_ape"] <= 0.06
    assert {"confidence C", "lora", "sft", "older release"} <= set(body["training"]["apart"])


def test_sources_left_out_stay_within_the_goal() -> None:
    assume = Assumptions(TRAINING_ASSUMPTIONS)
    good, _ = runs(read_csv([MEASURED / "training.csv"]), market_from_files().devices)
    block: Any = training.left_out(good, assume).summary
    assert block["median_ape"] <= 0.065
    assert block["p90_ape"] <= 0.22
    assert abs(block["bias"]) <= 0.03
    assert 0.75 <= block["band80_coverage"] <= 0.86
    assert block["band80_median_width"] <= 0.35
    families = [one for one in block["by_source"].values() if one["predicted"] >= 20]
    assert all(one["median_ape"] <= 0.20 and one["band80_coverage"] >= 0.60 for one in families)
    assert block["ordering"]["median_tau"] >= 0.8


def test_each_row_gets_its_line(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"
    body = validate("--memory", str(MEASURED / "memory.csv"), "--rows", str(target))
    with target.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == body["memory"]["rows"] == 72
    assert sum(bool(line["refused"]) for line in lines) == 16


def test_a_row_is_refused_for_silence_never_for_its_error(tmp_path: Path) -> None:
    rows = read_csv([MEASURED / "training.csv"])
    odd = dict(rows[0]) | {"ref_step_time_s": "0.001"}
    silent = dict(rows[1]) | {"layers": "", "model": "a model that nobody knows"}
    target = tmp_path / "two.csv"
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([odd, silent])
    block = validate("--training", str(target))["training"]
    assert block["predicted"] == 1
    assert block["median_ape"] > 100
    assert block["refused"] == {"architecture not stated": 1}


def test_a_missing_file_is_named() -> None:
    with pytest.raises(CommandError, match=r"nowhere\.csv: there is no such file"):
        call_command("validate", "--training", "nowhere.csv")


def test_the_accuracy_page_and_its_data_say_the_same(tmp_path: Path) -> None:
    page, data = tmp_path / "accuracy.md", tmp_path / "accuracy.json"
    body = validate("--training", str(MEASURED / "training.csv"), "--docs", str(page), "--data", str(data))
    found = json.loads(data.read_text(encoding="utf-8"))
    assert found["training_left_out"]["median_ape"] == body["training_left_out"]["median_ape"]
    assert f"| all | {body['training_left_out']['predicted']} |" in page.read_text(encoding="utf-8")
    assert len(found["training_left_out"]["points"]) == body["training_left_out"]["predicted"]
    assert {"accelerator", "precision", "scale", "framework"} <= set(found["training_left_out"]["by"])
    assert found["peers"]
    assert found["weak"]
