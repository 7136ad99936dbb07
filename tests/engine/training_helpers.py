"""Workloads that the tests of the training engine share."""

from __future__ import annotations

from engine.choice.select import SELECT_ASSUMPTIONS
from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.inputs.spec import Constraints, FixedLayout, Spec, Training
from engine.kinds.training.best import TRAINING_ASSUMPTIONS, TrainingWork, work_from
from tests.engine.devices import LLAMA_8B

ASSUME = Assumptions({**SELECT_ASSUMPTIONS, **TRAINING_ASSUMPTIONS})

RESNET = Architecture(
    slug="resnet-50",
    name="ResNet-50",
    family="resnet",
    kind="generic",
    modality="image",
    generic_parameters=25.6e6,
    flops_per_sample=8.2e9,
    activation_bytes_per_sample=90e6,
)


def work(arch: Architecture = LLAMA_8B, *, fixed: FixedLayout | None = None, **training: object) -> TrainingWork:
    """A workload of that model; 2 billion tokens at 8,192 unless told otherwise."""
    values: dict[str, object] = {"tokens": 2e9, "sequence_length": 8192, "global_batch_size": 128, **training}
    if "samples" in training:
        values["tokens"] = 0.0
    spec = Spec(
        name="test",
        workload="training",
        model=arch,
        training=Training(**values),  # type: ignore[arg-type]
        constraints=Constraints(),
        fixed=fixed or FixedLayout(),
    )
    return work_from(spec, arch)
