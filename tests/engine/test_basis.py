"""Each figure of what is recommended says how well it is known, and the speed shows the measurements that come nearest."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from typing import get_args

import pytest

from catalog.presets import find_model
from engine.answer import Basis, BasisOf, Option
from engine.entry import recommend
from engine.inputs.spec import Constraints, Measurement, Serving, Spec, Training
from engine.kinds.training.measured import FILE, METHODS, Planned, distance, measured_runs, nearest_runs
from engine.odds.likeness import FAR, NEAR
from lab.validation.rows import read_csv
from planner.market import market_from_files
from tests.told import told
from voice.terms import WORDS

MARKET = market_from_files()
LLAMA = find_model("llama-3.1-8b")
SPEC = Spec(
    name="basis",
    workload="training",
    model=LLAMA,
    training=Training(tokens=2e9, sequence_length=8192),
    constraints=Constraints(accelerators=("h100-sxm5",), max_accelerators=16),
)
SERVICE = Spec(
    name="basis",
    workload="serving",
    model=LLAMA,
    serving=Serving(requests_per_s=5.0, input_tokens=1000, output_tokens=200, ttft_p95_ms=2000.0, tpot_p95_ms=50.0),
    constraints=Constraints(accelerators=("h100-sxm5",)),
)


def best_of(spec: Spec) -> Option:
    best = recommend(spec, MARKET).recommended
    assert best is not None
    return best


def one(option: Option, of: str) -> Basis:
    (found,) = (item for item in option.basis if item.of == of)
    return found


def planned(**changed: object) -> Planned:
    base = Planned(
        parameters=LLAMA.active_parameters, method="pretrain", accelerator="h100-sxm5", framework="megatron-2025",
        precision="bf16", devices=8, sequence=8192,
    )  # fmt: skip
    return replace(base, **changed)  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", [SPEC, SERVICE], ids=["run", "service"])
def test_every_figure_says_once_how_it_is_known(spec: Spec) -> None:
    best = best_of(spec)
    said = [item.of for item in best.basis]
    assert len(said) == len(set(said))
    assert {"speed", "memory", "price", "failures", "energy", "emissions"} <= set(said) <= set(get_args(BasisOf))
    for item in best.basis:
        assert told(item.told)
        assert f"basis.{item.of}" in WORDS
        assert f"level.{item.level}" in WORDS
    rows = one(best, "speed").rows
    assert len(rows) == 3
    assert all("H100" in told(row) and "per accelerator" in told(row) for row in rows)


def test_only_what_is_recommended_shows_its_basis() -> None:
    found = recommend(SPEC, MARKET)
    assert all(option.basis == () for option in found.alternatives)


def test_own_measurements_are_what_the_speed_rests_on() -> None:
    own = Measurement(accelerator="h100-sxm5", count=8, step_time_s=16.0)
    basis = one(best_of(replace(SPEC, measured=(own,))), "speed")
    assert (basis.level, basis.told.code) == ("measured", "basis.speed.own")


def test_far_from_any_measurement_the_speed_is_near_or_reckoned() -> None:
    """A fine-tuning of 8B on 8 H100 was measured at other lengths; nobody has measured a run on 4,096 of a 70B in FP32."""
    assert nearest_runs(planned())[0][1] < 0.5
    far = nearest_runs(
        planned(
            parameters=find_model("llama-3.1-405b").active_parameters, devices=4096, precision="fp32", method="finetune"
        )
    )
    assert not far or far[0][1] > 1.0


def test_where_every_measured_run_is_far_nothing_is_called_supported() -> None:
    """Nobody has measured a run of GPT-2 in FP32 on one accelerator: what is shown is told as far."""
    training = Training(tokens=2e7, sequence_length=512, precision="fp32")
    one_card = Constraints(accelerators=("h100-sxm5",), max_accelerators=1)
    small = find_model("gpt2")
    best = best_of(replace(SPEC, model=small, training=training, constraints=one_card))
    near = nearest_runs(
        planned(parameters=small.active_parameters, precision="fp32", framework=best.framework, devices=1, sequence=512)
    )
    speed = one(best, "speed")
    assert near[0][1] > NEAR
    assert {row.code for row in speed.rows} == {"row.far"}
    assert speed.level == "modelled"
    assert best.evidence
    assert best.evidence.told == speed.told
    assert "supported" not in told(speed.told)
    assert all(told(row).startswith("Far from this plan: ") for row in speed.rows)


def test_a_row_names_the_software_that_its_source_names() -> None:
    named = {run.source: run.software for run in measured_runs()}
    assert named["vinjn/nanotron-ultrascale-playbook"] == "nanotron"
    assert named["mindspore-lab/mindformers"] == "MindFormers"
    shown = [told(row) for row in one(best_of(SPEC), "speed").rows]
    assert all(any(f", {run.software}, " in text for run in measured_runs()) for text in shown)


def test_the_nearest_run_comes_first_and_none_is_beyond_the_limit() -> None:
    for wanted in (planned(), planned(accelerator="a100-sxm4-80", devices=64), planned(method="lora")):
        found = nearest_runs(wanted)
        ways = [away for _, away in found]
        assert found
        assert ways == sorted(ways)
        assert ways[-1] <= FAR
        assert ways[0] == pytest.approx(min(distance(run, wanted) for run in measured_runs()), abs=0.01)


def test_a_run_of_the_same_configuration_is_at_no_distance() -> None:
    run = next(run for run in measured_runs() if run.method == "pretrain" and run.devices == 8)
    same = planned(
        accelerator=run.accelerator, framework=run.framework, precision=run.precision, devices=run.devices,
        sequence=run.sequence,
    )  # fmt: skip
    assert distance(run, same) == pytest.approx(abs(math.log(run.parameters / LLAMA.active_parameters)))


def test_rows_are_those_of_the_measured_tables() -> None:
    """Each shown rate is what its row of the measured table says: tokens of a step over its time, for one accelerator."""
    tables = {
        row["id"]: row
        for row in read_csv(sorted((FILE.parents[3] / "lab" / "data" / "measured").glob("training*.csv")))
    }
    stated = 0
    for run in measured_runs():
        row = tables[run.id]
        assert run.devices == int(float(row["gpus"]))
        assert run.source == row["source"].partition("@")[0].strip()
        if row["tokens_per_s_per_gpu"] and not row["row_note"]:
            stated += 1
            assert run.rate == pytest.approx(float(row["tokens_per_s_per_gpu"]), rel=0.03), run.id
    assert stated > 100
    assert {run.method for run in measured_runs()} == set(METHODS.values())
    with FILE.open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == len(measured_runs())


def test_measured_peaks_of_memory_are_named_where_there_are_some() -> None:
    assert one(best_of(SPEC), "memory").level in ("measured", "near")
    assert one(best_of(SERVICE), "memory").told.code == "basis.memory.counted"
