"""llm-analysis (github.com/cli99/llm-analysis, Apache-2.0) on the rows that it can express, in a Python of its own.

`validate --docs FILE --llm-analysis PYTHON` computes it anew; without that the figures of the last run stay on the page. It knows dense
models in 16 bits on GPUs, tensor and pipeline parallelism, ZeRO and recomputation; it gives no figure without an efficiency, which
its documentation puts at about a half for Megatron-LM.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.validation.rows import Run

DOCUMENTED = 0.5
"""Share of the peak that its documentation names."""
PROGRAM = """\
import json, logging, sys
logging.disable(logging.CRITICAL)
from llm_analysis.analysis import ActivationRecomputation, DSZeRO, LLMAnalysis
from llm_analysis.config import GPUConfig, ModelConfig, ParallelismConfig

def steps(row):
    model = ModelConfig(
        name=row["id"], num_layers=row["layers"], n_head=row["heads"], hidden_dim=row["hidden"], vocab_size=row["vocab"],
        max_seq_len=row["sequence"], num_key_value_heads=row["kv_heads"], ffn_embed_dim=row["ffn"],
        expansion_ratio=row["ffn"] / row["hidden"],
    )
    gpu = GPUConfig(
        name="gpu", mem_per_GPU_in_GB=1e6, hbm_bandwidth_in_GB_per_sec=row["memory_gb_s"],
        intra_node_bandwidth_in_GB_per_sec=row["node_gb_s"],
        intra_node_min_message_latency=8e-6, peak_fp16_TFLOPS=row["tflops"], inter_node_bandwidth_in_GB_per_sec=row["network_gb_s"],
    )
    layout = ParallelismConfig(tp_size=row["tp"], pp_size=row["pp"], dp_size=row["dp"])
    for efficiency in row["efficiencies"]:
        told = LLMAnalysis(
            model, gpu, parallelism_config=layout, flops_efficiency=efficiency, hbm_memory_efficiency=0.9,
        ).training(
            batch_size_per_gpu=row["micro_batch"], gradient_accumulation_steps=row["accumulation"], seq_len=row["sequence"],
            activation_recomputation=ActivationRecomputation(row["recompute"]), ds_zero=DSZeRO(row["zero"]),
            mlp_gated_linear_units=row["gated"], flash_attn=row["flash"],
        )
        yield told["latency_per_iter"]

out = []
for row in json.load(sys.stdin):
    try:
        out.append(list(steps(row)))
    except (AssertionError, ValueError, TypeError, ZeroDivisionError, KeyError):
        out.append(None)
json.dump(out, sys.stdout)
"""
EFFICIENCIES = (DOCUMENTED, *np.round(np.arange(0.25, 0.76, 0.05), 2).tolist())


def expressible(runs: Sequence[Run]) -> list[Run]:
    """The rows that it can be asked about."""
    return [
        run
        for run in runs
        if run.precision in ("bf16", "fp16")
        and run.cp == 1
        and run.cluster.device.vendor.lower() == "nvidia"
        and _dense(run)
    ]


def _dense(run: Run) -> bool:
    arch = run.arch
    return not (arch.moe or arch.mla or arch.ssm or arch.window or arch.kind != "transformer")


def steps(runs: Sequence[Run], python: str) -> NDArray[np.float64]:
    """Step time [s] at each of `EFFICIENCIES`, a row for each run; NaN for what it refuses."""
    asked = json.dumps([_asked(run) for run in runs])
    done = subprocess.run([python, "-c", PROGRAM], input=asked, capture_output=True, text=True, check=True)  # noqa: S603 - named by who calls
    told = json.loads(done.stdout)
    return np.array([[np.nan] * len(EFFICIENCIES) if one is None else one for one in told], dtype=float)


def _asked(run: Run) -> dict[str, Any]:
    arch, device = run.arch, run.cluster.device
    return {
        "id": run.id,
        "layers": arch.layers,
        "heads": arch.heads,
        "kv_heads": arch.kv_heads,
        "hidden": arch.hidden,
        "ffn": arch.ffn,
        "gated": arch.gated,
        "vocab": arch.vocab,
        "sequence": run.sequence,
        "micro_batch": max(1, round(run.micro_batch)),
        "accumulation": max(1, round(run.global_batch / run.dp / run.micro_batch)),
        "tp": run.tp,
        "pp": run.pp,
        "dp": int(run.dp),
        "zero": run.zero,
        # Its selective recomputation repeats the attention core, which fused kernels do anyway.
        "recompute": 2 if run.recompute >= 0.75 else 1 if run.recompute > 0.0 else 0,
        "flash": run.framework != "megatron-2022",
        "tflops": device.dense_flops.get("bf16", device.dense_flops.get("fp16", 0.0)) / 1e12,
        "memory_gb_s": device.memory_bandwidth / 1e9,
        # One direction of the links inside a node, and of the network of one accelerator.
        "node_gb_s": (device.scaleup_bandwidth or device.pcie_bandwidth) / 1e9,
        "network_gb_s": run.cluster.nic_bandwidth / 1e9,
        "efficiencies": EFFICIENCIES,
    }
