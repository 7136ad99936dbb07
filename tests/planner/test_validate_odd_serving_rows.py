"""Serving rows with unusual, missing or broken cells: each is predicted or refused with a reason, never a crash."""

from __future__ import annotations

import csv
import math
import random
from pathlib import Path

import pytest

from lab.management.commands.validate import MEASURED
from lab.validation.report import Report
from lab.validation.rows import Row, read_csv
from lab.validation.serving import METRICS, report
from lab.validation.serving_names import bits_of, device_of, engine_of, precision_of
from lab.validation.serving_rows import cases, measured
from planner.market import market_from_files

DEVICES = market_from_files().devices
ROWS = read_csv([MEASURED / "serving.csv"])
ODD = ("", " ", "0", "-1", "nan", "inf", "1e400", "0.5", "7", "1,024", "None", "n/a", "?", "true", "½", "1e12", "max")
WORDS = {
    "accelerator": ("MI350X", "NVIDIA GeForce RTX 5090", "H100", "L4-24GB", "Gaudi3-128GB", "T4", "Cray-1", "WSE-3"),
    "weight_precision": ("W4A16", "AWQ", "GPTQ-int8", "Q5_K_M", "IQ3_XS", "posit16", "FP4", "EXL2 3.5bpw"),
    "kv_precision": ("int8", "FP8_E4M3", "nvfp4", "auto"),
    "engine": ("LMDeploy", "TGI", "Ollama", "MLX", "Triton", "ONNX Runtime", "JetStream", "optimum-neuron"),
    "engine_version": ("v0.4.2", "nightly", "24.05", "1.3.0rc9", "0.9.0"),
    "scenario": ("MLPerf", "MLPerf Server", "online open-loop fast", "offline", "MLPerf Interactive (Cluster)"),
    "attn_type": ("MLA", "hybrid mamba", "sliding window 128", "linear"),
    "model": ("llama-3.1-8b", "an unknown model", "DeepSeek-V3"),
    "uncertain": ("1.0", "yes"),
    "row_note": ("gpus=0: exclude", "gpus=999999999", "exclude; ttft_ms: exclude", "disaggregated exclude"),
}
IN_SCOPE = (
    "V100-SXM2-32GB",
    "V100-SXM2-16GB",
    "A100-PCIe-40GB",
    "A100-SXM-80GB",
    "H100-NVL-94GB",
    "H200-NVL-141GB",
    "B200-SXM-180GB",
    "B300-SXM-288GB",
    "GB300-NVL72-288GB",
    "T4-16GB",
    "L4-24GB",
    "L40S-48GB",
    "A10-24GB",
    "A10G-24GB",
    "RTX-A6000-48GB",
    "RTX-4090-24GB",
    "RTX-5090-32GB",
    "NVIDIA GeForce RTX 5090",
    "RTX-PRO-6000-Blackwell-SE-96GB",
    "MI300X-192GB",
    "AMD Instinct MI325X",
    "MI350X-288GB",
    "MI355X-288GB",
    "TPU-v4",
    "TPU-v5e",
    "TPU-v5p",
    "TPU-v6e",
    "TPU-v7x-Ironwood",
    "Trainium1",
    "Trainium2",
    "Trainium3",
    "Inferentia1",
    "Inferentia2",
    "Gaudi2-96GB",
    "Gaudi3-128GB",
    "Apple-M3-Max-40c-64GB",
    "Apple-M4-Max-64GB",
    "NVIDIA-GB10-DGX-Spark-128GB",
)
"""Names of guide and sources for what a service may be planned on."""


def write(target: Path, rows: list[Row]) -> Path:
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return target


def broken(rows: list[Row], seed: int) -> list[Row]:
    """Every row with one to four cells replaced; ids stay."""
    draw = random.Random(seed)
    names = [name for name in rows[0] if name != "id"]
    return [
        row | {name: draw.choice((*ODD, *WORDS.get(name, ()))) for name in draw.sample(names, draw.randint(1, 4))}
        for row in rows
    ]


def sound(found: Report) -> None:
    """Each line has a finite prediction inside its band, or a reason."""
    for line in found.lines:
        if line.refused:
            assert line.predicted is None
            continue
        assert line.measured is not None
        assert line.predicted is not None
        assert line.low is not None
        assert line.high is not None
        assert line.measured > 0
        assert math.isfinite(line.high)
        assert 0 < line.low < line.predicted < line.high


