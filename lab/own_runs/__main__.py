"""`python -m lab.own_runs`: measure training steps on one's own accelerators, print them as JSON, post them to a plan."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import util
from pathlib import Path
from typing import Any

from lab.own_runs.shape import NotMeasurable, Shape, Work, measurement, shape_of_config

SIZES = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
NO_TORCH = "PyTorch is missing: install it for your accelerators as https://pytorch.org/get-started/locally/ says, then run this again."
NO_GPU = (
    "PyTorch sees no GPU here: on a CPU nothing can be measured that narrows a plan; --cpu tries the script itself."
)
NO_LIBRARY = "--transformers needs {}: install what your own training uses, then run this again."
SMALL = Shape(
    layers=2, hidden=256, heads=4, kv_heads=2, head_dim=64, ffn=704, gated=True, vocab=2048, tied=False
)  # fmt: skip
"""What --cpu runs where no model is named."""


def main(arguments: Sequence[str]) -> int:
    """0 when all went well, 1 with one sentence when something is missing, 2 for arguments that do not fit."""
    options = _parser().parse_args(arguments)
    try:
        return _run(options)
    except NotMeasurable as fault:
        return _told(str(fault))


def _run(options: argparse.Namespace) -> int:
    if options.post and not (options.plan and options.accelerator):
        return _told(
            "--post also needs --plan and --accelerator: which draft to narrow, and what this hardware is called.", 2
        )
    if options.post and (options.cpu or options.model):
        return _told("--post measures the plan's own model on its accelerators: leave --cpu and --model out.", 2)
    if util.find_spec("torch") is None:
        return _told(NO_TORCH)
    from lab.own_runs import run

    if not options.cpu and not run.has_gpu():
        return _told(NO_GPU)
    api, shape, draft = _asked(options)
    work = _work(options, shape, draft)
    processes = options.processes or max(1, run.gpus())
    if work.transformers and (absent := _absent(work)):
        return _told(NO_LIBRARY.format(" and ".join(absent)))
    found = run.measured(work, processes=processes, steps=options.steps, sizes=tuple(options.sizes), cpu=options.cpu)
    if found is None:
        return 0
    told = _answer(found, work, options.accelerator)
    sys.stdout.write(json.dumps(told, indent=2) + "\n")
    return _post(api, options, told["measurement"]) if api else 0


def _absent(work: Work) -> list[str]:
    """Libraries that the work needs and that are not installed."""
    needed = ["transformers", "peft"] if work.lora_rank else ["transformers"]
    return [name for name in needed if util.find_spec(name) is None]


def _asked(options: argparse.Namespace) -> tuple[Any, Shape, Mapping[str, Any]]:
    """The server, the model and the draft; no server where nothing is posted."""
    if not options.post:
        if options.model:
            return None, _read_config(Path(options.model)), {}
        if not options.cpu:
            raise NotMeasurable(
                "Which model? Name its config.json with --model, or a plan with --post, --plan and --accelerator."
            )
        return None, SMALL, {}
    from sextant_client import Sextant, SextantError

    from lab.own_runs import posting

    try:
        api = Sextant(options.post, options.token)
        shape, draft = posting.planned(api, options.plan, options.accelerator)
    except SextantError as fault:
        raise NotMeasurable(str(fault)) from fault
    return api, shape, draft


def _read_config(path: Path) -> Shape:
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as fault:
        raise NotMeasurable(f"{path} is no config.json that can be read: name another with --model.") from fault
    return shape_of_config(config)


def _work(options: argparse.Namespace, shape: Shape, draft: Mapping[str, Any]) -> Work:
    asked = draft.get("training", {})
    return Work(
        shape=shape,
        sequence=int(asked.get("sequence_length") or options.sequence),
        micro_batch=options.micro_batch,
        accumulate=options.accumulate,
        zero_stage=3 if options.shard else 0,
        recompute=options.recompute or asked.get("recompute") == "full",
        compiled=options.compile or asked.get("compiled") == "yes",
        lora_rank=int(asked.get("lora_rank", 16)) if asked.get("method") == "lora" else options.lora,
        transformers=options.transformers,
    )


def _answer(found: Mapping[str, Any], work: Work, accelerator: str) -> dict[str, Any]:
    told = {**found, "run": asdict(work)}
    if found["machine"]["backend"] == "gloo":  # a CPU's step says nothing of an accelerator
        return told
    ranks, step = found["machine"]["ranks"], found["step"]["median_s"]
    return {"measurement": measurement(work, accelerator=accelerator, count=ranks, step_time_s=step), **told}


def _post(api: Any, options: argparse.Namespace, own: Mapping[str, Any]) -> int:
    from sextant_client import SextantError

    from lab.own_runs import posting

    try:
        count = posting.posted(api, options.plan, own)
    except SextantError as fault:
        return _told(f"Measured, but not posted: {fault}")
    sys.stderr.write(f"The draft of {options.plan} now holds {count} own measurements; its next version uses them.\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lab.own_runs", description=__doc__)
    parser.add_argument("--model", metavar="FILE", help="config.json of a plain decoder")
    parser.add_argument("--sequence", type=int, default=1024, help="tokens of a sample (a plan states its own)")
    parser.add_argument("--micro-batch", type=int, default=1, help="samples of one pass on one accelerator")
    parser.add_argument("--accumulate", type=int, default=1, help="passes of one step")
    parser.add_argument("--shard", action="store_true", help="split weights over all ranks (FSDP2, ZeRO 3); else DDP")
    parser.add_argument("--recompute", action="store_true", help="recompute every layer")
    parser.add_argument("--compile", action="store_true", help="torch.compile of every layer")
    parser.add_argument(
        "--lora", type=int, default=0, metavar="RANK", help="train adapters of this rank; else all weights"
    )
    parser.add_argument(
        "--transformers", action="store_true", help="the model of Hugging Face's library (installed here) and its PEFT"
    )
    parser.add_argument("--steps", type=int, default=30, help="steps that count")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, metavar="BYTES", help="sizes of the exchange")
    parser.add_argument("--processes", type=int, default=0, help="ranks on this machine; all its GPUs unless told")
    parser.add_argument("--cpu", action="store_true", help="try the script itself without a GPU")
    parser.add_argument("--accelerator", default="", help="slug of this hardware in the catalog, such as h100-sxm5")
    parser.add_argument("--post", metavar="URL", help="server whose plan is to be narrowed")
    parser.add_argument("--plan", default="", help="id of that plan (pln_…)")
    parser.add_argument(
        "--token", default=os.environ.get("SEXTANT_TOKEN", ""), help="else SEXTANT_TOKEN (not seen by others)"
    )
    return parser


def _told(sentence: str, status: int = 1) -> int:
    sys.stderr.write(sentence + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
