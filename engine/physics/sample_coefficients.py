"""Coefficients of models that answer a sample at a time: prior, range, meaning, source, and the value that fits rows.

Fitted by `python -m lab.validation.samples_fit` with a prior for each; where one publisher alone measured what a
coefficient stands for, its source says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.inputs.assumptions import Assumption, Limits

_SHARE = Limits(0.01, 1)
_TIMES = Limits(0.1, 100)
_DELAY = Limits(0, 1e7)
_ONE = {
    "mlperf": "hand-set, moved by the rows of one publisher: MLPerf Inference",
    "examples": "hand-set, moved by the rows of one publisher: NVIDIA DeepLearningExamples",
    "neuron": "hand-set, moved by the rows of one publisher: AWS Neuron",
}
_MANY = "hand-set, moved by measured samples of several publishers"

# name, prior, low, high, limits, unit, meaning, source
_TABLE: tuple[tuple[str, float, float, float, Limits, str, str, str], ...] = (
    ("share.fp16", 0.75, 0.5, 0.9, _SHARE, "", "Share of the 16-bit peak that the products of a sample reach", _MANY),
    ("share.int8", 0.45, 0.25, 0.6, _SHARE, "", "Share of the INT8 peak that products reach", _ONE["mlperf"]),
    ("share.fp8", 0.35, 0.2, 0.5, _SHARE, "", "Share of the FP8 peak that products reach, those in 16 bits included", _ONE["mlperf"]),
    ("share.tf32", 0.45, 0.3, 0.7, _SHARE, "", "Share of the TF32 peak that products reach", _ONE["examples"]),
    ("share.fp32", 0.8, 0.6, 1.0, _SHARE, "", "Share of the FP32 peak without tensor cores that products reach", _ONE["examples"]),
    ("ridge", 1.6, 1.2, 2.5, Limits(1, 10), "", "Norm that joins computing and moving bytes: 1 adds, much is the longer", _MANY),
    ("traffic.eager", 7.0, 4.0, 12.0, _TIMES, "", "Times that what a layer writes is moved, framework without compilation", _MANY),
    ("traffic.graph", 7.0, 4.0, 14.0, _TIMES, "", "Times that what a layer writes is moved, graph of a framework", _ONE["examples"]),
    ("traffic.compiled", 4.0, 2.0, 6.0, _TIMES, "", "Times that what a layer writes is moved, graph compiler", _ONE["neuron"]),
    ("traffic.tensorrt", 2.0, 1.0, 3.0, _TIMES, "", "Times that what a layer writes is moved, TensorRT", _ONE["mlperf"]),
    ("traffic_plain", 0.7, 0.4, 1.0, _TIMES, "", "Traffic without batch normalisation over that with it, before compilation", _MANY),
    ("launch_us.eager", 100.0, 40.0, 200.0, _DELAY, "µs", "Host time of one layer with weights, framework without compilation", _MANY),
    ("launch_us.graph", 50.0, 20.0, 100.0, _DELAY, "µs", "Host time of one layer with weights, graph of a framework", _ONE["examples"]),
    ("launch_us.compiled", 5.0, 2.0, 15.0, _DELAY, "µs", "Host time of one layer with weights, graph compiler", _ONE["neuron"]),
    ("launch_us.tensorrt", 3.0, 1.0, 8.0, _DELAY, "µs", "Host time of one layer with weights, TensorRT", _ONE["mlperf"]),
    ("batch_us.eager", 1000.0, 200.0, 4000.0, _DELAY, "µs", "Host time of one batch, framework without compilation", _MANY),
    ("batch_us.graph", 1000.0, 200.0, 4000.0, _DELAY, "µs", "Host time of one batch, graph of a framework", _ONE["examples"]),
    ("batch_us.compiled", 150.0, 50.0, 500.0, _DELAY, "µs", "Host time of one batch, graph compiler", _ONE["neuron"]),
    ("batch_us.tensorrt", 60.0, 20.0, 300.0, _DELAY, "µs", "Host time of one batch, TensorRT", _ONE["mlperf"]),
    ("systolic_convolution", 0.6, 0.3, 1.0, _SHARE, "", "Convolutions over other products on one large array", _ONE["neuron"]),
    ("cross_share", 0.4, 0.25, 0.6, _SHARE, "", "Share of the bandwidth at which a token reads what was heard", _ONE["mlperf"]),
    ("host_ms", 15.0, 5.0, 40.0, _DELAY, "ms", "Work on the host for each picture in reference code of detection", _ONE["examples"]),
)  # fmt: skip

FITTED: Mapping[str, float] = {
    "serving.sample_share.fp16": 0.856,
    "serving.sample_share.int8": 0.416,
    "serving.sample_share.fp8": 0.279,
    "serving.sample_share.tf32": 0.374,
    "serving.sample_share.fp32": 0.992,
    "serving.sample_ridge": 1.42,
    "serving.sample_traffic.eager": 7.58,
    "serving.sample_traffic.graph": 14.1,
    "serving.sample_traffic.compiled": 3.16,
    "serving.sample_traffic.tensorrt": 1.37,
    "serving.sample_traffic_plain": 0.874,
    "serving.sample_launch_us.eager": 132,
    "serving.sample_launch_us.graph": 71.9,
    "serving.sample_launch_us.compiled": 5.43,
    "serving.sample_batch_us.eager": 1.01e3,
    "serving.sample_batch_us.graph": 990,
    "serving.sample_batch_us.compiled": 182,
    "serving.sample_systolic_convolution": 0.399,
    "serving.sample_cross_share": 0.345,
    "serving.sample_host_ms": 17.9,
}
"""As moved by the measured rows."""


def _entries() -> Iterator[Assumption]:
    for name, value, low, high, limits, unit, meaning, source in _TABLE:
        yield Assumption(
            id=f"serving.sample_{name}",
            value=value,
            low=low,
            high=high,
            limits=limits,
            unit=unit,
            meaning=meaning,
            source=source,
        )


SAMPLE_PRIORS: Mapping[str, Assumption] = {entry.id: entry for entry in _entries()}


def fitted(entry: Assumption) -> Assumption:
    """The entry at its fitted value, its range moved along."""
    value = FITTED.get(entry.id, entry.value)
    return entry if value == entry.value else entry.at(value, f"{entry.source}; prior {entry.value:g}")
