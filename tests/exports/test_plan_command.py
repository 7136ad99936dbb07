"""`manage.py plan`: one plan without web and database; what it prints, and how it ends."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml
from django.core.management import call_command

from planner.weight import MOST_ALTERNATIVES

EXAMPLES = Path(__file__).parents[2] / "examples"
TRAINING: dict[str, Any] = {
    "name": "Run",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": "2B", "sequence_length": 4096},
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5", "a100-sxm4-80"], "max_accelerators": 64},
}


def plan(spec: object, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command with that spec on standard input."""
    out, err = io.StringIO(), io.StringIO()
    patch = pytest.MonkeyPatch()
    patch.setattr(sys, "stdin", io.StringIO(spec if isinstance(spec, str) else yaml.safe_dump(spec)))
    code = 0
    try:
        call_command("plan", "-", *arguments, stdout=out, stderr=err)
    except SystemExit as stop:
        code = int(stop.code or 0)
    finally:
        patch.undo()
    return code, out.getvalue(), err.getvalue()


def test_it_works() -> None:
    code, out, err = plan(TRAINING, "--json")
    body = json.loads(out)
    assert (code, err) == (0, "")
    best = body["recommended"]
    assert body["feasible"] is True
    assert best["accelerator"] in ("h100-sxm5", "a100-sxm4-80")
    assert best["days"]["low"] < best["days"]["expected"] < best["days"]["high"] <= 30
    assert best["cost"]["cloud"]["currency"] == "USD"
    assert isinstance(best["cost"]["cloud"]["expected"], str)
    assert best["memory"]["total_gb"]["expected"] <= best["memory"]["capacity_gb"]
    assert {"tp", "pp", "vpp", "cp", "ep", "dp", "zero_stage"} <= best["parallelism"].keys()
    assert best["checkpoint"]["interval_steps"] >= 1
    assert {"alternatives", "frontier", "rejected", "assumptions", "catalog_release", "engine_version"} <= body.keys()


def test_the_rest_comes_when_it_is_asked_for() -> None:
    short, full = (json.loads(plan(TRAINING, "--json", *more)[1]) for more in ((), ("--full",)))
    assert short["assumptions"] == []
    assert len(full["assumptions"]) > 100
    best, all_ = ([item["id"] for item in body["alternatives"]] for body in (short, full))
    assert best == all_[:MOST_ALTERNATIVES]
    assert full["recommended"]["cost"].pop("by_month")
    few, rows = ([one.pop("rows") for one in body["recommended"]["basis"]] for body in (short, full))
    assert any(rows) > any(few)
    assert {key: full[key] for key in ("recommended", "plan_sha256")} == {
        key: short[key] for key in ("recommended", "plan_sha256")
    }
    for key in ("advice", "rejected", "drivers"):
        assert short[key] == full[key][: len(short[key])] != []


def test_levers_are_weighed_when_they_are_asked_for() -> None:
    spec = TRAINING | {"training": TRAINING["training"] | {"precision": "auto"}}
    (code, plain, _), (_, asked, _) = plan(spec), plan(spec, "--levers")
    assert code == 0
    assert "In FP8" not in plain
    assert "In FP8" in asked
    assert "with a chance of" in asked.partition("In FP8")[2]
    assert plan(spec, "--levers", "--json") == plan(spec, "--json")


def test_twice_gives_equal_bytes() -> None:
    assert plan(TRAINING, "--json") == plan(TRAINING, "--json")


def test_the_answer_follows_the_question() -> None:
    base = json.loads(plan(TRAINING, "--json")[1])
    double = {**TRAINING, "training": {**TRAINING["training"], "tokens": "4B"}}
    more = json.loads(plan(double, "--json")[1])
    assert more["plan_sha256"] != base["plan_sha256"]
    hours = [float(body["recommended"]["accelerator_hours"]["expected"]) for body in (base, more)]
    assert 1.8 < hours[1] / hours[0] < 2.2


def test_a_text_summary_without_json() -> None:
    code, out, _ = plan(TRAINING)
    assert code == 0
    assert "→" in out
    assert "catalog" in out


