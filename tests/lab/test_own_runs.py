"""A team's own measurement: what is refused, what is printed, what comes into a plan, and real steps of two processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sextant_client import ApiProblem, Sextant

from accounts.models import Role
from engine.inputs.architecture import Architecture
from lab.own_runs import __main__ as command
from lab.own_runs import posting
from lab.own_runs.shape import NotMeasurable, Work, check_plan, measurement, shape_of, shape_of_config
from tests.api.support import SERVING, TRAINING, Api, quick_engine
from tests.conftest import People, make_member

__all__ = ["quick_engine"]
ROOT = Path(__file__).parents[2]
CONFIG = {
    "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 160, "vocab_size": 256,
}  # fmt: skip
WORK = Work(shape=shape_of_config(CONFIG), sequence=8192, micro_batch=1, accumulate=4, zero_stage=3, recompute=False)


def alone(*arguments: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as a team runs it."""
    return subprocess.run(
        [python, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": "client"},
    )  # fmt: skip


def test_it_needs_nothing_of_the_project() -> None:
    told = alone("-c", "import sys, lab.own_runs.__main__, lab.own_runs.posting; print(*sys.modules)")
    assert told.returncode == 0, told.stderr
    loaded = set(told.stdout.split())
    assert "lab.own_runs.posting" in loaded
    assert not loaded & {"torch", "numpy", "django", "engine", "planner", "config"}


def test_missing_torch_is_one_sentence(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(command.util, "find_spec", lambda _name: None)
    assert command.main(["--cpu"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == command.NO_TORCH + "\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--post", "https://x.example"], "--plan"),
        (["--post", "https://x.example", "--plan", "p", "--accelerator", "a", "--cpu"], "--cpu"),
    ],
)
def test_what_cannot_be_posted_is_said_before_anything_runs(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    "change", [{"method": "qlora"}, {"precision": "fp8"}, {"framework": "megatron"}, {"recompute": "selective"}]
)
def test_a_plan_of_other_runs_is_refused(change: dict[str, str]) -> None:
    check_plan(TRAINING | {"training": {"method": "finetune"}})
    check_plan(TRAINING | {"training": {"method": "lora", "compiled": "yes"}})
    with pytest.raises(NotMeasurable, match=next(iter(change.values()))):
        check_plan(TRAINING | {"training": {"method": "finetune"} | change})


def test_a_service_and_a_mixture_are_refused() -> None:
    with pytest.raises(NotMeasurable, match="no training run"):
        check_plan(SERVING)
    with pytest.raises(NotMeasurable, match="plain decoder"):
        shape_of_config(CONFIG | {"num_local_experts": 8})
    with pytest.raises(NotMeasurable, match="moe"):
        shape_of({"kind": "transformer", "moe": {"experts": 8}})
    with pytest.raises(NotMeasurable, match="vocab_size"):
        shape_of_config({name: value for name, value in CONFIG.items() if name != "vocab_size"})


@pytest.mark.django_db(transaction=True)
def test_the_draft_of_a_plan_takes_each_measurement(quick_engine: None, people: People, live_server: Any) -> None:
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    api = Sextant(live_server.url, petra.token)
    plan: Any = api.create_plan({**TRAINING, "model": "llama-3.1-8b"})  # type: ignore[typeddict-item]
    shape, draft = posting.planned(api, plan["id"], "h100-sxm5")
    assert (shape.layers, shape.hidden, shape.kv_heads, shape.vocab) == (32, 4096, 8, 128256)
    assert draft["training"]["sequence_length"] == 8192

    own = measurement(WORK, accelerator="h100-sxm5", count=8, step_time_s=6.5)
    assert posting.posted(api, plan["id"], own) == 1
    assert posting.posted(api, plan["id"], own | {"step_time_s": 6.6}) == 2
    held = api.get_plan(plan["id"])["draft"]["measured"]
    assert [one["step_time_s"] for one in held] == [6.5, 6.6]
    assert held[0]["layout"]["dp"] == 8
    assert held[0]["layout"]["zero_stage"] == 3
    assert held[0]["global_batch_tokens"] == 8 * 4 * 8192
    with pytest.raises(ApiProblem):
        posting.planned(api, plan["id"], "no-such-accelerator")


