"""The table of mixed runs: what it asks for, what the engine says of it, and that each network is the one it is called."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.presets import architectures
from lab.own_runs.asked import DECODERS, MOST_ROWS, ROWS, asked, decoders, work_of
from lab.validation import own_predict
from planner.market import market_from_files
from tests.lab.test_own_runs import alone

FOLDER = Path(__file__).parents[2] / "lab" / "data" / "own_h200"


def test_each_decoder_of_the_table_has_widths_and_each_other_model_is_in_the_catalog() -> None:
    known, runs = decoders(FOLDER), asked(FOLDER)
    assert len({run.id for run in runs}) == len(runs)
    for run in runs:
        if run.kind in (*DECODERS, "checkpoint", "cold"):
            work = work_of(run, known[run.model])
            assert work.shape.heads * work.shape.head_dim > 0
            assert not (work.experts and run.kind == "script"), "the script knows no mixtures"
        elif run.kind != "product":
            assert run.model in architectures()


def test_the_engine_says_something_of_every_run() -> None:
    devices = market_from_files().devices
    lines = own_predict.written(FOLDER, devices["h200-sxm"], devices["h100-sxm5"])
    assert [line["id"] for line in lines] == [run.id for run in asked(FOLDER)]
    for line in lines:
        assert 0 < float(line["low_s"]) < float(line["step_s"]) < float(line["high_s"])
    again = [line for line in lines if line["other_step_s"]]
    assert len(again) == 10
    assert all(float(line["step_s"]) < float(line["other_step_s"]) for line in again), (
        "its memory is faster, nothing is slower"
    )


def test_more_of_each_costs_more() -> None:
    """Recomputation time, FP32 both, pure BF16 less memory: of one run with one thing changed."""
    device, known = market_from_files().devices["h200-sxm"], decoders(FOLDER)
    plain = next(run for run in asked(FOLDER) if run.kind == "library" and run.batch == 4 and run.precision == "bf16")
    base = own_predict.expected(plain, known, device)
    again = own_predict.expected(replace(plain, recompute=True), known, device)
    wide = own_predict.expected(replace(plain, precision="fp32"), known, device)
    short = own_predict.expected(replace(plain, precision="bf16-weights"), known, device)
    assert base.memory
    assert again.memory
    assert short.memory
    assert again.step > base.step
    assert again.memory[0] < base.memory[0]
    assert wide.step > 2 * base.step
    assert short.memory[0] < base.memory[0]


@pytest.mark.needs_torch
def test_networks_have_as_many_weights_as_the_catalog_says() -> None:
    source = (
        "import torch; from lab.own_runs.diffusion import DiT, UNet; from lab.own_runs.recommender import Recommender\n"
        "count = lambda model: sum(one.numel() for one in model.parameters())\n"
        "with torch.device('meta'):\n"
        "    tables = Recommender(8_000_000)\n"
        "    print(count(UNet()), count(DiT()), count(tables) - count(tables.tables), count(tables.tables))"
    )
    told = alone("-c", source, python=os.environ["TORCH_PYTHON"])
    assert told.returncode == 0, told.stderr
    known = architectures()
    unet, dit, dense, tables = (int(text) for text in told.stdout.split())
    assert unet == known["sd-1.5"].parameters
    assert dit == known["dit-xl-2"].parameters
    assert dense == known["dlrm-dcnv2"].generic_parameters
    assert tables == 128 * sum(min(rows, MOST_ROWS) for rows in ROWS)
    assert sum(ROWS) == known["dlrm-dcnv2"].tables.rows  # type: ignore[union-attr]


@pytest.mark.needs_torch
def test_a_table_is_run_line_by_line_and_a_failure_stops_nothing(tmp_path: Path) -> None:
    """Without an accelerator, and where the tools of CI have PyTorch alone: a missing library is one run's failure."""
    out, python = tmp_path / "out.jsonl", os.environ["TORCH_PYTHON"]
    chosen = ["H01", "H14", "H33", "H49", "H54", "H55"]
    told = alone("-m", "lab.own_runs.mixed", str(FOLDER), str(out), "--tiny", "--only", *chosen, python=python)
    assert told.returncode == 0, told.stderr
    found = {line["id"]: line for line in map(json.loads, out.read_text().splitlines())}
    assert list(found) == chosen
    assert "FlexAttention" in found["H33"]["failed"], "its backward pass needs a GPU"
    assert all(
        0 < found[name]["p10_s"] <= found[name]["median_s"] <= found[name]["p90_s"] for name in ("H01", "H14", "H49")
    )
    assert found["H54"]["bytes"] > 12 * 90_000
    assert found["H55"].get("cached_s", 0) > 0 or "safetensors" in found["H55"]["failed"]
    again = alone("-m", "lab.own_runs.mixed", str(FOLDER), str(out), "--tiny", "--only", *chosen, python=python)
    assert again.returncode == 0, again.stderr
    assert len(out.read_text().splitlines()) == len(chosen), "what is there is not made again"


@pytest.mark.needs_torch
def test_activations_of_a_denoising_network_are_those_that_its_backward_pass_needs() -> None:
    """Counted without running it; norms go in FP32 under autocast, as they do on a GPU."""
    source = """
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn import functional
from lab.own_runs.diffusion import DiT, UNet

for name in ("group_norm", "layer_norm"):
    plain = getattr(functional, name)
    setattr(functional, name, lambda rows, *more, plain=plain, **named: plain(rows.float(), *more, **named))


def counted(make, batch):
    with FakeTensorMode():
        model, seen, held = make(), {}, []
        weights = {one.untyped_storage()._cdata for one in model.parameters()}

        def kept(tensor):
            place = tensor.untyped_storage()
            held.append(tensor)
            if place._cdata not in weights:
                seen[place._cdata] = place.nbytes()
            return tensor

        image, when = torch.randn(batch, 4, model.latent, model.latent), torch.randint(1000, (batch,))
        told = torch.randn(batch, 77, 768) if make is UNet else torch.randint(1000, (batch,))
        with torch.autograd.graph.saved_tensors_hooks(kept, lambda one: one), torch.autocast("cpu", torch.bfloat16):
            model(image, when, told)
        return sum(seen.values())


print(*((counted(make, 3) - counted(make, 1)) / 2 for make in (UNet, DiT)))
"""
    told = alone("-c", source, python=os.environ["TORCH_PYTHON"])
    assert told.returncode == 0, told.stderr
    unet, dit = (float(text) for text in told.stdout.split())
    known = architectures()
    assert unet == pytest.approx(known["sd-1.5"].activation_bytes_per_sample, rel=0.01)
    assert dit == pytest.approx(known["dit-xl-2"].activation_bytes_per_sample, rel=0.01)
