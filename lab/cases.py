"""Worked cases against the engine: read from CSV, computed by the kind of their model, compared output by output."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.casework.failures import FAILURE_MODELS
from lab.casework.money import MONEY_MODELS
from lab.casework.operation import OPERATION_MODELS
from lab.casework.quantities import Answer, CaseError, Inputs, asked_name, is_quotation

MODELS: Mapping[str, Callable[[Inputs], Answer]] = {**FAILURE_MODELS, **MONEY_MODELS, **OPERATION_MODELS}
OWN_CASES = Path(__file__).parent / "data" / "cases"
_COLUMNS = ("case_id", "model", "inputs_json", "outputs_json", "rel_tolerance")
_TOLERANCE = 0.005
"""Where a case states none."""


class CaseFileError(ValueError):
    """A file of cases cannot be read; the message names file, line and column."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One worked case: inputs, and the outputs that somebody published or computed."""

    case_id: str
    model: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    tolerance: float | None


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How one case came out.

    `ok` speaks about the outputs that the inputs determine, and is None when they determine none; `distance` is the
    largest relative distance among those, or among the rest when there are none.
    """

    case_id: str
    ok: bool | None
    expected: Mapping[str, Any]
    got: Mapping[str, float | None]
    tolerance: float | None
    distance: float | None
    distances: Mapping[str, float | None]
    undetermined: tuple[str, ...]
    reason: str = ""


def own_case_files() -> list[Path]:
    """The files of cases that come with the project."""
    return sorted(OWN_CASES.glob("*.csv"))


def read_cases(path: Path) -> list[Case]:
    """All cases of a file. CaseFileError names what is wrong and where."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
            if missing:
                raise CaseFileError(f"{path}: the column “{missing[0]}” is missing.")
            return [_case(row, f"{path}, line {reader.line_num}") for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise CaseFileError(f"{path} cannot be read: {error}.") from error


def _case(row: Mapping[str, str | None], where: str) -> Case:
    return Case(
        case_id=row["case_id"] or "",
        model=(row["model"] or "").strip(),
        inputs=_object(row["inputs_json"], f"{where}, inputs_json"),
        outputs=_object(row["outputs_json"], f"{where}, outputs_json"),
        tolerance=_tolerance(row["rel_tolerance"], f"{where}, rel_tolerance"),
    )


def _object(text: str | None, where: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text or "{}", parse_constant=_refuse)
    except ValueError as error:
        raise CaseFileError(f"{where}: not a JSON object of finite numbers ({error}).") from error
    if not isinstance(found, dict):
        raise CaseFileError(f"{where}: must be a JSON object.")
    return found


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _tolerance(text: str | None, where: str) -> float | None:
    if not (text or "").strip():
        return None
    try:
        value = float(text or "")
    except ValueError as error:
        raise CaseFileError(f"{where}: “{text}” is not a number.") from error
    if not (math.isfinite(value) and value >= 0):
        raise CaseFileError(f"{where}: must be a number from zero up, not {text}.")
    return value


def run_case(case: Case) -> Outcome:
    """The case computed by the general function of its model and compared; never raises for odd inputs."""
    answer, reason = _answer(case)
    numeric = {name: value for name, value in case.outputs.items() if not isinstance(value, str)}
    unit = str(case.outputs.get("unit", ""))
    determined = {name: answer.value(asked_name(name), unit) for name in numeric if not is_quotation(name)}
    determined = {name: value for name, value in determined.items() if value is not None}
    got = {name: determined.get(name, answer.guesses.get(name)) for name in numeric}
    distances = {name: _distance(numeric[name], value) for name, value in got.items()}
    allowed = _TOLERANCE if case.tolerance is None else case.tolerance
    judged = {name: distances[name] for name in determined}
    return Outcome(
        case_id=case.case_id,
        ok=all(far is not None and far <= allowed for far in judged.values()) if judged else None,
        expected=case.outputs,
        got=got,
        tolerance=case.tolerance,
        distance=_largest(judged or distances),
        distances=distances,
        undetermined=tuple(name for name in numeric if name not in determined),
        reason=reason,
    )


def _answer(case: Case) -> tuple[Answer, str]:
    if case.model not in MODELS:
        return Answer(), f"there is no general function for the model “{case.model}”"
    try:
        return MODELS[case.model](Inputs(case.inputs)), ""
    except (CaseError, ValueError, OverflowError, ZeroDivisionError) as error:
        return Answer(), f"{error}"


def _distance(expected: Any, got: float | None) -> float | None:
    """Relative distance, to the nearer end where a range is expected; None when there is nothing to compare."""
    if got is None or not math.isfinite(got):
        return None
    if isinstance(expected, list) and len(expected) == 2:
        low, high = expected
        return 0.0 if low <= got <= high else min(_relative(low, got), _relative(high, got))
    return _relative(expected, got) if isinstance(expected, int | float) else None


def _relative(expected: float, got: float) -> float:
    return abs(got - expected) / abs(expected) if expected else abs(got)


def _largest(distances: Mapping[str, float | None]) -> float | None:
    return max((far for far in distances.values() if far is not None), default=None)