@pytest.mark.needs_torch
@pytest.mark.parametrize("stage", [0, 3])
def test_two_processes_train_and_exchange(stage: int, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    sizes = ["65536", "1048576"]
    told = alone(
        "-m", "lab.own_runs", "--cpu", "--processes", "2", "--steps", "4", "--sequence", "64", "--accumulate", "2",
        "--model", str(path), "--sizes", *sizes, *(["--shard", "--recompute"] if stage else []),
        python=os.environ["TORCH_PYTHON"],
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert "measurement" not in found, "a CPU's step must not come into a plan"
    assert found["machine"]["ranks"] == 2
    assert found["run"]["zero_stage"] == stage
    assert 0 < found["step"]["p10_s"] <= found["step"]["median_s"] <= found["step"]["p90_s"]
    assert found["memory"]["resident_bytes"] > 50e6
    rows = {(row["collective"], row["bytes"]): row for row in found["exchange"]}
    assert set(rows) == {(kind, int(size)) for kind in ("all_reduce", "all_gather") for size in sizes}
    # Of two ranks: 2(n−1)/n = 1 for an all-reduce, (n−1)/n = ½ for an all-gather.
    for (kind, size), row in rows.items():
        share = 1.0 if kind == "all_reduce" else 0.5
        assert row["bus_bytes_per_s"] == pytest.approx(share * size / row["median_s"])


@pytest.mark.needs_torch
def test_adapters_alone_are_trained_and_layers_are_compiled(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    told = alone(
        "-m", "lab.own_runs", "--cpu", "--processes", "1", "--steps", "4", "--sequence", "64", "--model", str(path),
        "--lora", "4", "--compile", python=os.environ["TORCH_PYTHON"],
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert (found["run"]["lora_rank"], found["run"]["compiled"]) == (4, True)
    assert found["step"]["median_s"] > 0
    shape = shape_of_config(CONFIG)
    source = (
        "from lab.own_runs.adapters import adapted; from lab.own_runs.decoder import Decoder; "
        f"from lab.own_runs.shape import Shape; shape = Shape(**{asdict(shape)!r}); "
        "model = Decoder(shape, recompute=False); adapted(model, 4); "
        "print(sum(p.numel() for p in model.parameters() if p.requires_grad))"
    )
    wide = shape.heads * shape.head_dim + 2 * shape.kv_heads * shape.head_dim
    pairs = [(shape.hidden, wide), (shape.heads * shape.head_dim, shape.hidden), (shape.hidden, 2 * shape.ffn)]
    each = sum(4 * (into + out) for into, out in [*pairs, (shape.ffn, shape.hidden)])
    assert int(alone("-c", source, python=os.environ["TORCH_PYTHON"]).stdout) == shape.layers * each


@pytest.mark.needs_torch
def test_a_missing_library_is_one_sentence(tmp_path: Path) -> None:
    """The tools of CI have PyTorch alone."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG), encoding="utf-8")
    hidden = "import sys; from importlib import util; from lab.own_runs import __main__ as own; real = util.find_spec; "
    find = "util.find_spec = lambda name, *more: None if name in ('transformers', 'peft') else real(name, *more); "
    asked = f"sys.exit(own.main(['--cpu', '--model', {str(path)!r}, '--transformers', '--lora', '8']))"
    told = alone("-c", hidden + find + asked, python=os.environ["TORCH_PYTHON"])
    assert told.returncode == 1
    assert told.stderr == command.NO_LIBRARY.format("transformers and peft") + "\n"


@pytest.mark.needs_torch
def test_without_a_gpu_nothing_is_measured_for_a_plan() -> None:
    told = alone("-m", "lab.own_runs", python=os.environ["TORCH_PYTHON"])
    assert told.returncode == 1
    assert told.stdout == ""
    assert told.stderr == command.NO_GPU + "\n"


@pytest.mark.needs_torch
def test_the_model_that_runs_is_the_model_of_the_plan() -> None:
    """As many parameters as the engine counts."""
    shape = shape_of_config(CONFIG)
    arch = Architecture(slug="x", name="x", family="x", **asdict(shape))
    source = (
        "from lab.own_runs.decoder import Decoder; from lab.own_runs.shape import Shape; "
        f"print(sum(p.numel() for p in Decoder(Shape(**{asdict(shape)!r}), recompute=False).parameters()))"
    )
    told = alone("-c", source, python=os.environ["TORCH_PYTHON"])
    assert int(told.stdout) == arch.parameters, told.stderr
