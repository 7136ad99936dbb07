"""Worked cases: all that are determined reproduce, the rest report their distance."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from lab.cases import Case, CaseFileError, Outcome, own_case_files, read_cases, run_case

OUTCOMES = {case.case_id: run_case(case) for path in own_case_files() for case in read_cases(path)}


def case(model: str, inputs: dict[str, Any], outputs: dict[str, Any], tolerance: float | None = 0.001) -> Outcome:
    """A case of ours, run."""
    return run_case(Case(case_id="own", model=model, inputs=inputs, outputs=outputs, tolerance=tolerance))


def test_the_project_has_its_cases() -> None:
    assert len(OUTCOMES) == 87


@pytest.mark.parametrize("case_id", sorted(OUTCOMES))
def test_every_case_reproduces_or_says_that_it_is_open(case_id: str) -> None:
    outcome = OUTCOMES[case_id]
    assert outcome.ok is not False, outcome
    assert outcome.distance is not None
    assert outcome.ok or outcome.undetermined


def test_only_publications_without_inputs_are_open() -> None:
    still = {case_id for case_id, outcome in OUTCOMES.items() if outcome.ok is None}
    assert still == {
        "epoch-gpt-4",
        "epoch-bloom-176b",
        "epoch-shares",
        "semianalysis-h100",
        "semianalysis-h200",
        "semianalysis-mi300x",
        "semianalysis-mi325x",
    }


SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86_400.0}


def in_other_units(inputs: dict[str, Any]) -> dict[str, Any]:
    """The same inputs with every time in another unit, and shares in hundredths."""
    found: dict[str, Any] = {}
    for name, value in inputs.items():
        stem, _, unit = name.rpartition("_")
        if (
            stem
            and unit in ("s", "min", "h")
            and not re.search(r"usd_per|_per$|_gb$", stem)
            and isinstance(value, int | float)
        ):
            other = {"s": "min", "min": "h", "h": "s"}[unit]
            found[f"{stem}_{other}"] = value * SECONDS[unit] / SECONDS[other]
        elif name.endswith("_fraction") and isinstance(value, int | float):
            found[f"{name}_pct"] = value * 100
        else:
            found[name] = value
    return found


@pytest.mark.parametrize("case_id", sorted(case_id for case_id, outcome in OUTCOMES.items() if outcome.ok))
def test_other_units_of_the_same_inputs_change_nothing(case_id: str) -> None:
    plain = next(one for path in own_case_files() for one in read_cases(path) if one.case_id == case_id)
    again = run_case(replace(plain, inputs=in_other_units(dict(plain.inputs))))
    assert again.ok, again
    before = OUTCOMES[case_id].got
    assert {name: value for name, value in again.got.items() if value is not None} == {
        name: pytest.approx(value, rel=1e-9) for name, value in before.items() if value is not None
    }


@pytest.mark.parametrize("write_s", [1.0, 30.0, 600.0])
@pytest.mark.parametrize("mtbf_h", [0.5, 3.0, 100.0])
def test_published_optima_hold_at_other_parameters(write_s: float, mtbf_h: float) -> None:
    """Daly's interval is within a percent of the exact one, Young's above it, and nothing near it wastes less."""
    outputs = {"tau_daly_s": 0.0, "tau_exact_s": 0.0, "tau_young_s": 0.0}
    found = case("young_daly", {"write_s": write_s, "mtbf_h": mtbf_h}, outputs).got
    daly, exact, young = (found[name] for name in outputs)
    assert daly is not None
    assert exact is not None
    assert young is not None
    assert daly == pytest.approx(exact, rel=0.01)
    assert young > exact

    def lost(tau: float) -> float:
        return math.expm1((tau + write_s) / (mtbf_h * 3600)) / tau

    assert lost(exact) <= min(lost(exact * 0.98), lost(exact * 1.02))


def test_amounts_are_given_in_thousands_or_millions_where_the_name_says_so() -> None:
    inputs = {"gpu_hours": 2.788e6, "usd_per_gpu_h": 2.0}
    assert case("rental", inputs, {"total_musd": 5.576, "total_kusd": 5576.0, "total_usd": 5_576_000}).ok


def test_what_is_missing_is_named() -> None:
    for model, missing in (("commitment", "neither the committed price"), ("breakeven_utilisation", "is missing")):
        outcome = case(model, {"on_demand_usd_per_h": 4.0}, {"u_star": 0.5})
        assert outcome.ok is None
        assert missing in outcome.reason


def test_our_reference_cluster_is_near_published_costs_of_ownership() -> None:
    near = OUTCOMES["semianalysis-h100"].distances["own_neocloud_usd_per_gpu_h"]
    assert near is not None
    assert near < 0.25


def test_units_follow_the_names() -> None:
    outputs = {"tau_young_s": 7200.0, "tau_young_min": 120.0, "tau_young_h": 2.0}
    assert case("daly_higher_order", {"checkpoint_write_s": 300, "mtbf_h": 24}, outputs).ok


def test_sizes_follow_the_unit_that_is_asked_for() -> None:
    for unit, size in (("GB", 14.0), ("GiB", 13.0385), ("TB", 0.014)):
        assert case("checkpoint_size", {"params": 1e9, "bytes_per_param": 14}, {"size": size, "unit": unit}).ok


def test_a_wrong_figure_is_not_ok() -> None:
    outcome = case("rental", {"gpu_hours": 100, "usd_per_gpu_h": 2}, {"total_usd": 210})
    assert outcome.ok is False
    assert outcome.distance == pytest.approx(10 / 210)


def test_an_unknown_model_and_missing_inputs_are_open_with_a_reason() -> None:
    assert "astrology" in case("astrology", {}, {"x": 1}).reason
    outcome = case("rental", {"gpu_hours": 100}, {"total_usd": 200})
    assert outcome.ok is None
    assert "usd_per_gpu_h" in outcome.reason


def test_impossible_inputs_are_open_and_never_nan() -> None:
    outcome = case("young_daly", {"checkpoint_blocking_s": 60, "mtbf_s": 0}, {"tau_young_s": 1.0})
    assert outcome.ok is None
    assert outcome.got == {"tau_young_s": None}


def test_the_command_prints_json_alone() -> None:
    out = StringIO()
    call_command("cases", "--json", stdout=out)
    cases = json.loads(out.getvalue())["cases"]
    assert len(cases) == 87
    assert {"case_id", "ok", "expected", "got", "tolerance", "distance"} <= set(cases[0])


def test_the_command_counts_what_it_found() -> None:
    out = StringIO()
    call_command("cases", stdout=out)
    assert "87 cases: 80 ok, 0 not ok, 7 not determined" in out.getvalue()


def write(path: Path, **row: str) -> Path:
    """A file with one case."""
    plain = {"case_id": "a", "model": "rental", "inputs_json": "{}", "outputs_json": "{}", "rel_tolerance": ""}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*plain])
        writer.writeheader()
        writer.writerow({**plain, **row})
    return path


@pytest.mark.parametrize(
    ("column", "text"),
    [("inputs_json", "[1]"), ("inputs_json", '{"a": NaN}'), ("outputs_json", "{"), ("rel_tolerance", "five")],
)
def test_a_bad_row_is_named_by_line_and_column(tmp_path: Path, column: str, text: str) -> None:
    with pytest.raises(CaseFileError, match=f"line 2, {column}"):
        read_cases(write(tmp_path / "cases.csv", **{column: text}))


def test_a_file_that_is_no_table_of_cases_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CommandError, match="“case_id” is missing"):
        call_command("cases", str(path))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("cases", str(tmp_path / "none.csv"))
