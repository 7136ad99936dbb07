"""Which frameworks write a checkpoint by themselves while training goes on, and what does it there."""

from __future__ import annotations

from collections.abc import Mapping

BACKGROUND_WRITERS: Mapping[str, str] = {
    "megatron": "megatron-async-save",
    "mlperf": "megatron-async-save",
    "fsdp": "torch-dcp",
    "pytorch": "torch-dcp",
    "maxtext": "orbax",
    "jax": "orbax",
    "neuron": "neuronx",
}
"""What does it, as its documentation says (read on 28 November 2026): Megatron-Core with the `torch_dist` format, and NeMo since
pull request 9028 of May 2024; `torch.distributed.checkpoint.async_save`, PyTorch's recipe for 2.4 and later; Orbax, which advises it, and
`async_checkpointing` of MaxText, on in its base configuration; `nxd.save_checkpoint(async_save=True)` of NeuronX Distributed.

DeepSpeed's own `save_checkpoint` waits: what works in the background there is an engine of its own that has to be added (DataStates-LLM,
Nebula on Azure ML). Of TorchRec no such writer is documented. A copy in the host's memory is no larger than what the accelerators of that
host hold of the same state, and hosts have more memory than their accelerators.
"""


def background_writer(framework: str) -> str:
    """What writes in the background there; empty where training waits. `megatron-2025` is Megatron of another year."""
    return BACKGROUND_WRITERS.get(framework.partition("-")[0], "")