@pytest.mark.parametrize("seed", range(4))
def test_no_cell_can_break_the_serving_report(tmp_path: Path, seed: int) -> None:
    rows = ROWS[seed::9]
    found = report([write(tmp_path / "odd.csv", broken(rows, seed))], DEVICES)
    sound(found)
    lines = {line.id for line in found.lines}
    stated = {row["id"] for row in read_csv([tmp_path / "odd.csv"]) if any(measured(row, m) for m in METRICS)}
    assert len(stated & lines) >= 0.99 * len(stated)
    refused = {line.id for line in found.lines if line.refused}
    assert len(refused) < 0.6 * len(rows)


@pytest.mark.parametrize("name", [name for name in ROWS[0] if name != "id"])
def test_no_missing_column_can_break_the_serving_report(name: str) -> None:
    rows = [{key: value for key, value in row.items() if key != name} for row in ROWS[::40]]
    good, bad = cases(rows, DEVICES)
    assert len(good) + len(bad) == len(rows)
    assert all(one.reason for one in bad)


def test_an_empty_row_is_left_out_and_a_row_without_a_device_refused(tmp_path: Path) -> None:
    empty = dict.fromkeys(ROWS[0], "")
    found = report([write(tmp_path / "empty.csv", [empty, empty | {"tpot_ms": "3"}])], DEVICES)
    assert [(line.id, line.refused) for line in found.lines] == [("row 2", "accelerator unnamed is not in the catalog")]


@pytest.mark.parametrize("name", IN_SCOPE)
def test_accelerators_in_scope_are_predicted_not_refused(name: str, tmp_path: Path) -> None:
    """One row of a dense 8 B model, whatever the accelerator: predicted under a plain and a quantised format."""
    base = next(r for r in ROWS if r["model"].startswith("Llama-3.1-8B") and r["output_tokens_per_s_per_gpu"])
    rows = [
        base | {"id": p, "accelerator": name, "weight_precision": p, "gpus": "1", "tp": "1"}
        for p in ("bf16", "fp8", "int4", "Q4_K_M")
    ]
    found = report([write(tmp_path / "one.csv", rows)], DEVICES)
    sound(found)
    assert not [line.refused for line in found.lines if line.refused]


def test_known_models_need_no_shape_columns() -> None:
    row = next(r for r in ROWS if r["model"].startswith("Llama-3.1-8B"))
    bare = row | dict.fromkeys(("params_b", "active_params_b", "layers", "hidden", "heads", "kv_heads", "head_dim"), "")
    (stated,), _ = cases([row], DEVICES)
    (known,), _ = cases([bare | {"model": "llama-3.1-8b"}], DEVICES)
    assert known.shape.total == pytest.approx(stated.shape.total, rel=0.02)
    assert known.shape.kv_full == pytest.approx(stated.shape.kv_full, rel=0.01)


def test_other_words_for_formats_and_engines_are_understood() -> None:
    assert precision_of("AWQ (w4a16)") == "int4"
    assert precision_of("Q5_K_M") == "q4"
    assert bits_of("Q5_K_M") == pytest.approx(5.68)
    assert bits_of("Q4_K_M (4.83 bpw)") == 0.0
    assert engine_of({"engine": "vLLM", "engine_version": "0.9.0"}) == "vllm"
    assert engine_of({"engine": "vLLM", "engine_version": "v0.5.4"}) == "stack-2024"
    assert engine_of({"engine": "Ollama", "engine_version": ""}) == "llama.cpp"
    assert engine_of({"engine": "Text-Generation-Inference"}) == "tgi"


def test_a_chip_without_a_model_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="Groq"):
        device_of({"accelerator": "Groq LPU"}, DEVICES)


def test_the_rate_of_audited_servers_is_reported_apart(tmp_path: Path) -> None:
    rows = [row for row in ROWS if row["scenario"].startswith("MLPerf Server")][::6]
    found = report([write(tmp_path / "audited.csv", rows)], DEVICES)
    block = found.summary["mlperf_rate"]
    assert isinstance(block, dict)
    assert block["predicted"] == len(rows)
    assert 0 < block["median_ape"] < 0.6
    assert set(block["by_scenario"]) == {row["scenario"] for row in rows}