def test_a_text_summary_keeps_the_cents_of_small_amounts() -> None:
    spec = {
        **TRAINING,
        "model": "llama-3.2-1b",
        "training": {"method": "finetune", "tokens": 1e7, "sequence_length": 1024},
    }
    code, out, _ = plan(spec)
    assert code == 0
    best = next(line for line in out.splitlines() if line.startswith("→"))
    assert re.search(r" 0\.[1-9]\d USD \(0\.\d\d–", best), best


def test_documents_are_written_whole(tmp_path: Path) -> None:
    code, _, err = plan(TRAINING, "--out", str(tmp_path), "--formats", "xlsx,docx")
    assert code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.docx", "run.xlsx"]
    assert "[2/2]" in err


def test_documents_follow_the_language_that_was_asked_for(tmp_path: Path) -> None:
    code, _, _ = plan(TRAINING, "--out", str(tmp_path), "--formats", "docx", "--language", "de")
    assert code == 0
    (file,) = tmp_path.iterdir()
    with ZipFile(file) as parts:
        text = parts.read("word/document.xml").decode()
    assert re.search(r"\d{2}\.\d{2}\.20\d\d", text), "days in the German order"
    code, _, err = plan(TRAINING, "--language", "xx")
    assert code == 2
    assert err.startswith("“--language” has “xx”: choose from en, da, de")


@pytest.mark.parametrize(
    ("limits", "field"),
    [({"budget_usd": 1}, "constraints.budget_usd"), ({"deadline_days": 0.01}, "constraints.deadline_days")],
)
def test_what_nothing_meets_says_what_would(limits: dict[str, Any], field: str) -> None:
    code, out, _ = plan({**TRAINING, "constraints": {**TRAINING["constraints"], **limits}}, "--json")
    body = json.loads(out)
    assert (code, body["feasible"], body["recommended"]) == (3, False, None)
    assert field in {change["field"] for item in body["nearest"] for change in item["changes"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"training": {"tokens": -5}}, "“training.tokens” must be at least 0."),
        ({"training": {"tokens": ".nan"}}, "“training.tokens”"),
        ({"model": "llama-9"}, "“model”"),
        ({"colour": "blue"}, "“colour” is not a known field"),
        ({"name": "n" * 10_000}, "“name” is too long"),
        ({"constraints": {"accelerators": ["h1000"]}}, "“constraints.accelerators.0”"),
        ({"assumptions": {"reliability.nothing": 1.0}}, "“assumptions.reliability.nothing”"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_2(change: dict[str, Any], words: str) -> None:
    code, out, err = plan({**TRAINING, **change}, "--json")
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.strip().splitlines()) == 1


def test_a_config_file_that_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[1, 2]")
    code, _, err = plan({**TRAINING, "model": {"config": str(tmp_path / "config.json")}})
    assert code == 2
    assert "must hold a JSON object" in err


def test_a_config_file_gives_the_preset_s_numbers() -> None:
    text = (EXAMPLES / "llama-3.1-70b-continued.yaml").read_text()
    spec = yaml.safe_load(text)
    spec["constraints"] |= TRAINING["constraints"] | {"deadline_days": 21}
    from_config = {**spec, "model": {"config": str(EXAMPLES / "llama-3.1-70b.config.json")}}
    from_preset = {**spec, "model": "llama-3.1-70b"}
    answers = [json.loads(plan(one, "--json")[1])["recommended"] for one in (from_config, from_preset)]
    assert answers[0]["step_time_s"]["expected"] == answers[1]["step_time_s"]["expected"]
    assert answers[0]["cost"]["total"] == answers[1]["cost"]["total"]


def test_unreadable_files() -> None:
    assert plan("a: [")[0] == 2
    err = io.StringIO()
    with pytest.raises(SystemExit) as stop:
        call_command("plan", "no-such-file.yaml", stderr=err)
    assert stop.value.code == 2
    assert "no-such-file.yaml" in err.getvalue()
